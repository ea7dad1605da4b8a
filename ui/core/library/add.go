package library

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/ui/core/picture"
)

// A Form is one form of an image: the bytes as the kernel sent them.
type Form struct {
	MIME string // what the kernel says; for an image the bytes decide
	Data []byte
}

// A NewImage is an image to be kept.
type NewImage struct {
	SessionID   string
	ExecutionID string // of what made it; empty if unknown
	Code        string // of that execution, as the library has it; empty: it is looked up
	Client      string // who had it made
	Title       string
	Description string // a line that tells what it is; empty: one is made
	DisplayID   string // the kernel's display_id, for updates
	Replaces    string // id or URI of the image that this one updates
	Interactive string // kind of a figure without a picture, as picture.Interactive names it
	Forms       []Form // best first: Forms[0] is the image, the rest are kept beside it
	CreatedAt   time.Time
}

// AddImage keeps an image: it is on the disk when AddImage returns. Equal bytes are
// kept once. The kind and the size in pixels are read from the bytes; bytes that are
// no image of a known kind are kept as what they are said to be, with size 0.
func (l *Library) AddImage(ctx context.Context, n NewImage) (Image, error) {
	images, err := l.AddImages(ctx, []NewImage{n})
	if err != nil {
		return Image{}, err
	}
	return images[0], nil
}

// AddImages keeps several images, all or none, faster than one by one.
func (l *Library) AddImages(ctx context.Context, added []NewImage) ([]Image, error) {
	if len(added) == 0 {
		return nil, nil
	}
	records := make([]imageRecord, len(added))
	files := make(map[string]newFile)
	for i, n := range added {
		var err error
		if records[i], err = l.newRecord(ctx, n, files); err != nil {
			return nil, err
		}
	}
	if err := l.makeRoom(ctx, files); err != nil {
		return nil, err
	}
	kept := func(bool) {}
	if len(added) == 1 {
		kept = l.pregenerate(records[0], added[0])
	}
	err := l.keep(ctx, records, files)
	kept(err == nil)
	if err != nil {
		return nil, fmt.Errorf("keep the image: %w", err)
	}
	return l.added(ctx, records, added)
}

// added are the images that records, of what was given, have just made.
func (l *Library) added(ctx context.Context, records []imageRecord, given []NewImage) ([]Image, error) {
	if slices.ContainsFunc(records, func(r imageRecord) bool { return r.Replaces != "" }) {
		return l.addedVersions(ctx, records)
	}
	if slices.ContainsFunc(given, func(n NewImage) bool { return n.ExecutionID != "" && n.Code == "" }) {
		rows := make([]imageRow, len(records))
		for i, r := range records {
			rows[i] = r.row()
		}
		return l.withCode(ctx, rows)
	}
	images := make([]Image, len(records))
	for i, r := range records {
		images[i] = l.image(r.row(), given[i].Code)
	}
	return images, nil
}

// addedVersions reads what records have just made: some have taken over what was noted on
// their figures.
func (l *Library) addedVersions(ctx context.Context, records []imageRecord) ([]Image, error) {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	images, err := l.Get(ctx, ids...)
	if err != nil {
		return nil, err
	}
	if len(images) != len(records) {
		return nil, fmt.Errorf("%w: it was deleted at once", ErrNotFound)
	}
	for i, r := range records {
		images[i].Former = r.former
	}
	return images, nil
}

// keep writes the files, then the rows.
func (l *Library) keep(ctx context.Context, records []imageRecord, files map[string]newFile) error {
	l.files.RLock() // so that no purge deletes a file before its row is there
	defer l.files.RUnlock()
	var missing []newFile
	for _, f := range files {
		if !holdsFile(f) {
			missing = append(missing, f)
		}
	}
	if err := l.writeFiles(missing); err != nil {
		return err
	}
	return l.write(ctx, survivesPowerLoss, func(t *tx) error {
		last := make(map[string]int, 1) // n of a session's last image
		for i := range records {
			r := &records[i]
			n, known := last[r.Session]
			var err error
			if !known {
				session, err := t.sessionSeq(r.Session)
				if err != nil {
					return err
				}
				if err := t.row(`select counter from sessions where seq = ?`, session).Scan(&n); err != nil {
					return err
				}
			}
			if r.N, err = t.number(*r); err != nil {
				return err
			}
			if r.N == 0 {
				n++
				r.N = n
			}
			last[r.Session] = n
			if err := t.record(record{At: r.Created, Image: r}); err != nil {
				return err
			}
			r.former = t.former
		}
		for _, f := range missing {
			if _, err := t.exec(`update files set broken = 0 where name = ? and broken <> 0`, filepath.Base(f.path)); err != nil {
				return err
			}
		}
		return nil
	})
}

// holdsFile tells whether a file is there with just these bytes.
func holdsFile(f newFile) bool {
	info, err := os.Stat(f.path)
	if err != nil || info.Size() != int64(len(f.data)) {
		return false
	}
	has, err := os.ReadFile(f.path)
	return err == nil && bytes.Equal(has, f.data)
}

// newRecord makes the record of a new image and adds its files to files, by name.
func (l *Library) newRecord(ctx context.Context, n NewImage, files map[string]newFile) (imageRecord, error) {
	if err := checkKey("session", n.SessionID); err != nil {
		return imageRecord{}, err
	}
	if len(n.Forms) == 0 || slices.ContainsFunc(n.Forms, func(f Form) bool { return len(f.Data) == 0 }) {
		return imageRecord{}, fmt.Errorf("%w: image without data", ErrInvalid)
	}
	now := l.now()
	if n.CreatedAt.IsZero() {
		n.CreatedAt = now
	}
	r := imageRecord{
		ID: l.ids.next(now), Session: n.SessionID, Execution: n.ExecutionID, Created: n.CreatedAt.UnixNano(),
		Title: clean(n.Title), Description: clean(n.Description), Client: n.Client, DisplayID: n.DisplayID,
		Interactive: n.Interactive,
	}
	if n.Replaces != "" {
		old, err := l.imageRow(ctx, n.Replaces)
		if err != nil {
			return imageRecord{}, fmt.Errorf("replaced image: %w", err)
		}
		r.Replaces = old.uri()
	}
	for i, f := range n.Forms {
		form, w, h := l.newForm(f)
		if i == 0 {
			r.Width, r.Height = w, h
		}
		r.Forms = append(r.Forms, form)
		files[form.name()] = newFile{l.formPath(form), f.Data}
	}
	if strings.HasPrefix(r.Forms[0].MIME, "image/") {
		r.Interactive = "" // HTML that is nothing but an SVG, as its bytes tell
	}
	if r.Description == "" {
		r.Description = describe(r)
	}
	return r, nil
}

// hashBytes is how much of its SHA-256 names a file: enough to tell any two apart. Models
// read the name, and each byte costs them. Older files have all 32.
const hashBytes = 16

func (l *Library) newForm(f Form) (form formRecord, w, h int) {
	mime, w, h, err := picture.Sniff(f.Data)
	if mime == "" {
		mime = strings.ToLower(strings.TrimSpace(f.MIME))
	}
	if err != nil && !errors.Is(err, picture.ErrFormat) {
		l.log.Debug("library: odd image", "mime", mime, "err", err)
	}
	sum := sha256.Sum256(f.Data)
	return formRecord{MIME: mime, Hash: hex.EncodeToString(sum[:hashBytes]), Ext: extension(mime), Bytes: int64(len(f.Data))}, w, h
}

// extensions of the kinds that kernels send.
var extensions = map[string]string{
	picture.PNG: "png", picture.JPEG: "jpg", picture.GIF: "gif", picture.WebP: "webp", picture.SVG: "svg",
	"application/pdf": "pdf", "text/html": "html", "text/markdown": "md", "application/json": "json", "application/javascript": "js", "image/bmp": "bmp", "image/tiff": "tif",
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

func describe(r imageRecord) string {
	kind := strings.ToUpper(r.Forms[0].Ext)
	if r.Width == 0 {
		return kind + " image"
	}
	return fmt.Sprintf("%s image, %d×%d", kind, r.Width, r.Height)
}

// row is the image as the database has it when r has just been applied, but for what
// only queries need.
func (r imageRecord) row() imageRow {
	return imageRow{
		id: r.ID, session: r.Session, execution: r.Execution, n: r.N, created: r.Created, modified: r.Created,
		main: r.Forms[0], width: r.Width, height: r.Height, title: r.Title, description: r.Description, client: r.Client,
		displayID: r.DisplayID, replaces: r.Replaces, interactive: r.Interactive, forms: r.others(),
		born: r.Created, versions: 1,
	}
}
