package asking

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/window/i18n"
)

// mostReasons is how many reasons are named.
const mostReasons = 3

// kindTexts say what code or a call of a kind may do.
var kindTexts = map[string]string{
	"files": "risk.files", "network": "risk.network", "programs": "risk.programs", "packages": "risk.packages", "secrets": "risk.secrets",
	"variable": "risk.variable", "unseen": "risk.unseen",
	"notebooks": "assistants.kind_notebooks", "sessions": "assistants.kind_sessions", "gallery": "assistants.kind_gallery",
}

// Reasons say because of which lines the user is asked.
func Reasons(tr *i18n.Catalog, q catalog.Approval) (lines []string) {
	for i, r := range q.Risks {
		if i == mostReasons {
			return append(lines, tr.N("risk.more", len(q.Risks)-i))
		}
		lines = append(lines, tr.T("risk.line", ShownLine(q.Code, r.Line), tr.T(kindTexts[r.Kind]), VisibleName(r.What)))
	}
	return lines
}

// Kinds says of which kinds a question is.
func Kinds(tr *i18n.Catalog, q catalog.Approval) string {
	kinds := make([]string, 0, 3)
	for _, kind := range q.Kinds() {
		kinds = append(kinds, tr.T(kindTexts[kind]))
	}
	return strings.Join(kinds, tr.T("ask.and"))
}
