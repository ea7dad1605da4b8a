package oversight

import (
	"errors"
	"os"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// TestDecide is the table of what may be sent to a kernel.
func TestDecide(t *testing.T) {
	user, trusted, nobody := Sender{User: true}, Sender{Trust: state.Trust{SessionID: "s", Client: "c", Holder: "h"}}, Sender{}
	for _, c := range []struct {
		access                string
		paused                bool
		nobody, trusted, user Decision
		why                   error // of the first two
	}{
		{AccessAllow, false, Send, Send, Send, nil},
		{AccessAllow, true, Hold, Hold, Send, ErrPaused},
		{AccessAsk, false, Ask, Send, Send, nil},
		{AccessAsk, true, Hold, Hold, Send, ErrPaused},
		{AccessReadOnly, false, Refuse, Refuse, Send, ErrReadOnly},
		{AccessReadOnly, true, Refuse, Refuse, Send, ErrReadOnly},
		{"ask_riskily", false, Refuse, Refuse, Send, ErrReadOnly},
		{"", true, Refuse, Refuse, Send, ErrReadOnly},
	} {
		s := &state.Snapshot{Paused: c.paused, Trusted: []state.Trust{trusted.Trust}}
		s.Settings.Access = c.access
		for by, want := range map[Sender]Decision{nobody: c.nobody, trusted: c.trusted, user: c.user} {
			v := Decide(s, by, Code{})
			if v.Decision != want || !by.User && !errors.Is(v.Err, c.why) {
				t.Errorf("access %q, paused %v, by %+v: %+v, want %d", c.access, c.paused, by, v, want)
			}
		}
	}
}

// TestOnlyRiskyCodeIsAskedAbout checks the mode that asks about risky code alone.
func TestOnlyRiskyCodeIsAskedAbout(t *testing.T) {
	trusted := Sender{Trust: state.Trust{SessionID: "s", Client: "c", Holder: "h"}}
	s := &state.Snapshot{Trusted: []state.Trust{trusted.Trust}}
	s.Settings.Access = AccessAskRisky
	risks := []catalog.Risk{{Kind: "files", Line: 2, What: "os.remove"}}
	risky, harmless := func() []catalog.Risk { return risks }, func() []catalog.Risk { return nil }
	for _, c := range []struct {
		by    Sender
		risks func() []catalog.Risk
		want  Decision
	}{{Sender{}, risky, Ask}, {Sender{}, harmless, Send}, {Sender{}, nil, Send}, {trusted, risky, Send}, {Sender{User: true}, risky, Send}} {
		v := Decide(s, c.by, Code{Risks: c.risks})
		if v.Decision != c.want || (v.Decision == Ask) != (len(v.Risks) == 1) {
			t.Errorf("by %+v: %+v, want %d", c.by, v, c.want)
		}
	}
	s.Paused = true
	if v := Decide(s, Sender{}, Code{Risks: risky}); v.Decision != Hold {
		t.Errorf("while the AI is paused: %+v", v)
	}
}

// TestAGate checks what a gate makes of a question, and that it refuses if it knows nothing.
func TestAGate(t *testing.T) {
	store := state.NewStore(state.Snapshot{})
	gate := NewGate(store)
	changes := 0
	defer gate.OnChange(func() { changes++ })()
	store.Update(func(s *state.Snapshot) { s.Settings.Access = AccessAsk })
	store.Update(func(s *state.Snapshot) { s.Calls++ })
	for name, c := range map[string]struct {
		gate           *Gate
		by             Sender
		approved, asks bool
		want           Decision
		why            error
	}{
		"approved":                {gate, Sender{}, true, false, Send, nil},
		"not yet":                 {gate, Sender{}, false, true, Ask, nil},
		"no way to ask":           {gate, Sender{}, false, false, Refuse, ErrUnasked},
		"no gate":                 {nil, Sender{}, true, true, Refuse, ErrNoGate},
		"no gate, and it is user": {nil, Sender{User: true}, false, false, Send, nil},
	} {
		if v := c.gate.Check(c.by, Code{Approved: c.approved, Asks: c.asks}); v.Decision != c.want || !errors.Is(v.Err, c.why) {
			t.Errorf("%s: %+v, want %d, %v", name, v, c.want, c.why)
		}
	}
	if changes != 1 {
		t.Errorf("told of %d changes of what the user allows, want 1", changes)
	}
}

// TestSecurityListsTheExemptions checks that SECURITY.md has the table of Exempt.
func TestSecurityListsTheExemptions(t *testing.T) {
	text, err := os.ReadFile("../../../SECURITY.md")
	require.NoError(t, err)
	for _, e := range Exempt {
		if !strings.Contains(string(text), "| "+string(e)+" |") {
			t.Errorf("SECURITY.md does not list %q", e)
		}
	}
}
