package library

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/picture"
)

const plotlyMIME = "application/vnd.plotly.v1+json"

// addFigure adds a figure that has no picture.
func addFigure(t testing.TB, l *Library, data string, edit ...func(*NewImage)) Image {
	t.Helper()
	return add(t, l, 0, append([]func(*NewImage){func(n *NewImage) {
		n.Interactive, n.Title = picture.Plotly, "Sales"
		n.Forms = []Form{{plotlyMIME, []byte(data)}, {"text/html", []byte("<div>" + data + "</div>")}}
	}}, edit...)...)
}

func TestAFigureIsKeptAsItsData(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	a := addFigure(t, l, `{"data":[1]}`)
	b := addFigure(t, l, `{"data":[2]}`, func(n *NewImage) { n.Replaces = a.ImageID })
	plain := add(t, l, 1)
	if diff := cmp.Diff([]any{picture.Plotly, 0, plotlyMIME, 2, ".json"}, []any{a.Interactive, a.Width, a.MIMEType, len(a.Forms), filepath.Ext(a.Path)}); diff != "" {
		t.Errorf("the figure (-want +got):\n%s", diff)
	}
	if b.Replaces != a.ResourceURI || plain.Interactive != "" {
		t.Errorf("the second replaces %q, want %q; a picture is %q", b.Replaces, a.ResourceURI, plain.Interactive)
	}
	if again := addFigure(t, l, `{"data":[1]}`); again.Path != a.Path || again.ImageID == a.ImageID {
		t.Errorf("equal data is not kept once: %+v", again)
	}
	if _, err := l.Images.Thumb(ctx, a.ImageID, 100); !errors.Is(err, picture.ErrNoRaster) {
		t.Errorf("a thumbnail: %v", err)
	}
	if _, err := l.Annotations.SetRating(ctx, []string{a.ImageID}, 4); err != nil {
		t.Fatal(err)
	}
	want, err := l.Images.Get(ctx, a.ImageID, b.ImageID)
	require.NoError(t, err)
	check := func(t *testing.T, l *Library) {
		t.Helper()
		got, err := l.Images.Get(ctx, a.ImageID, b.ImageID)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if data, _, err := l.Images.Read(ctx, a.ResourceURI); string(data) != `{"data":[1]}` || err != nil {
			t.Errorf("read %q, %v", data, err)
		}
		if html, err := l.Images.ReadForm(ctx, got[0], "text/html"); string(html) != `<div>{"data":[1]}</div>` || err != nil {
			t.Errorf("read %q, %v", html, err)
		}
	}
	t.Run("in a journal that was written anew", func(t *testing.T) {
		require.NoError(t, l.s.rewriteJournal(ctx))
		check(t, l)
	})
	require.NoError(t, l.Close())
	t.Run("from the journal alone", func(t *testing.T) {
		for _, f := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(filepath.Join(dir, databaseFile+f)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		check(t, open(t, dir, Options{}))
	})
}

func TestALibraryFromBeforeFiguresIsOpened(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	want := []Image{add(t, l, 1), add(t, l, 2, func(n *NewImage) { n.Title = "A title" })}
	require.NoError(t, l.Close())
	asBefore(t, dir, 1)
	l = open(t, dir, Options{})
	got, err := l.Images.Get(ctx, want[0].ImageID, want[1].ImageID)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if f := addFigure(t, l, `{}`); f.Interactive != picture.Plotly || f.N != 3 {
		t.Errorf("a figure after that: %+v", f)
	}
}

func TestAFigureGoesAsAPictureDoes(t *testing.T) {
	ctx := t.Context()
	var told []Damage
	l := open(t, t.TempDir(), Options{Report: func(d Damage) { told = append(told, d) }})
	bad := addFigure(t, l, `{"data":[3]}`)
	setFile(t, bad.Path, func(b []byte) []byte { return append(b, ' ') })
	if _, _, err := l.Images.Read(ctx, bad.ImageID); !errors.Is(err, ErrDamaged) || len(told) != 1 || told[0].Kind != DamagedImage {
		t.Errorf("a changed file: %v, told %+v", err, told)
	}
	gone := addFigure(t, l, `{"data":[4]}`)
	require.NoError(t, l.Images.Trash(ctx, []string{gone.ImageID}))
	if n, err := l.Images.PurgeTrash(ctx, time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for _, f := range gone.Forms {
		if _, err := os.Stat(f.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", f.MIME, err)
		}
	}
	t.Run("with the quota", func(t *testing.T) {
		l := open(t, t.TempDir(), Options{KeepPerSession: 1})
		oldest := addFigure(t, l, `{"data":[5]}`)
		l.SetQuota(oldest.Forms[0].Bytes + oldest.Forms[1].Bytes + 2)
		addFigure(t, l, `{"data":[6]}`)
		if _, err := l.Images.Image(ctx, oldest.ImageID); !errors.Is(err, ErrNotFound) {
			t.Errorf("the oldest figure is still there: %v", err)
		}
		if used := l.s.files.used.Load(); used != oldest.Forms[0].Bytes+oldest.Forms[1].Bytes {
			t.Errorf("used %d", used)
		}
	})
	t.Run("HTML that is an SVG is a picture", func(t *testing.T) {
		im := addFigure(t, l, "", func(n *NewImage) {
			n.Forms = []Form{{"text/html", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"></svg>`)}}
		})
		if im.Interactive != "" || im.MIMEType != picture.SVG || im.Width != 30 {
			t.Errorf("got %+v", im)
		}
	})
}
