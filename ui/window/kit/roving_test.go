package kit

import (
	"image/color"
	"strconv"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/i18n"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// TestTheKeyboardMovesInAList: Tab stops once, the arrows move, Enter taps, the Menu key opens the
// menu, and what others come before keeps the focus.
func TestTheKeyboardMovesInAList(t *testing.T) {
	w := uitest.App(t).NewWindow("")
	k := &Kit{P: &theme.Light, Tr: i18n.New("en"), Do: func(f func()) { f() }}
	rows, tapped, menu := make([]string, 100), -1, -1
	for i := range rows {
		rows[i] = strconv.Itoa(i)
	}
	r := k.Rows(20, []ColumnSpec{{}}, func() int { return len(rows) }, func(i int) []Cell { return []Cell{{Text: rows[i]}} }, func(i int) { tapped = i })
	r.ID = func(i int) string { return rows[i] }
	r.OnMenu = func(i int, _ fyne.Position) { menu = i }
	var other string
	k.Keys = func(e *fyne.KeyEvent) { other = string(e.Name) }
	w.SetContent(r)
	w.Resize(fyne.NewSize(200, 100))
	key := func(names ...fyne.KeyName) {
		for _, n := range names {
			r.TypedKey(&fyne.KeyEvent{Name: n})
		}
	}
	w.Canvas().Focus(r)
	key(fyne.KeyDown, fyne.KeyDown, fyne.KeyUp, fyne.KeyReturn)
	if tapped != 1 {
		t.Errorf("Enter taps row %d, want 1", tapped)
	}
	key(fyne.KeyEnd, fyne.KeySpace, desktop.KeyMenu)
	if y := r.scroll.Offset.Y; tapped != 99 || menu != 99 || y < 1800 {
		t.Errorf("End: it taps %d, the menu of %d, at %v", tapped, menu, y)
	}
	rows = append([]string{"new", "newer"}, rows...)
	r.Update()
	if r.Cursor() != 101 {
		t.Errorf("with two rows before it, the keyboard is on %d", r.Cursor())
	}
	key(fyne.KeyHome, fyne.KeyF5)
	if r.Cursor() != 0 || other != "F5" {
		t.Errorf("Home goes to %d; %q is passed on", r.Cursor(), other)
	}
	if v := r.rows[0]; uitest.Contrast(v.ground.StrokeColor, k.P.Panel) < 3 || v.ground.StrokeWidth == 0 {
		t.Errorf("the row of the keyboard is not marked: %v", v.ground.StrokeColor)
	}
	w.Canvas().Unfocus()
	if v := r.rows[0]; v.ground.FillColor != color.Color(color.Transparent) || v.ground.StrokeWidth != 0 {
		t.Error("it is marked without the focus")
	}
}
