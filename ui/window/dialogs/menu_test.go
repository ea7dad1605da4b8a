package dialogs

import (
	"fmt"
	"image/color"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// stage opens a window with a button that has the focus.
func stage(t *testing.T, p *theme.Palette) (*Host, fyne.Window, *kit.Button) {
	t.Helper()
	w := uitest.App(t).NewWindow("")
	k := &kit.Kit{P: p, Tr: i18n.New("en"), Do: func(f func()) { f() }}
	b := k.Button(kit.Quiet, "", "Open", "", func() {})
	w.SetContent(b)
	w.Resize(fyne.NewSize(400, 300))
	w.Canvas().Focus(b)
	return New(k, w.Canvas(), func() {}), w, b
}

// press presses keys at what has the focus.
func press(w fyne.Window, keys ...fyne.KeyName) {
	for _, k := range keys {
		w.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: k})
	}
}

// rowsOf returns the rows of all menus that are open.
func rowsOf(w fyne.Window) (rows []*menuRow) {
	for _, o := range test.LaidOutObjects(w.Canvas().Overlays().Top()) {
		if r, ok := o.(*menuRow); ok {
			rows = append(rows, r)
		}
	}
	return rows
}

// TestAMenuIsReadableInEveryState: its texts have 4.5 to 1 and its edges 3 to 1, whatever the
// pointer or the keyboard is on.
func TestAMenuIsReadableInEveryState(t *testing.T) {
	for name, p := range map[string]*theme.Palette{"light": &theme.Light, "dark": &theme.Dark} {
		h, w, _ := stage(t, p)
		key := fyne.NewMenuItem("Copy", func() {})
		key.Shortcut, key.Checked = kit.Hint("Ctrl+C"), true
		more := fyne.NewMenuItem("Stars", nil)
		more.ChildMenu = fyne.NewMenu("", fyne.NewMenuItem("5", func() {}))
		h.Menu(fyne.NewPos(10, 10), key, fyne.NewMenuItemSeparator(), more)
		for range 2 {
			for _, r := range rowsOf(w) {
				ground := color.Color(p.Raised)
				if r.ground.FillColor != color.Color(color.Transparent) {
					ground = r.ground.FillColor
					if got := uitest.Contrast(r.ground.StrokeColor, p.Raised); got < 3 {
						t.Errorf("%s: the edge of the active row: %.2f", name, got)
					}
				}
				for what, c := range map[string]color.Color{"label": test.WidgetRenderer(r.label).Objects()[0].(*canvas.Text).Color, "hint": r.hint.Color} {
					if got := uitest.Contrast(c, ground); got < 4.5 {
						t.Errorf("%s: the %s of %q: %.2f", name, what, r.Label(), got)
					}
				}
				if got := uitest.Contrast(r.rule.FillColor, p.Raised); got < 3 {
					t.Errorf("%s: a separator: %.2f", name, got)
				}
			}
			press(w, fyne.KeyDown)
		}
		if got := uitest.Contrast(h.shown[0].(*menuLayer).panes[0].edge.StrokeColor, p.Panel); got < 3 {
			t.Errorf("%s: the edge of the menu: %.2f", name, got)
		}
	}
}

// TestAMenuByKeys: the arrows, Home, End and letters move, the arrow to the right opens a submenu,
// Enter chooses, and Escape gives the focus back. What is disabled is passed over.
func TestAMenuByKeys(t *testing.T) {
	for _, x := range []struct {
		keys []fyne.KeyName
		want string
	}{
		{[]fyne.KeyName{fyne.KeyDown, fyne.KeyReturn}, "Open"},
		{[]fyne.KeyName{fyne.KeyDown, fyne.KeyDown, fyne.KeyDown, fyne.KeySpace}, "Trash"},
		{[]fyne.KeyName{fyne.KeyEnd, fyne.KeyEnter}, "Trash"},
		{[]fyne.KeyName{fyne.KeyUp, fyne.KeyUp, fyne.KeyRight, fyne.KeyDown, fyne.KeyReturn}, "4"},
		{[]fyne.KeyName{fyne.KeyUp, fyne.KeyUp, fyne.KeyRight, fyne.KeyLeft, fyne.KeyHome, fyne.KeyReturn}, "Open"},
		{[]fyne.KeyName{fyne.KeyReturn, fyne.KeyEscape}, ""},
	} {
		t.Run(fmt.Sprint(x.keys), func(t *testing.T) {
			h, w, b := stage(t, &theme.Light)
			var got string
			item := func(text string) *fyne.MenuItem { return fyne.NewMenuItem(text, func() { got = text }) }
			stars := fyne.NewMenuItem("Stars", nil)
			stars.ChildMenu = fyne.NewMenu("", item("5"), item("4"))
			off := item("Compare")
			off.Disabled = true
			h.Menu(fyne.NewPos(10, 10), item("Open"), off, fyne.NewMenuItemSeparator(), stars, item("Trash"))
			press(w, x.keys...)
			if got != x.want {
				t.Errorf("it chose %q, want %q", got, x.want)
			}
			if w.Canvas().Overlays().Top() != nil || w.Canvas().Focused() != fyne.Focusable(b) || h.Open() {
				t.Errorf("afterwards %v has the focus", w.Canvas().Focused())
			}
		})
	}
}

// TestALetterGoesToTheItemThatBeginsWithIt, and again to the next.
func TestALetterGoesToTheItemThatBeginsWithIt(t *testing.T) {
	h, w, _ := stage(t, &theme.Light)
	h.Menu(fyne.NewPos(10, 10), fyne.NewMenuItem("Copy", func() {}), fyne.NewMenuItem("Save", func() {}), fyne.NewMenuItem("compare", func() {}))
	var got []int
	for range 3 {
		w.Canvas().Focused().TypedRune('c')
		got = append(got, slices.IndexFunc(rowsOf(w), func(r *menuRow) bool { return r.pane.active == r.at }))
	}
	if want := []int{0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("it went to %v, want %v", got, want)
	}
}

// TestALongMenuStaysInTheWindow and scrolls to what the keyboard is on.
func TestALongMenuStaysInTheWindow(t *testing.T) {
	h, w, _ := stage(t, &theme.Light)
	var items []*fyne.MenuItem
	for i := range 40 {
		items = append(items, fyne.NewMenuItem(fmt.Sprint("Session ", i), func() {}))
	}
	h.Menu(fyne.NewPos(390, 280), items...)
	p := h.shown[0].(*menuLayer).panes[0]
	if at, end := p.Position(), p.Position().Add(p.Size()); at.X < 0 || at.Y < 0 || end.X > 400 || end.Y > 300 {
		t.Errorf("it is at %v to %v", at, end)
	}
	press(w, fyne.KeyEnd)
	r := p.rows[39]
	if bottom := r.Position().Y + r.Size().Height - p.scroll.Offset.Y; bottom > p.scroll.Size().Height+1 {
		t.Errorf("the last row ends %v below the top, of %v", bottom, p.scroll.Size().Height)
	}
}
