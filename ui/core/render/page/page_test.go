package page

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/render"
)

func TestLibraries(t *testing.T) {
	l := new(Libraries)
	for address, want := range map[string]bool{
		"https://cdn.jsdelivr.net/npm/vega@6?noext":                                        true,
		"https://cdn.jsdelivr.net/npm/vega-lite@6.4.1":                                     true,
		"https://cdn.jsdelivr.net/npm/vega-embed@7?noext":                                  true,
		"https://cdn.jsdelivr.net/npm/leaflet@1.9.3/dist/leaflet.js":                       true,
		"https://code.jquery.com/jquery-3.7.1.min.js":                                      true,
		"https://netdna.bootstrapcdn.com/bootstrap/3.0.0/css/bootstrap-glyphicons.css":     true,
		"https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@6.2.0/css/all.min.css": true,
		"https://cdn.plot.ly/un/world_110m.json":                                           true,
		"vega-embed.min.js":                                                                true,
		"https://cdn.plot.ly/plotly-3.0.1.min.js":                                          false, // there is no Python package
		"plotly.min.js": false,
		"https://cdn.jsdelivr.net/npm/vega-lib?noext":              false,
		"ftp://cdn.jsdelivr.net/npm/vega@6":                        false,
		"//cdn.jsdelivr.net/npm/vega@6":                            false,
		"https://cdn.holoviz.org/panel/1.9.4/dist/../../../secret": false,
	} {
		if d, ok := l.Find(address); ok != want || ok && d.Type == "" {
			t.Errorf("%s: %v %q, want %v", address, ok, d.Type, want)
		}
	}
	if got := version("/release/bokeh-widgets-3.9.2.min.js"); got != "3.9.2" {
		t.Errorf("version %q", got)
	}
}

// TestPackages checks that a library is read from the environment that has the version, or else
// from the first one.
func TestPackages(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for i, version := range []string{"3.9.0", "3.8.1"} {
		write(filepath.Join(dirs[i], "bokeh/server/static/js/bokeh.min.js"), version)
		write(filepath.Join(dirs[i], "bokeh-"+version+".dist-info/METADATA"), "")
		write(filepath.Join(dirs[i], "secret.js"), "secret")
	}
	if err := os.Symlink("../../secret.js", filepath.Join(dirs[0], "bokeh/server/static/js/bokeh-widgets.min.js")); err != nil {
		t.Log(err)
	}
	l := &Libraries{Packages: func() []string { return dirs }}
	for address, want := range map[string]string{
		"https://cdn.bokeh.org/bokeh/release/bokeh-3.8.1.min.js": "3.8.1",
		"https://cdn.bokeh.org/bokeh/release/bokeh-3.7.0.min.js": "3.9.0",
		"bokeh-3.8.1.min.js": "3.8.1",
		"https://cdn.bokeh.org/bokeh/release/bokeh-widgets-3.9.0.min.js": "",
		"https://cdn.bokeh.org/bokeh/release/bokeh-gl-3.9.0.min.js":      "",
	} {
		if d, ok := l.Find(address); string(d.Body) != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", address, d.Body, want)
		}
	}
}

func TestPages(t *testing.T) {
	p, err := New(render.Request{MIME: "application/vnd.plotly.v1+json", Width: 640, Data: []byte(`{"data":[{"x":"</script><!--<script>"}]}`)})
	if err != nil || !p.Own {
		t.Fatal(p.Own, err)
	}
	text := string(p.Body)
	if strings.Count(text, "</script>") != strings.Count(text, "<script") || strings.Contains(text, "<!--") ||
		!strings.Contains(text, `easelDraw(JSON.parse("{\"data\":[{\"x\":\"\u003c/script\u003e\u003c!--\u003cscript\u003e\"}]}"), {"width":640,"height":0})`) {
		t.Errorf("%s", text)
	}
	for data, want := range map[string]bool{`{"data":[{"type": "surface","z":[[1]]}]}`: true, `{"data":[{"type":"bar","y":[1]}],"layout":{"title":"surface"}}`: false} {
		if p, err := New(render.Request{MIME: Plotly3DType, Data: []byte(data)}); err != nil || p.Solid != want {
			t.Errorf("%s: in 3D %v, %v", data, p.Solid, err)
		}
	}
	for _, data := range []string{"nonsense", "[]", ""} {
		_, err := New(render.Request{MIME: "application/vnd.vegalite.v5+json", Data: []byte(data)})
		if _, refused := errors.AsType[*render.RefusedError](err); !refused {
			t.Errorf("%q: %v", data, err)
		}
	}
	for mime, want := range map[string]bool{
		"application/vnd.plotly.v1+json": true, "application/vnd.vegalite.v6.json": true, "text/html": true, "application/javascript": true,
		"image/png": false, "text/plain": false, "application/vnd.bokehjs_exec.v0+json": false,
	} {
		if Is(mime) != want {
			t.Errorf("Is(%q) is %v", mime, !want)
		}
	}
	p, _ = New(render.Request{MIME: "text/html", Data: []byte(`<div id="a"></div><script integrity="sha256-x" src="https://a.example/b.js"></script><script>Bokeh.embed({"version":"3.8.1"})</script>`)})
	if text := string(p.Body); !strings.Contains(text, `<script src="bokeh-3.8.1.min.js">`) || strings.Contains(text, "integrity") || !strings.HasPrefix(text, "<!DOCTYPE html>") {
		t.Error(text)
	}
}

// TestPydeck checks which pages are drawn on pydeck's stage.
func TestPydeck(t *testing.T) {
	data, err := os.ReadFile("../browser/testdata/pydeck.html")
	require.NoError(t, err)
	text := string(data)
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"pydeck's":          {text, true},
		"of another width":  {strings.Replace(text, `"100%"`, "640", 1), true},
		"of version 0.8":    {strings.Replace(text, "jsdelivr.net/npm/@deck.gl/jupyter-widget@~9.3.*", "unpkg.com/@deck.gl/jupyter-widget@~8.8.*", 1), true},
		"with a library":    {strings.Replace(text, "&lt;/head&gt;", "&lt;script src=&#x27;https://a.example/b.js&#x27;&gt;&lt;/script&gt;&lt;/head&gt;", 1), false},
		"without deck.gl":   {strings.Replace(text, "jupyter-widget", "another", 1), false},
		"with more content": {strings.Replace(text, "&lt;/body&gt;", "&lt;p&gt;Note&lt;/p&gt;&lt;/body&gt;", 1), false},
		"with two scripts":  {strings.Replace(text, "const tooltip", "&lt;/script&gt;&lt;script&gt;const tooltip", 1), false},
		"beside a title":    {"<h1>Title</h1>" + text, false},
	} {
		p, err := New(render.Request{MIME: "text/html", Data: []byte(c.text)})
		require.NoError(t, err)
		if got := p.Stage.Body != nil; got != c.want || got != (p.Draw != nil) || p.Own || p.Again {
			t.Errorf("a page %s: stage %v, want %v; %+v", name, got, c.want, p.Draw)
		}
	}
}

func TestInline(t *testing.T) {
	l := new(Libraries)
	const text = `<!DOCTYPE html><p>a &amp; b</p><script src="https://cdn.jsdelivr.net/npm/vega@6"></script><script>if (a < b) document.write("<img src='x.png'>")</script>` +
		`<link rel="stylesheet" href="https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@6.2.0/css/all.min.css"><img src="https://tile.example/1.png"><img src="data:image/png;base64,AA">` +
		`<iframe srcdoc="&lt;script src=&quot;https://code.jquery.com/jquery-3.7.1.min.js&quot;&gt;&lt;/script&gt;&lt;script src=&quot;https://a.example/b.js&quot;&gt;&lt;/script&gt;"></iframe>`
	got, missing := l.Inline(Page{Document: Document{htmlType, []byte(text)}})
	if strings.Join(missing, " ") != "https://tile.example/1.png https://a.example/b.js" {
		t.Errorf("missing %q", missing)
	}
	for _, want := range []string{`<p>a &amp; b</p>`, `if (a < b) document.write("<img src='x.png'>")`, `src="data:text/javascript;charset=utf-8;base64,`, `href="data:text/css;charset=utf-8;base64,`, `src="data:image/png;base64,AA"`, `srcdoc="&lt;script src=&#34;data:text/javascript;charset=utf-8;base64,`} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s", want)
		}
	}
	sheet, ok := l.data("https://cdn.jsdelivr.net/npm/@fortawesome/fontawesome-free@6.2.0/css/all.min.css")
	css, err := base64.StdEncoding.DecodeString(sheet[strings.LastIndexByte(sheet, ',')+1:])
	if !ok || err != nil || !strings.Contains(string(css), "url(data:font/woff2;base64,") {
		t.Errorf("the style's font is not in it: %v", err)
	}
}

func TestWithoutIntegrity(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "=": "=", "a=b": "a=b",
		`<script src="a.js" integrity="sha256-x=" crossorigin="anonymous">`:                `<script src="a.js" crossorigin="anonymous">`,
		"<link\n\tintegrity='sha256-x'\f INTEGRITY=\"y\" href=a>":                          "<link href=a>",
		`<iframe srcdoc="&lt;script integrity=&quot;x&quot; a&gt; integrity=&#34;y&#34;">`: `<iframe srcdoc="&lt;script a&gt;">`,
		`<a data-integrity="x">`:                  `<a data-integrity="x">`,
		`s.integrity="x";if(a.integrity==b){}`:    `s.integrity="x";if(a.integrity==b){}`,
		`integrity="x" integrity=x integrity="<"`: `integrity="x" integrity=x integrity="<"`,
		` integrity="x"integrity="y"`:             `integrity="y"`,
		` integrity="x" integrity="y`:             ` integrity="y`,
	} {
		if got := withoutIntegrity(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
