package asking

import (
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// TestWhatAClientShowsWhole checks that a client that cuts messages gets only those that it shows to their end.
func TestWhatAClientShowsWhole(t *testing.T) {
	t.Parallel()
	files := []catalog.Risk{{Kind: "files", Line: 1, What: "os.remove"}}
	project := &catalog.Project{Name: "p", Root: "/home/a/p"}
	const claude, codex, other = "claude-code 2.1.330", "codex-mcp-client 0.169.0", "Visual Studio Code 1.110"
	for name, c := range map[string]struct {
		q    catalog.Approval
		want string // the end of what is shown; "" if nothing is
	}{
		"one line":               {catalog.Approval{Client: claude, Code: "os.remove('x')\n", Risks: files, Because: files}, "\nos.remove('x')"},
		"two lines":              {catalog.Approval{Client: claude, Code: "import os\nos.remove('x')", Risks: files, Because: files}, ""},
		"a long line":            {catalog.Approval{Client: claude, Code: "os.remove('x') #" + strings.Repeat(" x", 80), Risks: files, Because: files}, ""},
		"a wide line":            {catalog.Approval{Client: claude, Code: strings.Repeat("界", 80), Risks: files, Because: files}, ""},
		"a project":              {catalog.Approval{Client: claude, Project: project}, "Folder: /home/a/p\nPython: none found; Easel's own is used"},
		"more rows":              {catalog.Approval{Client: codex, Code: strings.Repeat("1\n", 8) + "2", Risks: files, Because: files}, "\n1\n2"},
		"more than its terminal": {catalog.Approval{Client: codex, Code: strings.Repeat("1\n", 12) + "2", Risks: files, Because: files}, ""},
		"another client":         {catalog.Approval{Client: other, Code: strings.Repeat("1\n", 100) + "2", Risks: files, Because: files}, "\n1\n2\n```"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Form(&state.Snapshot{}, c.q, []command.ApprovalAnswer{{Approve: true}})
			if c.want == "" && got.InChat != "" || !strings.HasSuffix(got.InChat, c.want) {
				t.Errorf("in the chat: %q", got.InChat)
			}
			if !strings.Contains(got.Message, strings.TrimRight(c.q.Code, "\n")) {
				t.Errorf("elsewhere: %q", got.Message)
			}
			if got.Declines != (c.q.Client == codex) || got.Wordless != got.Declines {
				t.Errorf("declines by itself: %v, without words: %v", got.Declines, got.Wordless)
			}
		})
	}
}
