package approvals

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/asking"
	"easel/ui/window/uitest"
)

// TestKindsCanBeAllowed checks what a question about risky code offers beyond its answer, and what each choice sends.
func TestKindsCanBeAllowed(t *testing.T) {
	q := question("1", "cursor 1", "import requests\nopen(x, 'w')\n")
	q.Risks = []catalog.Risk{{Kind: "network", Line: 1, What: "requests"}, {Kind: "files", Line: 2, What: "open"}}
	q.Because = q.Risks
	q.Assistant, q.Root = "cursor", "/home/ann/sales"
	for i, want := range []command.ApprovalAnswer{{Kinds: command.KindsInSession}, {Kinds: command.KindsInProject}, {Session: true}} {
		f := newFixture(t, q).arm()
		test.Tap(f.session)
		if len(f.answers) != 0 || len(f.menu) != 3 || !strings.Contains(f.menu[1].Label, "Cursor") || !strings.Contains(f.menu[1].Label, "sales") {
			t.Fatalf("answered %+v; offers %+v", f.answers, f.menu)
		}
		f.menu[i].Action()
		if a := f.last(); !a.Approve || a.Kinds != want.Kinds || a.Session != want.Session {
			t.Errorf("answered %+v, want %+v", a, want)
		}
	}
	q.Assistant = tool.Others // anybody could be it
	f := newFixture(t, q).arm()
	test.Tap(f.session)
	if len(f.menu) != 2 {
		t.Errorf("with Easel's own token: %+v", f.menu)
	}
	q.Holder = ""
	if f := newFixture(t, q).arm(); f.session.Visible() {
		t.Error("one that cannot be recognised is offered more")
	}
	if q.Assistant = "cursor"; !newFixture(t, q).arm().session.Visible() {
		t.Error("one with a token of its own is offered no more")
	}
	f = newFixture(t, question("2", "c", "1"))
	f.menu = nil
	test.Tap(f.arm().session)
	if a := f.last(); !a.Session || f.menu != nil {
		t.Errorf("one choice alone is a menu: %+v", a)
	}
}

// TestACallIsAskedAbout checks what the region says of a call that is no code.
func TestACallIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		q     catalog.Approval
		title string
		says  string
	}{
		"restart": {catalog.Approval{Tool: "session_restart", Kind: "sessions", SessionID: uitest.SessionID(0)}, "wants to restart", "variables of the session are lost"},
		"end":     {catalog.Approval{Tool: "session_delete", Kind: "sessions", SessionID: uitest.SessionID(0)}, "wants to end", "The kernel ends"},
		"edit":    {catalog.Approval{Tool: "notebook_edit_cell", Kind: "notebooks", Target: "a/sales.ipynb", Code: "regrouped"}, "the notebook a/sales.ipynb", "regrouped"},
		"delete":  {catalog.Approval{Tool: "notebook_delete_cell", Kind: "notebooks", Target: "sales.ipynb", Code: "index"}, "the notebook sales.ipynb", "index"},
		"rating":  {catalog.Approval{Tool: "set_rating", Kind: "gallery", Code: "rating"}, "what the window shows", "rating"},
	} {
		c.q.ApprovalID, c.q.Client, c.q.Holder, c.q.AskedAt, c.q.Deadline = "1", "cursor 1", "h", uitest.Start, uitest.Start.Add(1<<40)
		f := newFixture(t, c.q).arm()
		if !strings.Contains(f.head.Title.Full(), c.title) || !strings.Contains(strings.Join(uitest.Texts(f.window.Canvas()), "\n"), c.says) {
			t.Errorf("%s: %q, %q", name, f.head.Title.Full(), uitest.Texts(f.window.Canvas()))
		}
		if f.edit.Visible() || !f.session.Visible() || f.approve.Text() != "Allow" {
			t.Errorf("%s: edit %v, more %v, %q", name, f.edit.Visible(), f.session.Visible(), f.approve.Text())
		}
		test.Tap(f.approve)
		if a := f.last(); !a.Approve || a.Session || a.Kinds != command.KindsOnce {
			t.Errorf("%s: answered %+v", name, a)
		}
	}
}

// TestANameIsNotVerified checks how those are called that ask: by the name that the user knows, if they have their own token.
func TestANameIsNotVerified(t *testing.T) {
	q := question("1", "claude-code 2.1", "1")
	n := &state.Snapshot{Assistants: []state.Assistant{{ID: "claude-code", Last: uitest.Start}, {ID: "cursor", Name: "My cursor", Last: uitest.Start}}}
	f := newFixture(t, q)
	for by, want := range map[string]string{
		"cursor": "My cursor", "claude-code": "Claude Code", tool.Others: "claude-code 2.1 (not verified)", "": "claude-code 2.1",
	} {
		q.Assistant = by
		if got := asking.ClientName(f.k.Tr, n, q); got != want {
			t.Errorf("by %q: %q, want %q", by, got, want)
		}
	}
	q.Assistant, q.Client = tool.Others, "MY CURSOR"
	if got := asking.ClientName(f.k.Tr, n, q); !strings.Contains(got, "not verified") {
		t.Errorf("a name that the user gave: %q", got)
	}
	q.Client = "claude-code 2.1"
	n.Assistants = n.Assistants[1:]
	q.Assistant = tool.Others
	if got := asking.ClientName(f.k.Tr, n, q); got != "claude-code 2.1" {
		t.Errorf("no other calls itself so: %q", got)
	}
}
