package oversight

import (
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/rights"
	"easel/ui/core/state"
)

// byMode is what each access mode allows.
var byMode = map[string]rights.Table{
	AccessAllow: rights.Named(rights.All), AccessAskRisky: rights.Named(rights.Project),
	AccessAsk: rights.Named(rights.Each), AccessReadOnly: rights.Named(rights.Look),
}

// RightsOf returns what the user allows an assistant: its own rights, or else those of the access mode.
func RightsOf(s *state.Snapshot, assistant string) rights.Table {
	if own := s.Assistant(assistant).Rights; own != nil {
		return own
	}
	if t, ok := byMode[s.Settings.Access]; ok {
		return t
	}
	return rights.Named(rights.Look)
}

// sameRights reports whether two assistants may do the same.
func sameRights(a, b state.Assistant) bool {
	return a.ID == b.ID && a.Gone == b.Gone && a.Paused == b.Paused && (a.Rights == nil) == (b.Rights == nil) && a.Rights.Equal(b.Rights) &&
		slices.Equal(a.Allowed, b.Allowed)
}

// A ForbiddenError means that the user does not let the assistant do something of a kind.
type ForbiddenError struct {
	Kind rights.Kind
	Line int    // of the code, from 1; 0 if it is none
	What string // in the code
}

// Error says what is not allowed, and where the code does it.
func (e *ForbiddenError) Error() string {
	said := "the user does not let this assistant " + forbidden[e.Kind]
	if e.Line > 0 {
		said += fmt.Sprintf(" (line %d: %s)", e.Line, e.What)
	}
	return said
}

// ExecutionCode returns the error code of the execution that was refused.
func (*ForbiddenError) ExecutionCode() string { return catalog.CodeDenied }

// forbidden says what an assistant would do.
var forbidden = map[rights.Kind]string{
	rights.Code: "run code", rights.Files: "change or delete files with code", rights.Network: "use the network",
	rights.Programs: "start or end programs", rights.Packages: "install or remove packages",
	rights.Secrets: "read credentials or environment variables, or change these", rights.Variable: "replace the user's tables",
	rights.Unseen: "run code whose text does not tell what it does", rights.Notebooks: "change notebooks",
	rights.Sessions: "restart or end sessions", rights.Gallery: "change ratings, tags or what the window shows",
}

// grants reports whether the user has allowed a kind of action in a session or a project.
func grants(s *state.Snapshot, by Sender, kind rights.Kind) bool {
	t := by.Trust
	t.Kind = kind
	return trusts(s, t) || by.Assistant != tool.Others && by.Project != "" &&
		slices.Contains(s.Assistant(by.Assistant).Allowed, state.ProjectKind{Project: by.Project, Kind: kind})
}

// KindsOf returns the kinds of action that the call of a tool is. Code is decided when it is sent to a kernel.
func KindsOf(spec tool.Spec, in any) []rights.Kind {
	kind := rights.Code
	switch {
	case spec.Changes == tool.Notebooks:
		kind = rights.Notebooks
	case spec.Changes == tool.Sessions:
		kind = rights.Sessions
	case spec.Toolset == tool.Gallery:
		kind = rights.Gallery
	}
	also := rights.Kind("")
	switch in := in.(type) {
	case catalog.SessionCreateIn:
		if in.NotebookPath != "" { // it is created if it is missing
			also = rights.Notebooks
		}
	case catalog.RenderImageIn:
		if in.Path != "" {
			also = rights.Files
		}
	case catalog.NotebookAddCellIn:
		if in.Run {
			also = rights.Code
		}
	case catalog.NotebookEditCellIn:
		if in.Run {
			also = rights.Code
		}
	case catalog.NotebookRunCellIn:
		also = rights.Code
	}
	if also == "" {
		return []rights.Kind{kind}
	}
	return []rights.Kind{kind, also}
}
