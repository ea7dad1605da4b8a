package mimebundle_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/mimebundle"
)

// Output of Altair 4 and 6: in a notebook, as a page, and as a fragment.
func TestTheChartInAPageOfAltairsIsFound(t *testing.T) {
	files, err := filepath.Glob("testdata/altair-*.html")
	if err != nil || len(files) != 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		html, err := os.ReadFile(file)
		require.NoError(t, err)
		version, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file), "altair-"), "-")
		mime, spec, ok := mimebundle.VegaSpec(html)
		if want := "application/vnd.vegalite.v" + version + "+json"; !ok || mime != want {
			t.Errorf("%s: %q, %t, want %s", file, mime, ok, want)
			continue
		}
		var s struct {
			Title string
			Data  struct{ Values []struct{ A string } }
		}
		if err := json.Unmarshal(spec, &s); err != nil || s.Title != "Altairの図" || len(s.Data.Values) != 2 || s.Data.Values[1].A != "B </script>" {
			t.Errorf("%s: %+v, %v", file, s, err)
		}
	}
}

func TestTheChartInAPageIsFound(t *testing.T) {
	for name, c := range map[string]struct{ html, mime, spec string }{
		"Vega, in the call":   {`<script>vegaEmbed("#v", {"$schema":"https://vega.github.io/schema/vega/v5.json","marks":[]}, {})</script>`, "application/vnd.vega.v5+json", `{"$schema":"https://vega.github.io/schema/vega/v5.json","marks":[]}`},
		"an element":          {`vegaEmbed(el.div, {"mark":"bar"})`, "application/vnd.vegalite+json", `{"mark":"bar"}`},
		"a variable":          {`const a = {"x":1}, b = 2; let $s = {"vconcat":[]}; vegaEmbed('#v', $s).catch(console.error)`, "application/vnd.vegalite+json", `{"vconcat":[]}`},
		"without schema":      {`vegaEmbed("#v", {"marks":[]})`, "application/vnd.vega+json", `{"marks":[]}`},
		"of the second call":  {`vegaEmbed("#v", {a: 1}); vegaEmbed("#v", {"mark":"bar"})`, "application/vnd.vegalite+json", `{"mark":"bar"}`},
		"a schema's version":  {`var spec = {"mark": "bar", "title": "a })({ in a text", "$schema": "https://vega.github.io/schema/vega-lite/v6.1.0.json"}; vegaEmbed("#vis", spec)`, "application/vnd.vegalite.v6+json", `{"mark": "bar", "title": "a })({ in a text", "$schema": "https://vega.github.io/schema/vega-lite/v6.1.0.json"}`},
		"a call before":       {`<script>(function(spec, opt){ (function(){})({"no": 1}); vegaEmbed(outputDiv, spec, opt); })({"mark":"bar"}, {"mode": "vega-lite"});</script>`, "application/vnd.vegalite+json", `{"mark":"bar"}`},
		"not embedded":        {`var spec = {"mark":"bar"};`, "", ""},
		"nothing":             {`<p>Hello</p>`, "", ""},
		"another library":     {`Bokeh.embed({"mark":"bar"})`, "", ""},
		"loaded from the web": {`vegaEmbed("#v", "https://example.com/spec.json")`, "", ""},
		"not a chart":         {`vegaEmbed("#v", {"a":1})`, "", ""},
		"cut off":             {`vegaEmbed("#v", {"mark":"ba`, "", ""},
	} {
		mime, spec, ok := mimebundle.VegaSpec([]byte(c.html))
		if mime != c.mime || string(spec) != c.spec || ok != (c.mime != "") {
			t.Errorf("%s: %q %s %t", name, mime, spec, ok)
		}
	}
}

func FuzzVegaSpec(f *testing.F) {
	f.Add([]byte(`var s = {"mark":"bar"}; vegaEmbed("#v", s)`))
	f.Add([]byte(`vegaEmbed("#v", {"marks":[]}); })({"mark":1})`))
	f.Fuzz(func(t *testing.T, html []byte) {
		mime, spec, ok := mimebundle.VegaSpec(html)
		if ok && (!strings.HasSuffix(mime, "+json") || !json.Valid(spec)) {
			t.Errorf("%q %q", mime, spec)
		}
	})
}
