package export_test

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/picture"
)

// addFigure adds a figure without a picture to the library.
func (x *exporting) addFigure(kind, title string, forms ...library.Form) library.Image {
	x.t.Helper()
	im, err := x.lib.Images.Add(x.t.Context(), library.NewImage{
		SessionID: "s1", Title: title, Interactive: kind, Description: "An interactive figure; it has no picture here", Forms: forms,
	})
	require.NoError(x.t, err)
	return im
}

func TestAFigureIsSavedUnderTheNameOfItsData(t *testing.T) {
	d := exports(t, nil)
	plotly := library.Form{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)}
	page := library.Form{MIME: "text/html", Data: []byte(`<div id="a"></div><script>1</script>`)}
	to := t.TempDir()
	save := func(im library.Image, path string) string {
		t.Helper()
		out, err := command.ExportImages.Ask(t.Context(), d.bus, command.ExportImagesIn{IDs: []string{im.ImageID}, To: path, WithCode: true})
		require.NoError(t, err)
		rel, err := filepath.Rel(to, out.Files[0].Path)
		if err != nil || out.Files[0].WithCode {
			t.Errorf("%+v, %v", out.Files[0], err)
		}
		return rel
	}
	figure := d.addFigure(picture.Plotly, "Sales", plotly, page)
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
			d.addFigure(picture.VegaLite, "V", library.Form{MIME: "application/vnd.vegalite.v6+json", Data: []byte(`{}`)}),
			"", "V.vl.json", []byte(`{}`),
		},
		"Bokeh's": {d.addFigure(picture.Bokeh, "B", library.Form{MIME: "application/javascript", Data: []byte(`f()`)}), "", "B.js", []byte(`f()`)},
		"HTML":    {d.addFigure(picture.HTML, "H", page), "", "H.html", page.Data},
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
