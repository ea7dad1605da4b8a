package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/state"
	"easel/ui/window/kit"
)

func (p *person) inViewer() bool { return p.app.shell.gallery.mode == state.Viewer }

// grid returns to the grid with Escape, as a person does who wants to click there.
func (p *person) grid() {
	p.leave(0)
	for p.inViewer() || p.app.shell.gallery.comparing {
		p.key(fyne.KeyEscape)
	}
}

// open opens the viewer with Enter.
func (p *person) open(int) string {
	p.grid()
	ids := p.selected()
	if len(ids) != 1 || !slices.Contains(p.app.shell.gallery.ids, ids[0]) {
		return ""
	}
	p.key(fyne.KeyReturn)
	return p.opened(ids)
}

// opened checks that the viewer shows a plot; a plot in the trash stays closed.
func (p *person) opened(ids []string) string {
	now := p.selected()
	switch {
	case p.inTrash() && (p.inViewer() || !slices.Equal(now, ids)):
		return fmt.Sprintf("a plot in the trash is opened, or %v is selected", now)
	case !p.inTrash() && (!p.inViewer() || !slices.Equal(now, ids)):
		return fmt.Sprintf("%v was opened, the window shows %v", ids, now)
	}
	return ""
}

// escape leaves a field, the comparison or the viewer; else it deselects, and then ends the
// search.
func (p *person) escape(int) string {
	was, viewer, comparing, full := p.selected(), p.inViewer(), p.app.shell.gallery.comparing, p.store.Snapshot().Fullscreen
	search, over := p.store.Snapshot().Query.Text, p.app.shell.over
	if p.at != inWindow {
		p.leaveWith(func() { p.key(fyne.KeyEscape) }, false)
		if now := p.selected(); p.store.Snapshot().Query.Text == search && !slices.Equal(now, was) { // else the search begins
			return fmt.Sprintf("Escape in a field selects %v instead of %v", now, was)
		}
		return ""
	}
	p.key(fyne.KeyEscape)
	now, n := p.selected(), p.store.Snapshot()
	switch {
	case over:
		if p.app.shell.over || !p.app.shell.full || !slices.Equal(now, was) {
			return fmt.Sprintf("Escape does not hide the properties over a plot, or it selects %v instead of %v", now, was)
		}
	case full:
		if n.Fullscreen || !slices.Equal(now, was) {
			return fmt.Sprintf("Escape does not leave full screen, or it selects %v instead of %v", now, was)
		}
	case comparing:
		if p.app.shell.gallery.comparing || !slices.Equal(now, was) {
			return fmt.Sprintf("Escape does not end the comparison, or it selects %v instead of %v", now, was)
		}
	case viewer:
		if p.inViewer() {
			return "Escape does not close the viewer"
		}
	case len(p.app.shell.gallery.ids) > 0 && len(was) > 0:
		if len(now) > 0 || n.Query.Text != search {
			return fmt.Sprintf("Escape leaves %v selected, and the search %q", now, n.Query.Text)
		}
	case n.Query.Text != "":
		return fmt.Sprintf("Escape does not end the search %q", n.Query.Text)
	}
	return ""
}

// compare compares what is selected.
func (p *person) compare(int) string {
	p.grid()
	ids := p.selected()
	p.char('c')
	if got := p.app.shell.gallery.comparing; got != (len(ids) >= 2 && len(ids) <= 4 && !p.inTrash()) {
		return fmt.Sprintf("C with %v selected compares: %v", ids, got)
	}
	return ""
}

// search types a search, and goes to the results or leaves the field.
func (p *person) search(n int) string {
	if wrong := p.find(n); wrong != "" {
		return wrong
	}
	text := p.text
	key := []fyne.KeyName{fyne.KeyReturn, fyne.KeyDown, fyne.KeyEscape}[n/4%3]
	p.key(key)
	p.q.Until(p.t, "the search", func() bool { return p.store.Snapshot().Query.Text == text })
	p.settled()
	list := p.expected()
	if key == fyne.KeyEscape || len(list) > 0 {
		p.at, p.text = inWindow, ""
	}
	if now := p.selected(); key != fyne.KeyEscape && len(list) > 0 && !slices.Equal(now, list[:1]) {
		return fmt.Sprintf("a search for %q selects %v, not the first of %v", text, now, list)
	}
	return ""
}

// tapped taps a button of the dialog that is open. It reports whether there is one.
func (p *person) tapped(label string) bool {
	top := p.app.win.Canvas().Overlays().Top()
	if top == nil {
		return false
	}
	for _, o := range test.LaidOutObjects(top) {
		if b, ok := o.(*kit.Button); ok && b.Text() == p.app.shell.k.T(label) {
			test.Tap(b)
			p.settled()
			return true
		}
	}
	return false
}

// purge deletes what is selected in the trash, or does not.
func (p *person) purge(n int) string {
	p.leave(0)
	ids := p.selected()
	if !p.inTrash() || len(ids) == 0 {
		return ""
	}
	p.key(fyne.KeyDelete)
	return p.deleted(n, ids)
}

// shred deletes what is selected, or the current side of a comparison, with Shift+Delete, or does not.
func (p *person) shred(n int) string {
	p.leave(0)
	ids := p.subject()
	p.command(&fyne.ShortcutCut{Secondary: true})
	if len(ids) == 0 {
		return ""
	}
	return p.deleted(n, ids)
}

// deleted answers the question before plots are deleted.
func (p *person) deleted(n int, ids []string) string {
	switch {
	case n%3 == 0:
		p.key(fyne.KeyEscape)
	case p.tapped("trash.delete_yes"):
		p.forget(ids)
	default:
		return "nobody asks before plots are deleted"
	}
	if p.app.win.Canvas().Overlays().Top() != nil {
		return "the question stays"
	}
	return ""
}

// empty empties the trash.
func (p *person) empty(int) string {
	p.leave(0)
	p.app.edits.EmptyTrash()
	if !p.tapped("trash.empty") {
		return "nobody asks before the trash is emptied"
	}
	var ids []string
	for _, id := range p.born {
		if p.now[id+"/trashed"] != "" {
			ids = append(ids, id)
		}
	}
	p.forget(ids)
	return ""
}
