// Package export writes plots to a folder: the original files with readable names, the code
// of each, and a manifest that describes them.
//
// # Goroutines
//
// The package starts none. Folder runs on its caller's goroutine.
package export

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"easel/internal/atomicfile"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/sessionname"
)

// Library is the part of the library that an export uses.
type Library interface {
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Read(ctx context.Context, id string) ([]byte, library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
	Execution(ctx context.Context, id string) (library.Execution, error)
	Session(ctx context.Context, id string) (library.Session, error)
	Environment(ctx context.Context, e library.Execution) (catalog.Environment, error)
}

// Options describe an export.
type Options struct {
	Title   string
	IDs     []string // of the images, in order
	Code    bool     // write the code of each plot
	Notes   bool     // include notes, tags and stars
	Timings bool     // include when executions started and ended
	Made    string   // program and version
	Now     time.Time
	// Name returns the name of an image without a title. If nil, it is the image's id.
	Name func(library.Image) string
	// Values returns the values that a plot shows as CSV, or nil. May be nil.
	Values func(ctx context.Context, im library.Image) []byte
	// Progress, if not nil, is called after each plot.
	Progress func(done, total int)
}

// A Result says what a folder contains.
type Result struct {
	Path    string // of the folder
	Plots   int
	Bytes   int64    // of all files
	Missing []string // titles of images that have been deleted or could not be read
}

const (
	tempPrefix = ".easel-export-"
	tempLife   = 24 * time.Hour // after which a temporary folder is certainly left from a crash
	mostNames  = 10_000
)

// Folder writes plots to a new folder at path, or at path with a number if path exists. The
// folder that contains it must exist. The folder appears when it is complete: if writing
// fails or ctx ends, nothing is left. Images that have been deleted or cannot be read are
// listed in Result.Missing.
func Folder(ctx context.Context, path string, lib Library, o Options) (Result, error) {
	parent := filepath.Dir(path)
	sweep(parent, o.Now)
	dir := filepath.Join(parent, tempPrefix+strconv.FormatUint(rand.Uint64(), 36)) //nolint:gosec // Mkdir keeps a guessed name from being used
	if err := os.Mkdir(dir, 0o777); err != nil {                                   //nolint:gosec // the user's folder, as the umask has it
		return Result{}, err
	}
	w := &writer{lib: lib, dir: dir, o: o, sessions: make(map[string]library.Session)}
	err := w.write(ctx)
	if err == nil {
		w.result.Path, err = publish(dir, path)
	}
	if err != nil {
		return Result{}, errors.Join(err, os.RemoveAll(dir))
	}
	return w.result, nil
}

// sweep removes temporary folders that a crash has left in dir.
func sweep(dir string, now time.Time) {
	all, _ := os.ReadDir(dir) // not Glob: dir may contain its characters
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), tempPrefix) || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > tempLife {
			_ = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// publish gives a complete folder its name: path, or path with a number if that exists.
func publish(dir, path string) (string, error) {
	if err := atomicfile.SyncDir(dir); err != nil {
		return "", err
	}
	to := path
	for n := 2; n < mostNames; n++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(dir, to); err == nil || !errors.Is(err, fs.ErrExist) {
				return to, errors.Join(err, atomicfile.SyncDir(filepath.Dir(to)))
			}
		} else if err != nil {
			return "", err
		}
		to = fmt.Sprintf("%s (%d)", path, n)
	}
	return "", fs.ErrExist
}

// A writer writes the files of one folder.
type writer struct {
	lib      Library
	dir      string
	o        Options
	sessions map[string]library.Session // by the id in images
	manifest Manifest
	result   Result
}

func (w *writer) write(ctx context.Context) error {
	w.manifest = Manifest{
		Version: Version, Made: w.o.Made, Title: w.o.Title, Created: w.o.Now.UTC().Truncate(time.Second),
		Sessions: []Session{}, Plots: []Plot{}, Missing: []string{},
	}
	for i, id := range w.o.IDs {
		if err := w.plot(ctx, id); err != nil {
			return err
		}
		if w.o.Progress != nil {
			w.o.Progress(i+1, len(w.o.IDs))
		}
	}
	if w.result.Plots == 0 {
		return fmt.Errorf("export: %w: none of %d plots can be read", library.ErrNotFound, len(w.o.IDs))
	}
	w.nameSessions()
	w.manifest.Missing = append(w.manifest.Missing, w.result.Missing...)
	if err := w.create("index.csv", w.manifest.writeCSV); err != nil {
		return err
	}
	return w.create("manifest.json", w.manifest.writeJSON)
}

// plot writes the files of an image. Its error is one of the disk, or ctx's.
func (w *writer) plot(ctx context.Context, id string) error {
	data, im, err := w.read(ctx, id)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		w.result.Missing = append(w.result.Missing, cmp.Or(im.Title, id))
		return nil //nolint:nilerr // the others are exported
	}
	p := Plot{
		N: w.result.Plots + 1, ImageID: im.ImageID, Title: im.Title, Created: im.CreatedAt.UTC(), Width: im.Width, Height: im.Height,
		Session: w.session(ctx, im.SessionID), Execution: im.ExecutionID, Client: im.Client, Tags: []string{},
	}
	if p.Title == "" && w.o.Name != nil {
		p.Title = w.o.Name(im)
	}
	if w.o.Notes {
		p.Rating, p.Tags, p.Note = im.Rating, append(p.Tags, im.Tags...), im.Note
	}
	name := base(p.N, len(w.o.IDs), im, p.Title)
	if p.File, err = w.file(name+ending(im.MIMEType, im.Path), im.MIMEType, data); err != nil {
		return err
	}
	if err := w.others(ctx, &p, im, name); err != nil {
		return err
	}
	if err := w.values(ctx, &p, im, name); err != nil {
		return err
	}
	if err := w.execution(ctx, &p, im, name); err != nil {
		return err
	}
	w.result.Plots++
	w.manifest.Plots = append(w.manifest.Plots, p)
	return nil
}

func (w *writer) read(ctx context.Context, id string) ([]byte, library.Image, error) {
	images, err := w.lib.Get(ctx, id)
	if err != nil || len(images) == 0 {
		return nil, library.Image{}, cmp.Or(err, library.ErrNotFound)
	}
	data, _, err := w.lib.Read(ctx, id)
	return data, images[0], err
}

// others writes the other forms in which an image was displayed, for example the data of a
// figure.
func (w *writer) others(ctx context.Context, p *Plot, im library.Image, name string) error {
	used := map[string]bool{p.Name: true}
	for _, f := range im.Forms {
		if f.MIME == im.MIMEType {
			continue
		}
		data, err := w.lib.ReadForm(ctx, im, f.MIME)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // the picture is there
		}
		file := name + ending(f.MIME, f.Path)
		for n := 2; used[file]; n++ {
			file = fmt.Sprintf("%s (%d)%s", name, n, ending(f.MIME, f.Path))
		}
		used[file] = true
		written, err := w.file(file, f.MIME, data)
		if err != nil {
			return err
		}
		p.Others = append(p.Others, written)
	}
	return nil
}

// values writes the values that a plot shows.
func (w *writer) values(ctx context.Context, p *Plot, im library.Image, name string) error {
	if w.o.Values == nil {
		return nil
	}
	data := w.o.Values(ctx, im)
	if data == nil {
		return ctx.Err()
	}
	written, err := w.file(name+".data.csv", "text/csv", data)
	p.Others = append(p.Others, written)
	return err
}

// execution writes an image's code and notes when it ran.
func (w *writer) execution(ctx context.Context, p *Plot, im library.Image, name string) error {
	code := im.Code
	var x library.Execution
	var err error
	if im.ExecutionID != "" {
		if x, err = w.lib.Execution(ctx, im.ExecutionID); err == nil {
			code = x.Code
			if w.o.Timings {
				p.Started, p.Ended = moment(x.StartedAt), moment(x.EndedAt)
			}
		}
	}
	if !w.o.Code || strings.TrimSpace(code) == "" {
		return nil
	}
	w.environment(ctx, p, x)
	p.Code = name + codeEnding(w.sessions[im.SessionID].KernelName)
	_, err = w.file(p.Code, "", []byte(strings.TrimRight(code, "\n")+"\n"))
	return err
}

// environment says what a plot was drawn in. The manifest has each environment once.
func (w *writer) environment(ctx context.Context, p *Plot, x library.Execution) {
	env, err := w.lib.Environment(ctx, x)
	if err != nil {
		return // it was not recorded
	}
	p.Environment = x.Environment
	if w.manifest.Environments == nil {
		w.manifest.Environments = make(map[string]catalog.Environment)
	}
	w.manifest.Environments[x.Environment] = env.Portable()
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// session returns the id of an image's session, and adds the session to the manifest.
func (w *writer) session(ctx context.Context, id string) string {
	if _, known := w.sessions[id]; id == "" || known {
		return id
	}
	s, err := w.lib.Session(ctx, id)
	if err != nil {
		s = library.Session{}
	}
	w.sessions[id] = s
	w.manifest.Sessions = append(w.manifest.Sessions, Session{
		ID: id, Kernel: s.KernelName, Notebook: s.NotebookPath, Created: moment(s.CreatedAt),
	})
	return id
}

// nameSessions names the sessions of the manifest.
func (w *writer) nameSessions() {
	all := make([]sessionname.Session, len(w.manifest.Sessions))
	for i, s := range w.manifest.Sessions {
		all[i] = w.sessions[s.ID].Named()
		all[i].ID = s.ID // also if the library does not have it
	}
	for i, name := range sessionname.Among(all) {
		w.manifest.Sessions[i].Name = name
	}
}

// file writes a file and returns its facts.
func (w *writer) file(name, mime string, data []byte) (File, error) {
	err := w.create(name, func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	})
	sum := sha256.Sum256(data)
	return File{Name: name, MIME: mime, Bytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}, err
}

// create writes and syncs a new file.
func (w *writer) create(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) //nolint:gosec // the user's file, as the umask has it
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if info, failed := f.Stat(); failed == nil {
		w.result.Bytes += info.Size()
	}
	return errors.Join(err, f.Close())
}

// endings are the extensions of pictures.
var endings = map[string]string{picture.PNG: ".png", picture.JPEG: ".jpg", picture.GIF: ".gif", picture.WebP: ".webp", picture.SVG: ".svg"}

// ending returns the extension of a form's file. stored is the form's path in the library.
func ending(mime, stored string) string {
	return cmp.Or(endings[mime], picture.DataEnding(mime, stored), ".bin")
}
