package oversight

import (
	"slices"
	"sync"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// A Sender says on whose behalf code is sent to a kernel. The zero Sender is an assistant that
// nobody has trusted.
type Sender struct {
	User      bool        // the user, through the window
	Assistant string      // id of what the user allows it; see tool.Caller
	Trust     state.Trust // what the user allows with “Allow for this session”
	Project   string      // root of the project that the session works in; "" for none
	Call      uint64      // see tool.Caller
	Forms     bool        // see tool.Caller
}

// SenderOf returns the sender of the code of a call in a session, which may work in a project.
func SenderOf(caller tool.Caller, session, project string) Sender {
	return Sender{
		User: caller.Transport == tool.Window, Assistant: caller.Assistant, Project: project, Call: caller.Call, Forms: caller.Forms,
		Trust: state.Trust{SessionID: session, Client: caller.String(), Holder: caller.Holder, Assistant: caller.Assistant},
	}
}

// A Decision says what to do with code that is about to be sent to a kernel.
type Decision int

// The decisions. The zero value refuses.
const (
	Refuse Decision = iota // it must not be sent, and no longer waits
	Hold                   // it waits until the mode changes
	Ask                    // it may be sent once the user has approved it
	Send                   // it may be sent now
)

// A Verdict is a decision and, if it is Refuse or Hold, the reason.
type Verdict struct {
	Decision Decision
	Err      error
	Risks    []catalog.Risk // because of which it is Ask; empty if it is because it is code
}

// Code is what is about to be sent.
type Code struct {
	Approved bool // the user has approved exactly this code
	Asks     bool // there is a way to ask the user
	// Risks returns what is risky in it. It is only called if that counts. If it is nil, nothing is.
	Risks func() []catalog.Risk
}

// Errors of a Verdict, in addition to ErrPaused and ErrReadOnly.
var (
	// ErrUnasked means that code needs approval, and that there is no way to ask for it.
	ErrUnasked error = refusedError("it needs the user's approval, and Easel cannot ask for it")
	// ErrNoGate means that there are no settings to decide by.
	ErrNoGate error = refusedError("Easel does not know what the user allows")
)

// A refusedError is a refusal that the user's mode implies.
type refusedError string

// Error returns the reason.
func (e refusedError) Error() string { return string(e) }

// ExecutionCode returns the error code of the execution that was refused.
func (refusedError) ExecutionCode() string { return catalog.CodeDenied }

// Decide says whether code may be sent now. It is the only place that decides this: whatever
// sends code to a kernel asks right before it does, because the user may have changed the mode
// since the call.
func Decide(s *state.Snapshot, by Sender, code Code) Verdict {
	allowed := RightsOf(s, by.Assistant)
	switch {
	case by.User: // see Exempt
		return Verdict{Decision: Send}
	case s.Assistant(by.Assistant).Gone:
		return Verdict{Decision: Refuse, Err: ErrForgotten}
	case readOnly(s):
		return Verdict{Decision: Refuse, Err: ErrReadOnly}
	case allowed.To(rights.Code) == rights.Deny:
		return Verdict{Decision: Refuse, Err: &ForbiddenError{Kind: rights.Code}}
	case s.Paused || s.Assistant(by.Assistant).Paused:
		return Verdict{Decision: Hold, Err: ErrPaused}
	}
	trusted := trusts(s, by.Trust)
	var risks []catalog.Risk
	if allowed.Reads() && code.Risks != nil {
		for _, r := range code.Risks() {
			kind := rights.Kind(r.Kind)
			switch allowed.To(kind) {
			case rights.Deny:
				return Verdict{Decision: Refuse, Err: &ForbiddenError{Kind: kind, Line: r.Line, What: r.What}}
			case rights.Ask:
				if !trusted && !grants(s, by, kind) {
					risks = append(risks, r)
				}
			case rights.Allow:
			}
		}
	}
	switch {
	case len(risks) > 0:
		return Verdict{Decision: Ask, Risks: risks}
	case allowed.To(rights.Code) == rights.Ask && !trusted && !grants(s, by, rights.Code):
		return Verdict{Decision: Ask}
	default:
		return Verdict{Decision: Send}
	}
}

// readOnly reports whether assistants may only read. An unknown mode allows no more than that.
func readOnly(s *state.Snapshot) bool {
	return s.Settings.Access == AccessReadOnly || !slices.Contains(AccessModes, s.Settings.Access)
}

// An Exemption is a kind of code that is sent to kernels in every mode.
type Exemption string

// The exemptions. All but the first are Easel's own code: it runs as an expression of a silent
// request, reads, and leaves no name, no output and no history in the kernel.
const (
	ByUser          Exemption = "the user's own actions in the window"
	ReadVariables   Exemption = "describing variables"
	ReadDataFrame   Exemption = "describing a DataFrame"
	RedrawFigure    Exemption = "drawing a figure again that the kernel keeps"
	ReadEnvironment Exemption = "reading which Python and packages it runs, its lock file and commit"
	KeepFigures     Exemption = "making a kernel keep its figures"
	StoreFigure     Exemption = "taking over a figure that the kernel keeps"
	LoadFigure      Exemption = "loading a stored figure in a kernel for it alone, after the gate has allowed it"
	FindFont        Exemption = "finding a font for missing characters"
	WarmUp          Exemption = "loading packages in a kernel that is started in advance"
)

// Exempt are all exemptions, as SECURITY.md lists them.
var Exempt = []Exemption{
	ByUser, ReadVariables, ReadDataFrame, ReadEnvironment, RedrawFigure, KeepFigures, StoreFigure, LoadFigure,
	FindFont, WarmUp,
}

// A Gate decides whether code may be sent now, by the newest snapshot of the state. All its methods
// but Consent do not block. They may be called on any goroutine. A nil Gate lets only the user send
// code.
type Gate struct {
	store    *state.Store
	projects Projects // nil if there are none
}

// NewGate returns a gate that decides by store.
func NewGate(store *state.Store) *Gate { return &Gate{store: store} }

// Check says whether code may be sent now. An approval of code does not allow its project.
func (g *Gate) Check(by Sender, code Code) Verdict {
	v := Verdict{Decision: Refuse, Err: ErrNoGate}
	switch {
	case g != nil:
		v = Decide(g.store.Snapshot(), by, code)
	case by.User:
		v = Verdict{Decision: Send}
	}
	if (v.Decision == Ask || v.Decision == Send) && g.withdrawn(by) {
		return g.askForProject(by, code.Asks)
	}
	switch {
	case v.Decision != Ask:
		return v
	case code.Approved:
		return Verdict{Decision: Send}
	case !code.Asks:
		return Verdict{Decision: Refuse, Err: ErrUnasked}
	default:
		return v
	}
}

// OnChange calls f after each change of what the user allows, until stop is called. f must not
// block.
func (g *Gate) OnChange(f func()) (stop func()) {
	if g == nil {
		return func() {}
	}
	var mu sync.Mutex
	last := g.store.Snapshot()
	return g.store.OnChange(func() {
		mu.Lock()
		now := g.store.Snapshot()
		changed := now.Paused != last.Paused || now.Settings.Access != last.Settings.Access ||
			now.Settings.Projects != last.Settings.Projects || !slices.Equal(now.Trusted, last.Trusted) ||
			!slices.EqualFunc(now.Assistants, last.Assistants, sameRights)
		last = now
		mu.Unlock()
		if changed {
			f()
		}
	})
}
