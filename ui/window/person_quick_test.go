package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
)

// Deeds that do not wait for each other, or that are elsewhere than in the gallery.

// burst has two plots arrive at the same time.
func (p *person) burst(int) string {
	p.draw("")
	p.draw("")
	p.q.Drain()
	return ""
}

// quick goes to the next plot and rates it, before the window has answered, while plots arrive.
func (p *person) quick(n int) string {
	c := p.app.shell.gallery
	selected, ids := p.selected(), c.ids
	if p.at != inWindow || c.comparing || len(selected) != 1 || !slices.Contains(ids, selected[0]) {
		return ""
	}
	next := p.next()
	p.app.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyRight})
	p.draw("")
	if n%2 == 0 {
		p.q.Drain()
	}
	p.app.win.Canvas().OnTypedRune()('4')
	p.draw("")
	p.q.Drain()
	p.settled()
	p.mark("rating", "4", next)
	if now := p.selected(); !filtered(p.store.Snapshot()) && !slices.Equal(now, []string{next}) {
		return fmt.Sprintf("the next of %v is %s, %v is selected", selected, next, now)
	}
	return ""
}

// hide closes the window, which goes on in the tray, and shows it again.
func (p *person) hide(int) string {
	p.app.Hide()
	p.q.Until(p.t, "what was typed to be stored", func() bool { return p.app.requests.Pending() == 0 })
	if p.at == inNote {
		if note := p.kept()[p.of[0]+"/note"]; note != p.text {
			return fmt.Sprintf("the window is hidden, and the note is %q, not %q", note, p.text)
		}
	}
	p.arrive("")
	p.app.Show()
	return ""
}

// visit opens another page and comes back. No key of the gallery may mean anything there.
func (p *person) visit(n int) string {
	p.leave(0)
	p.windowed()
	p.app.shell.open([]page{pageConnect, pageSettings}[n%2])
	p.q.Until(p.t, "the page", p.app.shell.connect.Settled)
	if n%3 == 0 {
		p.arrive("")
		p.theme = []string{"light", "dark"}[n/3%2]
		p.put()
		p.rebuilt()
	}
	for _, r := range "3tc" {
		p.char(r)
	}
	for _, name := range []fyne.KeyName{fyne.KeyDelete, fyne.KeyF2, fyne.KeyRight} {
		p.key(name)
	}
	p.command(&fyne.ShortcutSelectAll{})
	if f := p.app.win.Canvas().Focused(); f != nil {
		return fmt.Sprintf("a key goes from another page to %T", f)
	}
	if p.key(fyne.KeyEscape); p.app.shell.page != pageGallery {
		return "Escape does not lead back to the gallery"
	}
	return ""
}

// fullscreen turns full screen on or off.
func (p *person) fullscreen(int) string {
	if p.at == inWindow {
		p.key(fyne.KeyF11)
	}
	return ""
}

// windowed leaves full screen.
func (p *person) windowed() {
	if p.app.shell.full {
		p.key(fyne.KeyF11)
	}
}

// toggle shows or hides the panel, with its key or its button.
func (p *person) toggle(n int) string {
	if n%2 == 0 {
		p.leave(0)
		p.char('p')
		return ""
	}
	p.leaveWith(p.app.togglePanel, true)
	return ""
}

// show has an assistant select or open a plot. The panel of a field that has the focus stays.
func (p *person) show(n int) string {
	ids := p.app.shell.gallery.ids
	if len(ids) == 0 || p.inTrash() {
		return ""
	}
	id, search := ids[n%len(ids)], p.store.Snapshot().Query.Text
	invoke(p.t, p.bus, []string{"select_file", "show_image_viewer"}[n/7%2], fmt.Sprintf(`{"path": %q}`, id))
	p.shown = true
	p.settled()
	if n := p.store.Snapshot(); n.Query.Text == search && !slices.Equal(n.Selection, []string{id}) { // else the search begins, and may hide it
		return fmt.Sprintf("an assistant showed %s, %v is selected", id, n.Selection)
	}
	if p.app.shell.full && !p.app.shell.over && p.at != inCode { // no field is shown then
		p.leaveWith(func() {}, true)
	}
	return ""
}

// ends goes to the first or the last plot.
func (p *person) ends(n int) string {
	c := p.app.shell.gallery
	if p.at != inWindow || c.comparing || len(c.ids) == 0 {
		return ""
	}
	key, want := fyne.KeyHome, c.ids[0]
	if n%2 == 1 {
		key, want = fyne.KeyEnd, c.ids[len(c.ids)-1]
	}
	if p.key(key); !slices.Equal(p.selected(), []string{want}) {
		return fmt.Sprintf("%s selects %v, not %s", key, p.selected(), want)
	}
	return ""
}

// space adds a plot to the selection, or removes it.
func (p *person) space(int) string {
	was, c := p.selected(), p.app.shell.gallery
	if p.at != inWindow {
		return ""
	}
	p.key(fyne.KeySpace)
	if now := p.selected(); !p.inViewer() && !c.comparing && len(c.ids) > 0 && max(len(was)-len(now), len(now)-len(was)) != 1 {
		return fmt.Sprintf("Space selects %v instead of %v", now, was)
	}
	return ""
}
