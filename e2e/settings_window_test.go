package e2e

import (
	"image"
	"os"
	"testing"
)

// TestWindowFindsASetting opens a setting with Ctrl+K, whose page was never in sight before. It is then where it is when the page is
// opened there again.
func TestWindowFindsASetting(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	page := h.screen(image.Rect(60, 56, 1270, 760))
	h.settle()
	h.steady(page)
	gallery := h.fb.fingerprint(page)
	open := func() uint64 {
		t.Helper()
		h.keys("ctrl+k")
		h.until("the palette", func() bool { return h.fb.fingerprint(page) != gallery })
		xdo(t, "type", "--delay", "30", "each assistant")
		h.steady(page)
		screen(t, "settings-palette")
		h.keys("Return")
		h.steady(page)
		screen(t, "settings-found")
		return h.fb.fingerprint(page)
	}
	first := open()
	h.click(image.Pt(24, 75)) // the gallery
	xdo(t, "mousemove", "--window", h.window, "0", "0")
	h.until("the gallery", func() bool { return h.fb.fingerprint(page) == gallery })
	if second := open(); second != first {
		t.Error("the page was not scrolled to the setting when it was opened for the first time")
	}
	quit(t, e)
}
