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

// TestTabs checks that after each figure, only one unused tab remains, with the stage of that
// figure.
func TestTabs(t *testing.T) {
	e := shared(t)
	plotly := render.Request{MIME: "application/vnd.plotly.v1+json", Data: []byte(`{"data":[{"y":[1,2]}]}`)}
	for _, r := range []render.Request{htmlRequest(redBox), plotly, plotly, htmlRequest(redBox)} {
		draw(t, e, r)
		e.turn <- struct{}{} // after tidy
		s := session{pipe: e.browser.pipe, ctx: t.Context()}
		targets, err := proto.TargetGetTargets{}.Call(s)
		if err != nil {
			t.Fatal(err)
		}
		pages := 0
		for _, target := range targets.TargetInfos {
			if target.Type == proto.TargetTargetInfoTypePage {
				pages++
			}
		}
		p, _ := page.New(r)
		if pages != 1 || e.tab == nil || e.tab.used || e.tab.holds(p) != p.Own {
			t.Errorf("%s: %d pages, %+v", r.MIME, pages, e.tab)
		}
		<-e.turn
	}
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
