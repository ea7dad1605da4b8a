package window

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
)

// Deeds with fields. A person may do anything else while a text is not finished.

// prompts are the placeholders of fields, by where the keys go.
var prompts = map[place]string{inNote: "properties.add_note", inTag: "properties.add_tag", inSearch: "top.search"}

// enter goes to a field of the panel with a key, or else by a click.
func (p *person) enter(at place, ids []string, key func()) string {
	if !p.app.shell.full && !p.app.shell.props.Object().Visible() && key == nil {
		p.char('p')
	}
	p.panel()
	if key != nil {
		key()
		p.panel()
	} else if f := p.fieldOf(inNote); f != nil {
		p.app.win.Canvas().Focus(f)
		p.key(fyne.KeyPageDown)
	}
	p.at, p.of, p.noted = at, ids, 0
	if f := p.focused(); f != nil {
		p.key(fyne.KeyEnd)
		p.text = f.Text
	}
	return p.focus()
}

// types types characters into the field that has the focus.
func (p *person) types(text string) {
	for _, r := range text {
		p.char(r)
	}
	p.text += text
}

// note goes to the field for notes, and types.
func (p *person) note(n int) string {
	if p.at != inNote {
		p.leave(0)
		p.windowed()
		ids := p.subject()
		if len(ids) != 1 {
			return ""
		}
		if wrong := p.enter(inNote, ids, nil); wrong != "" {
			return wrong
		}
		if want := p.now[ids[0]+"/note"]; p.text != want {
			return fmt.Sprintf("the note is %q, want %q", p.text, want)
		}
	}
	p.types(fmt.Sprint("n", n))
	return ""
}

// name types a title, and does not finish it.
func (p *person) name(n int) string {
	if p.at != inTitle {
		p.leave(0)
		ids := p.subject()
		if len(ids) != 1 || p.app.shell.gallery.comparing {
			return ""
		}
		if wrong := p.enter(inTitle, ids, func() { p.key(fyne.KeyF2) }); wrong != "" {
			return wrong
		}
		p.command(&fyne.ShortcutSelectAll{})
		p.names++
		p.text = ""
		p.types(fmt.Sprintf("N%d.", p.names)) // of no other plot
	}
	p.types(fmt.Sprint("t", n))
	return ""
}

// title renames a plot.
func (p *person) title(n int) string {
	p.leave(0)
	if wrong := p.name(n); wrong != "" {
		return wrong
	}
	if p.at == inTitle {
		p.command(&fyne.ShortcutSelectAll{})
		p.text = ""
		p.types(fmt.Sprintf("Name %d of %d", p.names, n))
	}
	return p.finish(0)
}

// half types a tag, and does not finish it.
func (p *person) half(n int) string {
	if p.at != inTag {
		p.leave(0)
		ids := p.subject()
		if len(ids) == 0 {
			return ""
		}
		if wrong := p.enter(inTag, ids, func() { p.char('t') }); wrong != "" {
			return wrong
		}
		if want := p.halves[strings.Join(ids, " ")]; p.text != want {
			return fmt.Sprintf("the unfinished tag is %q, want %q", p.text, want)
		}
	}
	p.types(fmt.Sprint("h", n))
	return ""
}

// tag tags what is selected.
func (p *person) tag(n int) string {
	p.leave(0)
	if wrong := p.half(n); wrong != "" || p.at != inTag {
		return wrong
	}
	p.command(&fyne.ShortcutSelectAll{})
	p.text = ""
	p.types(fmt.Sprint("tag", n%4))
	if wrong := p.finish(0); wrong != "" {
		return wrong
	}
	return p.escape(0)
}

// find types a search, and stays in the field.
func (p *person) find(n int) string {
	p.leave(0)
	p.command(ctrl(fyne.KeyF))
	p.at, p.text = inSearch, ""
	if wrong := p.focus(); wrong != "" {
		return wrong
	}
	p.command(&fyne.ShortcutSelectAll{})
	p.types([]string{"tag1", "Name", "Plot", "nowhere"}[n%4])
	return p.focus()
}

// finish presses Enter in a field of one line in the panel.
func (p *person) finish(int) string {
	switch p.at {
	case inTitle:
		p.leaveWith(func() { p.key(fyne.KeyReturn) }, true)
	case inTag:
		p.key(fyne.KeyReturn)
		if p.text != "" {
			p.mark("tag/"+p.text, "yes", p.of...)
			p.text = ""
		}
	case inWindow, inNote, inSearch, inCode:
	}
	return ""
}

// leave clicks beside a field.
func (p *person) leave(int) string {
	p.leaveWith(func() {
		p.app.win.Canvas().Unfocus()
		p.settled()
	}, true)
	return ""
}

// leaveWith leaves a field. What was typed in it is kept, except for a title that is discarded.
func (p *person) leaveWith(how func(), keep bool) {
	if p.at == inTitle && strings.TrimSpace(p.text) == "" { // after undo
		p.names++
		p.types(fmt.Sprint("Z", p.names))
	}
	at, text := p.at, p.text
	if at == inWindow {
		return
	}
	how()
	p.at, p.text = inWindow, ""
	if at != inTitle || keep {
		p.typed(at, text)
	}
}

// typed writes in the diary that the user has finished a text.
func (p *person) typed(at place, text string) {
	switch at {
	case inTitle:
		p.mark("title", strings.TrimSpace(text), p.of...)
	case inTag:
		p.halves[strings.Join(p.of, " ")] = text
	case inCode:
		p.draft = text
	case inNote:
		if key := p.of[0] + "/note"; p.now[key] != text {
			if p.noted > 0 { // one step of undo for all that is typed
				p.set(key, p.made[p.noted-1][key][0])
				p.made = slices.Delete(p.made, p.noted-1, p.noted)
			}
			p.mark("note", text, p.of...)
			p.noted = len(p.made)
		}
		if p.store.Snapshot().Redo.Seq == 0 {
			p.undone = nil // a note was stored in between, but it is as before now
		}
	case inWindow, inSearch:
	}
}

// succeeded says that a plot has a newer version, for what is typed about it.
func (p *person) succeeded(was, now string) {
	renamed := func(ids []string) []string {
		ids = slices.Clone(ids)
		for i := range ids {
			if ids[i] == was {
				ids[i] = now
			}
		}
		return ids
	}
	p.of = renamed(p.of)
	halves := make(map[string]string)
	for ids, text := range p.halves {
		halves[strings.Join(renamed(strings.Fields(ids)), " ")] = text
	}
	p.halves = halves
}
