package gallery

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// A drag simulates a user who draws a band: a press on the sheet, then movements in the
// window.
type drag struct {
	t *testing.T
	g *Grid
}

func press(t *testing.T, g *Grid, at fyne.Position, mod fyne.KeyModifier) drag {
	t.Helper()
	e := &desktop.MouseEvent{Button: desktop.MouseButtonPrimary, Modifier: mod}
	e.Position = at
	e.AbsolutePosition = at.SubtractXY(0, g.scroll.Offset.Y) // the grid fills the window
	g.sheet.MouseDown(e)
	return drag{t, g}
}

func (d drag) to(x, y float32) {
	d.g.band.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: fyne.NewPos(x, y)}})
}

// release simulates what Fyne calls after a drag.
func (d drag) release() {
	b := d.g.band
	b.MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary})
	b.DragEnd()
	if d.g.band != nil {
		d.t.Error("the band stays after the hand let go")
	}
}

func (g *Grid) shownSelected() (ids []string) {
	for _, id := range g.list.ids {
		if c := g.cells[id]; c != nil && c.selected {
			ids = append(ids, id)
		}
	}
	return ids
}

// corner returns a position in the gap above and to the left of the i-th cell.
func corner(g *Grid, i int) fyne.Position {
	return g.cells[g.list.ids[i]].Position().SubtractXY(6, 6)
}

func TestABandSelectsWhatItTouches(t *testing.T) {
	g, _, _, p := newTestGrid(t, 12)
	ids := g.list.ids
	g.clicked(ids[8], 0, desktop.MouseButtonPrimary)
	d := press(t, g, corner(g, 0), 0)
	if len(p.ids) != 0 {
		t.Errorf("a press beside the cells leaves %v selected", p.ids)
	}
	inside := corner(g, 4).AddXY(30, 30)
	d.to(inside.X, inside.Y)
	want := []string{ids[0], ids[1], ids[3], ids[4]}
	if got := g.shownSelected(); !slices.Equal(got, want) || !g.band.frame.Visible() {
		t.Errorf("while it is drawn: %v shown as selected, want %v", got, want)
	}
	g.Select(nil, "", true) // an older state
	if got := g.shownSelected(); !slices.Equal(got, want) {
		t.Errorf("a state took the selection out of the hand: %v", got)
	}
	back := corner(g, 1)
	d.to(back.X, back.Y+40)
	if got := g.shownSelected(); !slices.Equal(got, ids[:1]) {
		t.Errorf("drawn back: %v, want %v", got, ids[:1])
	}
	d.to(inside.X, inside.Y)
	d.release()
	if !slices.Equal(p.ids, want) || p.cursor != ids[4] {
		t.Errorf("told %v and the cursor %s, want %v and %s", p.ids, p.cursor, want, ids[4])
	}
	g.clicked(ids[5], fyne.KeyModifierShift, desktop.MouseButtonPrimary)
	if !slices.Equal(p.ids, ids[:6]) {
		t.Errorf("Shift after it selects %v, want from its beginning", p.ids)
	}
}

func TestABandAddsAndIsTakenBack(t *testing.T) {
	for name, mod := range map[string]fyne.KeyModifier{"Control": fyne.KeyModifierControl, "Shift": fyne.KeyModifierShift} {
		t.Run(name, func(t *testing.T) {
			g, _, _, p := newTestGrid(t, 12)
			ids := g.list.ids
			g.clicked(ids[5], 0, desktop.MouseButtonPrimary)
			d := press(t, g, corner(g, 4).AddXY(0, 40), mod) // from bottom to top
			d.to(corner(g, 1).X-20, corner(g, 1).Y+20)
			d.release()
			want := []string{ids[5], ids[3], ids[0]}
			if !slices.Equal(p.ids, want) || p.cursor != ids[0] {
				t.Fatalf("told %v at %s, want %v", p.ids, p.cursor, want)
			}
		})
	}
	g, _, _, p := newTestGrid(t, 12)
	ids := g.list.ids
	before := []string{ids[2], ids[7]}
	g.pick(before, ids[7])
	d := press(t, g, corner(g, 0), 0)
	d.to(500, 300)
	if !g.CancelBand() {
		t.Fatal("there was no band to take back")
	}
	d.to(510, 310) // the button is still pressed
	if !slices.Equal(p.ids, before) || p.cursor != ids[7] || g.band.frame.Visible() {
		t.Errorf("taken back: told %v at %s, want %v at %s", p.ids, p.cursor, before, ids[7])
	}
	if g.CancelBand() {
		t.Error("it was taken back twice")
	}
	d.release()
	if !slices.Equal(p.ids, before) {
		t.Errorf("after the release %v is selected", p.ids)
	}
}

func TestAClickDrawsNoBand(t *testing.T) {
	g, _, _, p := newTestGrid(t, 6)
	ids := g.list.ids
	g.clicked(ids[2], 0, desktop.MouseButtonPrimary)
	at := corner(g, 1)
	d := press(t, g, at, fyne.KeyModifierControl)
	d.to(at.X+3, at.Y-3) // a small movement
	if g.band.frame.Visible() || g.CancelBand() {
		t.Error("a click has drawn a band")
	}
	d.release()
	if !slices.Equal(p.ids, ids[2:3]) {
		t.Errorf("a click with Control beside the cells changed the selection to %v", p.ids)
	}
	press(t, g, at, 0).release()
	if len(p.ids) != 0 || len(g.sheet.objects) != len(g.cells) {
		t.Errorf("a click beside the cells leaves %v selected, and %d objects for %d cells", p.ids, len(g.sheet.objects), len(g.cells))
	}
}

func TestABandScrollsAtTheEdge(t *testing.T) {
	g, _, _, p := newTestGrid(t, 60)
	d := press(t, g, corner(g, 0), 0)
	b := g.band
	d.to(600, g.scroll.Size().Height+40)
	seen := len(b.touched)
	for b.scroll() { // as the timer does
	}
	if end := g.flow.height() - g.scroll.Size().Height; g.scroll.Offset.Y != end {
		t.Fatalf("it scrolled to %v, the end is at %v", g.scroll.Offset.Y, end)
	}
	if len(b.touched) != 60 || seen >= 60 {
		t.Errorf("%d touched before and %d after, of 60", seen, len(b.touched))
	}
	d.to(600, -40)
	for b.scroll() {
	}
	if g.scroll.Offset.Y != 0 || len(b.touched) != 0 {
		t.Errorf("back at %v with %d touched, want none: the hand is above all", g.scroll.Offset.Y, len(b.touched))
	}
	d.to(600, 200)
	if b.scroll() {
		t.Error("it scrolls in the middle")
	}
	d.release()
	if b.scroll() || len(p.ids) != 3 {
		t.Errorf("after the release it scrolls, or %d are selected, want 3", len(p.ids))
	}
}
