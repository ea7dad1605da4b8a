package window

import (
	"cmp"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/library/search"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/searchhints"
	"easel/ui/window/theme"
)

// A searcher is the search field with its hints.
type searcher struct {
	s     *shell
	field *kit.Field
	hints *searchhints.Hints
	after *time.Timer // until the search begins

	clients []string // that drew something, without their versions
}

func newSearcher(s *shell) *searcher {
	f := &searcher{s: s, field: s.k.Field(s.k.T("top.search"))}
	f.hints = searchhints.NewHints(s.k, f.choose)
	f.field.OnChanged = f.typed
	f.field.OnCursorChanged = f.hint
	f.field.OnSubmitted = func(string) { f.toResults() }
	f.field.OnDown = f.toResults
	f.field.OnKey = f.hints.Key
	f.field.OnEnter = func() {
		s.top.setTyping(true)
		f.hint()
	}
	f.field.OnLeave = func() { // at once: an empty search would empty the field
		if text := f.field.Text; text != s.a.cfg.Store.Snapshot().Query.Text {
			s.a.navigate.Search(text)
		}
		s.top.setTyping(false)
		if !f.hints.Under() { // else a click on them follows
			f.hints.Hide()
		}
	}
	f.field.Forward = s.a.shortcut
	f.field.Icon = theme.IconOn("search", s.k.P.Muted, s.k.P.Raised)
	return f
}

// searchAfter is how long after the last key a search starts: what is pasted, or typed by a program, is one search.
// Who types quickly searches for each letter, but never for more than one at a time; see gallery.Feed.
const searchAfter = 20 * time.Millisecond

func (f *searcher) typed(text string) {
	if f.after != nil {
		f.after.Stop()
	}
	f.after = time.AfterFunc(searchAfter, func() { f.s.k.Do(func() { f.searchFor(text) }) })
	f.hint()
}

// searchFor searches for a text that was typed, unless the user has typed on, perhaps in the
// field of the shell that replaced this one.
func (f *searcher) searchFor(text string) {
	if f.s.a.shell == f.s && f.field.Text == text {
		f.s.a.navigate.Search(text)
	}
}

// focused reports whether the user types in the field.
func (f *searcher) focused() bool { return f.s.a.win.Canvas().Focused() == fyne.Focusable(f.field) }

// terms reads a search.
func (f *searcher) terms(text string) search.Terms {
	return search.Parse(text, search.Clock{Now: f.s.a.cfg.Now()})
}

// hint shows how the search can go on.
func (f *searcher) hint() {
	if !f.focused() {
		return
	}
	text, caret := f.field.Text, f.field.CursorTextOffset()
	f.hints.Show(searchhints.Suggest(text, caret, f.known(text)), searchhints.Problem(f.s.k, text, f.terms(text), caret))
}

// known returns what completions of a search are made of: of the sessions those at the times of the search, the
// newest first.
func (f *searcher) known(text string) searchhints.Vocabulary {
	k := searchhints.Vocabulary{Clients: f.clients, Tags: f.s.side.KnownTags()}
	for _, x := range f.s.a.cfg.Store.Snapshot().Settings.Searches.All() {
		k.Searches = append(k.Searches, searchhints.SavedSearch(x))
	}
	add := func(name string) {
		if name != "" && !slices.Contains(k.Sessions, name) {
			k.Sessions = append(k.Sessions, name)
		}
	}
	terms, now := f.terms(text), f.s.a.cfg.Now()
	for _, x := range f.s.a.cfg.Store.Snapshot().Sessions {
		if searchhints.During(terms, x.CreatedAt, now) {
			add(x.Title())
		}
	}
	for _, x := range f.s.listed {
		if searchhints.During(terms, x.CreatedAt, cmp.Or(x.EndedAt, now)) {
			add(f.s.sessionName(x.ID))
		}
	}
	return k
}

// choose goes on with a suggestion.
func (f *searcher) choose(s searchhints.Suggestion) {
	f.set(s.Text)
	f.hints.Hide()
	if s.Done {
		f.s.open(pageGallery)
		kit.Unfocus(f.field)
		return
	}
	f.s.a.focus(f.field)
	f.field.CursorColumn = s.Caret
	f.field.Refresh()
	f.hint()
}

// set searches for a text that was not typed.
func (f *searcher) set(text string) {
	f.field.SetText(text)
	f.s.a.navigate.Search(text)
}

// toResults searches at once, and moves from the field to the first result.
func (f *searcher) toResults() {
	a, text := f.s.a, f.field.Text
	a.navigate.Search(text)
	if problem := searchhints.Problem(f.s.k, text, f.terms(text), -1); problem != "" {
		a.say(kit.MarkWait, problem)
	}
	kit.Unfocus(f.field)
	if f.s.open(pageGallery); a.snap != nil && a.snap.Mode == state.Viewer {
		a.navigate.CloseViewer()
	}
	f.s.gallery.toFirst = true
	f.s.gallery.results()
}

// render shows the search of a state, unless the user types another one.
func (f *searcher) render(n *state.Snapshot) {
	if f.focused() {
		return
	}
	if f.field.Text != n.Query.Text {
		f.field.SetText(n.Query.Text)
	}
	if f.hints.Shown() && !f.hints.Under() {
		f.hints.Hide()
	}
}

// place puts the hints below the field.
func (f *searcher) place(window fyne.Size) {
	box := f.s.top.box
	at := box.Position().AddXY(box.Size().Width, box.Size().Height+4)
	f.hints.Place(at, window.Height-at.Y-statusH)
}
