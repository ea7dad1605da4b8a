package window

import (
	"slices"
	"strings"

	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/keymap"
	"easel/ui/window/viewer"
)

// An action is something that the user can do in the window, by its key, in the palette and
// mostly by a button or a menu, too. This is the only list of them: the keys, the list of keys, the
// hints in menus, the palette and the keys in the settings are made from it.
type action struct {
	id   string
	name string // the message ID of what it is called; "" for one that is only in the list of keys
	row  string // the message ID of its row in the list of keys, which neighbours may share; "": it has none
	keys string // that it comes with, separated by spaces; the first one is shown
	hand string // of a row: what the gallery, the viewer or the pointer handles, as shown, or its message ID

	// can returns the message ID of why it cannot be done now, or "". nil means always.
	can func(*App) string
	// tells: do itself says why it cannot be done, so the key does it anyway.
	tells bool
	do    func(*App)
}

// actions returns all actions, in the order of the list of keys.
func actions() []action {
	return slices.Concat(moveActions(), viewActions(), partActions(), pictureActions(), fileActions(), galleryActions(), windowActions(),
		sessionActions(), tableActions())
}

// A keyboard knows what the keys do.
type keyboard struct {
	a    *App
	all  []action
	keys *keymap.Map

	writing, changed bool // the file is being written; the keys have changed since
}

func newKeyboard(a *App) *keyboard {
	b := &keyboard{a: a, all: actions()}
	var known []keymap.Action
	for _, x := range b.all {
		if x.do != nil {
			known = append(known, keymap.Action{ID: x.id, Keys: keymap.Chords(x.keys)})
		}
	}
	b.keys = keymap.New(known)
	return b
}

// action returns the action with an id, or nil.
func (b *keyboard) action(id string) *action {
	for i := range b.all {
		if b.all[i].id == id && id != "" {
			return &b.all[i]
		}
	}
	return nil
}

// press does what a chord does. It reports whether that is anything.
func (b *keyboard) press(c keymap.Chord) bool {
	x := b.action(b.keys.Action(c))
	if x == nil {
		return false
	}
	if x.tells || x.can == nil || x.can(b.a) == "" {
		x.do(b.a)
	}
	return true
}

// A keyRow is a row of the list that F1 shows: keys and what they do.
type keyRow struct{ keys, what string }

// rows returns the list that F1 shows.
func (b *keyboard) rows(tr *i18n.Catalog) (rows []keyRow) {
	for _, x := range b.all {
		if x.row == "" {
			continue
		}
		key, what := b.keys.Key(x.id), tr.T(x.row)
		if x.hand != "" {
			key = tr.T(x.hand) // T returns text that is not a message ID unchanged
		}
		if last := len(rows) - 1; last >= 0 && rows[last].what == what {
			rows[last].keys = strings.TrimSpace(rows[last].keys + "  " + key)
			continue
		}
		rows = append(rows, keyRow{key, what})
	}
	return slices.DeleteFunc(rows, func(r keyRow) bool { return r.keys == "" })
}

// inGallery says that something is only possible in the gallery.
func inGallery(a *App) string {
	if a.shell.page != pageGallery {
		return "why.gallery"
	}
	return ""
}

// besideDock says that something is only possible where the dock can be shown.
func besideDock(a *App) string {
	if a.shell.page == pageData {
		return ""
	}
	return inGallery(a)
}

// inViewer says that something is only possible in the viewer, also during a comparison.
func inViewer(a *App) string {
	if a.shell.page != pageGallery || a.shell.gallery.mode != state.Viewer {
		return "why.viewer"
	}
	return ""
}

// onOnePicture says that something is only possible while the viewer shows one picture.
func onOnePicture(a *App) string {
	if a.shell.page == pageGallery && a.shell.gallery.comparing {
		return "why.compare_open"
	}
	return inViewer(a)
}

// askable says that something is only possible while the viewer shows one picture, or a table its cells.
func askable(a *App) string {
	if a.shell.page == pageData && a.shell.data.CanAsk() {
		return ""
	}
	return onOnePicture(a)
}

// zooms says that something is only possible in the viewer or a comparison.
func zooms(a *App) string {
	if a.shell.page == pageGallery && a.shell.gallery.comparing {
		return ""
	}
	return inViewer(a)
}

// comparing says that something is only possible during a comparison.
func comparing(a *App) string {
	if a.shell.page != pageGallery || !a.shell.gallery.comparing {
		return "why.compare"
	}
	return ""
}

// comparable says why nothing can be compared.
func comparable(a *App) string {
	c := a.shell.gallery
	n := len(a.picks.shown())
	former := c.mode == state.Viewer && c.view.Image().Replaces != ""
	if !c.comparing && !former && (n < viewer.Few || n > viewer.Many) {
		return "why.few"
	}
	return inGallery(a)
}

// somePlot says that something needs a plot.
func somePlot(a *App) string {
	if why := inGallery(a); why != "" {
		return why
	}
	if len(a.picks.shown()) == 0 {
		return "why.select"
	}
	return ""
}

// ofLibrary says that something needs a plot of the library.
func ofLibrary(a *App) string {
	if a.cfg.Store.Snapshot().Folder.Kind == state.Directory {
		return "why.library"
	}
	return somePlot(a)
}

// anyPlot says that something needs plots in view.
func anyPlot(a *App) string {
	if len(a.shell.gallery.ids) == 0 {
		return "why.no_plots"
	}
	return inGallery(a)
}

// plotIn returns what says that something needs a plot, in the trash or outside of it.
func plotIn(trash bool) func(*App) string {
	return func(a *App) string {
		switch in := a.cfg.Store.Snapshot().Folder.Kind == state.Trash; {
		case trash && !in:
			return "why.in_trash"
		case !trash && in:
			return "why.not_in_trash"
		}
		return somePlot(a)
	}
}

// asked says that something needs code that waits for approval.
func asked(a *App) string {
	if !a.shell.asks.Open() {
		return "why.no_question"
	}
	return ""
}

// pickedSession says that something needs a session.
func pickedSession(a *App) string {
	if a.shell.top.chosen == "" {
		return "why.no_session"
	}
	return ""
}
