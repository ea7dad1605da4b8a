package collection

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/state"
)

func grayPNG(t *testing.T, w int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, 9))))
	return b.Bytes()
}

// mixed returns a collection with one plot and an open directory with one file.
func mixed(t *testing.T) (c *Collection, dir, plot, file string) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: log})
	require.NoError(t, err)
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: "s", KernelID: "s", CreatedAt: time.Now()}))
	im, err := lib.Images.Add(t.Context(), library.NewImage{SessionID: "s", CreatedAt: time.Now(), Forms: []library.Form{{MIME: "image/png", Data: grayPNG(t, 5)}}})
	require.NoError(t, err)
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.png"), grayPNG(t, 6), 0o600))
	c = New(lib, log)
	t.Cleanup(func() {
		c.Close()
		_ = lib.Close()
	})
	if dir, err = c.OpenDirectory(t.Context(), dir, folders.Reach{}); err != nil {
		t.Fatal(err)
	}
	found, err := c.Image(t.Context(), "a.png")
	require.NoError(t, err)
	return c, dir, im.ImageID, found.ImageID
}

func TestPlotsAndFilesHaveOneFace(t *testing.T) {
	c, dir, plot, file := mixed(t)
	onDisk := Query(&state.Snapshot{Folder: state.Folder{Kind: state.Directory, ID: dir}})
	kept := Query(&state.Snapshot{Folder: state.Folder{Kind: state.AllSessions}})
	for name, tc := range map[string]struct {
		q    library.Query
		want string
	}{"a directory": {onDisk, file}, "the library": {kept, plot}} {
		ids, err := c.IDs(t.Context(), tc.q)
		total, matching, countErr := c.Count(t.Context(), tc.q)
		require.NoError(t, errors.Join(err, countErr))
		if diff := cmp.Diff([]any{[]string{tc.want}, 1, 1}, []any{ids, total, matching}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	images, err := c.Get(t.Context(), file, plot, file, "file:gone")
	if err != nil || len(images) != 3 || images[0].Width != 6 || images[1].Width != 5 || images[2].Width != 6 {
		t.Errorf("in the order asked for: %+v, %v", images, err)
	}
	if images, err = mark(t, c, []string{plot, file}, func(m *library.Marks) error { return m.SetRating(3) }); err != nil || len(images) != 2 || images[0].Rating != 3 || images[1].Rating != 3 {
		t.Errorf("stars: %+v, %v", images, err)
	}
	if images, err = mark(t, c, []string{file, plot}, func(m *library.Marks) error { return m.SetTags([]string{"x"}, nil) }); err != nil || len(images) != 2 || len(images[0].Tags) != 1 {
		t.Errorf("tags: %+v, %v", images, err)
	}
	for _, id := range []string{plot, file} {
		data, im, err := c.Read(t.Context(), id)
		thumb, thumbErr := c.Thumb(t.Context(), id, 64)
		form, formErr := c.ReadForm(t.Context(), im, "image/png")
		if err != nil || thumbErr != nil || formErr != nil || thumb.Bounds().Dx() != im.Width || !bytes.Equal(data, form) {
			t.Errorf("%s: %v, %v, %v", id, err, thumbErr, formErr)
		}
		if _, err := c.ReadForm(t.Context(), im, "image/svg+xml"); !errors.Is(err, library.ErrNotFound) {
			t.Errorf("%s as SVG: %v", id, err)
		}
	}
}

// mark changes the marks of images, and reads them again.
func mark(t *testing.T, c *Collection, ids []string, edit func(*library.Marks) error) ([]library.Image, error) {
	t.Helper()
	var targets []library.Target
	for _, id := range ids {
		targets = append(targets, library.Target{ID: id})
	}
	if _, err := c.Mark(t.Context(), targets, func(_ int, m *library.Marks) error { return edit(m) }); err != nil {
		return nil, err
	}
	return c.Get(t.Context(), ids...)
}

func TestOneDirectoryAtATime(t *testing.T) {
	c, dir, plot, file := mixed(t)
	q := Query(&state.Snapshot{Folder: state.Folder{Kind: state.Directory, ID: dir}})
	if _, err := c.OpenDirectory(t.Context(), filepath.Join(dir, "nope"), folders.Reach{}); err == nil {
		t.Error("what is not there was opened")
	}
	if ids, err := c.IDs(t.Context(), q); err != nil || len(ids) != 1 {
		t.Errorf("the old one is closed: %q, %v", ids, err)
	}
	if _, err := c.OpenDirectory(t.Context(), t.TempDir(), folders.Reach{}); err != nil {
		t.Fatal(err)
	}
	if ids, err := c.IDs(t.Context(), q); err != nil || len(ids) != 0 {
		t.Errorf("two are open: %q, %v", ids, err)
	}
	c.CloseDirectory()
	if _, err := c.Image(t.Context(), file); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("a file of a closed directory: %v", err)
	}
	if _, err := mark(t, c, []string{file}, func(m *library.Marks) error { return m.SetRating(1) }); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("stars for it: %v", err)
	}
	if _, err := c.Thumb(t.Context(), file, 9); !errors.Is(err, library.ErrNotFound) {
		t.Errorf("its thumbnail: %v", err)
	}
	if im, err := c.Image(t.Context(), plot); err != nil || im.ImageID != plot {
		t.Errorf("a plot: %v", err)
	}
	if c.LatestFile() != "" {
		t.Error("a closed directory has a latest file")
	}
}

func TestTagsAreThoseOfWhatIsLookedAt(t *testing.T) {
	c, _, plot, file := mixed(t)
	if _, err := mark(t, c, []string{plot}, func(m *library.Marks) error { return m.SetTags([]string{"drawn"}, nil) }); err != nil {
		t.Fatal(err)
	}
	if _, err := mark(t, c, []string{file}, func(m *library.Marks) error { return m.SetTags([]string{"on disk"}, nil) }); err != nil {
		t.Fatal(err)
	}
	of := func() string {
		tags, err := c.Tags(t.Context())
		if err != nil || len(tags) != 1 || tags[0].Count != 1 {
			t.Fatalf("tags %v, %v; want one", tags, err)
		}
		return tags[0].Name
	}
	if got := of(); got != "on disk" {
		t.Errorf("with a directory open: %q, want its file's tag", got)
	}
	c.CloseDirectory()
	if got := of(); got != "drawn" {
		t.Errorf("with none open: %q, want the plot's tag", got)
	}
}

// fakeFigures records the figures that it should draw, and has a problem with each.
type fakeFigures struct {
	png     []byte // what Rasterize returns
	asked   []string
	problem error
}

func (f *fakeFigures) Draw(im library.Image) <-chan struct{} {
	f.asked = append(f.asked, im.ImageID)
	return nil
}

func (f *fakeFigures) Problem(string) error { return f.problem }

func (f *fakeFigures) Rasterize(context.Context, []byte) ([]byte, error) { return f.png, nil }

// TestAnSVGOnDiskIsDrawn for its thumbnail, and for whoever asks for pixels.
func TestAnSVGOnDiskIsDrawn(t *testing.T) {
	c, _, _, _ := mixed(t)
	dir, png := t.TempDir(), grayPNG(t, 7)
	c.DrawFigures(&fakeFigures{png: png})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.svg"), []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="3" height="4"/>`), 0o600))
	if _, err := c.OpenDirectory(t.Context(), dir, folders.Reach{}); err != nil {
		t.Fatal(err)
	}
	im, err := c.Image(t.Context(), "b.svg")
	require.NoError(t, err)
	if m, err := c.Thumb(t.Context(), im.ImageID, 2); err != nil || m.Bounds().Dx() > 2 {
		t.Errorf("its thumbnail: %v, %v", m, err)
	}
	if data, err := c.ReadForm(t.Context(), im, picture.PNG); err != nil || !bytes.Equal(data, png) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

func TestAFigureIsDrawnWhenItIsRead(t *testing.T) {
	c, _, plot, _ := mixed(t)
	var drawer fakeFigures
	c.DrawFigures(&drawer)
	figure, err := c.Library.Images.Add(t.Context(), library.NewImage{
		SessionID: "s", Interactive: picture.Plotly, CreatedAt: time.Now(), Forms: []library.Form{{MIME: "application/vnd.plotly.v1+json", Data: []byte("{}")}},
	})
	require.NoError(t, err)
	if _, err := c.Thumb(t.Context(), figure.ImageID, 50); !errors.Is(err, picture.ErrNoRaster) {
		t.Errorf("its thumbnail: %v", err)
	}
	if _, _, err := c.Read(t.Context(), figure.ImageID); err != nil {
		t.Error(err)
	}
	if _, err := c.Thumb(t.Context(), plot, 50); err != nil {
		t.Error(err)
	}
	if want := []string{figure.ImageID, figure.ImageID}; !slices.Equal(drawer.asked, want) {
		t.Errorf("asked to draw %v, want %v", drawer.asked, want)
	}
	for _, p := range []struct {
		problem error
		want    library.NotDrawn
	}{
		{nil, library.NotDrawn{}},
		{&render.UnavailableError{Lacks: render.LacksBrowser, Reason: "no browser", Remedy: "install one"}, library.NotDrawn{Lacks: "browser", Reason: "no browser; install one"}},
		{&render.RefusedError{Reason: "its data is no JSON object"}, library.NotDrawn{Reason: "its data is no JSON object"}},
	} {
		drawer.problem = p.problem
		images, err := c.Get(t.Context(), figure.ImageID, plot)
		if err != nil || len(images) != 2 {
			t.Fatal(images, err)
		}
		if images[0].NotDrawn != p.want || images[1].NotDrawn != (library.NotDrawn{}) {
			t.Errorf("%v: the figure %+v, the plot %+v", p.problem, images[0].NotDrawn, images[1].NotDrawn)
		}
		if _, im, err := c.Read(t.Context(), figure.ImageID); err != nil || im.NotDrawn != p.want {
			t.Errorf("read: %+v, %v", im.NotDrawn, err)
		}
	}
}
