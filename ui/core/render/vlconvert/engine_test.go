package vlconvert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"easel/ui/core/render"
)

const (
	vegaLite = "application/vnd.vegalite.v5+json"
	vega     = "application/vnd.vega.v5+json"
	svg      = "image/svg+xml"
)

// engine is a real one.
func engine(t testing.TB, edit ...func(*Config)) *Engine {
	t.Helper()
	python := os.Getenv("EASEL_TEST_PYTHON")
	if python == "" {
		t.Skip("EASEL_TEST_PYTHON names no interpreter; make test sets it")
	}
	cfg := Config{Python: func() string { return python }, Limit: time.Minute, Log: slog.New(slog.DiscardHandler)}
	for _, e := range edit {
		e(&cfg)
	}
	e := New(cfg)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

func bars(edit func(spec map[string]any)) []byte {
	spec := map[string]any{
		"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "width": 200, "height": 100, "title": "月ごとの気温",
		"data":     map[string]any{"values": []any{map[string]any{"a": 1, "b": 2}, map[string]any{"a": 2, "b": 3}}},
		"mark":     map[string]any{"type": "bar", "color": "#ff0000"},
		"encoding": map[string]any{"x": map[string]any{"field": "a", "type": "nominal"}, "y": map[string]any{"field": "b", "type": "quantitative"}},
	}
	if edit != nil {
		edit(spec)
	}
	data, _ := json.Marshal(spec)
	return data
}

func draw(t *testing.T, e *Engine, r render.Request) (render.Picture, image.Image) {
	t.Helper()
	p, err := e.Draw(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(p.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if m.Bounds().Dx() != p.Width || m.Bounds().Dy() != p.Height {
		t.Errorf("%v is said to be %d×%d", m.Bounds(), p.Width, p.Height)
	}
	return p, m
}

// count is how many pixels have a colour.
func count(m image.Image, want color.NRGBA) (n int) {
	for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
		for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
			if color.NRGBAModel.Convert(m.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

var red = color.NRGBA{R: 255, A: 255}

func TestLiveACharts(t *testing.T) {
	e := engine(t)
	small, m := draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil), Scale: 1})
	if small.Title != "月ごとの気温" || len(small.Blocked) > 0 || count(m, red) < 2000 {
		t.Errorf("%q, blocked %v, %d red pixels", small.Title, small.Blocked, count(m, red))
	}
	large, m2 := draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil), Scale: 2})
	if abs(large.Width-2*small.Width) > 1 || abs(large.Height-2*small.Height) > 1 || count(m2, red) < 3*count(m, red) {
		t.Errorf("%d×%d at twice the density of %d×%d", large.Width, large.Height, small.Width, small.Height)
	}
	wide, _ := draw(t, e, render.Request{MIME: vegaLite, Width: 600, Data: bars(func(s map[string]any) { s["width"] = "container" })})
	if wide.Width < 600 || wide.Width > 700 {
		t.Errorf("in a container of 600 it is %d wide", wide.Width)
	}
	spec := `{"$schema":"https://vega.github.io/schema/vega/v5.json","width":50,"height":40,"title":{"text":["two","lines"]},
		"marks":[{"type":"rect","encode":{"enter":{"x":{"value":0},"y":{"value":0},"width":{"value":50},"height":{"value":40},"fill":{"value":"red"}}}}]}`
	p, m := draw(t, e, render.Request{MIME: vega, Data: []byte(spec)})
	if p.Title != "two lines" || count(m, red) < 1900 {
		t.Errorf("Vega: %q, %d red pixels", p.Title, count(m, red))
	}
}

func abs(n int) int { return max(n, -n) }

// TestLiveJapaneseIsNoBoxes: different characters have different glyphs.
func TestLiveJapaneseIsNoBoxes(t *testing.T) {
	fonts, err := filepath.Abs("../../../../assets/fonts")
	if err != nil {
		t.Fatal(err)
	}
	e := engine(t, func(c *Config) { c.Fonts = []string{fonts} })
	glyph := func(text string) string {
		_, m := draw(t, e, render.Request{MIME: svg, Data: fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">
			<rect width="40" height="40" fill="white"/><text x="5" y="30" font-size="24" font-family="sans-serif">%s</text></svg>`, text)})
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if a, b, none := glyph("月"), glyph("温"), glyph(" "); a == b || a == none {
		t.Error("they are boxes or blank")
	}
}

func TestLiveAnSVGThatNeedsARealRenderer(t *testing.T) {
	e := engine(t)
	_, m := draw(t, e, render.Request{MIME: svg, Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">
		<style>.r { fill: #f00 }</style>
		<defs><clipPath id="c"><circle cx="50" cy="50" r="20"/></clipPath><mask id="m"><rect width="100" height="50" fill="white"/></mask></defs>
		<g mask="url(#m)"><rect class="r" width="100" height="100" clip-path="url(#c)"/></g></svg>`)})
	if n := count(m, red); n < 500 || n > 700 { // half of a circle of 1257
		t.Errorf("%d red pixels", n)
	}
}

// TestLiveNothingIsReadAndNobodyIsCalled: hostile charts get neither files nor a connection.
func TestLiveNothingIsReadAndNobodyIsCalled(t *testing.T) {
	e := engine(t)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var called atomic.Int32
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			called.Add(1)
			_ = c.Close()
		}
	}()
	defer l.Close()
	secret := filepath.Join(t.TempDir(), "secret.png")
	var b bytes.Buffer
	m := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	for i := range 400 {
		m.Set(i%20, i/20, red)
	}
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	web := "http://" + l.Addr().String() + "/x.png"
	nested := `data:image/svg+xml;utf8,` + `%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%2220%22 height=%2220%22%3E%3Cimage href=%22` + secret + `%22 width=%2220%22 height=%2220%22/%3E%3C/svg%3E`
	for _, ref := range []string{secret, "file://" + secret, web, "&#47;" + secret[1:], nested} {
		for _, attribute := range []string{`href="%s"`, `xlink:href='%s'`, `x:href = "%s"`, "href=\n\"%s\""} {
			text := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x="http://www.w3.org/1999/xlink" width="40" height="40"><image `+attribute+` width="20" height="20"/></svg>`, ref)
			p, err := e.Draw(t.Context(), render.Request{MIME: svg, Data: []byte(text)})
			if err != nil {
				continue
			}
			if m, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || count(m, red) > 0 {
				t.Errorf("%s shows the file: %v", text, err)
			}
		}
	}
	entity := `<!DOCTYPE svg [<!ENTITY f "` + secret + `"><!ENTITY i "<image href='` + secret + `' width='20' height='20'/>">]><svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><image href="&f;" width="20" height="20"/>&i;</svg>`
	if p, err := e.Draw(t.Context(), render.Request{MIME: svg, Data: []byte(entity)}); err == nil {
		if m, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || count(m, red) > 0 {
			t.Errorf("an entity shows the file: %v", err)
		}
	}
	for _, url := range []string{web, "file:///etc/passwd", secret} {
		_, _ = e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: bars(func(s map[string]any) { s["data"] = map[string]any{"url": url} })})
		p, err := e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: bars(func(s map[string]any) {
			s["mark"] = map[string]any{"type": "image", "url": url, "width": 20, "height": 20}
		})})
		if err != nil {
			continue
		}
		if m, err := png.Decode(bytes.NewReader(p.PNG)); err != nil || count(m, red) > 0 || len(p.Blocked) != 1 {
			t.Errorf("an image mark shows the file, blocked %q: %v", p.Blocked, err)
		}
	}
	_, err = e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: bars(func(s map[string]any) { s["data"] = map[string]any{"url": web} })})
	if refused := new(render.RefusedError); !errors.As(err, &refused) || !strings.Contains(err.Error(), web) {
		t.Errorf("data from the network: %v", err)
	}
	if n := called.Load(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

func TestLiveABadChartIsRefusedAndTheNextIsDrawn(t *testing.T) {
	e := engine(t)
	for _, bad := range []string{"", "{", "[]", `{"mark":"nonsense","data":{"values":[]}}`, `{"$schema":"https://vega.github.io/schema/vega-lite/v1.json"}`} {
		_, err := e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: []byte(bad)})
		if refused := new(render.RefusedError); !errors.As(err, &refused) || len([]rune(err.Error())) > mostReason+60 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	p, _ := draw(t, e, render.Request{MIME: svg, Scale: 4, Data: []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 50000 10"><rect width="50000" height="10"/></svg>`)})
	if p.Width > 8192 {
		t.Errorf("%d pixels wide", p.Width)
	}
}

// endless is a chart that takes some minutes and little memory: a density of 100,000 points
// at as many places.
func endless() []byte {
	return []byte(`{"$schema":"https://vega.github.io/schema/vega/v5.json","width":10,"height":10,"data":[
		{"name":"a","transform":[{"type":"sequence","start":0,"stop":100000},{"type":"kde","field":"data","minsteps":100000,"maxsteps":100000}]}],"marks":[]}`)
}

// greedy is a chart that takes ever more memory: all pairs of 30,000 points.
func greedy() []byte {
	return []byte(`{"$schema":"https://vega.github.io/schema/vega/v5.json","width":10,"height":10,"data":[{"name":"a","transform":[{"type":"sequence","start":0,"stop":30000}]},
		{"name":"b","source":"a","transform":[{"type":"cross"}]}],"marks":[]}`)
}

func TestLiveAnEndlessChartIsGivenUp(t *testing.T) {
	e := engine(t)
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)}) // starts it
	e.cfg.Limit = time.Second
	_, err := e.Draw(t.Context(), render.Request{MIME: vega, Data: endless()})
	if refused := new(render.RefusedError); !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
	e.cfg.Limit = time.Minute
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
}

func TestLiveAChartThatTakesTooMuchMemoryIsGivenUp(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is watched on Linux only")
	}
	e := engine(t, func(c *Config) { c.Memory = 400 << 20 })
	_, err := e.Draw(t.Context(), render.Request{MIME: vega, Data: greedy()})
	if refused := new(render.RefusedError); !errors.As(err, &refused) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("got %v", err)
	}
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
}

func TestLiveAProcessThatWasKilledIsStartedAnew(t *testing.T) {
	e := engine(t)
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	dir, pid := e.worker.dir, e.worker.cmd.Process.Pid
	if err := e.worker.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-e.worker.ended
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	if e.worker.cmd.Process.Pid == pid {
		t.Error("the same process")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its directory is still there: %v", err)
	}
}

func TestLiveWhoLeavesWaitsForNothing(t *testing.T) {
	e := engine(t)
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() {
		_, err := e.Draw(ctx, render.Request{MIME: vega, Data: endless()})
		ended <- err
	}()
	time.AfterFunc(200*time.Millisecond, cancel)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for range 2 {
		go func() {
			_, err := e.Draw(t.Context(), render.Request{MIME: vega, Data: endless()})
			ended <- err
		}()
	}
	time.Sleep(300 * time.Millisecond)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-ended; !errors.Is(err, render.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
	}
	if _, err := e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: bars(nil)}); !errors.Is(err, render.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func TestLiveAnIdleProcessIsStopped(t *testing.T) {
	e := engine(t, func(c *Config) { c.Idle = 300 * time.Millisecond })
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	<-e.turn
	w := e.worker
	e.turn <- struct{}{}
	if w == nil {
		return // it is stopped already
	}
	select {
	case <-w.ended:
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
}

func TestLiveManyFiguresLeaveNothing(t *testing.T) {
	e := engine(t)
	draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	before := resident(e.worker.cmd.Process.Pid)
	for range 100 {
		draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
	}
	if grown := resident(e.worker.cmd.Process.Pid) - before; grown > 300<<20 {
		t.Errorf("it grew by %d MB", grown>>20)
	}
}

func TestWhereThereIsNoPython(t *testing.T) {
	e := New(Config{Python: func() string { return "" }, Log: slog.New(slog.DiscardHandler)})
	defer e.Close()
	unavailable := new(render.UnavailableError)
	if err := e.Available(); !errors.As(err, &unavailable) || unavailable.Remedy == "" {
		t.Errorf("got %v", err)
	}
	if _, err := e.Draw(t.Context(), render.Request{MIME: svg}); !errors.As(err, &unavailable) {
		t.Errorf("got %v", err)
	}
	bad := New(Config{Python: func() string { return "/nowhere/python" }, Log: slog.New(slog.DiscardHandler)})
	defer bad.Close()
	if _, err := bad.Draw(t.Context(), render.Request{MIME: svg}); !errors.As(err, &unavailable) {
		t.Errorf("got %v", err)
	}
}

// TestLiveAnInterpreterWithoutThePackage: what is missing is said, and how to get it.
func TestLiveAnInterpreterWithoutThePackage(t *testing.T) {
	bare, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(t.Context(), bare, "-I", "-c", "import vl_convert").Run() == nil {
		t.Skip("there is no Python without the package")
	}
	e := engine(t, func(c *Config) { c.Python = func() string { return bare } })
	_, err = e.Draw(t.Context(), render.Request{MIME: vegaLite, Data: bars(nil)})
	if unavailable := new(render.UnavailableError); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "vl-convert-python") || e.Available() == nil {
		t.Errorf("got %v", err)
	}
}

// TestLiveNoProcessOutlivesEasel: not even one that is busy for ever.
func TestLiveNoProcessOutlivesEasel(t *testing.T) {
	if os.Getenv("EASEL_TEST_DRAW_CHILD") != "" {
		e := engine(t, func(c *Config) { c.Limit = time.Hour })
		draw(t, e, render.Request{MIME: vegaLite, Data: bars(nil)})
		go func() { _, _ = e.Draw(context.Background(), render.Request{MIME: vega, Data: endless()}) }()
		time.Sleep(300 * time.Millisecond)
		fmt.Printf("pid %d\n", e.worker.cmd.Process.Pid)
		select {}
	}
	engine(t) // or skip
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLiveNoProcessOutlivesEasel$")
	child.Env = append(os.Environ(), "EASEL_TEST_DRAW_CHILD=1")
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "pid %d", &pid); err != nil {
		t.Fatal(err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || bytes.Contains(stat, []byte(") Z ")) { // a container may have nobody who buries it
			return
		}
		if time.Now().After(end) {
			t.Fatal("it is still there")
		}
	}
}

func BenchmarkWarm(b *testing.B) {
	e := engine(b)
	for b.Loop() {
		if _, err := e.Draw(b.Context(), render.Request{MIME: vegaLite, Data: bars(nil), Scale: 2}); err != nil {
			b.Fatal(err)
		}
	}
}
