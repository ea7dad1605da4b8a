package browser

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render"
)

var (
	common     *Engine
	commonOnce sync.Once
)

func TestMain(m *testing.M) {
	code := m.Run()
	if common != nil {
		dir := common.config.Dir
		if err := errors.Join(common.Close(), os.Remove(dir)); err != nil {
			fmt.Println("the browser has left something:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// patience is a timeout that a busy machine does not reach.
const patience = 2 * time.Minute

// shared returns the engine that is shared by tests that do not change it.
func shared(t *testing.T) *Engine {
	t.Helper()
	change := withPackages(t) // or skips
	findOrSkip(t)
	commonOnce.Do(func() {
		config := Config{Dir: directory(t), TimeLimit: patience, tidy: patience}
		change(&config)
		common = New(config)
	})
	return common
}

func findOrSkip(t *testing.T) {
	t.Helper()
	if _, err := Find(""); err != nil {
		t.Skip("no browser to test with: ", err)
	}
}

// directory creates a directory for a browser. It does not use t.TempDir, because if root runs
// the test, the browser runs as another user, who cannot access that.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "figures") //nolint:usetesting // see above
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// engine returns an engine for a test. Its directory must be empty at the end. engine skips the
// test if there is no browser.
func engine(t *testing.T, change func(*Config)) *Engine {
	t.Helper()
	findOrSkip(t)
	dir := directory(t)
	config := Config{Dir: dir, TimeLimit: patience, tidy: patience}
	if change != nil {
		change(&config)
	}
	e := New(config)
	t.Cleanup(func() {
		var pid int
		if e.browser != nil {
			pid = e.browser.pid
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if pid != 0 && memory(pid) != 0 {
			t.Errorf("the browser's processes still run: %d bytes", memory(pid))
		}
		if err := os.Remove(dir); err != nil {
			t.Errorf("the browser has left files: %v", err)
		}
	})
	return e
}

var sitePackages = sync.OnceValues(func() (string, error) {
	out, err := exec.Command(os.Getenv(jupytertest.PythonVariable), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output()
	return strings.TrimSpace(string(out)), err
})

// withPackages returns a change that lets figures load libraries from the tests' Python.
func withPackages(t *testing.T) func(*Config) {
	t.Helper()
	jupytertest.Python(t)
	dir, err := sitePackages()
	require.NoError(t, err)
	return func(c *Config) { c.Packages = func() []string { return []string{dir} } }
}

func draw(t *testing.T, e *Engine, r render.Request) render.Picture {
	t.Helper()
	pic, err := e.Draw(t.Context(), r)
	require.NoError(t, err)
	return pic
}

// request returns the request for a figure in testdata.
func request(t *testing.T, mime, file string) render.Request {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return render.Request{MIME: mime, Data: data}
}

func htmlRequest(text string) render.Request {
	return render.Request{MIME: "text/html", Data: []byte(text)}
}

const redBox = `<div style="width:200px;height:100px;background:#d62728"></div>`

// red returns the number of pixels with the figures' red.
func red(t *testing.T, pic render.Picture) int {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(pic.PNG))
	require.NoError(t, err)
	if got := decoded.Bounds().Size(); got != image.Pt(pic.Width, pic.Height) {
		t.Errorf("the picture is %v, and said to be %dx%d", got, pic.Width, pic.Height)
	}
	n := 0
	for y := range pic.Height {
		for x := range pic.Width {
			if c := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA); c.R > 0xc8 && c.R < 0xe4 && c.G > 0x18 && c.G < 0x40 && c.B > 0x18 && c.B < 0x40 {
				n++
			}
		}
	}
	return n
}

func TestLiveFigures(t *testing.T) {
	e := shared(t)
	for _, c := range []struct {
		file, mime, title string
		width, height     int // of the request
		wide, high        int // of the picture; 0: any
		scale             float64
		red               int // minimum number of pixels
		blocked           string
	}{
		{file: "plotly.json", mime: "application/vnd.plotly.v1+json", title: "Fruit", wide: 700, high: 450, red: 10000},
		{file: "plotly.json", mime: "application/vnd.plotly.v1+json", title: "Fruit", width: 400, height: 300, scale: 2, wide: 800, high: 600, red: 10000},
		{file: "plotly3d.json", mime: "application/vnd.plotly.v1+json", title: "Slope", wide: 700, high: 450},
		{file: "choropleth.json", mime: "application/vnd.plotly.v1+json", title: "Countries", wide: 700, high: 450, red: 5000},
		{file: "plotly.html", mime: "text/html", title: "Fruit", red: 10000},
		{file: "plotly-notebook.html", mime: "text/html", title: "Fruit", red: 10000, blocked: "mathjax"},
		{file: "bokeh.html", mime: "text/html", title: "Points", red: 10000},
		{file: "bokeh.js", mime: "application/javascript", title: "Points", red: 10000},
		{file: "hv.html", mime: "text/html", title: "Heights", red: 5000},
		{file: "folium.html", mime: "text/html", red: 2000, blocked: "https://tile.openstreetmap.org/12/"},
		{file: "pydeck.html", mime: "text/html", red: 3000, blocked: "https://basemaps.cartocdn.com/"},
		{file: "altair.html", mime: "text/html", title: "Bars", red: 3000},
	} {
		t.Run(c.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", c.file))
			require.NoError(t, err)
			pic := draw(t, e, render.Request{MIME: c.mime, Data: data, Width: c.width, Height: c.height, Scale: c.scale})
			if c.wide != 0 && (pic.Width != c.wide || pic.Height != c.high) {
				t.Errorf("the picture is %dx%d, want %dx%d", pic.Width, pic.Height, c.wide, c.high)
			}
			if pic.Title != c.title {
				t.Errorf("the title is %q, want %q", pic.Title, c.title)
			}
			if n := red(t, pic); n < c.red {
				t.Errorf("%d pixels are red, want %d", n, c.red)
			}
			if blocked := strings.Join(pic.Blocked, " "); c.blocked == "" && blocked != "" || !strings.Contains(blocked, c.blocked) {
				t.Errorf("blocked are %v, want %q", pic.Blocked, c.blocked)
			}
		})
	}
}

func TestLiveWithoutLibraries(t *testing.T) {
	findOrSkip(t)
	e := New(Config{})
	defer e.Close()
	_, err := e.Draw(t.Context(), render.Request{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[]}`)})
	if _, ok := errors.AsType[*render.UnavailableError](err); !ok {
		t.Errorf("Plotly without a script: %v", err)
	}
	_, err = shared(t).Draw(t.Context(), htmlRequest(`<div></div><script src="https://cdn.example/x.js"></script><script src="https://cdn.example/x.js"></script>`))
	if _, ok := errors.AsType[*render.RefusedError](err); !ok || !strings.Contains(err.Error(), "it is blank; it asked for https://cdn.example/x.js, and") {
		t.Errorf("a blank page: %v", err)
	}
}

func TestLivePages(t *testing.T) {
	e := shared(t)
	pic := draw(t, e, render.Request{MIME: "text/html", Data: []byte(redBox), Scale: 2})
	if pic.Width != 2*216 || pic.Height != 2*116 || red(t, pic) != 400*200 {
		t.Errorf("a box is %dx%d with %d red", pic.Width, pic.Height, red(t, pic))
	}
	pic = draw(t, e, htmlRequest(`<title>A page</title><h1>Not this</h1>`+strings.Replace(redBox, "200px", "100000px", 1)+`<img src="pic.png"><img src="pic.png">`))
	if pic.Title != "A page" || pic.Width > maxEdge || len(pic.Blocked) != 1 || pic.Blocked[0] != "pic.png" {
		t.Errorf("%dx%d %q %v", pic.Width, pic.Height, pic.Title, pic.Blocked)
	}
	pic = draw(t, e, htmlRequest(`<canvas width="200" height="100"></canvas><script>
		const gl = document.querySelector("canvas").getContext("webgl");
		let left = 20;
		const frame = () => {
			gl.clearColor(left ? left / 20 : 0.839, left ? 1 : 0.153, left ? 1 : 0.157, 1);
			gl.clear(gl.COLOR_BUFFER_BIT);
			if (left-- > 0) requestAnimationFrame(frame);
		};
		frame();
	</script>`))
	if red(t, pic) != 200*100 {
		t.Errorf("a canvas that is drawn on in several frames: %dx%d, %d red", pic.Width, pic.Height, red(t, pic))
	}
	pic = draw(t, e, render.Request{MIME: "image/svg+xml", Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="50" height="40"><title>Square</title><rect width="50" height="40" fill="#d62728"/></svg>`)})
	if red(t, pic) != 50*40 || pic.Title != "Square" {
		t.Errorf("an SVG: %dx%d %q %d", pic.Width, pic.Height, pic.Title, red(t, pic))
	}
	pic = draw(t, e, render.Request{MIME: "application/vnd.vegalite.v6+json", Data: []byte(`{"title":"Bars","data":{"values":[{"a":"x","b":1}]},"width":100,"height":100,"mark":{"type":"bar","color":"#d62728"},"encoding":{"x":{"field":"a"},"y":{"field":"b","type":"quantitative"}}}`)})
	if red(t, pic) < 1000 {
		t.Errorf("Vega-Lite: %dx%d, %d red", pic.Width, pic.Height, red(t, pic))
	}
	pic = draw(t, e, render.Request{MIME: "text/latex", Data: []byte(`$\displaystyle \color{#d62728}\int_0^1 \frac{\rule{3em}{2em}}{\sqrt{\alpha}}\,dx$`)})
	if red(t, pic) < 1000 || len(pic.Blocked) != 0 {
		t.Errorf("LaTeX: %dx%d, %d red, blocked %v", pic.Width, pic.Height, red(t, pic), pic.Blocked)
	}
	pic = draw(t, e, htmlRequest(`<div><style scoped>td { background: #d62728 }</style><table border="1" class="dataframe"><tr><td>1</td><td>2</td></tr></table></div>`))
	if red(t, pic) < 300 {
		t.Errorf("a table: %dx%d, %d red", pic.Width, pic.Height, red(t, pic))
	}
	for _, latex := range []string{`\frac{1`, `\href{javascript:alert(1)}{\undefined}`} {
		_, err := e.Draw(t.Context(), render.Request{MIME: "text/latex", Data: []byte(latex)})
		if refused, ok := errors.AsType[*render.RefusedError](err); !ok || !strings.Contains(refused.Reason, "KaTeX") {
			t.Errorf("%s: %v", latex, err)
		}
	}
	_, err := e.Draw(t.Context(), render.Request{MIME: "application/vnd.plotly.v1+json", Data: []byte(`nonsense`)})
	if _, ok := errors.AsType[*render.RefusedError](err); !ok {
		t.Errorf("nonsense: %v", err)
	}
}
