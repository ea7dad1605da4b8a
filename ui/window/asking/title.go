package asking

import (
	"slices"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/clients"
	"easel/ui/core/roster"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// Title says who wants what.
func Title(tr *i18n.Catalog, n *state.Snapshot, q catalog.Approval) string {
	who, session := VisibleName(ClientName(tr, n, q)), VisibleName(n.SessionName(q.SessionID))
	switch {
	case q.Check:
		return tr.T("ask.head_check", who)
	case q.Kernel != nil:
		return tr.T("ask.head_kernel", who, VisibleName(KernelTitle(*q.Kernel)))
	case q.Project != nil:
		return tr.T("ask.head_project", who, VisibleName(q.Project.Name))
	case q.Tool == catalog.SessionRestart.Name():
		return tr.T("ask.head_restart", who, session)
	case q.Tool == catalog.SessionDelete.Name():
		return tr.T("ask.head_end", who, session)
	case q.Kind == tool.Notebooks:
		return tr.T("ask.head_notebook", who, VisibleName(q.Target))
	case q.Tool != "":
		return tr.T("ask.head_gallery", who)
	default:
		return tr.T("ask.head", who, session)
	}
}

// ClientName returns what the one that asks is called. One with a token of its own has the name that the user knows it by. One of the
// others that calls itself like such a one is not verified.
func ClientName(tr *i18n.Catalog, n *state.Snapshot, q catalog.Approval) string {
	if q.Assistant != "" && q.Assistant != tool.Others {
		if name := roster.NameOf(n.Assistant(q.Assistant)); name != "" {
			return name
		}
	}
	if q.Assistant == tool.Others && slices.ContainsFunc(n.Assistants, func(a state.Assistant) bool { return claims(q.Client, a) }) {
		return tr.T("ask.unverified", q.Client)
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
func toolText(tr *i18n.Catalog, q catalog.Approval) string {
	if q.Tool == catalog.SessionDelete.Name() {
		return tr.T("ask.end_text")
	}
	return tr.T("ask.restart_text")
}
