package properties

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/library/feed"
	"easel/ui/window/kit"
)

// A Draft is what a panel shows, and what the user is typing in it, for the panel that
// replaces it.
type Draft struct {
	shown  facts
	ids    []string
	seen   uint64
	stale  bool // what was selected or has changed is still being read
	field  int  // the index of the field that has the focus, or -1
	caret  kit.Caret
	title  bool // the field is that of the title
	halves map[string]string
}

// fields returns the fields of an edit; nil for those that it does not have.
func (e *edit) fields() []*kit.Field { return []*kit.Field{e.title, e.note, e.tag} }

// focused reports whether a field has the keyboard focus.
func (p *Panel) focused(f *kit.Field) bool { return f != nil && p.act.Focused() == fyne.Focusable(f) }

// Busy reports whether one of the panel's fields has the keyboard focus.
func (p *Panel) Busy() bool {
	return p.edit != nil && slices.ContainsFunc(p.edit.fields(), p.focused)
}

// release shows what was selected while a field had the focus. Fyne calls it while it moves
// the focus.
func (p *Panel) release() {
	p.k.Do(func() {
		if p.Busy() {
			return
		}
		if p.next != nil {
			p.Select(p.next, p.seen)
		}
		p.act.Left()
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

// half returns the tag that is not finished for a selection. It may have been typed for an earlier version of a figure.
func (p *Panel) half(ids []string) string {
	for key, text := range p.halves {
		if renewed := p.renewed(key); renewed != key {
			delete(p.halves, key)
			p.halves[renewed] = text
		}
	}
	return p.halves[strings.Join(ids, " ")]
}

// renewed returns the key in halves of the newest versions of plots.
func (p *Panel) renewed(key string) string {
	ids := strings.Fields(key)
	for i, id := range ids {
		if p.act.Newer != nil {
			ids[i] = p.act.Newer(id)
		}
	}
	return strings.Join(ids, " ")
}

// Draft returns what the panel shows, and what the user is typing.
func (p *Panel) Draft() *Draft {
	p.keepTag()
	d := &Draft{shown: p.shown, ids: p.ids, seen: p.seen, stale: !p.Settled(), field: -1, halves: p.halves}
	if p.edit == nil {
		return d
	}
	for i, f := range p.edit.fields() {
		if p.focused(f) {
			d.field, d.title, d.caret = i, f == p.edit.title, f.Caret(f)
		}
	}
	return d
}

// Resume shows at once what another panel showed, and continues what the user was typing in it:
// no key must go elsewhere in between. The panel must be in the window.
func (p *Panel) Resume(d *Draft) {
	p.halves = d.halves
	p.ids, p.seen = d.ids, d.seen
	if d.stale {
		p.asked++
		p.reader.ask(p.ids, p.asked, ^feed.What(0))
	}
	shown := d.shown
	shown.ask = 0
	p.show(shown)
	if d.field < 0 || p.edit == nil {
		return
	}
	if d.title {
		p.Rename()
	}
	if f := p.edit.fields()[d.field]; f != nil {
		f.Resume(d.caret, p.act.Focus)
	}
}
