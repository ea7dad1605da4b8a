package folders

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	im := image.NewNRGBA(image.Rect(0, 0, w, h))
	im.Set(w/2, h/2, color.NRGBA{uint8(w), uint8(h), 9, 255})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, im))
	return b.Bytes()
}

func jpegOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 20, 10)), nil))
	return b.Bytes()
}

func gifOf(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 4, 5), color.Palette{color.White, color.Black}), nil))
	return b.Bytes()
}

// withText is a PNG with a text chunk.
func withText(t testing.TB, data []byte, keyword, text string) []byte {
	t.Helper()
	body := []byte("tEXt" + keyword + "\x00" + text)
	c := binary.BigEndian.AppendUint32(nil, uint32(len(body)-4))
	c = binary.BigEndian.AppendUint32(append(c, body...), crc32.ChecksumIEEE(body))
	return slices.Concat(data[:33], c, data[33:])
}

// bomb is a PNG that promises w by h pixels.
func bomb(t testing.TB, w, h uint32) []byte {
	t.Helper()
	b := bytes.Clone(pngOf(t, 1, 1))
	binary.BigEndian.PutUint32(b[16:], w)
	binary.BigEndian.PutUint32(b[20:], h)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}

// write writes a file whole at once: who watches the directory may else see it before
// its bytes.
func write(t testing.TB, dir, name string, data []byte) string {
	t.Helper()
	path, temp := filepath.Join(dir, name), filepath.Join(t.TempDir(), "new")
	require.NoError(t, os.WriteFile(temp, data, 0o600))
	require.NoError(t, os.Rename(temp, path))
	return path
}

func openLibrary(t testing.TB) *library.Annotations {
	t.Helper()
	l, err := library.Open(t.Context(), t.TempDir(), library.Options{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Annotations
}

// A Change is changes of a directory, with the images.
type Change struct{ Added, Changed, Removed []library.Image }

func changeOf(d *Directory, changes []feed.Change) (all Change) {
	for _, c := range changes {
		images, _ := d.Get(context.Background(), c.ID) // without an error
		if c.Was != nil {
			images = []library.Image{{Image: *c.Was}}
		}
		switch c.What {
		case feed.Added:
			all.Added = append(all.Added, images...)
		case feed.Picture:
			all.Changed = append(all.Changed, images...)
		case feed.Removed:
			all.Removed = append(all.Removed, images...)
		default:
		}
	}
	return all
}

// A recorder waits for changes.
type recorder struct{ changes chan Change }

func (r recorder) until(t testing.TB, what string, done func(Change) bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		select {
		case c := <-r.changes:
			if done(c) {
				return
			}
		case <-deadline:
			t.Fatalf("%s was not told", what)
		}
	}
}

func openDir(t testing.TB, path string, l Annotations, edit ...func(*Options)) (*Directory, recorder) {
	t.Helper()
	r := recorder{make(chan Change, 4096)}
	o := Options{Annotations: l, Log: slog.New(slog.DiscardHandler), Changes: new(feed.Feed)}
	o.told = func(d *Directory, changes []feed.Change) { r.changes <- changeOf(d, changes) }
	for _, e := range edit {
		e(&o)
	}
	d, err := Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(d.Close)
	return d, r
}

func waitLoaded(t testing.TB, d *Directory) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, d.WaitLoaded(ctx))
}

func all(sort string, asc bool) library.Query {
	return library.Query{Rating: -1, SortBy: sort, Asc: asc}
}

// list gives the names of what matches.
func list(t testing.TB, d *Directory, q library.Query) []string {
	t.Helper()
	ids, err := d.IDs(t.Context(), q)
	require.NoError(t, err)
	images, err := d.Get(t.Context(), ids...)
	if err != nil || len(images) != len(ids) {
		t.Fatalf("%d of %d images, %v", len(images), len(ids), err)
	}
	names := make([]string, len(images))
	for i, im := range images {
		names[i] = im.Title
	}
	return names
}

// movieOf is an animated GIF.
func movieOf(t *testing.T, frames int) []byte {
	t.Helper()
	var g gif.GIF
	for range frames {
		g.Image, g.Delay = append(g.Image, image.NewPaletted(image.Rect(0, 0, 4, 5), color.Palette{color.Black, color.White})), append(g.Delay, 5)
	}
	var b bytes.Buffer
	require.NoError(t, gif.EncodeAll(&b, &g))
	return b.Bytes()
}

// mark changes the marks of files, as a Collection does, and returns the files.
func mark(t *testing.T, d *Directory, l *library.Annotations, ids []string, edit func(*library.Marks) error) ([]library.Image, error) {
	t.Helper()
	targets, err := d.Targets(t.Context(), ids)
	if err != nil {
		return nil, err
	}
	changed, err := l.Mark(t.Context(), targets, func(_ int, m *library.Marks) error { return edit(m) })
	if err != nil {
		return nil, err
	}
	d.Marked(changed)
	return d.Get(t.Context(), ids...)
}
