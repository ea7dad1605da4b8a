package e2e

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"easel/internal/require"
)

// paintings creates a folder with n pictures and returns its path.
func paintings(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		m := image.NewRGBA(image.Rect(0, 0, 300, 200))
		draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{uint8(20 * i), 0x90, uint8(240 - 20*i), 0xFF}), image.Point{}, draw.Src)
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%02d.png", i)))
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, m))
		require.NoError(t, f.Close())
	}
	return dir
}

// chosen returns the names of the selected files, sorted.
func (h *hand) chosen() (names []string) {
	h.t.Helper()
	_, raw := do(h.t, h.e.request(h.t, "GET", "/api/info/get_selected_files", nil))
	for _, f := range decode(h.t, raw)["files"].([]any) {
		names = append(names, filepath.Base(f.(map[string]any)["path"].(string)))
	}
	slices.Sort(names)
	return names
}

// pull drags the pressed pointer, in several steps.
func (h *hand) pull(from, to image.Point) {
	h.t.Helper()
	for i := range 5 {
		p := from.Add(to.Sub(from).Mul(i + 1).Div(5))
		xdo(h.t, "mousemove", "--window", h.window, fmt.Sprint(p.X), fmt.Sprint(p.Y))
	}
}

func (h *hand) hold(at image.Point) {
	h.t.Helper()
	xdo(h.t, "mousemove", "--window", h.window, fmt.Sprint(at.X), fmt.Sprint(at.Y), "mousedown", "1")
}

// TestWindowSelectsByABand checks that a drag that begins between the pictures selects those
// that it touches, that Control extends the selection, and that Escape cancels the drag.
func TestWindowSelectsByABand(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	e := launch(t, options{window: true, bright: true, jupyter: startJupyter(t)})
	h := newHand(t, e)
	e.call(t, "open_folder", map[string]any{"path": paintings(t, 9)})
	e.call(t, "sort_thumbnails", map[string]any{"by": "name", "order": "asc"})
	h.until("the pictures", func() bool { return len(h.files()) == 9 })
	h.settled(4)

	corner := image.Pt(271, 97) // next to the first cell
	inside := secondCell.Add(image.Pt(0, 20))
	tint := color.RGBA{0xCF, 0xD4, 0xF1, 0xFF} // the transparent accent over the background
	edge := h.screen(image.Rect(corner.X+2, corner.Y+4, corner.X+5, corner.Y+80))
	h.hold(corner)
	if n := h.fb.count(edge, tint); n > 0 {
		t.Errorf("a press draws a band: %d pixels", n)
	}
	h.pull(corner, inside)
	h.until("the band", func() bool { return h.fb.count(edge, tint) > 150 })
	screen(t, "band")
	xdo(t, "mouseup", "1")
	two := []string{"00.png", "01.png"}
	h.until("two pictures selected", func() bool { return slices.Equal(h.chosen(), two) })
	h.until("the band gone", func() bool { return h.fb.count(edge, tint) == 0 })

	// Control extends the selection. Escape restores it, and then the release of the button
	// changes nothing.
	gap := image.Pt(725, 97) // between the second and the third
	xdo(t, "keydown", "ctrl")
	h.hold(gap)
	h.pull(gap, gap.Add(image.Pt(60, 60)))
	xdo(t, "mouseup", "1", "keyup", "ctrl")
	three := []string{"00.png", "01.png", "02.png"}
	h.until("three pictures selected", func() bool { return slices.Equal(h.chosen(), three) })
	h.hold(corner)
	h.until("none selected", func() bool { return len(h.chosen()) == 0 })
	h.pull(corner, inside)
	h.until("the band again", func() bool { return h.fb.count(edge, tint) > 150 })
	h.keys("Escape")
	h.until("the former selection", func() bool { return slices.Equal(h.chosen(), three) })
	xdo(t, "mouseup", "1")

	// Clicks work as before.
	h.click(firstCell)
	h.until("the first picture alone", func() bool { return slices.Equal(h.chosen(), two[:1]) })
	h.until("the viewer", func() bool { // on a loaded machine, two clicks may not count as a double click
		// Send all events at once, because a slow window may draw between separate clicks
		// for longer than the limit of a double click. Then wait before the next attempt.
		xdo(t, "mousedown", "1", "mouseup", "1", "mousedown", "1", "mouseup", "1")
		return h.before(10*time.Second, func() bool { return h.view()["mode"] == "viewer" })
	})
	quit(t, e)
}
