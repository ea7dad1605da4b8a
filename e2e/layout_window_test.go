package e2e

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
)

// edged is a figure whose picture ends in red on each side.
const edged = `
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(3, 2.4), facecolor="red")
ax.bar(["a label", "another label", "a third"], [1, 3, 2])
plt.show()
`

// TestWindowLaysOutAPlot: the kernel draws the figure at the viewer's size, and again when the
// window gets another one, while the user wants it. The stored picture stays.
func TestWindowLaysOutAPlot(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base := t.TempDir()
	socket, data := filepath.Join(base, "inspect"), filepath.Join(base, "data")
	require.NoError(t, os.MkdirAll(data, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(data, "settings.json"), []byte(`{"theme":"light","language":"en","keep_their_figures":true,"told_of_risky":true}`), 0o600))
	e := launch(t, options{base: base, window: true, jupyter: startJupyter(t), inspect: socket})
	h := newHand(t, e)
	session := e.call(t, "session_create", nil)["session_id"]
	keeps := map[string]any{"session_id": session, "code": "print('easel_figures' in __import__('sys').modules)", "wait": 50}
	h.until("the kernel to keep figures", func() bool { return e.call(t, "execute_code", keeps)["stdout"] == "True\n" })
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": edged, "wait": 50})
	h.until("the plot", func() bool { return len(h.files()) == 1 })
	e.call(t, "select_file", map[string]any{"path": h.files()[0]["image_id"]})
	h.keys("Return")

	// shows waits until the viewer shows the stored picture or, if laid, one that fills it. The
	// viewer has a size other than before.
	var size [2]float64
	shows := func(what string, laid bool) (rect [4]float64) {
		t.Helper()
		var c claim
		var wrong string
		before := size
		if !h.within(func() bool {
			c = claimAt(t, socket)
			wrong = "it does not settle"
			for _, p := range c.Pictures {
				if p.Place != "viewer" || !c.Settled {
					continue
				}
				if size = [2]float64{p.Clip[2], p.Clip[3]}; size != before {
					rect, wrong = p.Rect, h.edges(p, laid)
				}
			}
			return wrong == ""
		}) {
			screen(t, "layout-failed")
			t.Fatalf("%s: %s; the window says %+v", what, wrong, c)
		}
		return rect
	}
	stored := shows("opened", false)
	h.keys("d")
	first := shows("turned on", true)
	screen(t, "layout")
	xdo(t, "windowsize", h.window, "1000", "640")
	if second := shows("in a smaller window", true); second[2] >= first[2] {
		t.Errorf("laid out for %v and then for %v", first, second)
	}
	screen(t, "layout-small")
	xdo(t, "windowsize", h.window, "1280", "800")
	shows("in a larger window", true)
	h.keys("d")
	if again := shows("turned off", false); again[2] != stored[2] || again[3] != stored[3] {
		t.Errorf("the stored picture is at %v, and was at %v", again, stored)
	}
	quit(t, e)
}

// edges says what is wrong with the picture in the viewer. Laid out, it fills the viewer but
// for a margin. Its corners are red on the screen.
func (h *hand) edges(p claimed, laid bool) string {
	h.t.Helper()
	const margin = 20
	if fills := p.Clip[2]-p.Rect[2] < 2*margin+1 && p.Clip[3]-p.Rect[3] < 2*margin+1; p.Laid != laid || fills != laid {
		return fmt.Sprintf("laid out %v, want %v; %v in %v", p.Laid, laid, p.Rect, p.Clip)
	}
	x0, y0 := int(math.Round(p.Rect[0])), int(math.Round(p.Rect[1]))
	x1, y1 := int(math.Round(p.Rect[0]+p.Rect[2])), int(math.Round(p.Rect[1]+p.Rect[3]))
	for _, at := range []image.Point{{x0 + 2, y0 + 2}, {x1 - 3, y0 + 2}, {x0 + 2, y1 - 3}, {x1 - 3, y1 - 3}} {
		at = at.Add(h.at)
		if got := h.fb.at(at.X, at.Y); !within(8, got, color.RGBA{0xFF, 0, 0, 0xFF}) {
			return fmt.Sprintf("at %v, the screen has %v", at, got)
		}
	}
	return ""
}
