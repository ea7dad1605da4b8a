package e2e

import (
	"image"
	"image/color"
	"os"
	"slices"
	"testing"
)

// More positions in a window of 1280×800: in the top bar, the properties and the dock.
var (
	restartAt       = image.Pt(607, 24)
	runAgainAt      = image.Pt(1252, 312)
	variablesTab    = image.Pt(398, 577)
	variablesFilter = image.Pt(770, 577) // the field that filters variables
	firstVariable   = image.Pt(300, 631)
	sortByName      = image.Pt(300, 606)
	sortByMemory    = image.Pt(915, 606)
	variablesRows   = image.Rect(270, 620, 950, 745)
)

// red is the colour of destructive actions in the light palette.
var red = color.RGBA{0xB4, 0x23, 0x23, 0xFF}

// Variables whose order differs when they are sorted by name and by memory.
const someVariables = `
import pandas as pd
alpha = "the first by its name"
bulk = "x" * 300_000
frame = pd.DataFrame({"day": range(60), "sold": [3 * i for i in range(60)]})
zeta = "the last by its name"
`

// TestWindowSteersAKernel plays a user who runs a plot's code again, browses the variables, and
// restarts the kernel in the window. It checks the results with the host.
func TestWindowSteersAKernel(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	execute := func(code string, wait float64) map[string]any {
		t.Helper()
		return e.call(t, "execute_code", map[string]any{"session_id": session, "code": code, "wait": wait})
	}
	if ran := execute(someVariables, 50); ran["status"] != "ok" {
		t.Fatal(ran)
	}
	drawn := execute(colouredPlot, 50)
	h.until("the plot on the screen", func() bool { return h.fb.count(h.screen(centre), magenta) > 500 })

	runAgain(h, drawn)
	variables(h)
	restart(h, session, execute)
	quit(t, e)
}

// runAgain runs the code of the newest plot again, in the properties.
func runAgain(h *hand, drawn map[string]any) {
	t := h.t
	t.Helper()
	first := h.files()[0]
	h.click(firstCell)
	h.until("the plot selected", func() bool { return selected(h, first["image_id"]) && h.highlighted(firstCell) })
	h.until("what runs it again", func() bool { return h.drawn(image.Rect(-8, -8, 8, 8).Add(runAgainAt)) })
	h.steady(h.screen(image.Rect(965, 100, 1270, 420)))
	screen(t, "steer-properties")
	h.click(runAgainAt)
	h.until("a second plot in the gallery", func() bool { return len(h.files()) == 2 })
	second := h.files()[0]
	if second["execution_id"] == first["execution_id"] || second["execution_id"] == "" {
		t.Errorf("the new plot is of the execution %v, the old one's", second["execution_id"])
	}
	var again map[string]any // the plot may arrive before the execution ends
	h.until("its end", func() bool {
		again = h.e.call(t, "get_execution", map[string]any{"execution_id": second["execution_id"]})
		return again["status"] != "queued" && again["status"] != "running"
	})
	if again["status"] != "ok" || again["code"] != drawn["code"] {
		t.Errorf("what ran again: %v", again)
	}
	h.until("both plots on the screen", func() bool {
		a, b := firstCell.Add(h.at), secondCell.Add(h.at)
		return near(h.fb.at(a.X, a.Y), lime) && near(h.fb.at(b.X, b.Y), lime)
	})
	screen(t, "steer-again")
	panel := h.screen(image.Rect(965, 100, 1270, 720))
	h.steady(panel)
	before := h.fb.fingerprint(panel)
	h.click(secondCell) // with the same code, but from another execution
	h.until("the properties of the plot that was clicked, with no other event", func() bool { return h.fb.fingerprint(panel) != before })
}

// variables sorts and filters the variables, and opens a DataFrame. A click on any other value
// copies it, which holds uses to read the first row.
func variables(h *hand) {
	t := h.t
	t.Helper()
	rows := h.screen(variablesRows)
	h.click(variablesTab)
	h.until("the variables", func() bool { return h.row(0) && h.row(3) }) // at first there is only a message that they are being read
	h.steady(rows)
	screen(t, "steer-variables")
	h.holds("the first by its name")
	h.click(sortByName)
	h.holds("the last by its name")
	h.click(sortByMemory)
	h.steady(rows)
	screen(t, "steer-sorted")
	h.click(variablesFilter)
	xdo(t, "type", "--delay", "20", "fram")
	h.until("one variable", func() bool { return h.row(0) && !h.row(1) })
	h.steady(rows)
	screen(t, "steer-filtered")

	page := h.screen(image.Rect(280, 110, 940, 540))
	h.click(firstVariable)
	h.until("the DataFrame as a table, instead of the gallery", func() bool { return h.fb.count(page, lime) == 0 })
	h.steady(page)
	screen(t, "steer-frame")
	h.keys("Escape")
	h.until("the gallery again", func() bool { return h.fb.count(page, lime) > 500 })
}

// row reports whether the n-th row of the variables, counted from 0, contains a name.
func (h *hand) row(n int) bool {
	return h.drawn(image.Rect(275, 623, 330, 638).Add(image.Pt(0, 26*n)))
}

// holds checks the value of the first variable. It copies the value with a click and pastes it
// as the title of the selected plot.
func (h *hand) holds(want string) {
	h.t.Helper()
	h.steady(h.screen(variablesRows))
	h.click(firstVariable)
	h.click(firstCell)
	h.until("the plot selected", func() bool { return selected(h, h.files()[0]["image_id"]) && h.highlighted(firstCell) })
	panel := h.screen(image.Rect(965, 100, 1270, 140))
	h.steady(panel)
	before := h.fb.fingerprint(panel)
	h.keys("F2")
	h.until("the field of the title", func() bool { return h.fb.fingerprint(panel) != before })
	h.keys("ctrl+a", "ctrl+v", "Return")
	h.until("the value of the first variable, "+want, func() bool { return h.files()[0]["title"] == "'"+want+"'" })
}

// restart restarts the kernel while it runs code, and confirms the question.
func restart(h *hand, session any, execute func(code string, wait float64) map[string]any) {
	t, e := h.t, h.e
	t.Helper()
	long := execute("print('begun', flush=True)\nimport time; time.sleep(600)", 0)
	queued := execute("print('never')", 0)
	status := func(x map[string]any) any {
		return e.call(t, "get_execution", map[string]any{"execution_id": x["execution_id"]})["status"]
	}
	h.until("it runs, and has said so", func() bool {
		return e.call(t, "get_execution", map[string]any{"execution_id": long["execution_id"]})["stdout"] == "begun\n"
	})
	generation := func() float64 {
		return e.call(t, "session_list", nil)["sessions"].([]any)[0].(map[string]any)["generation"].(float64)
	}
	before := generation()
	h.click(restartAt)
	middle := h.screen(image.Rect(420, 250, 860, 560))
	var yes image.Rectangle
	h.until("the question", func() bool {
		yes = h.fb.around(middle, red)
		return !yes.Empty() && yes.Dx() < 120
	})
	screen(t, "steer-restart")
	if status(long) != "running" || generation() != before {
		t.Error("the kernel was restarted before the user had said yes")
	}
	h.click(yes.Min.Add(yes.Max).Div(2).Sub(h.at))
	h.until("another process of the kernel", func() bool { return generation() == before+1 })
	h.until("the end of what ran", func() bool { return status(long) == "interrupted" })
	h.until("the end of what waited", func() bool { return slices.Contains([]any{"interrupted", "cancelled"}, status(queued)) })
	if out := e.call(t, "get_execution", map[string]any{"execution_id": long["execution_id"]})["stdout"]; out != "begun\n" {
		t.Errorf("what it had printed is kept as %q", out)
	}
	if ran := execute("'zeta' in globals()", 50); ran["result"] != "False" {
		t.Errorf("the variables after the restart: %v", ran)
	}
	if got := e.call(t, "get_variables", map[string]any{"session_id": session})["variables"].([]any); len(got) != 0 {
		t.Errorf("variables after the restart: %v", got)
	}
	if n := len(h.files()); n != 2 {
		t.Errorf("%d plots after the restart, want both", n)
	}
	h.steady(h.screen(variablesRows))
	screen(t, "steer-restarted")
}
