package plots

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"log/slog"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
	"easel/ui/core/state"
)

// A shelf is a collection with a session.
type shelf struct {
	c     *collection.Collection
	store *state.Store
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	lib := coretest.Open(t)
	s := &shelf{collection.New(lib, log), state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})}
	t.Cleanup(s.c.Close)
	require.NoError(t, lib.Sessions.Put(t.Context(), library.Session{ID: "5ab0", KernelID: "5ab0", KernelName: "python3", CreatedAt: time.Now()}))
	return s
}

func (s *shelf) reader() *reader {
	return &reader{Deps{
		Store: s.store, Library: s.c.Library, Names: &Names{Source: s.c},
		Results: &Results{Source: s.c, Drawings: s.c, Sessions: s.c.Library.Sessions},
	}}
}

// addFigure adds a figure without a picture to the library.
func (s *shelf) addFigure(t *testing.T, kind string, forms ...library.Form) library.Image {
	t.Helper()
	im, err := s.c.Library.Images.Add(t.Context(), library.NewImage{
		SessionID: "5ab0", Title: "Sales", Interactive: kind, Description: "An interactive figure; it has no picture here", Forms: forms,
	})
	require.NoError(t, err)
	return im
}

func TestNoPictureIsMadeUpForAFigure(t *testing.T) {
	d := newShelf(t)
	im := d.addFigure(t, picture.Plotly, library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})
	b := d.reader()
	for _, transport := range []tool.Transport{tool.REST, tool.MCP} {
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: transport})
		out, err := b.getImageResource(ctx, catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 100})
		if err != nil || !out.Success || out.Data != "" || out.Interactive != picture.Plotly || out.Description == "" {
			t.Errorf("%v: %+v, %v", transport, out, err)
		}
		if uris, _ := out.Pictures(); len(uris) != 0 {
			t.Errorf("%v: pictures %v", transport, uris)
		}
		links := out.Links()
		if len(links) != 1 || links[0].URI != im.ResourceURI || links[0].MIMEType != im.MIMEType {
			t.Errorf("%v: links %+v", transport, links)
		}
		brief, err := tool.Marshal(brief.Of(out, nil))
		path, _ := json.Marshal(im.Path)
		if err != nil || !strings.Contains(string(brief), string(path)) || !strings.Contains(string(brief), "it has no picture here") || strings.Contains(string(brief), "pictures") {
			t.Errorf("%v: a model reads %s, %v", transport, brief, err)
		}
	}
	out, err := b.readImage(t.Context(), catalog.ReadImageIn{URI: im.ResourceURI})
	if err != nil || string(out.Data) != `{"data":[]}` || out.MIMEType != im.MIMEType {
		t.Errorf("its data: %+v, %v", out, err)
	}
	if _, err := b.readImage(t.Context(), catalog.ReadImageIn{URI: im.ResourceURI, MaxEdge: 100}); tool.AsError(err).Code != tool.NotExecutable {
		t.Errorf("a preview: %v", err)
	}
}

// aDrawer is a collection.Figures that draws when the test says so.
type aDrawer struct {
	done    chan struct{}
	problem error
}

func (d *aDrawer) Draw(im library.Image) <-chan struct{}             { return d.done }
func (d *aDrawer) Problem(string) error                              { return d.problem }
func (d *aDrawer) Rasterize(context.Context, []byte) ([]byte, error) { return nil, nil }

func TestGetImageResourceWaitsForThePictureOfAFigure(t *testing.T) {
	d := newShelf(t)
	drawer := &aDrawer{done: make(chan struct{})}
	d.c.DrawFigures(drawer)
	b := d.reader()
	im := d.addFigure(t, picture.Plotly, library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})

	images := []catalog.Image{im.Image}
	b.Results.describeUndrawn(t.Context(), images)
	if got := images[0].Description; !strings.Contains(got, "Easel is drawing it") || strings.Contains(got, "no picture") {
		t.Errorf("before it is drawn: %q", got)
	}

	cancelled := make(chan struct{})
	close(cancelled)
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Cancelled: cancelled})
	out, err := b.getImageResource(ctx, catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 100})
	if err != nil || out.Interactive == "" || !strings.Contains(out.Description, "Easel is drawing it") {
		t.Errorf("cancelled: %+v, %v", out, err)
	}

	go func() {
		defer close(drawer.done)
		if _, err := d.c.Library.Images.AddDrawing(context.Background(), im.ImageID, library.Drawing{PNG: aPicture(t), Description: "Picture of it"}); err != nil {
			t.Error(err)
		}
	}()
	out, err = b.getImageResource(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP}), catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 100})
	if err != nil || out.Interactive != "" || out.Width != 40 || out.Description != "Picture of it" {
		t.Errorf("drawn: %+v, %v", out, err)
	}
}

func TestAFigureThatIsRefusedSaysWhy(t *testing.T) {
	d := newShelf(t)
	drawer := &aDrawer{done: make(chan struct{}), problem: &render.RefusedError{Reason: "Vega-Lite says: TypeError"}}
	close(drawer.done)
	d.c.DrawFigures(drawer)
	b := d.reader()
	im := d.addFigure(t, picture.VegaLite, library.Form{MIME: "application/vnd.vegalite.v5+json", Data: []byte(`{"mark":"nope"}`)})
	const want = "An interactive Vega-Lite chart; Easel could not draw it: Vega-Lite says: TypeError"
	images := []catalog.Image{im.Image}
	b.Results.describeUndrawn(t.Context(), images)
	if got := images[0].Description; got != want {
		t.Errorf("in the result of its code: %q", got)
	}
	for range 2 {
		out, err := b.getImageResource(t.Context(), catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 100})
		if err != nil || out.Description != want {
			t.Errorf("on its own: %q, %v", out.Description, err)
		}
		drawer.done = nil // a figure that has been refused is not drawn again
	}
}

func TestAFigureThatCouldNotBeDrawnSaysHowToGetAPicture(t *testing.T) {
	d := newShelf(t)
	d.c.DrawFigures(&aDrawer{done: make(chan struct{}), problem: &render.UnavailableError{Lacks: render.LacksBrowser}})
	b := d.reader()
	im := d.addFigure(t, picture.Plotly, library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})
	images := []catalog.Image{im.Image}
	b.Results.describeUndrawn(t.Context(), images)
	if got := images[0].Description; got != im.Description {
		t.Errorf("its description became %q", got)
	}
}

func aPicture(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 10))))
	return b.Bytes()
}
