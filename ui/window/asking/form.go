package asking

import (
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
)

// Form returns a question as the chat of a client or a terminal shows it, in the language of the settings. approvals are the answers
// that allow what it asks about; see oversight.Approvals.
func Form(n *state.Snapshot, q catalog.Approval, approvals []command.ApprovalAnswer) *catalog.QuestionForm {
	tr := i18n.New(n.Settings.Language)
	parts := []string{Title(tr, n, q)}
	if reasons := Reasons(tr, q); len(reasons) > 0 {
		parts = append(parts, strings.Join(reasons, "\n"))
	}
	if facts := Facts(tr, q, time.Now()); facts != "" && q.Code == "" {
		parts = append(parts, facts)
	}
	if q.Code != "" {
		parts = append(parts, fenced(VisibleCode(q.Code)))
	}
	f := &catalog.QuestionForm{Message: strings.Join(parts, "\n\n"), Label: tr.T("ask.form_answer"), Words: tr.T("ask.reason")}
	inChat(tr, n, q, f)
	for _, a := range approvals {
		f.Choices = append(f.Choices, approvalText(tr, q, a))
	}
	f.Choices = append(f.Choices, tr.T("ask.form_no"))
	return f
}

// fenced puts code between lines that it cannot end, so that a client that renders Markdown shows all of it as it is.
func fenced(code string) string {
	longest := 2
	for run := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimRight(code, "\n") + "\n" + fence
}

// approvalText says what an approval allows.
func approvalText(tr *i18n.Catalog, q catalog.Approval, a command.ApprovalAnswer) string {
	switch {
	case a.Kinds == command.KindsInSession && q.SessionID == "":
		return tr.T("ask.kinds_client", Kinds(tr, q))
	case a.Kinds == command.KindsInSession:
		return tr.T("ask.kinds_session", Kinds(tr, q))
	case q.Project != nil:
		return tr.T("ask.form_project")
	default:
		return tr.T("ask.form_once")
	}
}
