package window

import (
	"math"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// keyTable is the keys as they are shown. They hold while no entry has the focus;
// each does something that also has a button or a menu.
var keyTable = []struct{ keys, what string }{
	{"← → ↑ ↓", "keys.move"},
	{"Home End  Ctrl+Home Ctrl+End", "keys.ends"},
	{"Shift", "keys.range"},
	{"Drag", "keys.band"},
	{"Space", "keys.space"},
	{"Enter", "keys.enter"},
	{"Esc", "keys.esc"},
	{"0 – 5", "keys.rate"},
	{"Ctrl+wheel + −", "keys.zoom"},
	{"Z", "keys.fit"},
	{"G", "keys.strip"},
	{"C", "keys.compare"},
	{"V  [ ]", "keys.versions"},
	{"B", "keys.flicker"},
	{"W", "keys.present"},
	{"K", "keys.lock"},
	{"P", "keys.panel"},
	{"T  F2", "keys.edit_marks"},
	{"Del  Shift+Del", "keys.trash"},
	{"F11", "keys.fullscreen"},
	{"L", "keys.follow"},
	{"Ctrl+C", "keys.copy"},
	{"Ctrl+Shift+C", "keys.copy_code"},
	{"Ctrl+A", "keys.all"},
	{"Ctrl+S  Ctrl+Shift+S", "keys.save"},
	{"Ctrl+Z", "keys.undo"},
	{"Ctrl+F", "keys.search"},
	{"Ctrl+B  Ctrl+J", "keys.regions"},
	{"Ctrl+.", "keys.interrupt"},
	{"Ctrl+Enter", "keys.approve"},
	{"Ctrl+E", "keys.approve_edit"},
	{"Ctrl+D", "keys.deny"},
	{"Ctrl+,", "keys.settings"},
	{"Ctrl+W", "keys.hide"},
	{"Ctrl+Q", "keys.quit"},
}

// keys listens to what no focused widget takes.
func (a *App) keys() {
	c := a.win.Canvas()
	c.SetOnTypedKey(a.typedKey)
	c.SetOnTypedRune(a.typedRune)
	add := func(s fyne.Shortcut) { c.AddShortcut(s, a.shortcut) }
	add(&fyne.ShortcutCopy{})
	add(&fyne.ShortcutSelectAll{})
	add(&fyne.ShortcutUndo{})
	add(&desktop.CustomShortcut{KeyName: fyne.KeyS, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift})
	for _, name := range []fyne.KeyName{
		fyne.KeyF, fyne.KeyB, fyne.KeyJ, fyne.KeyW, fyne.KeyQ, fyne.KeyPeriod, fyne.KeyComma, fyne.Key0, fyne.Key1,
		fyne.KeyReturn, fyne.KeyEnter, fyne.KeyE, fyne.KeyD, fyne.KeyS, fyne.KeyHome, fyne.KeyEnd,
	} {
		add(&desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault})
	}
	add(&desktop.CustomShortcut{KeyName: fyne.KeyC, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift})
}

func (a *App) typedKey(e *fyne.KeyEvent) {
	if a.snap == nil {
		return
	}
	a.shell.k.Tips.Hide()
	if a.win.Canvas().Overlays().Top() != nil {
		switch pop := a.shell.popup; {
		case pop == nil:
		case e.Name == fyne.KeyEscape:
			pop.Hide()
		case pop == a.shell.keySheet && pop.Visible():
			scroll(a.shell.keyList.Scroll(), e.Name)
		}
		return
	}
	//exhaustive:ignore
	switch e.Name {
	case fyne.KeyF11:
		a.toggleFullscreen()
		return
	case fyne.KeyF2:
		a.rename()
		return
	case fyne.KeyDelete:
		if a.shell.page == pageGallery {
			if modifiers()&fyne.KeyModifierShift != 0 {
				a.deleteForGood(shownIn(a.cfg.Store.Snapshot()))
			} else {
				a.trash(shownIn(a.cfg.Store.Snapshot()))
			}
		}
		return
	case fyne.KeyF1:
		a.shell.showKeys()
		return
	case fyne.KeyEscape:
		if a.shell.center.grid.CancelBand() || a.escape() {
			return
		}
	}
	if a.shell.page != pageGallery {
		a.shell.scrollPage(e.Name)
		return
	}
	c := a.shell.center
	if c.comparing {
		c.versus.Key(e.Name)
		return
	}
	if c.mode == state.Viewer {
		c.view.Key(e.Name)
		return
	}
	c.grid.Key(e.Name, modifiers())
}

// scrollPage moves a page that is no gallery by a key.
func (s *shell) scrollPage(key fyne.KeyName) {
	size := s.a.win.Canvas().Size()
	if page := s.k.ScrollAt(fyne.NewPos(size.Width*0.6, size.Height/2)); page != nil {
		scroll(page, key)
	}
}

// scroll moves a page by a key.
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
	c := a.shell.center
	switch {
	case a.shell.page != pageGallery:
		a.shell.scrollPage(key)
	case c.comparing:
	case c.mode == state.Viewer && key == fyne.KeyHome:
		a.goTo("first")
	case c.mode == state.Viewer:
		a.goTo("last")
	default:
		c.grid.Key(key, 0)
	}
}

// escape goes back one step: from a page to the gallery, from fullscreen to the
// window. It never quits.
func (a *App) escape() bool {
	switch {
	case a.shell.page != pageGallery:
		a.shell.open(pageGallery)
	case a.snap.Fullscreen:
		a.toggleFullscreen()
	default:
		return false
	}
	return true
}

func (a *App) typedRune(r rune) {
	if a.snap == nil || a.shell.page != pageGallery || a.win.Canvas().Overlays().Top() != nil {
		return
	}
	n := a.cfg.Store.Snapshot()
	c := a.shell.center
	var view zoomable
	if c.comparing {
		view = c.versus
	} else if c.mode == state.Viewer {
		view = c.view
	}
	switch lower := strings.ToLower(string(r)); {
	case r >= '0' && r <= '5':
		a.rate(shownIn(n), int(r-'0'))
	case lower == "x":
		a.rate(shownIn(n), 0)
	case lower == "p", lower == "i":
		a.togglePanel()
	case lower == "f":
		a.toggleFullscreen()
	case lower == "t":
		a.editTags()
	case lower == "l":
		a.toggleFollow()
	case r == '?':
		a.shell.showKeys()
	case lower == "c":
		a.compareKey()
	case lower == "w":
		a.togglePresenter()
	case lower == "b" && c.comparing:
		c.versus.Blink()
	case lower == "g" && c.mode == state.Viewer:
		c.toggleStrip()
	case lower == "v" && c.mode == state.Viewer && !c.comparing:
		c.view.Play()
	case r == '[' && c.mode == state.Viewer && !c.comparing:
		c.view.Step(-1)
	case r == ']' && c.mode == state.Viewer && !c.comparing:
		c.view.Step(1)
	case lower == "k" && c.mode == state.Viewer:
		c.view.ToggleLock()
	case view == nil:
	case lower == "z":
		view.Toggle()
	case r == '+' || r == '=':
		view.Larger()
	case r == '-':
		view.Smaller()
	}
}

// A zoomable is a view of pictures at a zoom.
type zoomable interface {
	Toggle() // between fitted and 100 %
	Fit()
	Actual()
	Larger()
	Smaller()
}

// shortcut does what a key with Control does, also while a field has the focus.
func (a *App) shortcut(s fyne.Shortcut) {
	if a.snap == nil {
		return
	}
	if a.win.Canvas().Overlays().Top() != nil { // a dialog or a menu has the word
		if c, ok := s.(*desktop.CustomShortcut); ok && c.KeyName == fyne.KeyQ && a.shell.leaving() {
			a.quitRequested()
		}
		return
	}
	a.shell.k.Tips.Hide()
	shown := a.shown()
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		if len(shown) > 0 {
			a.copyImage(shown[len(shown)-1])
		}
	case *fyne.ShortcutSelectAll:
		if a.shell.page == pageGallery && a.shell.center.mode != state.Viewer {
			a.shell.center.grid.SelectAll()
		}
	case *fyne.ShortcutUndo:
		a.undo()
	case *desktop.CustomShortcut:
		a.controlKey(s, shown)
	}
}

// shown is what a key is about: what is selected, or what the viewer shows, which may be
// an older version.
func (a *App) shown() []string {
	if c := a.shell.center; c.mode == state.Viewer && c.view.Older() != "" {
		return []string{c.view.Older()}
	}
	return shownIn(a.cfg.Store.Snapshot())
}

func (a *App) controlKey(s *desktop.CustomShortcut, shown []string) {
	//exhaustive:ignore
	switch s.KeyName {
	case fyne.KeyC:
		if len(shown) > 0 {
			a.copyCode(shown[len(shown)-1])
		}
	case fyne.KeyF:
		a.shell.open(pageGallery)
		a.win.Canvas().Focus(a.shell.top.search)
	case fyne.KeyB:
		a.shell.toggleSide()
	case fyne.KeyJ:
		a.shell.toggleDock()
	case fyne.KeyW:
		a.closeRequested()
	case fyne.KeyQ:
		a.quitRequested()
	case fyne.KeyS:
		if s.Modifier&fyne.KeyModifierShift != 0 {
			a.saveAll()
		} else {
			a.shell.saveAs(shown)
		}
	case fyne.KeyReturn, fyne.KeyEnter:
		a.shell.asks.Answer(true, false)
	case fyne.KeyE:
		a.shell.asks.ToggleEdit()
	case fyne.KeyD:
		a.shell.asks.Answer(false, false)
	case fyne.KeyPeriod:
		a.interruptNow()
	case fyne.KeyHome, fyne.KeyEnd:
		a.toEnd(s.KeyName)
	case fyne.KeyComma:
		a.shell.open(pageSettings)
	case fyne.Key0:
		a.shell.center.zooms().Fit()
	case fyne.Key1:
		a.shell.center.zooms().Actual()
	}
}
