// Package coretest provides a library with plots for the tests of the core and the window.
//
// # Goroutines
//
// Those of the library, until the test ends. A [Library] is safe for concurrent use.
package coretest

import (
	"context"
	"fmt"
	"image"
	"log/slog"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/library"
	"easel/ui/core/library/disk"
	"easel/ui/core/library/feed"
	"easel/ui/core/library/output"
	"easel/ui/core/picture"
)

// Start is the time before the first image.
var Start = time.Date(2026, 3, 14, 9, 26, 0, 0, time.Local) //nolint:gosmopolitan // the window shows local times

// A Library is a library in a directory of its own. What is read of its images does not depend on
// the machine, and a test can change it.
type Library struct {
	*collection.Collection

	t   testing.TB
	ids atomic.Int64 // so far

	mu    sync.Mutex
	plots int                               // so far
	edits map[string][]func(*library.Image) // by image
}

// fastDisk does not wait for the disk.
type fastDisk struct{ disk.Real }

func (fastDisk) Sync(*os.File) error  { return nil }
func (fastDisk) SyncDir(string) error { return nil }

// Open opens an empty library, which is closed when the test ends.
func Open(t testing.TB) *library.Library { return open(t, library.Options{}) }

func open(t testing.TB, o library.Options) *library.Library {
	t.Helper()
	o.Disk = fastDisk{}
	lib, err := library.Open(context.Background(), t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lib.Close()) })
	return lib
}

// NewLibrary opens an empty library, which is closed when the test ends.
func NewLibrary(t testing.TB) *Library {
	t.Helper()
	l := &Library{t: t, edits: make(map[string][]func(*library.Image))}
	lib := open(t, library.Options{
		Now:   func() time.Time { return Start.Add(time.Hour) },
		NewID: func(time.Time) string { return fmt.Sprintf("img%05d", l.ids.Add(1)) },
	})
	l.Collection = collection.New(lib, slog.New(slog.DiscardHandler))
	return l
}

// SessionID returns the id of the n-th session.
func SessionID(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", 0x5ab00000+n) }

// AddSession adds the n-th session.
func (l *Library) AddSession(n int, name, client string) {
	l.t.Helper()
	require.NoError(l.t, l.Library.Sessions.Put(context.Background(), library.Session{
		ID: SessionID(n), KernelID: SessionID(n), KernelName: "python3", Server: "managed", Name: name, Client: client,
		Owner: "easel", CreatedAt: Start, Colour: n,
	}))
}

// Add adds a plot to the n-th session and returns its id.
func (l *Library) Add(n int, title, code string) string {
	return l.AddSized(n, title, code, 640, 480)
}

// AddSized is Add with the size of the plot.
func (l *Library) AddSized(n int, title, code string, w, h int) string {
	l.t.Helper()
	return l.add(code, library.NewImage{
		SessionID: SessionID(n), Title: title, Forms: []library.Form{{MIME: picture.PNG, Data: plotPNG(int(l.ids.Load())+1, w, h)}},
	})
}

// AddAt is Add for a plot that was drawn at a time, after all others.
func (l *Library) AddAt(n int, title, code string, at time.Time) string {
	l.t.Helper()
	return l.add(code, library.NewImage{
		SessionID: SessionID(n), Title: title, CreatedAt: at,
		Forms: []library.Form{{MIME: picture.PNG, Data: plotPNG(int(l.ids.Load())+1, 640, 480)}},
	})
}

// add adds an image and the execution that drew it.
func (l *Library) add(code string, n library.NewImage) string {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.plots++
	if n.CreatedAt.IsZero() {
		n.CreatedAt = Start.Add(time.Duration(l.plots) * time.Minute)
	}
	n.Client = "claude-code 2.1.0"
	if s, err := l.Session(context.Background(), n.SessionID); err == nil {
		n.Client = s.Client
	}
	n.ExecutionID, n.Code = fmt.Sprintf("run%05d", l.plots), code
	require.NoError(l.t, l.Library.Executions.Put(context.Background(), library.Execution{
		ID: n.ExecutionID, SessionID: n.SessionID, Code: code, Client: n.Client, Status: catalog.StatusOK, Count: l.plots,
		CreatedAt: n.CreatedAt, StartedAt: n.CreatedAt, EndedAt: n.CreatedAt.Add(340 * time.Millisecond),
	}))
	im, err := l.Library.Images.Add(context.Background(), n)
	require.NoError(l.t, err)
	return im.ImageID
}

// Update adds a version to the figure whose newest version has this id, and returns the id of
// the new version.
func (l *Library) Update(id, code string) string {
	l.t.Helper()
	old, err := l.Image(context.Background(), id)
	require.NoError(l.t, err)
	return l.add(code, library.NewImage{
		SessionID: old.SessionID, Title: old.Title, Replaces: id,
		Forms: []library.Form{{MIME: picture.PNG, Data: plotPNG(int(l.ids.Load())+1, old.Width, old.Height)}},
	})
}

// AddFigure adds a figure without a picture to the n-th session and returns its id.
func (l *Library) AddFigure(n int, kind, title, code string) string {
	l.t.Helper()
	x, _ := picture.InteractiveOf(kind)
	mime := x.MIME
	if kind == picture.Plotly {
		mime = "application/vnd.plotly.v1+json"
	}
	return l.add(code, library.NewImage{
		SessionID: SessionID(n), Title: title, Interactive: kind, Description: x.Name + "; it has no picture here: " + x.Remedy(),
		Forms: []library.Form{{MIME: mime, Data: []byte(`{"data": []}`)}},
	})
}

// AddAnimation adds an animated GIF to the n-th session and returns its id. Frame i, from 0,
// is Plot(N+i), where N is the image's number. loop is as in [gif.GIF].
func (l *Library) AddAnimation(n int, title string, frames, loop int) string {
	l.t.Helper()
	return l.add("", library.NewImage{
		SessionID: SessionID(n), Title: title,
		Forms: []library.Form{{MIME: picture.GIF, Data: animation(int(l.ids.Load())+1, 640, 480, frames, loop)}},
	})
}

// SetOutput sets the output of an image's execution. stream is stdout or stderr.
func (l *Library) SetOutput(id, stream, text string) {
	l.t.Helper()
	im, err := l.Image(context.Background(), id)
	require.NoError(l.t, err)
	x, err := l.Execution(context.Background(), im.ExecutionID)
	require.NoError(l.t, err)
	require.NoError(l.t, l.Library.Output.Replace(context.Background(), x.ID, stream, []byte(text)))
	if stream == output.Stderr {
		x.StderrBytes = int64(len(text))
	} else {
		x.StdoutBytes = int64(len(text))
	}
	require.NoError(l.t, l.Library.Executions.Put(context.Background(), x))
}

// Draw gives a picture to a figure without one.
func (l *Library) Draw(id, description string) {
	l.t.Helper()
	im, err := l.Image(context.Background(), id)
	require.NoError(l.t, err)
	_, err = l.Library.Images.AddDrawing(context.Background(), id, library.Drawing{PNG: plotPNG(im.N, 640, 480), Description: description})
	require.NoError(l.t, err)
}

// Damage overwrites the file of an image.
func (l *Library) Damage(id string) {
	l.t.Helper()
	im, err := l.Library.Images.Image(context.Background(), id)
	require.NoError(l.t, err)
	require.NoError(l.t, os.WriteFile(im.Path, []byte("damaged"), 0o600))
}

// Rate sets the stars of images.
func (l *Library) Rate(stars int, ids ...string) {
	l.t.Helper()
	Mark(l.t, l.Library.Annotations, func(m *library.Marks) error { return m.SetRating(stars) }, ids...)
}

// Tag gives tags to images.
func (l *Library) Tag(tags []string, ids ...string) {
	l.t.Helper()
	Mark(l.t, l.Library.Annotations, func(m *library.Marks) error { return m.SetTags(tags, nil) }, ids...)
}

// Change changes with do what is read of an image.
func (l *Library) Change(id string, do func(*library.Image)) {
	l.mu.Lock()
	l.edits[id] = append(l.edits[id], do)
	l.mu.Unlock()
	l.Changes().Append(feed.Change{ID: id, What: feed.Rating | feed.Tags | feed.Text | feed.Picture | feed.Detail})
}

// read makes what is read of an image the same everywhere, and applies the test's changes.
func (l *Library) read(im *library.Image) {
	if _, err := fmt.Sscanf(im.ImageID, "img%d", &im.N); err != nil {
		return // it was not found
	}
	im.Path = "/data/library/images/" + im.ImageID + path.Ext(im.Path)
	if im.Frames == 0 {
		im.Bytes = 23_456 // the encoder's depend on Go's version
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, do := range l.edits[im.ImageID] {
		do(im)
	}
}

// Get returns images in the order of ids. It omits those that do not exist.
func (l *Library) Get(ctx context.Context, ids ...string) ([]library.Image, error) {
	images, err := l.Collection.Get(ctx, ids...)
	for i := range images {
		l.read(&images[i])
	}
	return images, err
}

// Image returns an image by its id or URI.
func (l *Library) Image(ctx context.Context, idOrURI string) (library.Image, error) {
	im, err := l.Collection.Image(ctx, idOrURI)
	l.read(&im)
	return im, err
}

// ImageAt returns an image by its path.
func (l *Library) ImageAt(ctx context.Context, file string) (library.Image, error) {
	return l.Image(ctx, strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// Read returns an image's bytes.
func (l *Library) Read(ctx context.Context, id string) ([]byte, library.Image, error) {
	data, im, err := l.Collection.Read(ctx, id)
	l.read(&im)
	return data, im, err
}

// Thumb returns a thumbnail that is at most edge pixels wide, and as sharp as a plot.
func (l *Library) Thumb(ctx context.Context, id string, edge int) (image.Image, error) {
	im, err := l.Image(ctx, id)
	if err != nil {
		return nil, err
	}
	if im.Interactive != "" {
		return nil, fmt.Errorf("%w: %s", picture.ErrNoRaster, im.MIMEType)
	}
	w := min(edge, im.Width)
	return Plot(im.N, w, w*im.Height/im.Width), nil
}
