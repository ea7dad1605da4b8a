package window

import (
	"math"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/keymap"
	"easel/ui/window/kit"
)

// keys handles the keys that no focused widget handles.
func (a *App) keys() {
	c := a.win.Canvas()
	c.SetOnTypedKey(a.typedKey)
	c.SetOnTypedRune(a.typedRune)
	a.keyboard.listen()
	if a.cfg.DataDir != "" {
		a.keyboard.read()
	}
}

func (a *App) typedKey(e *fyne.KeyEvent) {
	if a.snap == nil {
		return
	}
	a.shell.k.Tips.Hide()
	a.shell.gallery.shifted(e.Name)
	if a.win.Canvas().Overlays().Top() != nil {
		switch pop := a.shell.dialogs.Last(); {
		case pop == nil:
		case e.Name == fyne.KeyEscape:
			pop.Hide()
		case pop == a.shell.keySheet && pop.Visible():
			scroll(a.shell.keyList.Scroll(), e.Name)
		}
		return
	}
	if a.shell.page == pageData && (kit.MenuKey(e) && a.shell.data.Menu() || a.shell.data.Key(e.Name)) {
		return
	}
	if kit.MenuKey(e) {
		a.shell.menuOfPlot()
		return
	}
	if a.keyboard.press(keymap.OfKey(e.Name, kit.Modifiers())) {
		return
	}
	if e.Name == fyne.KeyEscape && (a.shell.gallery.grid.CancelBand() || a.escape()) {
		return
	}
	if a.shell.page != pageGallery {
		a.shell.scrollPage(e.Name)
		return
	}
	c := a.shell.gallery
	if c.comparing {
		c.versus.Key(e.Name)
		return
	}
	if c.mode == state.Viewer {
		c.view.Key(e.Name)
		return
	}
	if !c.grid.Key(e.Name, kit.Modifiers()) && e.Name == fyne.KeyEscape {
		a.leaveSearch()
	}
}

// scrollPage scrolls a page other than the gallery by a key.
func (s *shell) scrollPage(key fyne.KeyName) {
	size := s.a.win.Canvas().Size()
	if page := s.k.ScrollAt(fyne.NewPos(size.Width*0.6, size.Height/2)); page != nil {
		scroll(page, key)
	}
}

// scroll scrolls a page by a key.
func scroll(page *kit.Scroll, key fyne.KeyName) {
	//exhaustive:ignore
	switch key {
	case fyne.KeyHome:
		page.To(0)
	case fyne.KeyEnd:
		page.To(math.MaxFloat32)
	case fyne.KeyPageDown:
		page.Page(1)
	case fyne.KeyPageUp:
		page.Page(-1)
	case fyne.KeyDown:
		page.Page(0.1)
	case fyne.KeyUp:
		page.Page(-0.1)
	}
}

// toEnd goes to the first or last picture, or to an end of a page.
func (a *App) toEnd(key fyne.KeyName) {
	c := a.shell.gallery
	switch {
	case a.shell.page != pageGallery:
		a.shell.scrollPage(key)
	case c.comparing:
	case c.mode == state.Viewer && key == fyne.KeyHome:
		a.navigate.GoTo("first")
	case c.mode == state.Viewer:
		a.navigate.GoTo("last")
	default:
		c.grid.Key(key, 0)
	}
}

// escape goes back one step: from a page to the gallery, or from a plot that fills the window to
// the window. It never quits.
func (a *App) escape() bool {
	switch {
	case a.shell.page != pageGallery:
		a.shell.open(pageGallery)
	default:
		return a.shell.escapeFocus()
	}
	return true
}

func (a *App) typedRune(r rune) {
	if a.snap == nil || a.win.Canvas().Overlays().Top() != nil {
		return
	}
	if a.shell.page == pageData && a.keyboard.keys.Action(keymap.OfRune(r)) == "ask_part" {
		a.keyboard.press(keymap.OfRune(r))
	}
	if a.shell.page != pageGallery {
		return
	}
	if !a.shell.gallery.allTyped(r) {
		a.keyboard.press(keymap.OfRune(r))
	}
}

// unused gets a key that a widget with the focus does not use: the function keys work everywhere.
func (a *App) unused(e *fyne.KeyEvent) {
	if a.snap != nil && a.win.Canvas().Overlays().Top() == nil && strings.HasPrefix(string(e.Name), "F") && !kit.MenuKey(e) {
		a.keyboard.press(keymap.OfKey(e.Name, kit.Modifiers()))
	}
}

// A zoomable is a view of pictures that can be zoomed.
type zoomable interface {
	Toggle() // between fitted and 100 %
	Fit()
	Actual()
	Larger()
	Smaller()
}

// shortcut handles a key with Control, even while a field has the focus.
func (a *App) shortcut(s fyne.Shortcut) {
	if a.snap == nil {
		return
	}
	if a.win.Canvas().Overlays().Top() != nil { // a dialog or a menu handles it
		return
	}
	a.shell.k.Tips.Hide()
	if a.shell.page == pageData && a.shell.data.Shortcut(s) {
		return
	}
	a.keyboard.press(keymap.OfShortcut(s))
}
