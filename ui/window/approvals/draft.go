package approvals

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// A Draft is what the user is typing in a region, and has read, for the region that replaces
// it.
type Draft struct {
	id, about string // the question
	read      bool   // the end of its code has been shown
	reason    kit.Caret
	code      kit.Caret
}

// Draft returns what the user is typing. focused is what has the keyboard focus.
func (p *Region) Draft(focused fyne.Focusable) *Draft {
	d := &Draft{id: p.id, about: p.about, read: p.seen.ended, reason: p.reason.Caret(focused)}
	if p.editor != nil {
		d.code = p.editor.Caret(focused)
	}
	return d
}

// Resume continues what the user was typing in another region, once its question is shown. It
// must be called before Render.
func (p *Region) Resume(d *Draft) { p.resume = d }

// resumed continues in the question that is shown now.
func (p *Region) resumed() {
	d := p.resume
	if p.resume = nil; d == nil || d.id != p.id || d.about != p.about {
		return
	}
	p.seen.ended = d.read
	p.reason.Resume(d.reason, p.port.Focus)
	if p.editor != nil {
		p.editor.Resume(d.code, p.port.Focus)
	}
}
