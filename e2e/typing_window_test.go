package e2e

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestWindowLosesNothingTyped plays a user who rates plots, undoes it, and types a note while
// plots arrive. Easel is told to end in the middle of a title.
func TestWindowLosesNothingTyped(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	draw := func() {
		t.Helper()
		if ran := e.call(t, "execute_code", map[string]any{"session_id": session, "code": colouredPlot, "wait": 50}); ran["status"] != "ok" {
			t.Fatal(ran)
		}
	}
	draw()
	draw()
	h.until("the plots", func() bool { return len(h.files()) == 2 })
	h.settled(2) // otherwise, the click could hit the plot that the second one moves aside
	first := h.files()[0]
	stars := func(want ...float64) func() bool {
		return func() bool {
			var got []float64
			for _, f := range h.files() {
				got = append(got, f["rating"].(float64))
			}
			return slices.Equal(got, want)
		}
	}
	h.click(firstCell)
	h.until("the plot selected", func() bool { return selected(h, first["image_id"]) && h.highlighted(firstCell) })
	h.keys("5")
	h.until("five stars", stars(5, 0))
	h.keys("ctrl+a", "3")
	h.until("three stars for both", stars(3, 3))
	screen(t, "typing-rated")
	h.keys("ctrl+z")
	h.until("the stars from before", stars(5, 0))
	h.keys("ctrl+y")
	h.until("three stars again", stars(3, 3))
	h.keys("ctrl+z", "ctrl+shift+z", "ctrl+z")
	h.until("the stars from before", stars(5, 0))
	h.click(firstCell)
	h.until("one plot selected", func() bool { return selected(h, first["image_id"]) })

	stored := func(text string) func() bool {
		return func() bool {
			journal, err := os.ReadFile(filepath.Join(e.data, "library", "library.jsonl"))
			require.NoError(t, err)
			for line := range strings.Lines(string(journal)) {
				if strings.Contains(line, first["image_id"].(string)) && strings.Contains(line, text) {
					return true
				}
			}
			return false
		}
	}
	panel := h.screen(image.Rect(965, 50, 1270, 720))
	h.steady(panel)
	h.keys("t", "Tab") // to the field for tags, then to the note
	xdo(t, "type", "--delay", "20", "the second")
	h.until("the note is stored while its field has the focus", stored(`"note":"the second"`))
	draw()
	xdo(t, "type", "--delay", "20", " peak 3")
	h.until("the rest is stored", stored(`"note":"the second peak 3"`))
	screen(t, "typing-note")
	if !stars(0, 5, 0)() {
		t.Error("keys of the note have rated a plot")
	}
	h.keys("Escape")
	h.steady(panel)
	screen(t, "typing-left")
	before := h.fb.fingerprint(panel)
	h.keys("F2")
	h.until("the field of the title", func() bool { return h.fb.fingerprint(panel) != before })
	h.keys("ctrl+a")
	xdo(t, "type", "--delay", "20", "Half a ti")
	h.steady(panel)
	screen(t, "typing-title")
	if stored(`"title":"Half a ti"`)() {
		t.Error("a title is stored before it is finished")
	}
	quit(t, e)
	if !stored(`"title":"Half a ti"`)() {
		t.Error("the title is lost")
	}
}
