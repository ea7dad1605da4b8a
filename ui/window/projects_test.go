package window

import (
	"testing"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// working is the question whether a client may work in a project.
func working(p catalog.Project) func(*state.Snapshot) {
	return func(s *state.Snapshot) {
		q := question("1", "claude-code 2.1.0", "")
		q.ExecutionID, q.SessionID, q.Project = "", "", &p
		s.Approvals = []catalog.Approval{q}
	}
}

func TestProjectQuestionGoldens(t *testing.T) {
	sales := catalog.Project{
		Name: "sales", Root: "/home/ann/sales", Environment: "sales/.venv, Python 3.12.1, uv",
		Why: catalog.Reason{Text: "It is active ($VIRTUAL_ENV)", Kind: "active", Detail: "$VIRTUAL_ENV"},
	}
	bare := catalog.Project{
		Name: "売上 2026", Root: "/home/ann/仕事/売上 2026", Command: "uv sync",
		Missing: catalog.Reason{Text: "uv.lock describes an environment that does not exist yet", Kind: "not_made", Detail: "uv.lock"},
	}
	for name, c := range map[string]struct {
		size fyne.Size
		edit func(*state.Snapshot)
	}{
		"ask_project":                {wide, working(sales)},
		"ask_project_dark_ja_narrow": {narrowed, func(s *state.Snapshot) { working(bare)(s); s.Settings.Theme, s.Settings.Language = "dark", "ja" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) { busy(s); c.edit(s) })
			w.armed()
			w.settled()
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}
