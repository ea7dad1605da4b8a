package page

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"easel/internal/require"
)

func live(t *testing.T, l *Libraries, mime, data string) (text string, missing []string) {
	t.Helper()
	body, missing, err := l.Live(mime, []byte(data))
	require.NoError(t, err)
	return string(body), missing
}

func TestLivePages(t *testing.T) {
	l := new(Libraries)
	text, missing := live(t, l, "application/vnd.plotly.v1+json", `{"data":[{"x":"</script>"}]}`)
	if strings.Join(missing, " ") != "plotly.min.js" || !strings.Contains(text, `\u003c/script\u003e\"}]}"), null)`) {
		t.Errorf("missing %q in %s", missing, text)
	}
	text, missing = live(t, l, "application/vnd.vegalite.v6+json", `{"mark":"bar"}`)
	if len(missing) != 0 || strings.Count(text, `<script src="data:text/javascript`) != 3 {
		t.Errorf("missing %q", missing)
	}
	for _, mime := range []string{"image/svg+xml", "image/png", "application/vnd.jupyter.widget-view+json"} {
		if _, _, err := l.Live(mime, []byte("{}")); err == nil || HasLive(mime) {
			t.Errorf("%s has a page", mime)
		}
	}
	if _, _, err := l.Live("application/vnd.plotly.v1+json", []byte("[]")); err == nil {
		t.Error("a list is a figure")
	}
}

// TestLiveScriptComesFirst: in the page and in each frame, after what says how to read it.
func TestLiveScriptComesFirst(t *testing.T) {
	const mark = "securitypolicyviolation"
	inner := `<!DOCTYPE html><p>inner</p>`
	text, _ := live(t, new(Libraries), "text/html", `<!-- folium --><!doctype html><p>outer</p><iframe srcdoc="`+html.EscapeString(inner)+`"></iframe>`+
		`<iframe src="data:text/html;charset=utf-8;base64,PHA+b2xkPC9wPg=="></iframe><iframe src="data:text/html,%3Cp%3Eolder"></iframe>`)
	if !strings.HasPrefix(text, "<!-- folium --><!doctype html><script>") || strings.Index(text, mark) > strings.Index(text, "<p>outer") {
		t.Errorf("%.300s", text)
	}
	sources := strings.Split(text, `srcdoc="`)
	if len(sources) != 4 || strings.Contains(text, `<iframe src=`) {
		t.Fatalf("%d frames", len(sources)-1)
	}
	for i, want := range []string{"<p>inner</p>", "<p>old</p>", "<p>older"} {
		source, _, _ := strings.Cut(sources[i+1], `"`)
		source = html.UnescapeString(source)
		if at := strings.Index(source, mark); at < 0 || at > strings.Index(source, want) || strings.HasPrefix(source, "<!DOCTYPE") != (i == 0) {
			t.Errorf("frame %d: %.100s … %s", i, source, want)
		}
	}
}

// TestLiveKnowsWhatScriptsLoadLater: once, and not what the page loads already.
func TestLiveKnowsWhatScriptsLoadLater(t *testing.T) {
	const vega, jquery = "https://cdn.jsdelivr.net/npm/vega@6", "https://code.jquery.com/jquery-3.7.1.min.js"
	text, missing := live(t, new(Libraries), "text/html", `<!doctype html><script src="`+jquery+`"></script><script>later("`+vega+`", "`+vega+`", "`+jquery+`", "https://a.example/b.js")</script>`)
	if strings.Count(text, `"`+vega+`":"data:text/javascript`) != 1 || strings.Contains(text, `"`+jquery+`":"data:`) || strings.Contains(text, `"https://a.example/b.js":`) {
		t.Error("the list of libraries is wrong")
	}
	if len(missing) != 0 {
		t.Errorf("missing %q", missing)
	}
	if strings.Contains(text, "marker-icon.png") {
		t.Error("the pictures of a map are in a page without one")
	}
	text, _ = live(t, new(Libraries), "text/html", `<script src="https://cdn.jsdelivr.net/npm/leaflet@1.9.3/dist/leaflet.js"></script>`)
	for _, name := range leafletPictures {
		if !strings.Contains(text, `"`+name+`":"data:image/png;base64,`) {
			t.Errorf("no %s", name)
		}
	}
}

// TestLiveMaps checks that the page of a Plotly map contains the countries.
func TestLiveMaps(t *testing.T) {
	l := &Libraries{}
	for data, want := range map[string][]string{
		`{"data":[{"type":"choropleth","locations":["JPN"],"z":[1]}]}`:                                       {"world_110m"},
		`{"data":[{"type": "scattergeo"}],"layout":{"geo":{"scope":"north america","resolution":50}}}`:       {"north-america_50m", "world_50m"},
		`{"data":[{"type":"bar","x":["\"type\":\"choropleth\""],"y":[1]}],"layout":{"geo":{"scope":"usa"}}}`: nil,
	} {
		text, _, err := l.Live(PlotlyType+"1+json", []byte(data))
		require.NoError(t, err)
		if len(want) == 0 && bytes.Contains(text, []byte("PlotlyGeoAssets.topojson[")) {
			t.Errorf("%s: the page contains a map", data)
		}
		for _, name := range want {
			if !bytes.Contains(text, []byte(`PlotlyGeoAssets.topojson["`+name+`"] = {"type":"Topology"`)) {
				t.Errorf("%s: the page does not contain %s", data, name)
			}
		}
	}
}
