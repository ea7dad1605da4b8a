package plots

import (
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/facts"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/plotdata"
)

// TestResultsSayWhatPlotsShowInNumbers covers the text beside a picture, the setting that turns it off, and the values as CSV.
func TestResultsSayWhatPlotsShowInNumbers(t *testing.T) {
	d := newShelf(t)
	r, wanted := d.reader(), true
	r.Results.Numbers = &plotdata.Reader{Images: d.c.Library.Images}
	r.Results.Tell = func() bool { return wanted }
	figure := facts.Figure{Axes: []facts.Axes{{
		Number: 1, X: facts.Axis{Label: "t", From: 0, To: 2}, Y: facts.Axis{Label: "EUR", From: 0, To: 9.95},
		Series: []facts.Series{{Kind: facts.Line, Label: "North", Columns: []facts.Column{{Name: "x", Numbers: []float64{0, 1, 2}}, {Name: "y", Numbers: []float64{1, 391, 3}}}}},
	}}}
	add := func(n library.NewImage) library.Image {
		n.SessionID = "5ab0"
		im, err := d.c.Library.Images.Add(t.Context(), n)
		require.NoError(t, err)
		return im
	}
	plot := add(library.NewImage{Forms: []library.Form{{MIME: picture.PNG, Data: aPicture(t)}}, Facts: facts.Write(figure)})
	plotly := add(library.NewImage{Interactive: picture.Plotly, Forms: []library.Form{{
		MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[{"type":"bar","x":["a","b"],"y":[1,2]}]}`),
	}}})
	none := add(library.NewImage{Forms: []library.Form{{MIME: picture.PNG, Data: append(aPicture(t), 0)}}})

	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP})
	const missed = "OFF-AXIS: North 1 of 3 points (1 above, up to 391, axis to 9.95)."
	images := []catalog.Image{plot.Image, plotly.Image, none.Image}
	r.Results.Complete(ctx, images)
	if !strings.HasPrefix(images[0].Facts, missed) || images[1].Facts != "bars a 1, b 2." || images[2].Facts != "" {
		t.Errorf("got %q, %q, %q", images[0].Facts, images[1].Facts, images[2].Facts)
	}
	out, err := r.getImageResource(ctx, catalog.GetImageResourceIn{ResourceURI: plot.ResourceURI, MaxEdge: 100})
	uri := plotdata.DataURI(plot)
	if err != nil || !strings.HasPrefix(out.Facts, missed) || !strings.HasSuffix(out.Facts, "All values: "+uri) {
		t.Errorf("on its own: %q, %v", out.Facts, err)
	}
	if raw, err := tool.Marshal(brief.Of(out, nil)); err != nil || !strings.Contains(string(raw), `"facts":"OFF-AXIS`) {
		t.Errorf("a model reads %s, %v", raw, err)
	}
	for name, want := range map[string]string{
		uri:                      "series,t,EUR\r\nNorth,0,1\r\nNorth,1,391\r\nNorth,2,3\r\n",
		plotdata.DataURI(plotly): "x,y\r\na,1\r\nb,2\r\n",
	} {
		if got, err := r.readPlotData(ctx, name); err != nil || string(got.CSV) != want {
			t.Errorf("%s: %q, %v", name, got.CSV, err)
		}
	}
	if _, err := r.readPlotData(ctx, none.ImageID); tool.AsError(err).Code != tool.NotExecutable {
		t.Errorf("a picture: %v", err)
	}
	if _, err := r.readPlotData(ctx, "jupyter://sessions/5ab0/images/nothing/data.csv"); tool.AsError(err).Code != tool.ImageNotFound {
		t.Errorf("nothing: %v", err)
	}
	wanted, images[0].Facts = false, ""
	r.Results.Complete(ctx, images[:1])
	if out, err := r.getImageResource(ctx, catalog.GetImageResourceIn{ResourceURI: plot.ResourceURI, MaxEdge: 100}); images[0].Facts != "" || err != nil || out.Facts != "" {
		t.Errorf("turned off: %q, %q, %v", images[0].Facts, out.Facts, err)
	}
}
