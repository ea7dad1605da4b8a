//go:build unix

package browser

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	devpage "github.com/chromedp/cdproto/page"

	"easel/internal/require"
	"easel/ui/core/render"
	"easel/ui/core/render/page"
)

// patiently returns a change that waits for pages as long as a loaded machine needs, so that no
// picture is taken before its page is ready. It is for pages that become calm.
func patiently(t *testing.T) func(*Config) {
	t.Helper()
	with := withPackages(t)
	return func(c *Config) {
		with(c)
		c.calm = 2 * time.Minute
	}
}

// TestLiveStageIsFresh checks that nothing of a figure can be seen in the next one, although the
// same tab draws both, and that a tab is used perStage times.
func TestLiveStageIsFresh(t *testing.T) {
	e := engine(t, func(c *Config) { patiently(t)(c); c.perStage = 4 })
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

// TestLiveFiguresIn3DShareACanvas checks that figures in 3D look the same after others, although all
// use the same canvas. Plotly turns the cameras of the first two, which look down, for half a second.
func TestLiveFiguresIn3DShareACanvas(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	e := engine(t, patiently(t))
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
	require.NoError(t, err)
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

// TestLiveStageIsWarm checks that a stage is prepared for figures in 3D when they are expected, and
// again when its tab is replaced, and that this leaves nothing behind.
func TestLiveStageIsWarm(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	e := engine(t, func(c *Config) { patiently(t)(c); c.perStage = 2 })
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
	require.NoError(t, e.Prepare(t.Context(), page.Plotly3DType))
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
	cold := engine(t, patiently(t))
	if pic := draw(t, cold, three); !bytes.Equal(pic.PNG, warm.PNG) {
		t.Error("the prepared stage shows something else")
	}
}

// TestLivePydeckStage checks that pydeck's stage shows what the figure's page shows, and that each
// figure has a new one.
func TestLivePydeckStage(t *testing.T) {
	if testing.Short() {
		t.Skip("for make nightly")
	}
	e := engine(t, patiently(t))
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

// TestLiveChangedStage checks that a stage is not used again if a figure has changed something
// that the next one could see, or if its page has crashed.
func TestLiveChangedStage(t *testing.T) {
	e := engine(t, patiently(t))
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
	if _, _, err := crashed.p.send(string(crashed.id), devpage.Crash.Method, nil); err != nil {
		t.Fatal(err)
	}
	<-crashed.crashed
	<-e.turn
	draw(t, e, latex)
}
