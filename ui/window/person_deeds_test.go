package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/core/state"
)

// deeds has what a person can do. Each changes the window, and the diary as it expects the
// library to change. It returns what was wrong at once, or "".
var deeds map[string]func(p *person, n int) string

// chooses has the deeds that may change the selection. The others must not, if somebody has
// chosen it.
var chooses = []string{
	"click", "add", "right", "all", "delete", "restore", "undo", "redo", "filter", "trash", "gallery", "restart", "undo all", "redo all", "version",
	"open", "escape", "search", "purge", "empty", "tag", "title", "compare", "page",
}

func init() { //nolint:gochecknoinits // the deeds refer to the table
	deeds = map[string]func(p *person, n int) string{
		"click": func(p *person, n int) string { return p.click(n, 0) },
		"add":   func(p *person, n int) string { return p.click(n, fyne.KeyModifierShortcutDefault) },
		"right": (*person).right, "all": (*person).all, "key": (*person).digit, "delete": (*person).discard, "restore": (*person).restore,
		"undo": func(p *person, _ int) string { return p.back(&fyne.ShortcutUndo{}, p.undo) },
		"redo": func(p *person, _ int) string { return p.back(&fyne.ShortcutRedo{}, p.redo) },
		"tag":  (*person).tag, "title": (*person).title, "note": (*person).note, "leave": (*person).leave,
		"arrive": func(p *person, _ int) string { p.arrive(""); return "" }, "version": (*person).version, "assistant": (*person).assistant,
		"filter": func(p *person, n int) string { p.app.navigate.FilterRating([]string{">=", ""}[n%2], 2); return "" },
		"trash":  func(p *person, _ int) string { p.leave(0); p.app.navigate.OpenTrash(); return "" },
		"gallery": func(p *person, _ int) string {
			p.leave(0)
			p.app.navigate.OpenAll("", 0)
			return ""
		},
		"theme":    func(p *person, n int) string { p.theme = []string{"light", "dark"}[n%2]; return p.another() },
		"language": func(p *person, n int) string { p.language = []string{"en", "ja"}[n%2]; return p.another() },
		"page":     (*person).page, "restart": (*person).restart, "undo all": (*person).undoAll, "redo all": (*person).redoAll,
		"open": (*person).open, "escape": (*person).escape, "compare": (*person).compare, "search": (*person).search,
		"purge": (*person).purge, "empty": (*person).empty, "look": func(p *person, _ int) string { return p.panelLooks() },
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
	if grid := p.app.shell.center.grid.Selection(); !p.inViewer() && !slices.Equal(grid, n.Selection) {
		return fmt.Sprintf("the window shows %v as selected, not %v", grid, n.Selection)
	}
	if now := p.selected(); was.Chosen() && n.Query.Rating < 0 && n.Query.Text == "" && !slices.Contains(chooses, d.what) && !slices.Equal(selected, now) {
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
	want, kept := p.now, p.kept()
	if p.typing != "" { // the note may be stored at any time
		delete(kept, p.typing+"/note")
		want = make(marks)
		for key, value := range p.now {
			if key != p.typing+"/note" {
				want[key] = value
			}
		}
	}
	if diff := differences(want, kept); len(diff) > 0 {
		return fmt.Sprint(diff)
	}
	return ""
}

// another changes theme and language. The next key follows at once.
func (p *person) another() string {
	p.put()
	p.q.Until(p.t, "the other look", func() bool { return p.app.appearance == p.app.appearanceOf(p.store.Snapshot()) })
	if wrong := p.focus(); wrong != "" {
		return wrong
	}
	return p.digit(3)
}

// mark writes in the diary that the user has given the selected plots a mark.
func (p *person) mark(what, value string, ids ...string) {
	to := make(marks)
	for _, id := range ids {
		to[id+"/"+what] = value
	}
	p.write(to, true)
}

// click presses the mouse on a plot. Fyne's driver takes the focus from a field then.
func (p *person) click(n int, mod fyne.KeyModifier) string {
	p.grid()
	c := p.app.shell.center
	if len(c.ids) == 0 {
		return ""
	}
	id := c.ids[n%len(c.ids)]
	c.grid.Reveal(id)
	cell, ok := c.grid.CellOf(id).(desktop.Mouseable)
	if !ok {
		return id + " has no cell"
	}
	at := &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(50, 50)}, Button: desktop.MouseButtonPrimary, Modifier: mod}
	cell.MouseDown(at)
	cell.MouseUp(at)
	p.settled()
	if now := p.selected(); mod == 0 && !slices.Equal(now, []string{id}) {
		return fmt.Sprintf("%s was clicked, %v is selected", id, now)
	}
	return ""
}

func (p *person) right(int) string {
	selected, ids, comparing := p.selected(), p.app.shell.center.ids, p.app.shell.center.comparing
	p.key(fyne.KeyRight)
	if now := p.selected(); p.at != inWindow && !slices.Equal(now, selected) {
		return fmt.Sprintf("an arrow in a field selects %v", now)
	} else if p.at == inWindow && !comparing && len(selected) == 1 && slices.Contains(ids, selected[0]) { // else the filter hides it
		if want := ids[min(slices.Index(ids, selected[0])+1, len(ids)-1)]; !slices.Equal(now, []string{want}) {
			return fmt.Sprintf("right of %v is %s, not %v", selected, want, now)
		}
	}
	return ""
}

func (p *person) all(int) string {
	p.grid()
	p.command(&fyne.ShortcutSelectAll{})
	if now, all := len(p.selected()), len(p.app.shell.center.ids); now != all {
		return fmt.Sprintf("%d of %d are selected", now, all)
	}
	return ""
}

// digit types a digit: into the field that has the focus, or as stars.
func (p *person) digit(n int) string {
	r, ids := rune('0'+n%6), p.selected()
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
	ids := p.selected()
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
func (p *person) back(key fyne.Shortcut, expect func()) string {
	p.command(key)
	if p.at == inWindow {
		expect()
		return ""
	}
	p.key(fyne.KeyPageDown) // where the next key goes
	p.key(fyne.KeyEnd)
	p.text = p.focused().Text
	return ""
}

func (p *person) tag(n int) string {
	p.leave(0)
	ids := p.selected()
	if len(ids) == 0 {
		return ""
	}
	p.panel()
	p.char('t')
	f := p.focused()
	if f == nil {
		return "T does not go to the tags"
	}
	name := fmt.Sprint("tag", n%4)
	for _, r := range name {
		p.char(r)
	}
	p.key(fyne.KeyReturn)
	p.key(fyne.KeyEscape)
	p.mark("tag/"+name, "yes", ids...)
	return ""
}

func (p *person) title(n int) string {
	p.leave(0)
	ids := p.selected()
	if len(ids) != 1 || p.app.shell.center.comparing {
		return ""
	}
	p.panel()
	p.key(fyne.KeyF2)
	f := p.focused()
	if f == nil {
		return "F2 does not go to the title"
	}
	p.command(&fyne.ShortcutSelectAll{})
	p.names++
	name := fmt.Sprintf("Name %d of %d", p.names, n) // of no other plot
	for _, r := range name {
		p.char(r)
	}
	p.key(fyne.KeyReturn)
	p.mark("title", name, ids...)
	return ""
}

// note goes to the field for notes, and types.
func (p *person) note(n int) string {
	ids := p.selected()
	if p.at != inNote {
		p.leave(0)
		if len(ids) != 1 {
			return ""
		}
		p.panel()
		f := p.noteField()
		if f == nil {
			return "there is no field for notes"
		}
		p.app.win.Canvas().Focus(f)
		p.key(fyne.KeyPageDown)
		p.key(fyne.KeyEnd)
		p.at, p.typing, p.text = inNote, ids[0], p.now[ids[0]+"/note"]
	}
	typed := fmt.Sprint("n", n)
	for _, r := range typed {
		p.char(r)
	}
	p.text += typed
	return ""
}

// leave clicks beside a field.
func (p *person) leave(int) string {
	p.leaveWith(func() {
		p.app.win.Canvas().Unfocus()
		p.settled()
	})
	return ""
}

// leaveWith leaves a field. What was typed in it is kept.
func (p *person) leaveWith(how func()) {
	at, text := p.at, p.text
	if at == inWindow {
		return
	}
	how()
	p.at, p.text = inWindow, ""
	if at == inNote {
		p.noted(text)
	}
	if at == inCode {
		p.draft = text
	}
}

// noted writes in the diary that a note was typed.
func (p *person) noted(text string) {
	p.mark("note", text, p.typing)
	if p.typing = ""; p.store.Snapshot().Redo.Seq == 0 {
		p.undone = nil // a note was stored in between, but it is as before now
	}
}

func (p *person) version(n int) string {
	ids := slices.DeleteFunc(slices.Clone(p.app.shell.center.ids), func(id string) bool { return p.now[id+"/trashed"] != "" })
	if len(ids) == 0 {
		return ""
	}
	was, selected := ids[n%len(ids)], p.selected()
	id := p.arrive(was)
	if p.typing == was {
		p.typing = id
	}
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

// assistant has an assistant rate a plot.
func (p *person) assistant(n int) string {
	ids := p.app.shell.center.ids
	if p.at == inNote || len(ids) == 0 {
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
	text, typing := p.text, p.typing
	p.at, p.text = inWindow, ""
	p.stop()
	if wrong := p.withdraw(); wrong != "" {
		return wrong
	}
	p.start()
	if typing != "" {
		p.noted(text)
	}
	p.made, p.undone, p.begin = nil, nil, p.kept()
	if s := p.store.Snapshot().Settings; s.Theme != p.theme || s.Language != p.language {
		return fmt.Sprintf("after a restart the theme is %s and the language %s, not %s and %s", s.Theme, s.Language, p.theme, p.language)
	}
	return ""
}

func (p *person) undoAll(int) string {
	for n := 0; p.store.Snapshot().Undo.Seq != 0; n++ {
		if n > perSequence {
			return "there is always something left to undo"
		}
		p.command(&fyne.ShortcutUndo{})
		p.undo()
	}
	if diff := differences(p.begin, p.kept()); len(diff) > 0 {
		return fmt.Sprint("it is not as at the beginning: ", diff)
	}
	return ""
}

func (p *person) redoAll(int) string {
	for n := 0; p.store.Snapshot().Redo.Seq != 0; n++ {
		if n > perSequence {
			return "there is always something left to redo"
		}
		p.command(&fyne.ShortcutRedo{})
		p.redo()
	}
	if len(p.undone) > 0 {
		return fmt.Sprintf("%v cannot be redone", p.undone)
	}
	return ""
}
