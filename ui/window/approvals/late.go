package approvals

import (
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// expired reports whether nobody answered the question in time.
func expired(q catalog.Approval) bool { return q.Outcome != "" }

// behind says how far a question stays behind others: those for whose answers an assistant may wait
// come first.
func behind(q catalog.Approval) int {
	switch {
	case expired(q):
		return 2
	case q.Deserted || q.Returned && !q.IsCode(): // the user may be reading the code
		return 1
	default:
		return 0
	}
}

// answerable returns the questions that have expired and can still be answered. Those about
// code of ended sessions cannot, because the code will not be sent there again.
func answerable(n *state.Snapshot) []catalog.Approval {
	return slices.DeleteFunc(slices.Clone(n.Expired), func(q catalog.Approval) bool {
		_, live := n.Session(q.SessionID)
		return q.IsCode() && !live
	})
}

// explain sets the note and the tips, which say what an answer to the question does now.
func (p *Region) explain(q catalog.Approval) {
	note, approve, deny := "", "ask.approve_tip", "ask.deny_tip"
	if q.Kernel != nil {
		approve, deny = "ask.connect_tip", "ask.deny_kernel_tip"
	}
	if q.Project != nil {
		approve, deny = "ask.allow_project_tip", "ask.deny_project_tip"
	}
	if q.Tool != "" {
		approve, deny = "ask.allow_tool_tip", "ask.deny_tool_tip"
	}
	switch {
	case q.Returned && q.Tool != "":
		note = "ask.returned_tool_text"
	case expired(q) && q.Project != nil:
		note, deny = "ask.expired_project_text", "ask.deny_project_late_tip"
	case q.Returned && q.Project != nil:
		note, deny = "ask.returned_project_text", "ask.deny_project_late_tip"
	case expired(q) && q.Kernel != nil:
		note, approve, deny = "ask.expired_kernel_text", "ask.connect_next_tip", "ask.deny_kernel_late_tip"
	case expired(q):
		note, approve, deny = "ask.expired_text", "ask.approve_next_tip", "ask.deny_late_tip"
	case q.Returned && q.Kernel != nil:
		note, deny = "ask.returned_kernel_text", "ask.deny_kernel_late_tip"
	case q.Returned:
		note, deny = "ask.returned_text", "ask.deny_late_tip"
	}
	p.approve.SetTip(p.k.T(approve))
	p.deny.SetTip(p.k.T(deny))
	if note != "" {
		p.note.Set(p.k.T(note))
	}
	if shown := note != "" && !p.port.Fullscreen(); shown != p.note.Visible() {
		kit.SetVisible(p.note, shown)
		p.port.Relayout()
	}
}

// outcome returns the ID of the message that follows an answer.
func outcome(q catalog.Approval, in command.ApprovalAnswer) string {
	switch {
	case in.Session:
		return "ask.allowed"
	case in.Kinds != command.KindsOnce || in.Approve && q.Tool != "":
		return "ask.kinds_allowed"
	case in.Approve && expired(q):
		return "ask.approved_next"
	case in.Approve && q.Returned:
		return "ask.approved_late"
	case in.Approve:
		return "ask.approved"
	case expired(q) || q.Returned:
		return "ask.denied_late"
	default:
		return "ask.denied"
	}
}
