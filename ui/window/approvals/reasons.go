package approvals

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/window/kit"
)

// mostReasons is how many reasons are named.
const mostReasons = 3

// kindTexts say what code or a call of a kind may do.
var kindTexts = map[string]string{
	"files": "risk.files", "network": "risk.network", "programs": "risk.programs", "packages": "risk.packages", "secrets": "risk.secrets",
	"variable": "risk.variable", "unseen": "risk.unseen",
	"notebooks": "assistants.kind_notebooks", "sessions": "assistants.kind_sessions", "gallery": "assistants.kind_gallery",
}

// reasons shows because of which lines the user is asked.
func (p *Region) reasons(q catalog.Approval) {
	k := p.k
	var lines []string
	for i, r := range q.Risks {
		if i == mostReasons {
			lines = append(lines, k.Tr.N("risk.more", len(q.Risks)-i))
			break
		}
		lines = append(lines, k.T("risk.line", shownLine(q.Code, r.Line), k.T(kindTexts[r.Kind]), visibleName(r.What)))
	}
	if len(lines) > 0 {
		p.why.Set(strings.Join(lines, "\n"))
	}
	if shown := len(lines) > 0 && p.editor == nil && !p.port.Fullscreen(); shown != p.why.Visible() {
		kit.SetVisible(p.why, shown)
		p.port.Relayout()
	}
}
