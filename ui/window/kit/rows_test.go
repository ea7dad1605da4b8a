package kit

import (
	"testing"

	"fyne.io/fyne/v2"
)

// TestAColumnGrowsWhereItsNeighbourHasRoom, in that row only, and never over the text of the neighbour.
func TestAColumnGrowsWhereItsNeighbourHasRoom(t *testing.T) {
	k := newKit(t)
	const why = "Select between two and four plots in the gallery"
	names := []string{"Compare", "Compare", "A name that needs all of the width that its column has in the list"}
	whys := []string{why, "Not now", why}
	r := k.Rows(30, []ColumnSpec{{}, {Width: 100, Grows: true}}, func() int { return 3 }, func(i int) []Cell { return []Cell{{Text: names[i]}, {Text: whys[i]}} }, nil)
	w := fyne.CurrentApp().NewWindow("")
	w.SetContent(r)
	w.Resize(fyne.NewSize(520, 120))
	defer w.Close()
	if v := r.rows[0]; v.lines[1].Size().Width < v.lines[1].PreferredWidth() || v.lines[0].Size().Width < v.lines[0].PreferredWidth() {
		t.Errorf("with a short name, the reason is %v wide of %v", v.lines[1].Size().Width, v.lines[1].PreferredWidth())
	}
	if got := r.rows[1].lines[1].Size().Width; got != 100 {
		t.Errorf("a short reason is %v wide", got)
	}
	if v := r.rows[2]; v.lines[1].Position().X < v.lines[0].Position().X+v.lines[0].Size().Width {
		t.Error("a reason covers a long name")
	}
}
