package e2e

import (
	"fmt"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// accent is the accent of the light palette. Primary buttons and progress bars are filled with
// it.
var accent = color.RGBA{R: 0x3F, G: 0x51, B: 0xD8, A: 0xFF}

// Background of the gallery in the light palette, and background of the plots.
var (
	ground = color.RGBA{R: 0xF1, G: 0xF3, B: 0xF7, A: 0xFF}
	white  = color.RGBA{R: 0xFF, G: 0xFF, B: 0xFF, A: 0xFF}
)

// Positions in a window of 1280×800, in its coordinates.
var (
	centre      = image.Rect(270, 100, 950, 540)
	firstCell   = image.Pt(385, 180)
	secondCell  = image.Pt(611, 180)
	fifthCell   = image.Pt(611, 394)
	fourthStar  = image.Pt(720, 69) // of the filter
	interruptAt = image.Pt(535, 24)
)

// TestWindowFromAnEmptyDesktopToItsEnd plays a user who starts Easel for the first time,
// watches the installation of its Python environment, runs the demo, rates, filters, zooms,
// interrupts code, hides the window, shows it again in three ways, and quits.
func TestWindowFromAnEmptyDesktopToItsEnd(t *testing.T) {
	d := onDesktop(t)
	o := options{window: true, bright: true, managed: true}
	o.fill(t)
	e := launch(t, o)
	h := newHand(t, e)
	middle := h.screen(centre)
	h.until("the progress of the environment", func() bool { return h.fb.count(middle, accent) > 300 })
	screen(t, "journey-progress")

	// When the environment is ready, two buttons appear side by side. On a loaded machine,
	// a new Python environment and the first plots in it are slow.
	var connect image.Rectangle
	offered := func() bool {
		connect = h.fb.around(middle, accent)
		return connect.Dy() > 20 && connect.Dy() < 40
	}
	for range 3 {
		if h.within(offered) {
			break
		}
	}
	h.until("the offer of a demo", offered)
	screen(t, "journey-ready")
	h.click(image.Pt(connect.Max.X+60, (connect.Min.Y+connect.Max.Y)/2).Sub(h.at))
	h.until("the demo's session", func() bool { return len(e.call(t, "session_list", nil)["sessions"].([]any)) == 1 })
	demo := func() bool { return len(h.files()) == 5 && idle(t, e) }
	for range 3 {
		if h.within(demo) {
			break
		}
	}
	h.until("the demo's five plots", demo)
	h.until("the last of them on the screen", func() bool { return h.drawn(image.Rect(-80, -40, 80, 40).Add(fifthCell)) })
	h.until("its plots on the screen", func() bool { return distinct(screen(t, "journey-demo")) > 900 })

	rateAndFilter(h)
	zoom(h)
	stopWhatRuns(h)

	it := d.Item(t)
	h.hide("alt+F4")
	it.Activate(t)
	h.find()
	h.hide("ctrl+w")
	second := start(t, o.env(t), binary(t))
	if code := second.end(t); code != 0 {
		t.Errorf("the second start ended with %d:\n%s", code, second.out.String())
	}
	h.find()
	h.until("what was there before", func() bool { return distinct(screen(t, "journey-back")) > 900 })
	h.until("its end", func() bool {
		if e.alive() {
			h.keys("ctrl+q", "Tab", "Return") // the question has the focus on Cancel
		}
		return !e.alive()
	})
	if code := e.end(t); code != 0 {
		t.Errorf("exit code %d, want 0:\n%s", code, e.out.String())
	}
	for _, bad := range []string{"Error in Fyne call thread", "panic:"} {
		if strings.Contains(e.out.String(), bad) {
			t.Errorf("its log has %q:\n%s", bad, e.out.String())
		}
	}
}

func idle(t *testing.T, e *easel) bool {
	t.Helper()
	for _, x := range e.call(t, "session_list", nil)["sessions"].([]any) {
		if x.(map[string]any)["status"] != "idle" {
			return false
		}
	}
	return true
}

func rateAndFilter(h *hand) {
	t := h.t
	t.Helper()
	h.click(secondCell)
	second := h.files()[1]["image_id"]
	h.until("the second plot selected", func() bool {
		return (h.view()["current"] == second || selected(h, second)) && h.highlighted(secondCell)
	})
	h.keys("4")
	h.until("four stars", func() bool { return h.files()[1]["rating"] == 4.0 })
	h.click(fourthStar)
	h.until("only what has four stars", func() bool { return h.view()["matching"] == 1.0 })
	h.until("a tinted bar over it", func() bool {
		return h.fb.at(h.at.X+500, h.at.Y+80) == color.RGBA{0xE6, 0xEA, 0xFD, 0xFF}
	})
	h.click(fourthStar)
	h.until("all plots again", func() bool { return h.view()["matching"] == 5.0 })
	h.until("the second of them on the screen", func() bool {
		return h.fb.at(h.at.X+500, h.at.Y+80) == ground && h.fb.at(h.at.X+530, h.at.Y+118) != ground
	})
}

func selected(h *hand, id any) bool {
	_, raw := do(h.t, h.e.request(h.t, "GET", "/api/info/get_selected_files", nil))
	files := decode(h.t, raw)["files"].([]any)
	return len(files) == 1 && files[0].(map[string]any)["image_id"] == id
}

// highlighted reports whether a cell has the frame of a selected picture. In the light theme,
// nothing else there is that blue.
func (h *hand) highlighted(cell image.Point) bool {
	r, n := h.screen(image.Rect(-112, -60, -100, 100).Add(cell)), 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if c := h.fb.at(x, y); int(c.B)-int(c.R) > 90 {
				n++
			}
		}
	}
	return n > 100
}

// drawn reports whether a part of the window contains anything, such as a letter or an icon.
func (h *hand) drawn(r image.Rectangle) bool {
	r = h.screen(r)
	return r.Dx()*r.Dy()-h.fb.count(r, h.fb.at(r.Min.X, r.Min.Y)) > 12
}

// settle waits until the gallery shows the state that the host reports, and nothing in it moves
// any more. A click would hit something else before, and a key mean another plot.
func (h *hand) settle() {
	h.t.Helper()
	h.until("a gallery that has settled", func() bool { return claimAt(h.t, h.e.inspect).Settled })
}

// settled waits until the gallery shows at least n plots, and nothing in it moves any more.
func (h *hand) settled(n int) {
	h.t.Helper()
	h.until(fmt.Sprintf("%d plots in their places", n), func() bool {
		c := claimAt(h.t, h.e.inspect)
		return c.Settled && len(c.Pictures) >= n
	})
}

// steady waits until a part of the screen no longer changes.
func (h *hand) steady(r image.Rectangle) {
	h.t.Helper()
	last, same := uint64(0), 0
	h.until("a steady picture", func() bool {
		now := h.fb.fingerprint(r)
		if now != last {
			same = 0
		}
		last = now
		same++
		return same > 5
	})
}

// zoom opens a plot, zooms in at the pointer, moves the plot, and fits it again.
func zoom(h *hand) {
	t := h.t
	t.Helper()
	h.click(firstCell)
	h.until("the newest plot selected", func() bool { return selected(h, h.files()[0]["image_id"]) && h.highlighted(firstCell) })
	h.keys("Return")
	h.until("the viewer", func() bool { return h.view()["mode"] == "viewer" })
	stage := h.screen(image.Rect(270, 92, 950, 465))
	edge := stage.Min.Add(image.Pt(6, 180)) // here is background if the plot is fitted
	fitted := func() bool {
		return h.fb.at(edge.X, edge.Y) == ground && h.fb.count(stage, white) > 50_000
	}
	h.until("the plot large", fitted)
	xdo(t, "mousemove", "--window", h.window, "560", "250", "keydown", "ctrl")
	h.until("the plot larger", func() bool {
		xdo(t, "click", "4")
		return h.fb.at(edge.X, edge.Y) != ground
	})
	xdo(t, "keyup", "ctrl")
	h.steady(stage)
	large := h.fb.fingerprint(stage)
	xdo(t, "mousedown", "1")
	h.until("the plot moved", func() bool {
		xdo(t, "mousemove_relative", "--", "-6", "-4")
		return h.fb.fingerprint(stage) != large
	})
	xdo(t, "mouseup", "1")
	h.keys("z")
	h.until("the plot fitted again", fitted)
	h.keys("Escape")
	h.until("the grid", func() bool { return h.view()["mode"] == "grid" })
}

func stopWhatRuns(h *hand) {
	t := h.t
	t.Helper()
	session := h.e.call(t, "session_list", nil)["sessions"].([]any)[0].(map[string]any)["session_id"]
	run := h.e.call(t, "execute_code", map[string]any{"session_id": session, "code": "import time; time.sleep(600)", "wait": 0})
	var last any
	red := color.RGBA{0xB4, 0x23, 0x23, 0xFF} // colour of the button while code is running
	var button image.Rectangle
	h.until("the button to stop it", func() bool {
		button = h.fb.around(h.screen(image.Rect(400, 10, 700, 40)), red)
		c := claimAt(t, h.e.inspect)
		return c.Stops == 1 && !c.Covered && button.Dx() > 30
	})
	h.click(button.Min.Add(button.Max).Div(2).Sub(h.at)) // the chips before it grow with their texts
	h.until("the interrupt", func() bool {
		x := h.e.call(t, "get_execution", map[string]any{"execution_id": run["execution_id"]})
		if x["status"] != last {
			last = x["status"]
			t.Logf("the code is %v; the button was at %v", last, button.Sub(h.at))
		}
		return last == "interrupted"
	})
}

// TestWindowShowsPlotsAtOnce measures the time from a plot's arrival in the library until it is
// on the screen. For comparison, it also measures a change of the selection, which needs no
// picture. It only logs both times, because no test depends on a clock.
func TestWindowShowsPlotsAtOnce(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	events := subscribe(t, e, "")
	at := firstCell.Add(h.at)
	var plots, highlights []time.Duration
	for i := range 8 {
		shade := [2]color.RGBA{magenta, lime}[i%2]
		code := fmt.Sprintf("import matplotlib.pyplot as plt\nf, ax = plt.subplots(figsize=(6, 4), facecolor='#%02x%02x%02x'); ax.axis('off'); f.text(0.02, 0.02, '%d'); plt.show()\n", shade.R, shade.G, shade.B, i)
		e.call(t, "execute_code", map[string]any{"session_id": session, "code": code, "wait": 0})
		events.until(t, "the plot in the library", named("image.added"))
		plots = append(plots, h.took("the plot", func() bool { return near(h.fb.at(at.X, at.Y), shade) }))
		events.until(t, "its end", named("execution.ended"))
		if i == 0 {
			continue // there is only one plot, which is selected
		}
		e.call(t, "select_file", map[string]any{"path": h.files()[1]["path"]})
		h.until("the highlight elsewhere", func() bool { return !h.highlighted(firstCell) })
		e.call(t, "select_file", map[string]any{"path": "latest"})
		highlights = append(highlights, h.took("the highlight", func() bool { return h.highlighted(firstCell) }))
	}
	t.Logf("on the screen after the library had it: %s; a highlight alone: %s", spread(plots), spread(highlights))
	quit(t, e)
}

// took returns the time until ok returns true.
func (h *hand) took(what string, ok func() bool) time.Duration {
	h.t.Helper()
	began := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		if time.Since(began) > patience {
			h.t.Fatalf("%s is not on the screen", what)
		}
		<-tick.C
	}
	return time.Since(began)
}

func spread(took []time.Duration) string {
	slices.Sort(took)
	return fmt.Sprintf("median %v, longest %v", took[len(took)/2].Round(time.Millisecond/10), took[len(took)-1].Round(time.Millisecond/10))
}
