package oversight

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

func TestAdmit(t *testing.T) {
	run, read := catalog.ExecuteCode.Spec(), catalog.SessionList.Spec()
	ai, user := tool.Caller{Transport: tool.MCP}, tool.Caller{Transport: tool.Window}
	paused := &state.Snapshot{Paused: true}
	allows := func(access string) *state.Snapshot {
		return &state.Snapshot{Settings: state.Settings{Settings: catalog.Settings{Access: access}}}
	}
	readOnly := allows(AccessReadOnly)
	tests := map[string]struct {
		s      *state.Snapshot
		caller tool.Caller
		spec   tool.Spec
		want   error
	}{
		"usually":                     {allows(AccessAllow), ai, run, nil},
		"asking first":                {allows(AccessAsk), ai, run, nil},
		"an unknown mode":             {allows("alow"), ai, run, ErrReadOnly},
		"no mode":                     {&state.Snapshot{}, ai, run, ErrReadOnly},
		"paused":                      {paused, ai, run, ErrPaused},
		"paused, but only reading":    {paused, ai, read, nil},
		"paused, but it is the user":  {paused, user, run, nil},
		"paused, and nobody is named": {paused, tool.CallerFrom(t.Context()), run, ErrPaused},
		"read only":                   {readOnly, ai, run, ErrReadOnly},
		"read only, and nobody named": {readOnly, tool.CallerFrom(t.Context()), run, ErrReadOnly},
		"read only, reading":          {readOnly, ai, read, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if v := Admit(tt.s, tt.caller, tt.spec, nil); !errors.Is(v.Err, tt.want) || (v.Decision == Send) != (tt.want == nil) {
				t.Errorf("got %+v, want %v", v, tt.want)
			}
		})
	}
}

func TestDelivery(t *testing.T) {
	mcp := func(name string) tool.Caller { return tool.Caller{Transport: tool.MCP, Name: name} }
	set := &state.Snapshot{Settings: state.Settings{Settings: catalog.Settings{Delivery: catalog.ImagesNone}}}
	one := &state.Snapshot{Settings: state.Settings{
		Settings:   catalog.Settings{Delivery: catalog.ImagesInline},
		DeliveryBy: state.Deliveries{}.With("codex-mcp-client", catalog.ImagesLink).With("Cline", catalog.ImagesInline),
	}}
	tests := map[string]struct {
		s      *state.Snapshot
		caller tool.Caller
		asked  string
		want   Delivery
	}{
		"one that nobody tested":             {&state.Snapshot{}, mcp("new"), "", Delivery{Mode: catalog.ImagesInline}},
		"one that shows them":                {&state.Snapshot{}, mcp("claude-code"), "", Delivery{Mode: catalog.ImagesInline}},
		"one that garbles them":              {&state.Snapshot{}, mcp("Cline"), "", Delivery{Mode: catalog.ImagesLink, Blind: true}},
		"one that drops them":                {&state.Snapshot{}, mcp("copilot-cli"), catalog.ImagesLink, Delivery{Mode: catalog.ImagesLink, Blind: true}},
		"the user's setting":                 {set, mcp("claude-code"), "", Delivery{Mode: catalog.ImagesNone}},
		"what was asked for":                 {set, mcp("Cline"), catalog.ImagesInline, Delivery{Mode: catalog.ImagesInline}},
		"links to one that shows":            {set, mcp("claude-code"), catalog.ImagesLink, Delivery{Mode: catalog.ImagesLink}},
		"one that the user says is blind":    {one, mcp("Codex-MCP-Client"), "", Delivery{Mode: catalog.ImagesLink, Blind: true}},
		"one that the user says sees":        {one, mcp("Cline"), "", Delivery{Mode: catalog.ImagesInline}},
		"another than the user speaks of":    {one, mcp("codex"), "", Delivery{Mode: catalog.ImagesInline}},
		"one that asks though it is decided": {one, mcp("codex-mcp-client"), catalog.ImagesInline, Delivery{Mode: catalog.ImagesInline}},
		"REST carries no images":             {&state.Snapshot{}, tool.Caller{Transport: tool.REST}, catalog.ImagesInline, Delivery{Mode: catalog.ImagesLink}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := DeliveryTo(tt.s, tt.caller, tt.asked); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestDeliveriesSayWhyAndWhatWasTested(t *testing.T) {
	for i, d := range Deliveries {
		if d.Match != strings.ToLower(d.Match) || d.Reason == "" || d.Tested == "" || d.Mode != catalog.ImagesInline && d.Mode != catalog.ImagesLink {
			t.Errorf("%+v", d)
		}
		for _, earlier := range Deliveries[:i] {
			if strings.Contains(d.Match, earlier.Match) {
				t.Errorf("%q is never reached behind %q", d.Match, earlier.Match)
			}
		}
	}
}

func TestInlineTakesTheFirstFourRasterPictures(t *testing.T) {
	images := []catalog.Image{{ResourceURI: "s", MIMEType: "image/svg+xml"}}
	for _, u := range []string{"1", "2", "3", "4", "5"} {
		images = append(images, catalog.Image{ResourceURI: u, MIMEType: "image/png"})
	}
	if got := Inline(catalog.ImagesInline, images); len(got) != 4 || got[0] != "1" || got[3] != "4" {
		t.Errorf("got %q", got)
	}
	if got := Inline(catalog.ImagesLink, images); got != nil {
		t.Errorf("got %q", got)
	}
}

// asked calls Ask, waits until the question is open, and returns a function that waits for the
// result.
func asked(ctx context.Context, t *testing.T, store *state.Store, a *Approvals) func() (string, error) {
	t.Helper()
	var got Consent
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err = a.Ask(ctx, catalog.Approval{ApprovalID: "q", Code: "1+1"})
	}()
	synctest.Wait()
	if open := store.Snapshot().Approvals; len(open) != 1 || open[0].Code != "1+1" {
		t.Fatalf("open questions: %+v", open)
	}
	return func() (string, error) { <-done; return got.Code, err }
}

func TestAYesForTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := state.NewStore(state.Snapshot{Settings: state.Settings{Settings: catalog.Settings{AskFor: 60}}})
		a := NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})
		ask := func(id, session, client, holder string) <-chan string {
			out := make(chan string, 1)
			go func() {
				got, err := a.Ask(t.Context(), catalog.Approval{ApprovalID: id, SessionID: session, Client: client, Holder: holder, Code: id})
				switch {
				case err != nil:
					out <- err.Error()
				case got.Trusted:
					out <- got.Code + ", trusted"
				default:
					out <- got.Code
				}
			}()
			synctest.Wait()
			return out
		}
		first, second, other, elsewhere := ask("1", "s", "c", "p"), ask("2", "s", "c", "p"), ask("3", "s", "d", "p"), ask("4", "t", "c", "p")
		process, none := ask("5", "s", "c", "another process"), ask("6", "s", "c", "")
		require.NoError(t, a.Answer(command.ApprovalAnswer{ApprovalID: "1", Approve: true, Session: true}))
		if <-first != "1" || <-second != "2, trusted" {
			t.Error("what the same client waited for in the session did not run")
		}
		synctest.Wait()
		if open := store.Snapshot().Approvals; len(open) != 4 || open[0].ApprovalID != "3" || open[1].ApprovalID != "4" {
			t.Errorf("open: %+v, want another client's, another session's, another process's and nobody's", open)
		}
		if got := <-ask("7", "s", "c", "p"); got != "7, trusted" {
			t.Errorf("asked again: %q", got)
		}
		a.Distrust("s")
		again := ask("8", "s", "c", "p")
		if open := store.Snapshot().Approvals; len(open) != 5 {
			t.Errorf("open after the trust was taken back: %+v", open)
		}
		// Without a process or an MCP session, an approval is for one call.
		require.NoError(t, a.Answer(command.ApprovalAnswer{ApprovalID: "6", Approve: true, Session: true}))
		if trusted := store.Snapshot().Trusted; <-none != "6" || len(trusted) != 0 {
			t.Errorf("nobody in particular is trusted: %+v", trusted)
		}
		// The end of the process ends the trust in it.
		if err := a.Answer(command.ApprovalAnswer{ApprovalID: "8", Approve: true, Session: true}); err != nil || <-again != "8" {
			t.Fatal(err)
		}
		if a.Ended("another"); len(store.Snapshot().Trusted) != 1 {
			t.Error("the end of another process ended the trust")
		}
		a.Ended("p")
		again = ask("9", "s", "c", "p")
		for _, id := range []string{"3", "4", "5", "9"} {
			require.NoError(t, a.Answer(command.ApprovalAnswer{ApprovalID: id}))
		}
		for _, c := range []<-chan string{other, elsewhere, process, again} {
			if got := <-c; got != "the user said no" {
				t.Errorf("got %q", got)
			}
		}
	})
}

func TestApprovals(t *testing.T) {
	tests := map[string]struct {
		answer  *command.ApprovalAnswer
		leave   bool
		code    string
		want    func(error) bool
		outcome string
	}{
		"a yes":            {&command.ApprovalAnswer{ApprovalID: "q", Approve: true}, false, "1+1", func(err error) bool { return err == nil }, "approved"},
		"a yes to an edit": {&command.ApprovalAnswer{ApprovalID: "q", Approve: true, Code: "2"}, false, "2", func(err error) bool { return err == nil }, "approved"},
		"a no with words":  {&command.ApprovalAnswer{ApprovalID: "q", Words: "not now"}, false, "", func(err error) bool { e, ok := errors.AsType[*DeniedError](err); return ok && e.Words == "not now" }, "denied"},
		"no answer":        {nil, false, "", func(err error) bool { return errors.Is(err, ErrUnanswered) }, "unanswered"},
		"the asker leaves": {nil, true, "", func(err error) bool { return errors.Is(err, context.Canceled) }, "withdrawn"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := state.NewStore(state.Snapshot{Settings: state.Settings{Settings: catalog.Settings{AskFor: 60}}})
				var outcomes []string
				a := NewApprovals(store, nil, func(c catalog.ChangeName, q catalog.Approval) {
					if c == catalog.ApprovalAnswered {
						outcomes = append(outcomes, q.Outcome)
					}
				})
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				wait := asked(ctx, t, store, a)
				if tt.answer != nil {
					require.NoError(t, a.Answer(*tt.answer))
				}
				if tt.leave {
					cancel()
				}
				code, err := wait()
				if code != tt.code || !tt.want(err) {
					t.Errorf("got %q, %v", code, err)
				}
				if len(store.Snapshot().Approvals) != 0 || len(outcomes) != 1 || outcomes[0] != tt.outcome {
					t.Errorf("left open %v, outcomes %q", store.Snapshot().Approvals, outcomes)
				}
				err = a.Answer(command.ApprovalAnswer{ApprovalID: "q"})
				if canAnswer := tt.outcome == "unanswered"; canAnswer != (err == nil) || err != nil && !errors.Is(err, ErrUnknownApproval) {
					t.Errorf("a late answer: %v", err)
				}
			})
		})
	}
}
