//go:build unix

package browser

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

	"easel/internal/require"
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

func TestLiveBrowserIsKilled(t *testing.T) {
	e := engine(t, func(c *Config) { c.calm = 2 * time.Second })
	draw(t, e, htmlRequest(redBox))
	require.NoError(t, syscall.Kill(e.current.Load().pid, syscall.SIGKILL))
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

func TestLiveCloseWhileDrawing(t *testing.T) {
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

func TestLiveCanceled(t *testing.T) {
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

func TestLiveIdle(t *testing.T) {
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
	targets, err := call(session{pipe: e.browser.pipe, ctx: t.Context()}, target.GetTargets, target.GetTargetsParams{})
	require.NoError(t, err)
	for _, info := range targets.TargetInfos {
		switch {
		case info.Type == "page":
			n++
		case strings.HasPrefix(info.URL, "chrome:"): // such a page takes as long to start as the rest of the browser
			t.Errorf("the browser has a page of its own: %s", info.URL)
		}
	}
	return n
}

// TestLiveTabs checks which tabs remain after each figure: the reserve, and one for each of
// Easel's pages, on which the next figure of its kind is drawn.
func TestLiveTabs(t *testing.T) {
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

// TestLivePrepare checks that after Prepare, a figure finds a browser and its stage.
func TestLivePrepare(t *testing.T) {
	e := engine(t, withPackages(t))
	plotly := request(t, "application/vnd.plotly.v1+json", "plotly.json")
	require.NoError(t, e.Prepare(t.Context(), plotly.MIME))
	require.NoError(t, e.Prepare(t.Context(), "text/html"))
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
	require.NoError(t, err)
	left, err := newProfile(dir, way{})
	require.NoError(t, err)
	require.NoError(t, left.lock.Close())
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

// TestLiveBrowserEndsWithEasel checks that the browser ends when Easel is killed.
func TestLiveBrowserEndsWithEasel(t *testing.T) {
	if os.Getenv("EASEL_FIGURES_CHILD") != "" {
		e := New(Config{Dir: os.Getenv("EASEL_FIGURES_CHILD")})
		draw(t, e, htmlRequest(redBox))
		println("pid")
		time.Sleep(time.Minute)
		return
	}
	e := engine(t, nil) // for its directory, which it also sweeps
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestLiveBrowserEndsWithEasel$")
	child.Env = append(os.Environ(), "EASEL_FIGURES_CHILD="+e.config.Dir)
	out, err := child.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	if _, err := out.Read(make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, child.Process.Kill())
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
