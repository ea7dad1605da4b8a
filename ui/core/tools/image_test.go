package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/render"
)

// addFigure adds a figure without a picture to the library.
func (d *collectionOf) addFigure(t *testing.T, kind, title string, forms ...library.Form) library.Image {
	t.Helper()
	im, err := d.c.AddImage(t.Context(), library.NewImage{
		SessionID: "5ab0", Title: title, Interactive: kind, Description: "An interactive figure; it has no picture here", Forms: forms,
	})
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func TestAFigureIsSavedUnderTheNameOfItsData(t *testing.T) {
	d := aCollection(t)
	plotly := library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)}
	page := library.Form{MIME: "text/html", Data: []byte(`<div id="a"></div><script>1</script>`)}
	to := t.TempDir()
	save := func(im library.Image, path string) string {
		t.Helper()
		out, err := command.ExportImages.Ask(t.Context(), d.bus, command.ExportImagesIn{IDs: []string{im.ImageID}, To: path, WithCode: true})
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(to, out.Files[0].Path)
		if err != nil || out.Files[0].WithCode {
			t.Errorf("%+v, %v", out.Files[0], err)
		}
		return rel
	}
	figure := d.addFigure(t, picture.Plotly, "Sales", plotly, page)
	for name, c := range map[string]struct {
		im   library.Image
		to   string
		want string
		data []byte
	}{
		"into a folder":          {figure, "", "Sales.plotly.json", plotly.Data},
		"under its own name":     {figure, "a.plotly.json", "a.plotly.json", plotly.Data},
		"as JSON":                {figure, "b.json", "b.json", plotly.Data},
		"without an ending":      {figure, "c", "c.plotly.json", plotly.Data},
		"as the page beside it":  {figure, "d.html", "d.html", page.Data},
		"as a picture it is not": {figure, "e.png", "e.png.plotly.json", plotly.Data},
		"Altair's": {
			d.addFigure(t, picture.VegaLite, "V", library.Form{MIME: "application/vnd.vegalite.v6+json", Data: []byte(`{}`)}),
			"", "V.vl.json", []byte(`{}`),
		},
		"Bokeh's": {d.addFigure(t, picture.Bokeh, "B", library.Form{MIME: "application/javascript", Data: []byte(`f()`)}), "", "B.js", []byte(`f()`)},
		"HTML":    {d.addFigure(t, picture.HTML, "H", page), "", "H.html", page.Data},
	} {
		t.Run(name, func(t *testing.T) {
			if got := save(c.im, filepath.Join(to, c.to)); got != c.want {
				t.Errorf("saved as %s, want %s", got, c.want)
			}
			if data, err := os.ReadFile(filepath.Join(to, c.want)); string(data) != string(c.data) {
				t.Errorf("saved %q, %v", data, err)
			}
		})
	}
}

func TestNoPictureIsMadeUpForAFigure(t *testing.T) {
	d := aCollection(t)
	im := d.addFigure(t, picture.Plotly, "Sales", library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})
	b := &bodies{Deps: Deps{Collection: d.c, Store: d.store}}
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
		brief, err := tool.Marshal(out.Brief(nil))
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

func (d *aDrawer) Draw(im library.Image) <-chan struct{} { return d.done }
func (d *aDrawer) Problem(string) error                  { return d.problem }

func TestGetImageResourceWaitsForThePictureOfAFigure(t *testing.T) {
	d := aCollection(t)
	drawer := &aDrawer{done: make(chan struct{})}
	d.c.DrawFigures(drawer)
	b := &bodies{Deps: Deps{Collection: d.c, Library: d.c.Library, Store: d.store}}
	im := d.addFigure(t, picture.Plotly, "Sales", library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})

	images := []catalog.Image{im.Image}
	b.describeUndrawn(t.Context(), images)
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
		if _, err := d.c.AddDrawing(context.Background(), im.ImageID, library.Drawing{PNG: picOf(t, 20), Description: "Picture of it"}); err != nil {
			t.Error(err)
		}
	}()
	out, err = b.getImageResource(tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP}), catalog.GetImageResourceIn{ResourceURI: im.ResourceURI, MaxEdge: 100})
	if err != nil || out.Interactive != "" || out.Width != 40 || out.Description != "Picture of it" {
		t.Errorf("drawn: %+v, %v", out, err)
	}
}

func TestAFigureThatIsRefusedSaysWhy(t *testing.T) {
	d := aCollection(t)
	drawer := &aDrawer{done: make(chan struct{}), problem: &render.RefusedError{Reason: "Vega-Lite says: TypeError"}}
	close(drawer.done)
	d.c.DrawFigures(drawer)
	b := &bodies{Deps: Deps{Collection: d.c, Library: d.c.Library, Store: d.store}}
	im := d.addFigure(t, picture.VegaLite, "Sales", library.Form{MIME: "application/vnd.vegalite.v5+json", Data: []byte(`{"mark":"nope"}`)})
	const want = "An interactive Vega-Lite chart; Easel could not draw it: Vega-Lite says: TypeError"
	images := []catalog.Image{im.Image}
	b.describeUndrawn(t.Context(), images)
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
	d := aCollection(t)
	d.c.DrawFigures(&aDrawer{done: make(chan struct{}), problem: &render.UnavailableError{Lacks: render.LacksBrowser}})
	b := &bodies{Deps: Deps{Collection: d.c, Library: d.c.Library, Store: d.store}}
	im := d.addFigure(t, picture.Plotly, "Sales", library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})
	images := []catalog.Image{im.Image}
	b.describeUndrawn(t.Context(), images)
	if got := images[0].Description; got != im.Description {
		t.Errorf("its description became %q", got)
	}
}
