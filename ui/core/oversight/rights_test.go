package oversight

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// snapshot returns a state in which one assistant has rights of its own.
func snapshot(mode string, own rights.Table) *state.Snapshot {
	s := &state.Snapshot{Window: state.WindowShown, Assistants: []state.Assistant{{ID: "cursor", Rights: own}}}
	s.Settings.Access, s.Settings.AskFor = mode, 600
	return s
}

// TestAnAssistantHasItsOwnRights is the table of what becomes of code by an assistant's own rights, whatever the others may.
func TestAnAssistantHasItsOwnRights(t *testing.T) {
	network := []catalog.Risk{{Kind: "files", Line: 1, What: "open"}, {Kind: "network", Line: 3, What: "requests.get"}}
	for name, c := range map[string]struct {
		mode  string
		own   rights.Table
		risks []catalog.Risk
		want  Decision
		asked []string // kinds
	}{
		"everything, although others are asked":  {AccessAsk, rights.Named(rights.All), network, Send, nil},
		"everything, but all may only read":      {AccessReadOnly, rights.Named(rights.All), nil, Refuse, nil},
		"looking, although others may all":       {AccessAllow, rights.Named(rights.Look), nil, Refuse, nil},
		"computing":                              {AccessAllow, rights.Named(rights.Compute), nil, Send, nil},
		"computing, with risks":                  {AccessAllow, rights.Named(rights.Compute), network, Ask, []string{"files", "network"}},
		"all but the network":                    {AccessAllow, rights.Named(rights.All).With(rights.Network, rights.Deny), network, Refuse, nil},
		"all but the network, which it does not": {AccessAllow, rights.Named(rights.All).With(rights.Network, rights.Deny), network[:1], Send, nil},
		"only files are asked about":             {AccessAsk, rights.Named(rights.All).With(rights.Files, rights.Ask), network, Ask, []string{"files"}},
		"all code is asked about, files are not": {AccessAllow, rights.Named(rights.Each).With(rights.Files, rights.Allow), network[:1], Ask, nil},
		"as everyone":                            {AccessAskRisky, nil, network, Ask, []string{"files", "network"}},
		"an unknown right":                       {AccessAllow, rights.Table{rights.Code: "alow"}, nil, Refuse, nil},
	} {
		v := Decide(snapshot(c.mode, c.own), Sender{Assistant: "cursor"}, Code{Risks: func() []catalog.Risk { return c.risks }})
		var asked []string
		for _, r := range v.Risks {
			asked = append(asked, r.Kind)
		}
		if v.Decision != c.want || !slices.Equal(asked, c.asked) {
			t.Errorf("%s: %+v, want %d about %q", name, v, c.want, c.asked)
		}
		if v.Decision == Refuse && c.mode != AccessReadOnly && v.Err.(interface{ ExecutionCode() string }).ExecutionCode() != catalog.CodeDenied {
			t.Errorf("%s: %v", name, v.Err)
		}
	}
	v := Decide(snapshot(AccessAllow, rights.Named(rights.All).With(rights.Network, rights.Deny)), Sender{Assistant: "cursor"}, Code{Risks: func() []catalog.Risk { return network }})
	if !strings.Contains(v.Err.Error(), "line 3: requests.get") {
		t.Errorf("the refusal does not name the line: %v", v.Err)
	}
	if v := Decide(snapshot(AccessAllow, rights.Named(rights.Look)), Sender{Assistant: tool.Others}, Code{}); v.Decision != Send {
		t.Errorf("the rights of one count for others: %+v", v)
	}
}

// TestOneAssistantIsPaused checks that the others go on.
func TestOneAssistantIsPaused(t *testing.T) {
	s := snapshot(AccessAllow, nil)
	s.Assistants[0].Paused = true
	paused, other := tool.Caller{Transport: tool.MCP, Assistant: "cursor"}, tool.Caller{Transport: tool.MCP, Assistant: tool.Others}
	if v := Decide(s, Sender{Assistant: "cursor"}, Code{}); v.Decision != Hold || !errors.Is(v.Err, ErrPaused) {
		t.Errorf("its code: %+v", v)
	}
	if v := Admit(s, paused, catalog.SetRating.Spec(), nil); !errors.Is(v.Err, ErrPaused) {
		t.Errorf("its call: %+v", v)
	}
	if v := Admit(s, paused, catalog.SessionList.Spec(), nil); v.Decision != Send {
		t.Errorf("it reads: %+v", v)
	}
	if v := Admit(s, other, catalog.SetRating.Spec(), nil); v.Decision != Send {
		t.Errorf("another: %+v", v)
	}
}

// TestToolsHaveKinds checks what becomes of each tool that changes something, by its kinds.
func TestToolsHaveKinds(t *testing.T) {
	inputs := map[string]any{
		"session_create with a notebook": catalog.SessionCreateIn{NotebookPath: "a.ipynb"}, "render_image to a file": catalog.RenderImageIn{Path: "/p/a.png"},
		"notebook_add_cell, which runs": catalog.NotebookAddCellIn{Run: true}, "notebook_edit_cell, which runs": catalog.NotebookEditCellIn{Run: true},
		"notebook_run_cell": catalog.NotebookRunCellIn{},
	}
	kinds := map[string][]rights.Kind{
		"session_restart": {rights.Sessions}, "session_delete": {rights.Sessions}, "notebook_create": {rights.Notebooks}, "notebook_add_cell": {rights.Notebooks},
		"notebook_edit_cell": {rights.Notebooks}, "notebook_move_cell": {rights.Notebooks}, "notebook_delete_cell": {rights.Notebooks},
		"set_rating": {rights.Gallery}, "open_folder": {rights.Gallery}, "execute_code": {rights.Code}, "notebook_run_cell": {rights.Notebooks, rights.Code},
		"session_create": {rights.Code}, "session_interrupt": {rights.Code}, "render_image": {rights.Code},
		"session_create with a notebook": {rights.Code, rights.Notebooks}, "render_image to a file": {rights.Code, rights.Files},
		"notebook_add_cell, which runs": {rights.Notebooks, rights.Code}, "notebook_edit_cell, which runs": {rights.Notebooks, rights.Code},
	}
	specs := make(map[string]tool.Spec)
	for _, x := range catalog.All() {
		specs[x.Spec().Name] = x.Spec()
	}
	for name, want := range kinds {
		tool, _, _ := strings.Cut(strings.ReplaceAll(name, ",", ""), " ")
		if got := KindsOf(specs[tool], inputs[name]); !slices.Equal(got, want) {
			t.Errorf("%s is of the kinds %s, want %s", name, got, want)
		}
	}
	all, caller := rights.Named(rights.All), tool.Caller{Transport: tool.MCP, Assistant: "cursor"}
	for name, spec := range specs {
		for _, kind := range KindsOf(spec, inputs[name]) {
			for right, decision := range map[rights.Right]Decision{rights.Allow: Send, rights.Ask: Ask, rights.Deny: Refuse} {
				if spec.ReadOnly() || right == rights.Ask && (kind == rights.Code || kind == rights.Files) { // code is asked about when it is sent
					decision = Send
				}
				v := Admit(snapshot(AccessAllow, all.With(kind, right)), caller, spec, inputs[name])
				if v.Decision != decision || v.Decision == Ask && v.Kind != kind {
					t.Errorf("%s with %s of %s: %+v, want %d", name, right, kind, v, decision)
				}
			}
		}
	}
}

// TestKindsAreAllowedBeyondAQuestion checks “allow this kind” in a session and in a project, for whom it counts, and that it is
// taken back.
func TestKindsAreAllowedBeyondAQuestion(t *testing.T) {
	store := state.NewStore(*snapshot(AccessAskRisky, nil))
	a := NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})
	by := Sender{Assistant: "cursor", Project: "/p", Trust: state.Trust{SessionID: "s", Client: "c", Holder: "h", Assistant: "cursor"}}
	other := Sender{Assistant: "cursor", Project: "/p", Trust: state.Trust{SessionID: "t", Client: "c", Holder: "h2", Assistant: "cursor"}}
	does := func(kinds ...string) (c Code) {
		return Code{Risks: func() (all []catalog.Risk) {
			for _, k := range kinds {
				all = append(all, catalog.Risk{Kind: k, Line: 1})
			}
			return all
		}}
	}
	answer := func(where command.KindsFor, kinds ...string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			go func() {
				synctest.Wait()
				if err := a.Answer(command.ApprovalAnswer{ApprovalID: "x", Approve: true, Kinds: where}); err != nil {
					t.Error(err)
				}
			}()
			if _, err := a.AskToRun(t.Context(), catalog.Execution{ExecutionID: "x", SessionID: by.Trust.SessionID, Code: "c"}, by, does(kinds...).Risks(), does(kinds...).Risks()); err != nil {
				t.Error(err)
			}
		})
	}
	check := func(what string, by Sender, code Code, want Decision) {
		t.Helper()
		if v := Decide(store.Snapshot(), by, code); v.Decision != want {
			t.Errorf("%s: %+v, want %d", what, v, want)
		}
	}
	answer(command.KindsInSession, "network")
	check("the kind again", by, does("network"), Send)
	check("another kind, too", by, does("network", "files"), Ask)
	check("in another session", other, does("network"), Ask)
	a.Distrust("s")
	check("after it was taken back", by, does("network"), Ask)
	by.Trust.Holder = "" // over REST, or MCP without a session: the token tells who it is
	answer(command.KindsInSession, "network")
	check("without a process that is known", by, does("network"), Send)
	nobody := by
	nobody.Assistant, nobody.Trust.Assistant = tool.Others, tool.Others
	check("another without one", nobody, does("network"), Ask)
	by.Trust.Holder = "h"
	answer(command.KindsInProject, "files", "network")
	check("in the project", other, does("network", "files"), Send)
	shared := other
	shared.Assistant = tool.Others
	check("with Easel's own token, which anybody has", shared, does("network"), Ask)
	elsewhere := other
	elsewhere.Project = "/q"
	check("in another project", elsewhere, does("network"), Ask)
	answer(command.KindsInSession, "programs")
	store.Update(func(s *state.Snapshot) { s.GiveRights("cursor", rights.Named(rights.Compute)) })
	check("after the user has chosen other rights, in the session", by, does("programs"), Ask)
	check("after the user has chosen other rights, in the project", other, does("network"), Send)
	store.Update(func(s *state.Snapshot) { s.Settings.Access = AccessAllow; s.Forget("cursor") })
	check("after the assistant was forgotten", other, does(), Refuse)
}

// TestACallIsAskedAbout checks the ways of a call that is no code: approved while it waits, approved later, and denied.
func TestACallIsAskedAbout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, g := state.NewStore(*snapshot(AccessAllow, nil)), tasks.New()
		a := NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})
		x := NewActions(a, g)
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "c", Holder: "h"})
		call := func() error {
			return x.Ask(ctx, catalog.Approval{ApprovalID: "q", Client: "c", Holder: "h", Tool: "session_restart", Kind: "sessions", SessionID: "s"}, "restart s")
		}
		later := func(after time.Duration, in command.ApprovalAnswer) {
			in.ApprovalID = "q"
			go func() {
				time.Sleep(after)
				if err := a.Answer(in); err != nil {
					t.Error(err)
				}
			}()
		}
		later(time.Second, command.ApprovalAnswer{Approve: true})
		if err := call(); err != nil {
			t.Errorf("approved: %v", err)
		}
		later(PermitPatience+time.Second, command.ApprovalAnswer{Approve: true})
		if err := call(); !errors.Is(err, ErrNotYetPermitted) {
			t.Errorf("not answered in time: %v", err)
		}
		time.Sleep(2 * time.Second)
		if err := call(); err != nil {
			t.Errorf("approved later: %v", err)
		}
		later(PermitPatience+time.Second, command.ApprovalAnswer{Words: "never"})
		if err := call(); !errors.Is(err, ErrNotYetPermitted) {
			t.Errorf("not denied in time: %v", err)
		}
		time.Sleep(2 * time.Second)
		var late *DeniedError
		if err := call(); !errors.As(err, &late) || late.Words != "never" || late.Earlier.IsZero() {
			t.Errorf("denied later: %v", err)
		}
		later(PermitPatience+time.Second, command.ApprovalAnswer{Approve: true})
		if err := call(); !errors.Is(err, ErrNotYetPermitted) {
			t.Errorf("not answered in time: %v", err)
		}
		time.Sleep(lateFor + time.Minute)
		later(time.Second, command.ApprovalAnswer{Words: "not now"})
		var action *ActionError
		var denied *DeniedError
		if err := call(); !errors.As(err, &action) || !errors.As(err, &denied) || denied.Words != "not now" {
			t.Errorf("denied: %v", err)
		}
		later(time.Second, command.ApprovalAnswer{Approve: true, Kinds: command.KindsInSession})
		if err := call(); err != nil {
			t.Errorf("approved for the session: %v", err)
		}
		if err := call(); err != nil {
			t.Errorf("after it was allowed in the session: %v", err)
		}
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestLimits checks that a limit slows an assistant down, and nobody else.
func TestLimits(t *testing.T) {
	s := snapshot(AccessAllow, nil)
	s.Assistants[0].Limits = state.Limits{Calls: 60}
	var m Meter
	caller, now := tool.Caller{Transport: tool.MCP, Assistant: "cursor", Name: "c"}, time.Now()
	for i := range 60 {
		caller.Name = strings.Repeat("c", i) // another name changes nothing
		if err := m.Call(s, caller, now); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	var limit *LimitError
	if err := m.Call(s, caller, now); !errors.As(err, &limit) || limit.Retry != time.Second {
		t.Errorf("one too many: %v", err)
	}
	if err := m.Call(s, caller, now.Add(time.Second)); err != nil {
		t.Errorf("a second later: %v", err)
	}
	if err := m.Call(s, tool.Caller{Transport: tool.MCP, Assistant: tool.Others}, now); err != nil {
		t.Errorf("another: %v", err)
	}
}

// TestKernelsOfAnAssistantAreLimited checks that those that run and those that are being started count, and that the user has no limit.
func TestKernelsOfAnAssistantAreLimited(t *testing.T) {
	s := snapshot(AccessAllow, nil)
	s.Assistants[0].Limits = state.Limits{Kernels: 2}
	run := 0
	k := Kernels{Store: state.NewStore(*s)}
	reserve := func(c tool.Caller) (func(), error) {
		return k.Reserve(c, func(id string) (int, error) {
			if id != "cursor" {
				t.Errorf("the kernels of %q are counted", id)
			}
			return run, nil
		})
	}
	caller := tool.Caller{Transport: tool.MCP, Assistant: "cursor"}
	first, err := reserve(caller)
	if err != nil {
		t.Fatal(err)
	}
	second, err := reserve(caller) // while the first is being started
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	for _, x := range []struct {
		then    func()
		refused bool
	}{{func() {}, true}, {func() { second() }, false}, {func() { run = 1; first() }, false}, {func() { run = 2 }, true}} {
		x.then()
		release, err := reserve(caller)
		if refused := errors.As(err, &limit); refused != x.refused || refused && limit.Limit != 2 {
			t.Errorf("with %d that run: %v", run, err)
		}
		if err == nil {
			release()
		}
	}
	for _, c := range []tool.Caller{{Transport: tool.Window, Assistant: "cursor"}, {Transport: tool.MCP, Assistant: tool.Others}} {
		if _, err := reserve(c); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
