package approvals

import (
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/window/asking"
	"easel/ui/window/kit"
)

// reasons shows because of which lines the user is asked.
func (p *Region) reasons(q catalog.Approval) {
	lines := asking.Reasons(p.k.Tr, q)
	if len(lines) > 0 {
		p.why.Set(strings.Join(lines, "\n"))
	}
	if shown := len(lines) > 0 && p.editor == nil && !p.port.Fullscreen(); shown != p.why.Visible() {
		kit.SetVisible(p.why, shown)
		p.port.Relayout()
	}
}
