package approvals

import (
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/window/kit"
)

// step shows another open question.
func (p *Region) step(by int) {
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	if n := len(p.open); n > 1 {
		s := p.port.Snapshot()
		p.chosen = p.open[(i+by+n)%n].ApprovalID
		p.show(p.open[(i+by+n)%n])
		p.update(s, (i+by+n)%n)
	}
}

func (p *Region) question() (catalog.Approval, bool) {
	i := slices.IndexFunc(p.open, func(q catalog.Approval) bool { return q.ApprovalID == p.id })
	if i < 0 {
		return catalog.Approval{}, false
	}
	return p.open[i], true
}

// Answer answers the displayed question if the user can answer it now. It approves nothing
// whose end has not been shown. If session is true, the answer also applies to everything
// that the client runs in this session later.
func (p *Region) Answer(yes, session bool) { p.answer(yes, command.ApprovalAnswer{Session: session}) }

// answer is Answer with what the user allows beyond the question.
func (p *Region) answer(yes bool, in command.ApprovalAnswer) {
	q, ok := p.question()
	if !ok || !p.Ready() || p.port.Fullscreen() {
		return
	}
	if yes && !p.read() {
		p.port.Say(kit.MarkNone, p.k.T("ask.unread"))
		return
	}
	in.ApprovalID, in.Approve, in.Words = q.ApprovalID, yes, strings.TrimSpace(p.reason.Text)
	in.Session = in.Session && q.IsCode() // a permission to connect allows no code
	if draft, ok := p.port.Drafts[q.ApprovalID]; yes && ok && draft != q.Code {
		in.Code = draft
	}
	p.send(in, outcome(q, in))
}

// send sends the answer to the displayed question, and then says the message with the ID
// said, if it is not "".
func (p *Region) send(in command.ApprovalAnswer, said string) {
	in.ApprovalID = p.id
	p.sent = p.id
	p.buttons()
	p.port.Answer(in, func(err error) {
		delete(p.port.Drafts, in.ApprovalID)
		if err != nil {
			p.sent = ""
			p.buttons()
			return
		}
		if said != "" {
			p.port.Say(kit.MarkCheck, p.k.T(said))
		}
	})
}
