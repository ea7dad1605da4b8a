package window

import (
	"cmp"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// An appearance is what the shell depends on. When it changes, the shell is built
// again.
type appearance struct {
	lang  string
	theme string
	dark  bool
	text  int // the size of texts and controls, in percent
}

// updateAppearance rebuilds the window if the system's appearance has changed, or the settings
// have while a dialog was open. A hidden window is rebuilt when it is shown.
func (a *App) updateAppearance() {
	if a.snap != nil && !a.closed && a.cfg.Store.Snapshot().Window != state.WindowHidden && a.looksOld(a.snap) {
		a.rebuild(a.snap)
		a.present.render(a.snap)
		a.slides.render(a.snap)
		a.shell.render(a.snap)
	}
}

// looksOld reports whether the window is to be rebuilt for a state. Open dialogs and menus
// belong to the shell that opened them, with what the user has typed. So they stay, and the
// window keeps its language and colours until they are closed.
func (a *App) looksOld(s *state.Snapshot) bool {
	return a.appearanceOf(s) != a.appearance && !a.shell.dialogs.Open()
}

func (a *App) appearanceOf(s *state.Snapshot) appearance {
	dark := theme.New(s.Settings.Theme).Palette(a.cfg.App.Settings().ThemeVariant()).Dark
	return appearance{s.Settings.Language, s.Settings.Theme, dark, cmp.Or(s.Settings.Layout.TextPercent, 100)}
}

// variants are the names of the themes, by whether they are dark.
var variants = map[bool]string{false: "light", true: "dark"}

// rebuild rebuilds the whole window in the language and colours of a state.
func (a *App) rebuild(s *state.Snapshot) {
	l := a.appearanceOf(s)
	page, chosen, lays, was := pageGallery, "", false, a.shell
	var doing occupation
	if was != nil {
		page, chosen, lays = was.page, was.top.chosen, was.gallery.view.LaysOut()
		doing = was.occupation()
		a.edits.SaveNotes()
		a.shell.close()
	}
	grown := float32(l.text) / float32(cmp.Or(a.appearance.text, l.text))
	if a.cfg.Scale != nil && a.appearance.text != l.text {
		a.cfg.Scale(l.text) // SetTheme makes Fyne read it
	}
	size := a.win.Canvas().Size()
	a.appearance = l // before SetTheme, which notifies its listeners
	// Never the system's: Fyne would follow that at once, also in a dialog. Also if only the
	// language has changed: for each field that has a theme of its own, Fyne keeps fonts until
	// the theme is set.
	a.cfg.App.Settings().SetTheme(theme.New(variants[l.dark]))
	p := theme.New(variants[l.dark]).Palette(a.cfg.App.Settings().ThemeVariant())
	k := &kit.Kit{
		P: p, Tr: i18n.New(s.Settings.Language), Do: a.cfg.Do, Now: a.cfg.Now, Tips: kit.NewTips(p, a.cfg.Do),
		Shaders: a.cfg.Shaders, Keys: a.unused, Key: func(action string) string { return a.keyboard.keys.Key(action) },
	}
	k.Tips.Key = k.Key
	a.shell = newShell(a, k)
	a.shell.top.chosen = chosen
	if was != nil {
		a.shell.gallery.view.KeepLayouts(was.gallery.view)
	}
	a.shell.gallery.view.SetLayout(lays)
	a.frames.grid.Store(a.shell.gallery.grid)
	a.shell.open(page)
	a.win.SetContent(a.shell.root)
	if grown != 1 && !a.win.FullScreen() { // the window stays as large as it is on the screen
		a.win.Resize(fyne.NewSize(size.Width/grown, size.Height/grown))
	}
	if was != nil {
		a.shell.resume(doing, s)
	}
}
