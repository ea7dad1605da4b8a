package oversight

import (
	"context"
	"errors"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// TestWhoShowsQuestions checks in which chats questions are shown: only in those of clients that can, and with a window only if the
// user has allowed it.
func TestWhoShowsQuestions(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for name, c := range map[string]struct {
		window      state.WindowState
		forms, long bool
		allowed     *bool
		want        bool
	}{
		"no window":                      {state.WindowNone, true, false, nil, true},
		"no window, no forms":            {state.WindowNone, false, false, nil, false},
		"no window, not there":           {state.WindowNone, true, false, &no, false},
		"no window, more than one reads": {state.WindowNone, true, true, nil, false},
		"a window":                       {state.WindowShown, true, false, nil, false},
		"a window, allowed":              {state.WindowShown, true, false, &yes, true},
		"a window, allowed, no forms":    {state.WindowShown, false, false, &yes, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := state.NewStore(state.Snapshot{Window: c.window, Assistants: []state.Assistant{{ID: "cursor", InChat: c.allowed}}})
			store.Update(func(s *state.Snapshot) { s.Settings.AskFor = 60 })
			message := "May it?"
			if c.long {
				message = strings.Repeat("x\n", mostInChat)
			}
			form := func(_ *state.Snapshot, _ catalog.Approval, approvals []command.ApprovalAnswer) *catalog.QuestionForm {
				return &catalog.QuestionForm{InChat: message, Choices: make([]string, len(approvals)+1)}
			}
			opened := make(chan catalog.Approval, 1)
			a := NewApprovals(store, form, func(n catalog.ChangeName, q catalog.Approval) {
				if n == catalog.ApprovalRequested {
					opened <- q
				}
			})
			ctx, cancel := context.WithCancel(tool.WithCaller(t.Context(), tool.Caller{Assistant: "cursor", Call: 7, Forms: c.forms}))
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				_, err := a.Ask(ctx, catalog.Approval{ApprovalID: "q", Assistant: "cursor", Kind: string(rights.Notebooks), Tool: "notebook_create", Code: "x"})
				ended <- err
			}()
			q := <-opened
			if q.Call != 7 || (q.Chat != nil) != c.want {
				t.Errorf("asked by call %d, in the chat: %v", q.Call, q.Chat)
			}
			_, err := a.AnswerOf(catalog.QuestionAnswer{ApprovalID: "q", Choice: 0, Where: catalog.InChat})
			if (err == nil) != c.want {
				t.Errorf("an answer in the chat: %v", err)
			}
			store.Update(func(s *state.Snapshot) { s.EditAssistant("cursor", func(x *state.Assistant) { x.InChat = &no }) })
			if _, err := a.AnswerOf(catalog.QuestionAnswer{ApprovalID: "q", Choice: 0, Where: catalog.InChat}); err == nil {
				t.Error("an answer in the chat counts after the user has switched it off")
			}
			if _, err := a.AnswerOf(catalog.QuestionAnswer{ApprovalID: "q", Choice: 0, Where: catalog.InTerminal}); err != nil {
				t.Errorf("an answer in a terminal: %v", err)
			}
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
}

// TestWhatAChoiceMeans checks that each choice of a form is the answer that it says, and that nothing else approves.
func TestWhatAChoiceMeans(t *testing.T) {
	t.Parallel()
	store := state.NewStore(state.Snapshot{})
	store.Update(func(s *state.Snapshot) { s.Settings.AskFor = 60 })
	opened := make(chan struct{}, 1)
	a := NewApprovals(store, nil, func(n catalog.ChangeName, _ catalog.Approval) {
		if n == catalog.ApprovalRequested {
			opened <- struct{}{}
		}
	})
	ended := make(chan error, 1)
	go func() {
		_, err := a.Ask(t.Context(), catalog.Approval{ApprovalID: "q", Assistant: "cursor", Code: "x", Because: []catalog.Risk{{Kind: "files"}}})
		ended <- err
	}()
	<-opened
	for choice, want := range []command.ApprovalAnswer{
		{Approve: true}, {Approve: true, Kinds: command.KindsInSession}, {Words: "no"},
	} {
		want.ApprovalID, want.Where = "q", catalog.InTerminal
		got, err := a.AnswerOf(catalog.QuestionAnswer{ApprovalID: "q", Choice: choice, Words: "no", Where: catalog.InTerminal})
		require.NoError(t, err)
		if got != want {
			t.Errorf("choice %d: %+v", choice, got)
		}
	}
	for _, in := range []catalog.QuestionAnswer{{ApprovalID: "q", Choice: 3}, {ApprovalID: "q", Choice: -1}, {ApprovalID: "r"}} {
		if got, err := a.AnswerOf(in); !errors.Is(err, ErrUnknownApproval) || got.Approve {
			t.Errorf("%+v: %+v, %v", in, got, err)
		}
	}
	require.NoError(t, a.Answer(command.ApprovalAnswer{ApprovalID: "q", Approve: true}))
	require.NoError(t, <-ended)
}

// TestACallThatNobodyCouldSee checks that a call waits only if somebody can see the whole question.
func TestACallThatNobodyCouldSee(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text      string
		forms     bool
		terminals int
		asked     bool
	}{
		"in the chat":               {"May it?", true, 0, true},
		"no forms":                  {"May it?", false, 0, false},
		"too long for the chat":     {strings.Repeat("x\n", mostInChat), true, 0, false},
		"too long, with a terminal": {strings.Repeat("x\n", mostInChat), true, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := state.NewStore(state.Snapshot{Window: state.WindowNone, Terminals: c.terminals})
			store.Update(func(s *state.Snapshot) { s.Settings.AskFor = 60 })
			form := func(*state.Snapshot, catalog.Approval, []command.ApprovalAnswer) *catalog.QuestionForm {
				return &catalog.QuestionForm{InChat: c.text}
			}
			asked := false
			var a *Approvals
			a = NewApprovals(store, form, func(n catalog.ChangeName, q catalog.Approval) {
				if n == catalog.ApprovalRequested {
					asked = true
					go func() { _ = a.Answer(command.ApprovalAnswer{ApprovalID: q.ApprovalID}) }()
				}
			})
			g := tasks.New()
			defer func() { require.NoError(t, g.Close(t.Context())) }()
			ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Holder: "h", Call: 7, Forms: c.forms})
			err := NewActions(a, g).Ask(ctx, catalog.Approval{ApprovalID: "q", Tool: "notebook_edit", Kind: "notebooks"}, "edit")
			if errors.Is(err, ErrUnasked) == c.asked || asked != c.asked {
				t.Errorf("asked: %v; %v", asked, err)
			}
		})
	}
}
