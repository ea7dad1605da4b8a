package vlconvert

import "testing"

func TestDraws(t *testing.T) {
	e := New(Config{Python: func() string { return "" }})
	for mime, want := range map[string]string{
		"application/vnd.vegalite.v5+json":      "vegalite 5",
		"application/vnd.vegalite.v5.20.1+json": "vegalite 5",
		"application/vnd.vegalite.v6.json":      "vegalite 6",
		"application/vnd.vega.v5+json":          "vega 5",
		"application/vnd.vega+json":             "vega ",
		"image/svg+xml":                         "svg ",
		"application/pdf":                       "pdf ",
		"text/html":                             " ",
		"application/json":                      " ",
		"application/vnd.plotly.v1+json":        " ",
	} {
		kind, version := kindOf(mime)
		if got := kind + " " + version; got != want || e.Draws(mime) != (kind != "") {
			t.Errorf("%s: %q, want %q", mime, got, want)
		}
	}
}
