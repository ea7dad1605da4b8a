package vlconvert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/render"
)

// endless is a chart that takes practically forever, but little memory.
const endless = `{"signals":[{"name":"a","init":"test(/(x+x+)+y/, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')"}],"marks":[]}`

func TestLiveTime(t *testing.T) {
	e := newEngine(t, nil)
	for name, r := range map[string]render.Request{
		"a pattern":  figure(vegaType, endless),
		"a sequence": figure(vegaType, `{"data":[{"name":"t","transform":[{"type":"sequence","start":0,"stop":4e9,"step":30},{"type":"formula","as":"x","expr":"datum.data*2"}]}],"marks":[]}`),
		"a filter":   figure(svgType, `<svg width="2000" height="2000"><filter id="f"><feTurbulence baseFrequency=".01" numOctaves="1000000"/></filter><rect width="2000" height="2000" filter="url(#f)"/></svg>`),
	} {
		began, long := time.Now(), e.cfg.Limit
		e.cfg.Limit = time.Second
		_, err := e.Draw(t.Context(), r)
		e.cfg.Limit = long
		refused, ok := errors.AsType[*render.RefusedError](err)
		if !ok || !strings.HasPrefix(refused.Reason, "it takes ") || time.Since(began) > 30*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(began))
		}
		draw(t, e, bars(nil))
	}
}

func TestLiveMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory is bounded on Linux only")
	}
	e := newEngine(t, func(c *Config) { c.Memory = 400 << 20 })
	for name, r := range map[string]render.Request{
		"rows":   figure(vegaType, `{"data":[{"name":"t","transform":[{"type":"sequence","start":0,"stop":3e7}]}],"marks":[]}`),
		"layers": figure(svgType, `<svg width="8000" height="4000">`+strings.Repeat("<g opacity='.9'>", 400)+"<rect width='8000' height='4000'/>"+strings.Repeat("</g>", 400)+"</svg>"),
	} {
		_, err := e.Draw(t.Context(), r)
		if refused, ok := errors.AsType[*render.RefusedError](err); !ok || !strings.Contains(refused.Reason, "more than 400 MB of memory") {
			t.Errorf("%s: %v", name, err)
		}
		draw(t, e, bars(nil))
	}
}

func TestLiveKilled(t *testing.T) {
	e := newEngine(t, nil)
	draw(t, e, bars(nil))
	for range 3 {
		kill(t, e)
		draw(t, e, bars(nil))
	}
	// A worker that is killed while it draws is replaced if it has drawn before. Its
	// replacement is not.
	began := e.current()
	failed := make(chan error, 1)
	go func() {
		_, err := e.Draw(t.Context(), figure(vegaType, endless))
		failed <- err
	}()
	require.Eventually(t, "it draws", func() bool { return len(e.turn) > 0 })
	kill(t, e)
	require.Eventually(t, "another worker draws", func() bool {
		w := e.current()
		return w != nil && w != began && w.figures() > 0
	})
	kill(t, e)
	if _, ok := errors.AsType[*render.RefusedError](<-failed); !ok {
		t.Error("not refused")
	}
	draw(t, e, bars(nil))
}

func (e *Engine) current() *worker {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.worker
}

func kill(t *testing.T, e *Engine) {
	t.Helper()
	require.NoError(t, e.current().cmd.Process.Kill())
}

func TestLiveCloseWhileDrawing(t *testing.T) {
	e := newEngine(t, nil)
	failed := make(chan error, 2)
	for range 2 { // one draws and the other waits
		go func() {
			_, err := e.Draw(t.Context(), figure(vegaType, endless))
			failed <- err
		}()
	}
	require.Eventually(t, "it draws", func() bool { w := e.current(); return w != nil && w.figures() > 0 })
	w := e.current()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-failed; !errors.Is(err, render.ErrClosed) {
			t.Errorf("%v, want ErrClosed", err)
		}
	}
	if !w.dead() {
		t.Error("the worker lives on")
	}
	if _, err := e.Draw(t.Context(), bars(nil)); !errors.Is(err, render.ErrClosed) {
		t.Errorf("%v after Close", err)
	}
}

func TestLiveCancel(t *testing.T) {
	e := newEngine(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := e.Draw(ctx, figure(vegaType, endless))
		failed <- err
	}()
	require.Eventually(t, "it draws", func() bool { w := e.current(); return w != nil && w.figures() > 0 })
	short, done := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer done()
	if _, err := e.Draw(short, bars(nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v while another figure is drawn", err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	draw(t, e, bars(nil))
}

func TestLiveIdle(t *testing.T) {
	e := newEngine(t, func(c *Config) { c.Idle = 300 * time.Millisecond })
	for range 2 {
		draw(t, e, bars(nil))
		w := e.current()
		require.Eventually(t, "the worker ends", func() bool { return e.current() == nil })
		require.Eventually(t, "its process too", w.dead)
		if w.why != nil {
			t.Error("it was killed: ", w.why)
		}
	}
}

func TestLiveLeaksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	e := newEngine(t, nil)
	measure := func() (ours, its int, memory int64) {
		return files(t, "self"), files(t, fmt.Sprint(e.current().pid())), e.current().memory()
	}
	draw(t, e, bars(nil))
	w := e.current()
	var ours, its int
	var memory int64
	for i := range 100 {
		draw(t, e, bars(map[string]any{"title": fmt.Sprint(i)}))
		if i == 40 {
			ours, its, memory = measure()
		}
	}
	ours2, its2, memory2 := measure()
	t.Logf("memory: %d MB, then %d MB", memory>>20, memory2>>20)
	if ours2 > ours || its2 > its || memory2 > memory+40<<20 {
		t.Errorf("files %d, %d in the worker, %d MB; then %d, %d, %d MB", ours, its, memory>>20, ours2, its2, memory2>>20)
	}
	if e.current() != w {
		t.Error("the worker was replaced")
	}
}

// TestLiveNothingOutlivesEasel checks that even a worker that computes endlessly ends with
// Easel.
func TestLiveNothingOutlivesEasel(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a worker ends after its limit of time")
	}
	if os.Getenv("EASEL_TEST_DRAW_CHILD") != "" {
		e := newEngine(t, func(c *Config) { c.Limit = time.Hour })
		go func() { _, _ = e.Draw(context.Background(), figure(vegaType, endless)) }()
		require.Eventually(t, "it draws", func() bool { w := e.current(); return w != nil && w.figures() > 0 })
		fmt.Println("pid", e.current().pid())
		select {}
	}
	jupytertest.Python(t) // or skips
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLiveNothingOutlivesEasel$")
	child.Env = append(os.Environ(), "EASEL_TEST_DRAW_CHILD=1", "TMPDIR="+t.TempDir())
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	var pid int
	if _, err := fmt.Fscanf(out, "pid %d", &pid); err != nil {
		t.Fatal(err)
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	require.Eventually(t, "the worker ends", func() bool {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || bytes.Contains(stat, []byte(") Z ")) // a container may have no init that reaps zombies
	})
}

// files returns the number of a process's open files, or 0 if it is unknown.
func files(t *testing.T, pid string) int {
	t.Helper()
	open, _ := os.ReadDir("/proc/" + pid + "/fd")
	return len(open)
}
