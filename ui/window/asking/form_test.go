package asking

import (
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// TestNothingHidesInAForm checks that what comes from others neither controls a terminal nor ends the code early.
func TestNothingHidesInAForm(t *testing.T) {
	t.Parallel()
	const foul = "a\x1b[8mb\u202ec\u009bd\ne"
	kernel := &catalog.Session{SessionID: foul, KernelName: foul, Process: &catalog.KernelProcess{Program: foul, Directory: foul, ConnectionFile: foul, StartedAt: time.Now()}}
	project := &catalog.Project{Name: foul, Root: "/" + foul, Environment: foul, Missing: catalog.Reason{Kind: "x", Text: foul}, Command: foul}
	for name, q := range map[string]catalog.Approval{
		"code":     {Client: foul, SessionID: foul, Code: foul, Risks: []catalog.Risk{{Kind: "files", Line: 1, What: foul}}, Because: []catalog.Risk{{Kind: "files"}}},
		"kernel":   {Client: foul, Kernel: kernel},
		"project":  {Client: foul, Project: project},
		"notebook": {Client: foul, Tool: "notebook_edit_cell", Kind: "notebooks", Target: foul, Code: foul},
		"restart":  {Client: foul, SessionID: foul, Tool: "session_restart", Kind: "sessions"},
	} {
		n := &state.Snapshot{}
		n.Settings.Language = "en"
		f := Form(n, q, []command.ApprovalAnswer{{Approve: true}, {Approve: true, Kinds: command.KindsInSession}})
		if text := f.Message + strings.Join(f.Choices, ""); strings.ContainsAny(text, "\x1b\u202e\u009b") {
			t.Errorf("%s: %q", name, text)
		}
		if head, _, _ := strings.Cut(f.Message, "\n"); strings.Count(head, "a[U+001B][8mb[U+202E]c[U+009B]d[U+000A]e") == 0 {
			t.Errorf("%s begins with %q", name, head)
		}
	}
}

// TestCodeCannotLeaveItsFence checks that a client that renders Markdown shows all code.
func TestCodeCannotLeaveItsFence(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"x = 1\n\n":          "```\nx = 1\n```",
		"# <!--\nrm()\n#-->": "```\n# <!--\nrm()\n#-->\n```",
		"'''\n````\nrm()":    "`````\n'''\n````\nrm()\n`````",
	} {
		if got := fenced(code); got != want {
			t.Errorf("%q: %q", code, got)
		}
	}
}
