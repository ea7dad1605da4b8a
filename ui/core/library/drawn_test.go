package library

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/picture"
)

// TestADrawnFigureIsAnImage: the drawing takes the place of the figure's data, which is kept,
// also when the library is read again, made anew from its journal, or its journal is.
func TestADrawnFigureIsAnImage(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	l, err := Open(ctx, dir, Options{})
	require.NoError(t, err)
	figure := addFigure(t, l, `{"data":[1]}`, func(n *NewImage) { n.Title = "" })
	named := addFigure(t, l, `{"data":[2]}`)
	if _, err := l.Annotations.SetTitle(ctx, named.ImageID, "mine"); err != nil {
		t.Fatal(err)
	}
	data := picturePNG(t, 7, 0)
	got, err := l.Images.AddDrawing(ctx, figure.ResourceURI, Drawing{PNG: data, Title: "Turnover", Description: "Plotly figure"})
	require.NoError(t, err)
	parts := []any{figure.ImageID, figure.N, "", picture.PNG, 64, 48, "Turnover", "Plotly figure", ".png"}
	if diff := cmp.Diff(parts, []any{got.ImageID, got.N, got.Interactive, got.MIMEType, got.Width, got.Height, got.Title, got.Description, filepath.Ext(got.ResourceURI)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Forms) != 3 || got.Forms[1].MIME != plotlyMIME {
		t.Errorf("its forms are %+v", got.Forms)
	}
	drawn, err := l.Images.AddDrawing(ctx, named.ImageID, Drawing{PNG: data, Title: "Turnover"})
	if err != nil || drawn.Title != "mine" {
		t.Errorf("the user's title: %+v, %v", drawn, err)
	}
	if again, err := l.Images.AddDrawing(ctx, figure.ImageID, Drawing{PNG: picturePNG(t, 8, 0)}); err != nil || again.ETag != got.ETag {
		t.Errorf("drawn twice: %+v, %v", again, err)
	}
	if ids := ids(t, l, Query{Rating: -1, Text: "turnover"}); len(ids) != 1 {
		t.Errorf("found by its title: %v", ids)
	}
	require.NoError(t, l.s.rewriteJournal(ctx))
	rating, err := l.Annotations.SetRating(ctx, []string{figure.ImageID}, 3)
	require.NoError(t, err)
	got = rating[0]
	require.NoError(t, l.Close())
	for _, lost := range []string{"", databaseFile} {
		if lost != "" {
			remove(t, filepath.Join(dir, lost))
		}
		l, err := Open(ctx, dir, Options{})
		require.NoError(t, err)
		if diff := cmp.Diff([]Image{got}, []Image{get(t, l, figure.ImageID)}); diff != "" {
			t.Errorf("without %q (-want +got):\n%s", lost, diff)
		}
		for _, uri := range []string{figure.ResourceURI, got.ResourceURI} { // somebody may have kept the first
			if b, im, err := l.Images.Read(ctx, uri); !bytes.Equal(b, data) || im.MIMEType != picture.PNG || err != nil {
				t.Errorf("%s: %d bytes of %s, %v", uri, len(b), im.MIMEType, err)
			}
		}
		if b, err := l.Images.ReadForm(ctx, got, plotlyMIME); string(b) != `{"data":[1]}` || err != nil {
			t.Errorf("its data: %q, %v", b, err)
		}
		if _, err := l.Images.Thumb(ctx, figure.ImageID, 32); err != nil {
			t.Error(err)
		}
		require.NoError(t, l.Close())
	}
}

// TestAnSVGAloneIsDrawn: one that has pixels beside it is not.
func TestAnSVGAloneIsDrawn(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	svg := Form{picture.SVG, []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"></svg>`)}
	alone := add(t, l, 0, func(n *NewImage) { n.Forms = []Form{svg} })
	both := add(t, l, 0, func(n *NewImage) { n.Forms = []Form{svg, {picture.PNG, picturePNG(t, 1, 0)}} })
	if !Undrawn(alone) || Undrawn(both) {
		t.Errorf("undrawn: alone %v, with its PNG %v", Undrawn(alone), Undrawn(both))
	}
	for _, im := range []Image{alone, both} {
		if _, err := l.Images.AddDrawing(ctx, im.ImageID, Drawing{PNG: picturePNG(t, 2, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := get(t, l, alone.ImageID); got.MIMEType != picture.PNG || len(got.Forms) != 2 || Undrawn(got) {
		t.Errorf("alone: %+v", got)
	}
	if got := get(t, l, both.ImageID); got.MIMEType != picture.SVG || len(got.Forms) != 2 {
		t.Errorf("with its PNG: %+v", got)
	}
}

func TestADrawingGoesWithItsFigure(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	figure := addFigure(t, l, `{"data":[1]}`)
	got, err := l.Images.AddDrawing(ctx, figure.ImageID, Drawing{PNG: picturePNG(t, 1, 0)})
	require.NoError(t, err)
	require.NoError(t, l.Images.purge(ctx, []string{figure.ImageID}))
	for _, f := range got.Forms {
		if _, err := os.Stat(f.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", f.MIME, err)
		}
	}
	if used := l.s.files.used.Load(); used != 0 {
		t.Errorf("%d bytes are still counted", used)
	}
}

func TestWhatIsNoDrawingIsRefused(t *testing.T) {
	ctx := t.Context()
	l := open(t, t.TempDir(), Options{})
	figure, plot := addFigure(t, l, `{"data":[1]}`), add(t, l, 1)
	if _, err := l.Images.AddDrawing(ctx, figure.ImageID, Drawing{PNG: []byte("<svg/>")}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no PNG: %v", err)
	}
	if _, err := l.Images.AddDrawing(ctx, "nobody", Drawing{PNG: picturePNG(t, 2, 0)}); !errors.Is(err, ErrNotFound) {
		t.Errorf("no image: %v", err)
	}
	if got, err := l.Images.AddDrawing(ctx, plot.ImageID, Drawing{PNG: picturePNG(t, 2, 0)}); err != nil || got.ETag != plot.ETag {
		t.Errorf("an image that has a picture: %+v, %v", got, err)
	}
	if got := get(t, l, figure.ImageID); got.Interactive != picture.Plotly || got.MIMEType != plotlyMIME {
		t.Errorf("%+v", got)
	}
}
