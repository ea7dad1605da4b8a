package approvals

import (
	"path/filepath"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/window/asking"
)

// wide reports whether an answer can allow kinds of actions beyond its question, so that there is more than one choice.
func (p *Region) wide(q catalog.Approval) bool { return len(q.Kinds()) > 0 && !expired(q) }

// choices returns what the user can allow beyond the question.
func (p *Region) choices(q catalog.Approval) (all []command.ApprovalAnswer) {
	if p.wide(q) && q.Recognisable() {
		all = append(all, command.ApprovalAnswer{Kinds: command.KindsInSession})
	}
	if p.wide(q) && oversight.Lasting(q) {
		all = append(all, command.ApprovalAnswer{Kinds: command.KindsInProject})
	}
	if q.Trustable() {
		all = append(all, command.ApprovalAnswer{Session: true})
	}
	return all
}

// more lets the user choose what to allow beyond the displayed question, or allows everything in its session if that is all.
func (p *Region) more() {
	q, ok := p.question()
	if !ok || !p.wide(q) {
		p.Answer(true, true)
		return
	}
	k, what := p.k, asking.Kinds(p.k.Tr, q)
	var items []*fyne.MenuItem
	for _, c := range p.choices(q) {
		text := k.T("ask.everything_session")
		switch c.Kinds {
		case command.KindsInSession:
			if text = k.T("ask.kinds_session", what); q.SessionID == "" {
				text = k.T("ask.kinds_client", what)
			}
		case command.KindsInProject:
			text = k.T("ask.kinds_project", asking.ClientName(k.Tr, p.port.Snapshot(), q), asking.VisibleName(filepath.Base(q.Root)), what)
		case command.KindsOnce:
		}
		items = append(items, fyne.NewMenuItem(text, func() {
			if now, ok := p.question(); ok && now.ApprovalID == q.ApprovalID {
				p.answer(true, c)
			}
		}))
	}
	p.port.Menu(p.session, items...)
}
