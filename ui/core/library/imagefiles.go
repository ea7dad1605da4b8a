package library

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/ui/core/library/disk"
	"easel/ui/core/picture"
)

// imageFiles are the files of images, named by the hash of their bytes.
type imageFiles struct {
	dir    string // of the library
	writer disk.Writer
	log    *slog.Logger
	forget func(hash string) // deletes the thumbnails of a file

	mu    sync.RWMutex // read-locked from writing a file until its row is committed; locked to delete files
	used  atomic.Int64 // total size, in bytes
	quota atomic.Int64
	// figures is at least the size of the stored figures of all images, in bytes, once they are counted.
	figures atomic.Int64
	counted atomic.Bool
}

// path returns the path of a form's file. The first two digits are a directory,
// because large directories are slow to list.
func (p *imageFiles) path(f formRecord) string {
	return filepath.Join(p.dir, imagesDir, f.Hash[:2], f.name())
}

func (p *imageFiles) image(r imageRow, code string) Image {
	im := Image{
		Image: catalog.Image{
			ResourceURI: r.uri(), ImageID: r.id, MIMEType: r.main.MIME, Width: r.width, Height: r.height, Bytes: r.main.Bytes,
			Title: r.title, Description: r.description, Path: p.path(r.main), SessionID: r.session, ExecutionID: r.execution,
			CreatedAt: timeOf(r.created), Rating: r.rating, Tags: parseTags(r.tags), Note: r.note, Replaces: r.replaces,
			Interactive: r.interactive, ReplacedBy: r.replacedBy,
		},
		N: r.n, Client: r.client, ETag: r.main.Hash[:32], Code: code, DisplayID: r.displayID,
		Modified: timeOf(r.modified), Trashed: timeOf(r.trashed), Broken: r.broken, Checked: r.checked,
		Findings: r.findings, Judged: parseKeys(r.judged),
	}
	if !r.superseded && r.versions > 1 {
		im.Versions = r.versions
	}
	if r.frames > 1 {
		im.Frames = r.frames
	}
	forms := append([]formRecord{r.main}, parseForms(r.forms)...)
	im.Forms = p.stored(seen(forms))
	if i := slices.IndexFunc(forms, isFacts); i >= 0 {
		im.Facts = &p.stored(forms[i : i+1])[0]
	}
	if i := slices.IndexFunc(forms, isFigure); i >= 0 {
		im.Figure = &p.stored(forms[i : i+1])[0]
	}
	return im
}

func (p *imageFiles) stored(forms []formRecord) []StoredForm {
	all := make([]StoredForm, len(forms))
	for i, f := range forms {
		all[i] = StoredForm{MIME: f.MIME, Path: p.path(f), Bytes: f.Bytes}
	}
	return all
}

// hashBytes is the number of bytes of the SHA-256 in a file name. They identify a file;
// more would cost models tokens. Older files have all 32.
const hashBytes = 16

func (p *imageFiles) newForm(f Form) (form formRecord, w, h int) {
	mime, w, h, err := picture.Sniff(f.Data)
	mime = cmp.Or(mime, strings.ToLower(strings.TrimSpace(f.MIME)))
	if err != nil && !errors.Is(err, picture.ErrFormat) {
		p.log.Debug("library: odd image", "mime", mime, "err", err)
	}
	sum := sha256.Sum256(f.Data)
	return formRecord{MIME: mime, Hash: hex.EncodeToString(sum[:hashBytes]), Ext: extension(mime), Bytes: int64(len(f.Data))}, w, h
}

// extensions maps the MIME types that kernels send to file extensions.
var extensions = map[string]string{
	picture.PNG: "png", picture.JPEG: "jpg", picture.GIF: "gif", picture.WebP: "webp", picture.SVG: "svg",
	"application/pdf": "pdf", "text/html": "html", "text/markdown": "md", "text/latex": "tex", "application/json": "json",
	"application/javascript": "js", "image/bmp": "bmp", "image/tiff": "tif",
}

func extension(mime string) string {
	if ext, ok := extensions[mime]; ok {
		return ext
	}
	if strings.HasSuffix(mime, "+json") {
		return "json"
	}
	return "bin"
}

// holdsFile reports whether a file exists with exactly these bytes.
func holdsFile(f disk.File) bool {
	info, err := os.Stat(f.Path)
	if err != nil || info.Size() != int64(len(f.Data)) {
		return false
	}
	has, err := os.ReadFile(f.Path)
	return err == nil && bytes.Equal(has, f.Data)
}

// listFiles returns the sizes of the files in images, by name.
func (p *imageFiles) listFiles(ctx context.Context) (map[string]int64, error) {
	found := make(map[string]int64)
	shards, err := os.ReadDir(filepath.Join(p.dir, imagesDir))
	if err != nil {
		return nil, err
	}
	for _, s := range shards {
		if !s.IsDir() {
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		files, err := os.ReadDir(filepath.Join(p.dir, imagesDir, s.Name()))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if info, err := f.Info(); err == nil && info.Mode().IsRegular() && strings.HasPrefix(f.Name(), s.Name()) {
				found[f.Name()] = info.Size()
			}
		}
	}
	return found, nil
}

// moveLost moves files without a row to the directory of lost files.
func (p *imageFiles) moveLost(found map[string]int64) error {
	if len(found) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Join(p.dir, lostDir), 0o700); err != nil {
		return err
	}
	for name := range found {
		if err := system.Rename(filepath.Join(p.dir, imagesDir, name[:2], name), filepath.Join(p.dir, lostDir, name)); err != nil {
			return err
		}
	}
	p.log.Info("library: unfinished files moved away", "files", len(found), "to", filepath.Join(p.dir, lostDir))
	return nil
}

// purgeLost deletes lost files that were moved there before a time.
func (p *imageFiles) purgeLost(before time.Time) {
	left, err := os.ReadDir(filepath.Join(p.dir, lostDir))
	if err != nil {
		return // there is none
	}
	for _, e := range left {
		if info, err := e.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(filepath.Join(p.dir, lostDir), e.Name()))
		}
	}
}
