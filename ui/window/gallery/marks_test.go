package gallery

import (
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// TestTheSignOfFindingsHasRoom: beside the other marks or, in a small cell with all of them, below; without findings there
// is none.
func TestTheSignOfFindingsHasRoom(t *testing.T) {
	g, _, _, _ := newTestGrid(t, 1)
	type plot struct {
		n, versions int
		checked     string
		stale       bool
	}
	for name, c := range map[string]struct {
		im    plot
		size  float32
		below bool
	}{
		"alone":                 {plot{n: 3}, 110, false},
		"many":                  {plot{n: 12}, 110, false},
		"beside versions":       {plot{n: 3, versions: 12}, 176, false},
		"beside all":            {plot{n: 12, versions: 12, checked: catalog.CheckDifferent, stale: true}, 200, false},
		"in a small cell":       {plot{n: 12, versions: 128, checked: catalog.CheckDifferent, stale: true}, 110, true},
		"in the smallest cell":  {plot{n: 12, versions: 128, checked: catalog.CheckDifferent, stale: true}, 80, true},
		"nothing was found":     {plot{versions: 12}, 110, false},
		"nothing, and a check":  {plot{checked: catalog.CheckDifferent}, 110, false},
		"with a check, not new": {plot{n: 1, checked: catalog.CheckDifferent}, 110, false},
	} {
		o := newCell(g)
		o.set("a")
		im := library.Image{}
		im.Findings, im.Versions, im.Checked = c.im.n, c.im.versions, c.im.checked
		if c.im.stale {
			im.Cell = &catalog.PlotCell{Stale: catalog.StaleDeleted}
		}
		o.describe(im, g.colour(""))
		o.paint()
		o.Resize(fyne.NewSize(c.size, c.size+captionH))
		o.Refresh()
		sign := o.findings.ground
		if sign.Visible() != (c.im.n > 0) || o.findings.icon.Visible() != sign.Visible() || o.findings.count.Visible() != sign.Visible() {
			t.Errorf("%s: shown: %v", name, sign.Visible())
		}
		if !sign.Visible() {
			continue
		}
		if below := sign.Position().Y > 20; below != c.below {
			t.Errorf("%s: below the others: %v", name, below)
		}
		if x := sign.Position().X; x < 4 || x+sign.Size().Width > c.size-4 {
			t.Errorf("%s: it leaves the cell: x %v, width %v", name, x, sign.Size().Width)
		}
		for _, other := range []fyne.CanvasObject{o.badge, o.checkedOn, o.staleOn, o.dot} {
			if a, b := sign.Position(), other.Position(); other.Visible() && a.X < b.X+other.Size().Width && b.X < a.X+sign.Size().Width &&
				a.Y < b.Y+other.Size().Height && b.Y < a.Y+sign.Size().Height {
				t.Errorf("%s: it covers another mark", name)
			}
		}
	}
}
