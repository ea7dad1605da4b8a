package approvals

import (
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/roster"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/questions"
	"easel/ui/window/sidebar"
)

// title says who wants what.
func (p *Region) title(n *state.Snapshot, q catalog.Approval) string {
	k, who := p.k, clientName(p.k, n, q)
	switch {
	case q.Check:
		return k.T("ask.head_check", who)
	case q.Kernel != nil:
		return k.T("ask.head_kernel", who, sidebar.KernelTitle(*q.Kernel))
	case q.Project != nil:
		return k.T("ask.head_project", who, visibleName(q.Project.Name))
	case q.Tool == catalog.SessionRestart.Name():
		return k.T("ask.head_restart", who, questions.SessionName(n, q.SessionID))
	case q.Tool == catalog.SessionDelete.Name():
		return k.T("ask.head_end", who, questions.SessionName(n, q.SessionID))
	case q.Kind == tool.Notebooks:
		return k.T("ask.head_notebook", who, visibleName(q.Target))
	case q.Tool != "":
		return k.T("ask.head_gallery", who)
	default:
		return k.T("ask.head", who, questions.SessionName(n, q.SessionID))
	}
}

// clientName returns what the one that asks is called. One with a token of its own has the name that the user knows it by. One of the
// others that calls itself like such a one is not verified.
func clientName(k *kit.Kit, n *state.Snapshot, q catalog.Approval) string {
	if q.Assistant != "" && q.Assistant != tool.Others {
		if name := roster.NameOf(n.Assistant(q.Assistant)); name != "" {
			return name
		}
	}
	if q.Assistant == tool.Others && slices.ContainsFunc(n.Assistants, func(a state.Assistant) bool { return claims(q.Client, a) }) {
		return k.T("ask.unverified", q.Client)
	}
	return q.Client
}

// claims reports whether a client calls itself like an assistant that has a token of its own, or like its program.
func claims(client string, a state.Assistant) bool {
	if a.Gone || a.ID == tool.Others || a.Last.IsZero() {
		return false
	}
	program, _ := roster.ProgramOf(a.ID)
	claimed, ok := clients.Find(client)
	return ok && claimed.Name == program.Name || strings.Contains(strings.ToLower(client), strings.ToLower(roster.NameOf(a)))
}

// toolText says what a call would do whose parameters say nothing to the user.
func toolText(k *kit.Kit, q catalog.Approval) string {
	if q.Tool == catalog.SessionDelete.Name() {
		return k.T("ask.end_text")
	}
	return k.T("ask.restart_text")
}
