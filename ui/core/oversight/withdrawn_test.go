package oversight

import (
	"context"
	"errors"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// taken are projects of which the user allows one, and says answer about the others.
type taken struct {
	allowed string
	answer  error
	asked   []string // for whom, and about what
}

func (p *taken) Allows(root string) bool { return root == p.allowed }

func (p *taken) Readmit(ctx context.Context, root string) error {
	p.asked = append(p.asked, tool.CallerFrom(ctx).String()+" "+root)
	if p.answer == nil {
		p.allowed = root
	}
	return p.answer
}

// TestAProjectThatIsNoLongerAllowed checks that its code is asked about in every mode that sends code,
// and that an approval of the code is not one of the project.
func TestAProjectThatIsNoLongerAllowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		access         string
		window         state.WindowState
		by             Sender
		approved, asks bool
		want           Decision
	}{
		"allow":                {AccessAllow, state.WindowShown, Sender{Project: "/gone"}, false, true, Ask},
		"another":              {AccessAllow, state.WindowShown, Sender{Project: "/here"}, false, true, Send},
		"none":                 {AccessAllow, state.WindowShown, Sender{}, false, true, Send},
		"the user's":           {AccessAllow, state.WindowShown, Sender{Project: "/gone", User: true}, false, true, Send},
		"approved code":        {AccessAsk, state.WindowShown, Sender{Project: "/gone"}, true, true, Ask},
		"read only":            {AccessReadOnly, state.WindowShown, Sender{Project: "/gone"}, false, true, Refuse},
		"nobody asks":          {AccessAllow, state.WindowShown, Sender{Project: "/gone"}, false, false, Refuse},
		"there is no window":   {AccessAllow, state.WindowNone, Sender{Project: "/gone"}, false, true, Refuse},
		"no window, and allow": {AccessAllow, state.WindowNone, Sender{Project: "/here"}, false, true, Send},
	} {
		store := state.NewStore(state.Snapshot{Window: c.window})
		store.Update(func(s *state.Snapshot) { s.Settings.Access = c.access })
		gate := NewGate(store)
		gate.UseProjects(&taken{allowed: "/here"})
		v := gate.Check(c.by, Code{Approved: c.approved, Asks: c.asks})
		if v.Decision != c.want {
			t.Errorf("%s: %+v, want %d", name, v, c.want)
		}
		e, withdrawn := errors.AsType[*WithdrawnError](v.Err)
		if withdrawn != (c.want == Refuse && c.access == AccessAllow) ||
			withdrawn && (e.ExecutionCode() != catalog.CodeDenied || !strings.Contains(e.Error(), "--project /gone")) {
			t.Errorf("%s: %v", name, v.Err)
		}
	}
}

// TestConsent checks which questions the user gets, and that the code is not asked about if they deny
// the project.
func TestConsent(t *testing.T) {
	t.Parallel()
	denied := &DeniedError{}
	for name, c := range map[string]struct {
		access  string
		answer  error
		project bool // whether that is what is asked about
		code    bool
		want    Consent
	}{
		"the project":              {AccessAllow, nil, true, false, Consent{"code", true}},
		"the project and the code": {AccessAsk, nil, true, true, Consent{"edited", false}},
		"a refusal":                {AccessAsk, denied, true, false, Consent{}},
		"the code":                 {AccessAsk, nil, false, true, Consent{"edited", false}},
	} {
		store := state.NewStore(state.Snapshot{Window: state.WindowShown})
		store.Update(func(s *state.Snapshot) { s.Settings.Access = c.access })
		p := &taken{answer: c.answer}
		if !c.project {
			p.allowed = "/gone"
		}
		gate := NewGate(store)
		gate.UseProjects(p)
		code := false
		by := SenderOf(tool.Caller{Transport: tool.MCP, Name: "claude", Version: "2"}, "s", "/gone")
		got, err := gate.Consent(t.Context(), by, "code", Code{Asks: true}, func(context.Context) (Consent, error) {
			code = true
			return Consent{Code: "edited"}, nil
		})
		if got != c.want || !errors.Is(err, c.answer) || code != c.code || strings.Join(p.asked, ";") == "claude 2 /gone" != c.project {
			t.Errorf("%s: %+v, %v, asked about %q and the code %v", name, got, err, p.asked, code)
		}
	}
}

// TestAGateReportsProjects checks that what waits is looked at again when the user takes a permission
// back.
func TestAGateReportsProjects(t *testing.T) {
	t.Parallel()
	store := state.NewStore(state.Snapshot{})
	changes, root := 0, t.TempDir()
	defer NewGate(store).OnChange(func() { changes++ })()
	store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.With(state.Project{Root: root}) })
	store.Update(func(s *state.Snapshot) { s.Settings.Projects = s.Settings.Projects.Without(root) })
	if changes != 2 {
		t.Errorf("told of %d changes, want 2", changes)
	}
}
