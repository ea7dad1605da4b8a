package properties

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// A Typing is what the user is typing in a panel, for the panel that replaces it.
type Typing struct {
	ids    []string
	title  bool
	focus  int // the index of the field that has the focus
	text   string
	row    int
	column int
	halves map[string]string
}

// fields returns the fields of an edit; nil for those that it does not have.
func (e *edit) fields() []*kit.Field { return []*kit.Field{e.title, e.note, e.tag} }

// focused reports whether a field has the keyboard focus.
func (p *Panel) focused(f *kit.Field) bool { return f != nil && p.act.Focused() == fyne.Focusable(f) }

// typing reports whether one of the panel's fields has the keyboard focus, or gets it back.
func (p *Panel) typing() bool {
	return p.resume != nil || p.edit != nil && slices.ContainsFunc(p.edit.fields(), p.focused)
}

// release shows what was selected while a field had the focus. Fyne calls it while it moves
// the focus.
func (p *Panel) release() {
	p.k.Do(func() {
		if p.next != nil && !p.typing() {
			p.Select(p.next, p.seen)
		}
	})
}

// mostHalves is the largest number of selections whose unfinished tag is remembered.
const mostHalves = 100

// keepTag remembers the tag that is not finished.
func (p *Panel) keepTag() {
	e := p.edit
	if e == nil || e.tag == nil {
		return
	}
	if len(p.halves) >= mostHalves {
		clear(p.halves)
	}
	if key := strings.Join(e.ids, " "); e.tag.Text != "" {
		p.halves[key] = e.tag.Text
	} else {
		delete(p.halves, key)
	}
}

// Typing returns what the user is typing.
func (p *Panel) Typing() *Typing {
	p.keepTag()
	t := &Typing{halves: p.halves}
	if p.resume != nil {
		return p.resume
	}
	if p.edit == nil {
		return t
	}
	for i, f := range p.edit.fields() {
		if p.focused(f) {
			t.ids, t.focus, t.title, t.text, t.row, t.column = p.edit.ids, i, f == p.edit.title, f.Text, f.CursorRow, f.CursorColumn
		}
	}
	return t
}

// Resume continues what the user was typing in another panel. It must be called before
// Select.
func (p *Panel) Resume(t *Typing) {
	p.halves = t.halves
	if t.ids != nil {
		p.resume = t
		p.ids = t.ids
		p.asked++
		p.reader.ask(p.ids, p.asked)
	}
}

// resumed gives the focus back to the field in which the user was typing.
func (p *Panel) resumed() {
	t := p.resume
	if t == nil || !p.Settled() {
		return
	}
	p.resume = nil
	if len(p.shown.images) == 0 {
		p.release()
		return
	}
	if t.title {
		p.Rename()
	}
	if f := p.edit.fields()[t.focus]; f != nil {
		if f.Text != t.text {
			f.SetText(t.text)
		}
		p.act.Focus(f)
		f.CursorRow, f.CursorColumn = t.row, t.column
		f.Refresh()
	}
}
