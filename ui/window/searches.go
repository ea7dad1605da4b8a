package window

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/library/search"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
)

// open shows the plots of all sessions that a search finds.
func (f *searcher) open(text string) {
	f.s.a.navigate.OpenAll("", 0)
	f.s.a.requests.After(func() { f.set(text) })
}

// saved returns the saved search with a text.
func (f *searcher) saved(text string) (x state.SavedSearch, ok bool) {
	all := f.s.a.cfg.Store.Snapshot().Settings.Searches.All()
	i := slices.IndexFunc(all, func(x state.SavedSearch) bool { return x.Text == strings.TrimSpace(text) })
	if i < 0 {
		return x, false
	}
	return all[i], true
}

// leave ends a search that the sidebar has begun.
func (f *searcher) leave() {
	text := f.s.a.cfg.Store.Snapshot().Query.Text
	if _, ok := f.saved(text); ok || text == string(search.Is)+":"+search.New {
		f.set("")
	}
}

// save asks for a name for the current search.
func (f *searcher) save() {
	text := f.s.a.cfg.Store.Snapshot().Query.Text
	was, _ := f.saved(text)
	f.name("find.save_title", cmp.Or(was.Name, strings.TrimSpace(text)), func(name string) {
		f.keep(name, was.Name, func(s state.Searches) state.Searches {
			return s.Without(was.Name).With(state.SavedSearch{Name: name, Text: text})
		})
	})
}

// keep changes the saved searches so that one of them, which was perhaps saved by another name, has a name.
// Another search with that name is replaced; the user can undo that.
func (f *searcher) keep(name, former string, change func(state.Searches) state.Searches) {
	k, a := f.s.k, f.s.a
	was := a.cfg.Store.Snapshot().Settings.Searches
	named := func(x state.SavedSearch) bool { return x.Name == name && name != former }
	next := change(was)
	if next == was && former == "" && !slices.ContainsFunc(was.All(), named) {
		f.s.flash(kit.MarkBad, k.T("find.full", len(was.All())))
		return
	}
	a.settings(func(s *state.Settings) { s.Searches = change(s.Searches) })
	if slices.ContainsFunc(was.All(), named) {
		f.s.offer(kit.MarkNone, k.T("find.replaced", name), k.T("undo.undo"), func() { a.settings(func(s *state.Settings) { s.Searches = was }) })
	}
}

// menu shows the menu of a saved search.
func (f *searcher) menu(saved string, at fyne.Position) {
	k, a := f.s.k, f.s.a
	rename := func() {
		f.name("find.rename_title", saved, func(name string) {
			f.keep(name, saved, func(s state.Searches) state.Searches { return s.Renamed(saved, name) })
		})
	}
	remove := func() {
		was := a.cfg.Store.Snapshot().Settings.Searches
		a.settings(func(s *state.Settings) { s.Searches = s.Searches.Without(saved) })
		f.s.offer(kit.MarkNone, k.T("find.removed", saved), k.T("undo.undo"), func() { a.settings(func(s *state.Settings) { s.Searches = was }) })
	}
	f.s.dialogs.Menu(at, fyne.NewMenuItem(k.T("find.rename"), rename), fyne.NewMenuItem(k.T("find.remove"), remove))
}

// name asks for the name of a search.
func (f *searcher) name(title, was string, done func(name string)) {
	k, d := f.s.k, f.s.dialogs
	name := k.Field("")
	name.SetText(was)
	var form *dialogs.Form
	ok := func() {
		form.Close()
		if text := strings.TrimSpace(name.Text); text != "" {
			done(text)
		}
	}
	name.OnSubmitted = func(string) { ok() }
	note := kit.NewPara(k.T("find.save_note"), 12, k.P.Muted, fyne.TextStyle{})
	rows := []fyne.CanvasObject{d.Labelled("find.name", name), note}
	form = d.Form(k.T(title), fyne.NewSize(420, 220), rows, k.Button(kit.Primary, "", k.T("find.save"), "", ok))
	form.CloseOnEscape(name)
	d.Focus(name)
	name.TypedShortcut(&fyne.ShortcutSelectAll{})
}
