package state

import (
	"slices"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/rights"
)

// An Assistant is a client with a token of its own, or all tool.Others, with what the user allows it. Only the user changes that.
type Assistant struct {
	ID      string        `json:"id"`               // as in tool.Caller.Assistant; after it was forgotten, it is never used again
	Name    string        `json:"name,omitempty"`   // that the user gave it; "" for the one of its program
	Colour  int           `json:"colour,omitempty"` // 1-based index into the colours of sessions; 0 for none
	Rights  rights.Table  `json:"rights"`           // nil: Settings.Access decides, as for everyone
	Paused  bool          `json:"paused,omitempty"`
	Limits  Limits        `json:"limits,omitzero"`
	Allowed []ProjectKind `json:"allowed,omitempty"` // what the user has allowed once and for all in a project, oldest first

	// InChat says whether its program shows the user Easel's questions in its chat, too, if it can. Nil: only where Easel has no window.
	InChat *bool `json:"in_chat,omitempty"`

	Gone bool `json:"gone,omitempty"` // the user has forgotten it: its token is not valid

	Client string    `json:"client,omitempty"` // name and version that it sent last
	Calls  int       `json:"calls,omitempty"`  // of tools, ever
	Plots  int       `json:"plots,omitempty"`  // that its code has made, ever
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
}

// Limits slow an assistant down. 0 means no limit.
type Limits struct {
	Calls    int `json:"calls,omitempty"`     // of tools, a minute
	Kernels  int `json:"kernels,omitempty"`   // that it has started and that run
	OutputKB int `json:"output_kb,omitempty"` // kB of each output stream in a result
}

// A ProjectKind is a kind of action in a project.
type ProjectKind struct {
	Project string      `json:"project"` // its root
	Kind    rights.Kind `json:"kind"`
}

// A Trust is a client that may run code in a session without approval.
type Trust struct {
	SessionID string
	Client    string      // name and version, as in catalog.Approval
	Holder    string      // its process or MCP session, as in tool.Caller; "" only for one with a token of its own
	Assistant string      // by whose token, as in tool.Caller
	Kind      rights.Kind // that it may do; "" for everything
}

// Assistant returns the assistant with an id. If it is not known, the result has only the id.
func (s *Snapshot) Assistant(id string) Assistant {
	if i := s.assistant(id); i >= 0 {
		return s.Assistants[i]
	}
	return Assistant{ID: id}
}

// OutputKB returns how much of each output stream a caller gets in a result, in kB.
func (s *Snapshot) OutputKB(caller tool.Caller) int {
	limit := MostOutputKB
	if caller.Transport == tool.MCP {
		limit = s.Settings.OutputKB
	}
	if own := s.Assistant(caller.Assistant).Limits.OutputKB; own > 0 {
		limit = min(limit, own)
	}
	return limit
}

// AsksInChat reports whether a caller's program shows the user Easel's questions in its chat, too. An answer there counts, so that
// the user must trust the program: it could answer by itself. So without their word, it is not asked whether it may use a project or a
// kernel of another program, which is a question in every access mode.
func (s *Snapshot) AsksInChat(caller tool.Caller, place bool) bool {
	if own := s.Assistant(caller.Assistant).InChat; own != nil {
		return caller.Forms && *own
	}
	return caller.Forms && !place && s.Window == WindowNone && s.Terminals == 0
}

// CanAsk reports whether somebody could see a question about a call of a caller: in the window, in a terminal or in its chat. place
// says that the question is whether it may use a project or a kernel of another program.
func (s *Snapshot) CanAsk(caller tool.Caller, place bool) bool {
	return s.Window != WindowNone || s.Terminals > 0 || s.AsksInChat(caller, place)
}

// EditAssistant changes the assistant with an id, which it adds if it is not known. It clones the list.
func (s *Snapshot) EditAssistant(id string, edit func(*Assistant)) {
	s.Assistants = slices.Clone(s.Assistants)
	i := s.assistant(id)
	if i < 0 {
		i = len(s.Assistants)
		s.Assistants = append(s.Assistants, Assistant{ID: id})
	}
	edit(&s.Assistants[i])
}

func (s *Snapshot) assistant(id string) int {
	return slices.IndexFunc(s.Assistants, func(a Assistant) bool { return a.ID == id })
}

// GiveRights gives an assistant rights of its own, or, if they are nil, those of everyone. What the user has allowed it in sessions
// no longer counts, because they have reconsidered.
func (s *Snapshot) GiveRights(id string, t rights.Table) {
	s.EditAssistant(id, func(a *Assistant) { a.Rights = t })
	s.distrust(id)
}

// Forget takes an assistant's token back, and what the user has allowed it.
func (s *Snapshot) Forget(id string) {
	s.EditAssistant(id, func(a *Assistant) { *a = Assistant{ID: id, Gone: true} })
	s.distrust(id)
}

func (s *Snapshot) distrust(id string) {
	s.Trusted = slices.DeleteFunc(slices.Clone(s.Trusted), func(t Trust) bool { return t.Assistant == id })
}
