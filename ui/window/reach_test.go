package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// stops presses Tab until the first stop comes again, and returns what each is.
func (w *world) stops() (names []string) {
	c := w.app.win.Canvas()
	c.Unfocus()
	var first fyne.Focusable
	for range 200 {
		c.(interface{ FocusNext() }).FocusNext()
		f := c.Focused()
		if f == first || f == nil {
			return names
		}
		if first == nil {
			first = f
		}
		names = append(names, strings.TrimSpace(fmt.Sprintf("%T %s", f, written(f.(fyne.CanvasObject)))))
	}
	w.t.Error("the stops do not end")
	return names
}

// TestEverythingIsReachedByTab: the picker, the rows of the sidebar, the tags, the filter by stars, the
// dock's list, the stars and tags of a plot, and the permission. A list is one stop.
func TestEverythingIsReachedByTab(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.call(t, "select_file", `{"path":"img00002"}`)
	w.call(t, "set_tags", `{"add":["alpha","beta"]}`)
	got := w.stops()
	for what, want := range map[string]string{
		"the address": "*kit.Stop 127.0.0.1", "the session picker": "*kit.Stop analysis", "the sidebar": "*kit.Stop Allplots", "the tags": "*kit.Chip keep3",
		"the list of calls": "*kit.Rows", "the permission": "*kit.Stop Fullaccess",
	} {
		n := 0
		for _, x := range got {
			if strings.HasPrefix(x, want) {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s is not among %q", what, got)
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s != "*kit.Stars" })); n != 2 {
		t.Errorf("%d rows of stars, want those of the filter and of the plot", n)
	}
	if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.Contains(s, "Unrated") && !strings.Contains(s, "Trash") })); n != 0 {
		t.Errorf("the rows of the sidebar are %d stops more", n)
	}
}

// TestTheSidebarIsOneStop: the arrows move in it, Tab leaves it and comes back to the same row, and the
// Menu key opens the menu of a session.
func TestTheSidebarIsOneStop(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	c := w.app.win.Canvas()
	row := w.sideRow("analysis")
	c.Focus(w.sideRow("All plots"))
	for range 20 {
		if c.Focused() == fyne.Focusable(row) {
			break
		}
		w.strike(fyne.KeyDown)
	}
	if c.Focused() != fyne.Focusable(row) {
		t.Fatalf("the arrows do not reach the session; the focus is at %T", c.Focused())
	}
	c.(interface{ FocusNext() }).FocusNext()
	c.(interface{ FocusPrevious() }).FocusPrevious()
	if c.Focused() != fyne.Focusable(row) {
		t.Errorf("Tab and Shift+Tab go to %T %s", c.Focused(), written(c.Focused().(fyne.CanvasObject)))
	}
	w.strike(desktop.KeyMenu)
	if !slices.ContainsFunc(test.LaidOutObjects(c.Overlays().Top()), func(o fyne.CanvasObject) bool {
		item, ok := o.(menuItem)
		return ok && item.Label() == "Rename…"
	}) {
		t.Error("the Menu key does not open the session's menu")
	}
	w.strike(fyne.KeyEscape)
	if c.Focused() != fyne.Focusable(row) {
		t.Errorf("after the menu, the focus is at %T", c.Focused())
	}
}

// TestStarsAndTagsByKeyboard: the arrows and 0 to 5 rate, Delete removes a tag, and the focus stays.
func TestStarsAndTagsByKeyboard(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	w.call(t, "select_file", `{"path":"img00002"}`)
	w.call(t, "set_tags", `{"add":["alpha","beta"]}`)
	c := w.app.win.Canvas()
	stars := inPanel(w, func(*kit.Stars) bool { return true })
	c.Focus(stars)
	stars.TypedRune('3')
	w.settled()
	w.strike(fyne.KeyRight)
	if im, _ := w.lib.Image(t.Context(), "img00002"); im.Rating != 4 {
		t.Errorf("3 and the arrow make %d stars", im.Rating)
	}
	if f, ok := c.Focused().(*kit.Stars); !ok || !f.Focused() {
		t.Errorf("after rating, the focus is at %T", c.Focused())
	}
	c.Focus(inPanel(w, func(x *kit.Chip) bool { return written(x) == "keep" }))
	w.strike(fyne.KeyRight, fyne.KeyRight, fyne.KeyDelete)
	if im, _ := w.lib.Image(t.Context(), "img00002"); !slices.Equal(im.Tags, []string{"keep", "alpha"}) {
		t.Errorf("the tags are %q", im.Tags)
	}
	if f, ok := c.Focused().(*kit.Chip); !ok || written(f) != "alpha" {
		t.Errorf("after removing one, the focus is at %T", c.Focused())
	}
}

// TestTheMenuKeyOpensTheMenuOfThePlot that the keyboard is on, in the gallery and the viewer.
func TestTheMenuKeyOpensTheMenuOfThePlot(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	menu := func() bool {
		top := w.app.win.Canvas().Overlays().Top()
		return top != nil && slices.ContainsFunc(test.LaidOutObjects(top), func(o fyne.CanvasObject) bool {
			item, ok := o.(menuItem)
			return ok && item.Label() == "Copy image"
		})
	}
	w.strike(desktop.KeyMenu)
	if menu() {
		t.Error("without a plot, there is a menu")
	}
	w.strike(fyne.KeyRight, desktop.KeyMenu)
	if !menu() {
		t.Error("the Menu key opens no menu in the gallery")
	}
	w.strike(fyne.KeyEscape, fyne.KeyReturn)
	if w.store.Snapshot().Mode != state.Viewer {
		t.Fatal("Enter does not open the plot")
	}
	w.strike(desktop.KeyMenu)
	if !menu() {
		t.Error("the Menu key opens no menu in the viewer")
	}
}

// inPanel returns an object of the properties.
func inPanel[T fyne.CanvasObject](w *world, is func(T) bool) T {
	w.t.Helper()
	var none T
	for _, o := range test.LaidOutObjects(w.app.shell.props.Object()) {
		if x, ok := o.(T); ok && is(x) {
			return x
		}
	}
	w.t.Fatalf("there is no such %T in the properties", none)
	return none
}
