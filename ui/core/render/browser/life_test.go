//go:build unix

package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

// busy is a page that never becomes calm.
const busy = redBox + `<p id="p">x</p><script>setInterval(() => { p.textContent = Math.random() }, 10)</script>`

// drawingNow waits until a figure is being drawn, and returns its browser.
func drawingNow(t *testing.T, e *Engine) *process {
	t.Helper()
	for range 3000 {
		if p := e.current.Load(); p != nil && p.figure.Load() != nil {
			return p
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("nothing is drawn")
	return nil
}

func TestBrowserIsKilled(t *testing.T) {
	e := engine(t, func(c *Config) { c.calm = 2 * time.Second })
	draw(t, e, htmlRequest(redBox))
	if err := syscall.Kill(e.current.Load().pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	draw(t, e, htmlRequest(redBox))
	go func() {
		if p := drawingNow(t, e); p != nil {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}()
	if pic := draw(t, e, htmlRequest(busy)); red(t, pic) < 200*100 {
		t.Error("the figure is wrong")
	}
}

func TestCloseWhileDrawing(t *testing.T) {
	e := engine(t, nil)
	failed := make(chan error, 1)
	go func() {
		_, err := e.Draw(context.Background(), htmlRequest(busy))
		failed <- err
	}()
	p := drawingNow(t, e)
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.Is(err, render.ErrClosed) {
		t.Errorf("Draw: %v", err)
	}
	if memory(p.pid) != 0 {
		t.Error("the browser still runs")
	}
	if _, err := e.Draw(t.Context(), htmlRequest(redBox)); !errors.Is(err, render.ErrClosed) {
		t.Errorf("Draw after Close: %v", err)
	}
}

func TestCanceled(t *testing.T) {
	e := engine(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		drawingNow(t, e)
		cancel()
	}()
	if _, err := e.Draw(ctx, htmlRequest(busy)); !errors.Is(err, context.Canceled) {
		t.Errorf("Draw: %v", err)
	}
	draw(t, e, htmlRequest(redBox))
}

func TestIdle(t *testing.T) {
	e := engine(t, func(c *Config) { c.Idle = 100 * time.Millisecond })
	draw(t, e, htmlRequest(redBox))
	p := e.current.Load()
	if p != nil {
		select {
		case <-p.done:
		case <-time.After(time.Minute):
			t.Error("the browser still runs")
		}
	}
	draw(t, e, htmlRequest(redBox))
}

// openPages returns the number of open tabs, according to the browser. The caller holds turn.
func openPages(t *testing.T, e *Engine) (n int) {
	t.Helper()
	targets, err := proto.TargetGetTargets{}.Call(session{pipe: e.browser.pipe, ctx: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets.TargetInfos {
		switch {
		case target.Type == proto.TargetTargetInfoTypePage:
			n++
		case strings.HasPrefix(target.URL, "chrome:"): // such a page takes as long to start as the rest of the browser
			t.Errorf("the browser has a page of its own: %s", target.URL)
		}
	}
	return n
}

// TestTabs checks which tabs remain after each figure: the reserve, and one for each of
// Easel's pages, on which the next figure of its kind is drawn.
func TestTabs(t *testing.T) {
	e := engine(t, withPackages(t))
	vega, latex := "application/vnd.vegalite.v5+json", "text/latex"
	figures := []struct {
		request render.Request
		stages  int
	}{
		{htmlRequest(redBox), 0},
		{render.Request{MIME: vega, Data: []byte(`{"data":{"values":[{"a":1}]},"mark":"point","encoding":{"x":{"field":"a"}}}`)}, 1},
		{render.Request{MIME: vega, Data: []byte(`{"data":{"values":[{"a":1}]},"mark":"bar","encoding":{"x":{"field":"a"}}}`)}, 1},
		{htmlRequest(redBox), 1},
		{render.Request{MIME: latex, Data: []byte(`$$\frac{a}{b}$$`)}, 2},
		{render.Request{MIME: latex, Data: []byte(`$$a_1$$`)}, 2},
	}
	used := make(map[string]*tab)
	for _, f := range figures {
		draw(t, e, f.request)
		e.turn <- struct{}{} // after tidy
		if n := openPages(t, e); n != f.stages+reserve || e.tabs.now != nil || len(e.tabs.unused) != reserve || len(e.tabs.ready) != f.stages {
			t.Errorf("%s: %d pages, %+v", f.request.MIME, n, e.tabs)
		}
		if p, _ := page.New(f.request); p.Own {
			last := e.tabs.ready[len(e.tabs.ready)-1]
			if before := used[f.request.MIME]; before != nil && before != last {
				t.Errorf("%s: it was drawn in another tab", f.request.MIME)
			}
			used[f.request.MIME] = last
		}
		<-e.turn
	}
}

// TestStageIsFresh checks that nothing of a figure can be seen in the next one, although the
// same tab draws both, and that a tab is used perStage times.
func TestStageIsFresh(t *testing.T) {
	e := engine(t, func(c *Config) { withPackages(t)(c); c.perStage = 4 })
	one := request(t, "application/vnd.plotly.v1+json", "plotly.json")
	three := request(t, one.MIME, "plotly3d.json")
	stage := func() *tab {
		e.turn <- struct{}{}
		defer func() { <-e.turn }()
		return e.tabs.ready[0]
	}
	first := draw(t, e, one)
	tab := stage()
	draw(t, e, three)
	if pic := draw(t, e, one); !bytes.Equal(pic.PNG, first.PNG) || pic.Title != first.Title {
		t.Error("the picture has changed")
	}
	if stage() != tab {
		t.Error("another tab drew the third figure")
	}
	draw(t, e, one)
	if stage() == tab {
		t.Error("the tab is kept after its fourth figure")
	}
}

// TestFiguresIn3DShareACanvas checks that figures in 3D look the same after others, although all
// use the same canvas. Plotly turns the cameras of the first two, which look down, for half a second.
func TestFiguresIn3DShareACanvas(t *testing.T) {
	e := engine(t, withPackages(t))
	other := request(t, "application/vnd.plotly.v1+json", "plotly3d.json")
	one, two := other, other
	one.Data = []byte(`{"data":[{"type":"surface","z":[[0,1],[1,3]]}],"layout":{"scene":{"camera":{"eye":{"x":0,"y":0,"z":2}}}}}`)
	two.Data = []byte(`{"data":[{"type":"surface","z":[[0,1],[1,3]]},{"type":"surface","z":[[3,1],[1,0]],"scene":"scene2"}],"layout":{
		"scene":{"domain":{"x":[0,0.5]},"camera":{"eye":{"x":0,"y":0,"z":2}}},"scene2":{"domain":{"x":[0.5,1]},"camera":{"eye":{"x":0,"y":0,"z":2}}}}}`)
	firstOne, firstTwo := draw(t, e, one), draw(t, e, two)
	e.turn <- struct{}{}
	stage := e.tabs.ready[0].session(t.Context())
	_, err := evaluate[any](stage, `Plotly.newPlot = new Proxy(Plotly.newPlot, { apply: (plot, _, all) => ((Plotly.plots ??= []).push(all[3].staticPlot), plot(...all)) }); 0`, 0)
	<-e.turn
	if err != nil {
		t.Fatal(err)
	}
	draw(t, e, other)
	if !bytes.Equal(draw(t, e, one).PNG, firstOne.PNG) {
		t.Error("the picture of one scene has changed")
	}
	if !bytes.Equal(draw(t, e, two).PNG, firstTwo.PNG) {
		t.Error("the picture of two scenes has changed")
	}
	if plots, err := evaluate[[]any](stage, "Plotly.plots", 0); err != nil || fmt.Sprint(plots) != "[true true true]" {
		t.Errorf("the figures do not share a canvas: %v %v", plots, err)
	}
}

// TestStageIsWarm checks that a stage is prepared for figures in 3D when they are expected, and
// again when its tab is replaced, and that this leaves nothing behind.
func TestStageIsWarm(t *testing.T) {
	e := engine(t, func(c *Config) { withPackages(t)(c); c.perStage = 2 })
	three := request(t, "application/vnd.plotly.v1+json", "plotly3d.json")
	stage := func() *tab {
		e.turn <- struct{}{}
		defer func() { <-e.turn }()
		if len(e.tabs.ready) != 1 || !e.tabs.ready[0].warm {
			t.Fatalf("%d tabs are ready; 3D is expected: %v", len(e.tabs.ready), e.tabs.solid)
		}
		return e.tabs.ready[0]
	}
	if err := e.Prepare(t.Context(), page.PlotlyType+"1+json"); err != nil || e.tabs.ready[0].warm {
		t.Fatal("a stage is prepared for 3D, which nothing needs", err)
	}
	if err := e.Prepare(t.Context(), page.Plotly3DType); err != nil {
		t.Fatal(err)
	}
	first := stage()
	if text, err := evaluate[string](first.session(t.Context()), "document.body.innerText + "+tracesScript, 0); err != nil || strings.TrimSpace(text) != first.traces {
		t.Errorf("the stage has %q, not %q: %v", text, first.traces, err)
	}
	warm := draw(t, e, three)
	if stage() != first {
		t.Error("the tab is not used again")
	}
	draw(t, e, three)
	if second := stage(); second == first || second.drawn != 0 {
		t.Error("the tab is not replaced")
	}
	cold := engine(t, withPackages(t))
	if pic := draw(t, cold, three); !bytes.Equal(pic.PNG, warm.PNG) {
		t.Error("the prepared stage shows something else")
	}
}

// TestPydeckStage checks that pydeck's stage shows what the figure's page shows, and that each
// figure has a new one.
func TestPydeckStage(t *testing.T) {
	e := engine(t, withPackages(t))
	figure := request(t, "text/html", "pydeck.html")
	staged := draw(t, e, figure)
	alone := figure
	alone.Data = append([]byte("<!-- another page -->"), figure.Data...)
	if pic := draw(t, e, alone); !bytes.Equal(pic.PNG, staged.PNG) || !slices.Equal(pic.Blocked, staged.Blocked) || pic.Title != staged.Title {
		t.Errorf("the stage shows something else: blocked %v and %v, titles %q and %q", staged.Blocked, pic.Blocked, staged.Title, pic.Title)
	}
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if len(e.tabs.ready) != 1 || e.tabs.ready[0].drawn != 0 {
		t.Errorf("%d tabs are ready", len(e.tabs.ready))
	}
}

// TestChangedStage checks that a stage is not used again if a figure has changed something
// that the next one could see, or if its page has crashed.
func TestChangedStage(t *testing.T) {
	e := engine(t, withPackages(t))
	latex := render.Request{MIME: "text/latex", Data: []byte(`$$a_1$$`)}
	// change runs a script on the stage of the last figure, and draws the next one.
	change := func(script string) (again bool) {
		t.Helper()
		e.turn <- struct{}{}
		last := e.tabs.ready[len(e.tabs.ready)-1]
		if _, err := evaluate[any](last.session(t.Context()), script, 0); err != nil {
			t.Fatal(err)
		}
		<-e.turn
		draw(t, e, latex)
		e.turn <- struct{}{}
		defer func() { <-e.turn }()
		return e.tabs.ready[len(e.tabs.ready)-1] == last
	}
	draw(t, e, latex)
	hidden := `, "left", { configurable: true, writable: true, enumerable: false, value: 1 })` // does not disturb the page
	for _, script := range []string{"Object.defineProperty(Object.prototype" + hidden, "Object.defineProperty(Array.prototype" + hidden, "window.left = 1"} {
		if change(script) {
			t.Errorf("after %s, the stage is used again", script)
		}
	}
	draw(t, e, latex)
	if change("katex.render = null") { // the figure is not refused for what another one has done
		t.Error("the stage is used again")
	}
	e.turn <- struct{}{}
	crashed := e.tabs.ready[len(e.tabs.ready)-1]
	// Send the call without waiting, because the browser does not answer it.
	if _, _, err := crashed.p.send(string(crashed.id), proto.PageCrash{}.ProtoReq(), proto.PageCrash{}); err != nil {
		t.Fatal(err)
	}
	<-crashed.crashed
	<-e.turn
	draw(t, e, latex)
}

// TestPrepare checks that after Prepare, a figure finds a browser and its stage.
func TestPrepare(t *testing.T) {
	e := engine(t, withPackages(t))
	plotly := request(t, "application/vnd.plotly.v1+json", "plotly.json")
	if err := e.Prepare(t.Context(), plotly.MIME); err != nil {
		t.Fatal(err)
	}
	if err := e.Prepare(t.Context(), "text/html"); err != nil {
		t.Fatal(err)
	}
	e.turn <- struct{}{}
	if n := openPages(t, e); n != 1+reserve || len(e.tabs.unused) != reserve || len(e.tabs.ready) != 1 {
		t.Errorf("%d pages, %+v", n, e.tabs)
	}
	if err := e.Prepare(t.Context(), plotly.MIME); err != nil { // a figure has the turn
		t.Error(err)
	}
	prepared := e.tabs.ready[0]
	<-e.turn
	draw(t, e, plotly)
	e.turn <- struct{}{}
	if e.tabs.ready[0] != prepared {
		t.Error("the prepared tab was not used")
	}
	<-e.turn
}

// TestLeftovers checks that sweep removes a profile that a crash has left, but not one that
// another Easel uses.
func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	used, err := newProfile(dir, way{})
	if err != nil {
		t.Fatal(err)
	}
	left, err := newProfile(dir, way{})
	if err != nil {
		t.Fatal(err)
	}
	if err := left.lock.Close(); err != nil {
		t.Fatal(err)
	}
	sweep(dir)
	if _, err := os.Stat(used.path); err != nil {
		t.Error("a profile in use is gone")
	}
	if _, err := os.Stat(left.root); err == nil {
		t.Error("a profile is left")
	}
	if err := used.remove(); err != nil {
		t.Error(err)
	}
}

// TestBrowserEndsWithEasel checks that the browser ends when Easel is killed.
func TestBrowserEndsWithEasel(t *testing.T) {
	if os.Getenv("EASEL_FIGURES_CHILD") != "" {
		e := New(Config{Dir: os.Getenv("EASEL_FIGURES_CHILD")})
		draw(t, e, htmlRequest(redBox))
		println("pid")
		time.Sleep(time.Minute)
		return
	}
	e := engine(t, nil) // for its directory, which it also sweeps
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestBrowserEndsWithEasel$")
	child.Env = append(os.Environ(), "EASEL_FIGURES_CHILD="+e.config.Dir)
	out, err := child.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait()
	for range 500 {
		if running(e.config.Dir) == "" {
			draw(t, e, htmlRequest(redBox))
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("still running: %s", running(e.config.Dir))
}

// running returns the processes whose arguments contain a directory.
func running(dir string) string {
	var found []string
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, line := range lines {
		if text, err := os.ReadFile(line); err == nil && strings.Contains(string(text), dir) {
			found = append(found, line)
		}
	}
	return strings.Join(found, " ")
}

func TestFind(t *testing.T) {
	_, err := Find(filepath.Join(t.TempDir(), "browser"))
	if _, ok := errors.AsType[*render.UnavailableError](err); !ok {
		t.Error(err)
	}
}
