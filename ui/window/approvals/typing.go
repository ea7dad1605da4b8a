package approvals

import (
	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// A Typing is what the user is typing in a region, and has read, for the region that replaces
// it.
type Typing struct {
	id, about string // the question
	read      bool   // the end of its code has been shown
	reason    kit.Caret
	code      kit.Caret
}

// Typing returns what the user is typing. focused is what has the keyboard focus.
func (p *Region) Typing(focused fyne.Focusable) *Typing {
	t := &Typing{id: p.id, about: p.about, read: p.seen.ended, reason: p.reason.Caret(focused)}
	if p.editor != nil {
		t.code = p.editor.Caret(focused)
	}
	return t
}

// Resume continues what the user was typing in another region, once its question is shown. It
// must be called before Render.
func (p *Region) Resume(t *Typing) { p.resume = t }

// resumed continues in the question that is shown now.
func (p *Region) resumed() {
	t := p.resume
	if p.resume = nil; t == nil || t.id != p.id || t.about != p.about {
		return
	}
	p.seen.ended = t.read
	p.reason.Resume(t.reason, p.port.Focus)
	if p.editor != nil {
		p.editor.Resume(t.code, p.port.Focus)
	}
}
