package catalog

import (
	"fmt"
	"time"
)

// A KernelReplaced tells a client once that a session which it has used lost its variables.
type KernelReplaced struct {
	Generation int       `json:"generation" jsonschema:"number of this run of the kernel"`
	By         string    `json:"by" jsonschema:"who restarted or replaced it, or that it died"`
	At         time.Time `json:"at" jsonschema:"when"`
	Note       string    `json:"note" jsonschema:"what that means"`
}

// VariablesLost is the note of a KernelReplaced.
const VariablesLost = "All variables and imports of this session are gone. Run the code that you need again."

// String returns a sentence for errors.
func (k KernelReplaced) String() string {
	return fmt.Sprintf("The kernel was replaced at %s (by %s). %s", k.At.UTC().Format(time.RFC3339), k.By, k.Note)
}

// SessionNews is part of each result about a session.
type SessionNews struct {
	KernelReplaced *KernelReplaced `json:"kernel_replaced,omitempty" jsonschema:"set once after the session's kernel was restarted, died or was replaced"`
}

// SetKernelReplaced sets KernelReplaced.
func (n *SessionNews) SetKernelReplaced(k *KernelReplaced) { n.KernelReplaced = k }

// Replaced returns what SetKernelReplaced has set.
func (n SessionNews) Replaced() *KernelReplaced { return n.KernelReplaced }

// SessionOf returns the session that a call is about, given the parameters and the result of a
// tool; "" if it is about none.
func SessionOf(in, out any) string {
	type about interface{ about() string }
	if o, ok := out.(about); ok && o.about() != "" {
		return o.about()
	}
	if i, ok := in.(about); ok {
		return i.about()
	}
	return ""
}

// ServerOf returns the Jupyter server that the parameters or the result of a tool name; "" if
// they name none.
func ServerOf(v any) string {
	if x, ok := v.(interface{ at() string }); ok {
		return x.at()
	}
	return ""
}

func (s AtServer) at() string { return s.Server }
func (s OfServer) at() string { return s.Server }

func (e Execution) about() string           { return e.SessionID }
func (o SessionCreateOut) about() string    { return o.SessionID }
func (o SessionConnectOut) about() string   { return o.SessionID }
func (o NotebookReadOut) about() string     { return o.SessionID }
func (in SessionInterruptIn) about() string { return in.SessionID }
func (in SessionRestartIn) about() string   { return in.SessionID }
func (in ExecuteCodeIn) about() string      { return in.SessionID }
func (in GetVariablesIn) about() string     { return in.SessionID }
func (in GetDataFrameInfoIn) about() string { return in.SessionID }
func (in ListSessionImagesIn) about() string {
	return in.SessionID
}

func (c CellChanged) about() string {
	if c.Execution == nil {
		return ""
	}
	return c.Execution.SessionID
}
