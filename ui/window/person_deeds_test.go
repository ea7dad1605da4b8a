package window

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

// deeds has what a person can do. Each changes the window, and the diary as it expects the
// library to change. It returns what was wrong at once, or "".
var deeds map[string]func(p *person, n int) string

// chooses has the deeds that may change the selection. The others must not, if somebody has
// chosen it.
var chooses = []string{
	"click", "add", "right", "all", "delete", "restore", "undo", "redo", "filter", "trash", "gallery", "restart", "undo all", "redo all", "version",
	"open", "escape", "search", "purge", "empty", "tag", "title", "compare", "page", "finish", "find", "shift", "double", "band", "menu",
	"quick", "show", "ends", "space", "tagged", "best", "session", "shred",
}

func init() { //nolint:gochecknoinits // the deeds refer to the table
	deeds = map[string]func(p *person, n int) string{
		"click":  func(p *person, n int) string { return p.click(n, 0) },
		"add":    func(p *person, n int) string { return p.click(n, fyne.KeyModifierShortcutDefault) },
		"shift":  func(p *person, n int) string { return p.click(n, fyne.KeyModifierShift) },
		"double": (*person).double, "star": (*person).star, "band": (*person).band, "menu": (*person).menu,
		"right": (*person).right, "all": (*person).all, "key": (*person).digit, "delete": (*person).discard, "restore": (*person).restore,
		"undo": func(p *person, _ int) string { return p.back(false) },
		"redo": func(p *person, _ int) string { return p.back(true) },
		"tag":  (*person).tag, "title": (*person).title, "note": (*person).note, "leave": (*person).leave,
		"name": (*person).name, "half": (*person).half, "finish": (*person).finish, "find": (*person).find,
		"burst": (*person).burst, "quick": (*person).quick, "hide": (*person).hide, "visit": (*person).visit, "fullscreen": (*person).fullscreen,
		"panel": (*person).toggle, "show": (*person).show, "ends": (*person).ends, "space": (*person).space,
		"arrive": func(p *person, _ int) string { p.arrive(""); return "" }, "version": (*person).version, "assistant": (*person).assistant,
		"filter": func(p *person, n int) string { p.app.navigate.FilterRating([]string{">=", ""}[n%2], 2); return "" },
		"best": func(p *person, n int) string {
			p.app.navigate.OpenAll([]string{">=", "="}[n%2], []int{4, 0}[n%2])
			return ""
		},
		"tagged": func(p *person, n int) string {
			p.app.navigate.FilterTags([][]string{{"tag1"}, nil, nil}[n%3])
			return ""
		},
		"sort":    func(p *person, n int) string { p.app.navigate.Sort("created", n%2 == 0); return "" },
		"session": func(p *person, _ int) string { p.leave(0); p.app.navigate.OpenSession("s1"); return "" },
		"trash":   func(p *person, _ int) string { p.leave(0); p.app.navigate.OpenTrash(); return "" },
		"gallery": func(p *person, _ int) string {
			p.leave(0)
			p.app.navigate.OpenAll("", 0)
			return ""
		},
		"theme":    func(p *person, n int) string { p.theme = []string{"light", "dark"}[n%2]; return p.another() },
		"language": func(p *person, n int) string { p.language = []string{"en", "ja"}[n%2]; return p.another() },
		"page":     (*person).page, "restart": (*person).restart, "undo all": (*person).undoAll, "redo all": (*person).redoAll,
		"open": (*person).open, "escape": (*person).escape, "compare": (*person).compare, "search": (*person).search,
		"purge": (*person).purge, "shred": (*person).shred, "empty": (*person).empty, "look": func(p *person, _ int) string { return p.panelLooks() },
		"ask": (*person).ask, "edit": (*person).edit,
		"approve": func(p *person, _ int) string { return p.answer(true) },
		"deny":    func(p *person, _ int) string { return p.answer(false) },
	}
}

// do does a deed and checks what must always hold. It returns what does not, or "".
func (p *person) do(d deed) string {
	was := p.store.Snapshot()
	selected := p.selected()
	if wrong := deeds[d.what](p, d.n); wrong != "" {
		return wrong
	}
	p.settled()
	n := p.store.Snapshot()
	if grid := p.app.shell.gallery.grid.Selection(); !p.inViewer() && !slices.Equal(grid, n.Selection) {
		return fmt.Sprintf("the window shows %v as selected, not %v", grid, n.Selection)
	}
	if now := p.selected(); was.Chosen() && !filtered(n) && !filtered(was) && !slices.Contains(chooses, d.what) && !slices.Equal(selected, now) {
		return fmt.Sprintf("%v was chosen, %v is selected", selected, now)
	}
	for _, look := range []func() string{p.focus, p.looks, p.questions} {
		if wrong := look(); wrong != "" {
			return wrong
		}
	}
	if p.at == inNote {
		if wrong := p.panelLooks(); wrong != "" {
			return wrong
		}
	}
	want, kept := maps.Clone(p.now), p.kept()
	if p.at == inNote { // it may be stored at any time
		delete(kept, p.of[0]+"/note")
		delete(want, p.of[0]+"/note")
	}
	if diff := differences(want, kept); len(diff) > 0 {
		return fmt.Sprint(diff)
	}
	return ""
}

// another changes theme and language. The next key follows at once, and nothing in the panel is
// lost.
func (p *person) another() string {
	p.put()
	p.rebuilt()
	if wrong := p.focus(); wrong != "" {
		return wrong
	}
	if wrong := p.digit(3); wrong != "" {
		return wrong
	}
	return p.panelLooks()
}

// mark writes in the diary that the user has given the selected plots a mark.
func (p *person) mark(what, value string, ids ...string) {
	to := make(marks)
	for _, id := range ids {
		to[id+"/"+what] = value
	}
	was := len(p.made)
	p.write(to, true)
	p.shown = p.shown && len(p.made) == was // no stars for a plot without stars are no change
}

func (p *person) right(int) string {
	selected, ids, comparing, want := p.selected(), p.app.shell.gallery.ids, p.app.shell.gallery.comparing, p.next()
	p.key(fyne.KeyRight)
	if now := p.selected(); p.at != inWindow && p.at != inSearch && !slices.Equal(now, selected) { // a search may begin, and hide it
		return fmt.Sprintf("an arrow in a field selects %v", now)
	} else if p.at == inWindow && !comparing && len(selected) == 1 && slices.Contains(ids, selected[0]) { // else the filter hides it
		if !slices.Equal(now, []string{want}) {
			return fmt.Sprintf("right of %v is %s, not %v", selected, want, now)
		}
	}
	return ""
}

// next returns the plot to which the key Right goes: after the one that has a thin ring, which is
// usually the one that is selected.
func (p *person) next() string {
	ids := p.app.shell.gallery.ids
	if len(ids) == 0 {
		return ""
	}
	return ids[min(slices.Index(ids, p.store.Snapshot().Current)+1, len(ids)-1)]
}

func (p *person) all(int) string {
	p.grid()
	p.command(&fyne.ShortcutSelectAll{})
	if now, all := len(p.selected()), len(p.app.shell.gallery.ids); now != all {
		return fmt.Sprintf("%d of %d are selected", now, all)
	}
	return ""
}

// digit types a digit: into the field that has the focus, or as stars.
func (p *person) digit(n int) string {
	r, ids := rune('0'+n%6), p.subject()
	if p.at == inSearch {
		r = 'q' // a digit is also the number of a plot
	}
	p.char(r)
	if p.at != inWindow {
		p.text += string(r)
		return ""
	}
	p.mark("rating", map[bool]string{true: string(r)}[r != '0'], ids...)
	return ""
}

func (p *person) inTrash() bool { return p.store.Snapshot().Folder.Kind == state.Trash }

func (p *person) discard(int) string {
	if p.inTrash() && p.at == inWindow {
		return "" // see purge
	}
	ids := p.subject()
	p.key(fyne.KeyDelete)
	if p.at == inWindow {
		p.mark("trashed", "yes", ids...)
	}
	return ""
}

func (p *person) restore(int) string {
	p.leave(0)
	if ids := p.selected(); p.inTrash() && len(ids) > 0 {
		p.app.edits.Restore(ids)
		p.mark("trashed", "", ids...)
	}
	return ""
}

// back undoes or redoes: in the field that has the focus, or else the last change.
func (p *person) back(forward bool) string {
	if p.at == inWindow {
		return p.revise(forward)
	}
	p.command(map[bool]fyne.Shortcut{false: &fyne.ShortcutUndo{}, true: &fyne.ShortcutRedo{}}[forward])
	p.key(fyne.KeyPageDown) // where the next key goes
	p.key(fyne.KeyEnd)
	p.text = p.focused().Text
	return ""
}

// shows are the tools that change only what is shown.
var shows = []string{"select_file", "show_image_viewer"}

// revise undoes or redoes the last change. What an assistant has shown is one, too, which is
// not in the diary.
func (p *person) revise(forward bool) string {
	was := p.store.Snapshot()
	next, key, expect := was.Undo, fyne.Shortcut(&fyne.ShortcutUndo{}), p.undo
	if forward {
		next, key, expect = was.Redo, &fyne.ShortcutRedo{}, p.redo
	}
	view := slices.Contains(shows, next.Tool)
	if view && !forward && len(p.made) > 0 && !p.shown {
		return "Ctrl+Z is about what an assistant showed, not about what the user did since"
	}
	p.command(key)
	now := p.store.Snapshot()
	if moved := map[bool]int64{false: now.Redo.Seq, true: now.Undo.Seq}[forward]; !view || moved != next.Seq {
		expect()
	}
	return ""
}

func (p *person) version(n int) string {
	ids := slices.DeleteFunc(slices.Clone(p.app.shell.gallery.ids), func(id string) bool { return p.now[id+"/trashed"] != "" })
	if len(ids) == 0 {
		return ""
	}
	was, selected := ids[n%len(ids)], p.selected()
	id := p.arrive(was)
	p.succeeded(was, id)
	p.settled()
	for i := range selected {
		if selected[i] == was {
			selected[i] = id
		}
	}
	if now := p.selected(); p.store.Snapshot().Chosen() && p.store.Snapshot().Query.Rating < 0 && !slices.Equal(now, selected) {
		return fmt.Sprintf("a new version of %s changed the selection from %v to %v", was, selected, now)
	}
	return ""
}

// assistant has an assistant rate a plot. A note that is typed is stored before it, because the order
// of the two is that of undo.
func (p *person) assistant(n int) string {
	if p.at == inNote {
		p.q.Until(p.t, "the note to be stored", func() bool {
			im, err := p.core.Library.Images.Image(p.t.Context(), p.of[0])
			return err != nil || im.Note == p.text
		})
		p.typed(inNote, p.text)
	}
	ids := p.app.shell.gallery.ids
	if len(ids) == 0 {
		return ""
	}
	id := ids[n%len(ids)]
	invoke(p.t, p.bus, "set_rating", fmt.Sprintf(`{"rating": %d, "path": %q}`, 1+n%5, id))
	p.write(marks{id + "/rating": fmt.Sprint(1 + n%5)}, false)
	return ""
}

func (p *person) page(int) string {
	p.leave(0)
	p.app.shell.open(pageConnect)
	p.q.Until(p.t, "the page", p.app.shell.connect.Settled)
	p.app.shell.open(pageGallery)
	return ""
}

// restart quits, in the middle of a note perhaps, and starts Easel again.
func (p *person) restart(int) string {
	at, text := p.at, p.text
	p.at, p.text = inWindow, ""
	p.stop()
	if wrong := p.withdraw(); wrong != "" {
		return wrong
	}
	p.start()
	if at == inNote || at == inTitle && strings.TrimSpace(text) != "" {
		p.typed(at, text)
	}
	p.made, p.undone, p.begin, p.shown = nil, nil, p.kept(), false
	clear(p.halves)
	if s := p.store.Snapshot().Settings; s.Theme != p.theme || s.Language != p.language {
		return fmt.Sprintf("after a restart the theme is %s and the language %s, not %s and %s", s.Theme, s.Language, p.theme, p.language)
	}
	return ""
}

func (p *person) undoAll(int) string {
	for n := 0; p.store.Snapshot().Undo.Seq != 0; n++ {
		if n > mostChanges {
			return "there is always something left to undo"
		}
		if wrong := p.revise(false); wrong != "" {
			return wrong
		}
	}
	if diff := differences(p.begin, p.kept()); len(diff) > 0 {
		return fmt.Sprint("it is not as at the beginning: ", diff)
	}
	return ""
}

func (p *person) redoAll(int) string {
	for n := 0; p.store.Snapshot().Redo.Seq != 0; n++ {
		if n > mostChanges {
			return "there is always something left to redo"
		}
		if wrong := p.revise(true); wrong != "" {
			return wrong
		}
	}
	if len(p.undone) > 0 {
		return fmt.Sprintf("%v cannot be redone", p.undone)
	}
	return ""
}
