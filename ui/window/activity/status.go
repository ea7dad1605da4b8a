package activity

import (
	"cmp"
	"encoding/json"
	"image/color"
	"regexp"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
)

// executionIn finds the id in a truncated result.
var executionIn = regexp.MustCompile(`"execution_id":\s*"([^"]+)"`)

// executionOf returns the id of the execution that a call started, or that its result
// or parameters name; empty if there is none.
func executionOf(c catalog.Activity) string {
	if c.ExecutionID != "" {
		return c.ExecutionID
	}
	var args struct {
		ExecutionID string `json:"execution_id"`
	}
	var result struct {
		ExecutionID string `json:"execution_id"`
		Execution   struct {
			ExecutionID string `json:"execution_id"`
		}
	}
	_ = json.Unmarshal(c.Args, &args) // an error means that they name none
	_ = json.Unmarshal(c.Result, &result)
	id := cmp.Or(result.ExecutionID, result.Execution.ExecutionID, args.ExecutionID)
	var cut string
	if id == "" && json.Unmarshal(c.Result, &cut) == nil {
		if found := executionIn.FindStringSubmatch(cut); found != nil {
			id = found[1]
		}
	}
	return id
}

// statusIn finds the status next to the id.
var statusIn = regexp.MustCompile(`"execution_id":\s*"[^"]+"[^{}]*?"status":\s*"([a-z_]+)"`)

// reported returns the status that an execution had when the call returned. It is empty
// if the call was not about an execution.
func reported(c catalog.Activity) string {
	text := string(c.Result)
	var cut string
	if json.Unmarshal(c.Result, &cut) == nil {
		text = cut
	}
	if found := statusIn.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

// stateOf returns the state of a call. If the call is about an execution, that is the
// execution's status, which can still change after the call has returned.
func (d *Dock) stateOf(n *state.Snapshot, c catalog.Activity) string {
	h := d.history
	if awaits(n, c) {
		return callWaits
	}
	o, known := h.outcome(c)
	status := o.status
	if !known {
		status = reported(c) // no event has reported it since; queued code has no events
	}
	if status != "" {
		if status == catalog.StatusAwaiting {
			return callWaits
		}
		return status
	}
	switch {
	case h.queued(n, c):
		return catalog.StatusQueued
	case c.Ended.IsZero():
		return catalog.StatusRunning
	case c.Status == string(tool.Denied), c.Status == string(tool.ApprovalTimeout), c.Status == string(tool.Cancelled):
		return catalog.StatusCancelled
	case d.k.Tr.Has("status." + c.Status):
		return c.Status
	}
	return callFailed // an error code; the detail explains it
}

// asking returns the id of the execution that a call is about, if it asks the user for input; else "".
func (d *Dock) asking(c catalog.Activity) string {
	if o, _ := d.history.outcome(c); o.asks == nil {
		return ""
	}
	return cmp.Or(executionOf(c), d.history.runOf(c).ExecutionID)
}

// goesOn reports whether a call in this state has not ended.
func goesOn(state string) bool { return state == callWaits || !catalog.Ended(state) }

// callStatus returns the mark, the name and the colour of a call's state.
func (d *Dock) callStatus(c catalog.Activity) (kit.Mark, string, color.Color) {
	k := d.k
	is := d.stateOf(d.port.Snapshot(), c)
	word := properties.StatusText(k, is)
	switch is {
	case callWaits:
		return kit.MarkWait, word, k.P.Warn
	case catalog.StatusQueued:
		return kit.MarkIdle, word, k.P.Muted
	case catalog.StatusAwaitingInput:
		return kit.MarkWait, word, k.P.Warn
	case catalog.StatusRunning:
		return kit.MarkBusy, word, k.P.Good
	case catalog.StatusOK:
		return kit.MarkCheck, word, k.P.Muted
	case catalog.StatusInterrupted:
		return kit.MarkStopped, word, k.P.Warn
	case catalog.StatusCancelled:
		return kit.MarkCancelled, word, k.P.Muted
	case catalog.StatusTimeout:
		return kit.MarkLate, word, k.P.Warn
	case catalog.StatusLost:
		return kit.MarkLost, word, k.P.Warn
	case catalog.StatusKernelDied:
		return kit.MarkDead, word, k.P.Bad
	default:
		return kit.MarkBad, word, k.P.Bad
	}
}

var (
	// dull matches lines that do not say what code does.
	dull = regexp.MustCompile(`^(#|%|!|import\s|from\s.+\simport|"""|'''|pass$|[)\]}]+$|plt\.(figure|show|close)\()`)
	// trivial matches an assignment of a plain value.
	trivial = regexp.MustCompile(`^[A-Za-z_][\w, ]*\s*=\s*([-+]?[\d.]+(e[-+]?\d+)?|True|False|None|''|""|\[\]|\{\}|\(\)|"[^"]*"|'[^']*'|(list|dict|set)\(\))\s*(#.*)?$`)
)

// tellingLine returns the first line of code that says what the code does.
func tellingLine(code string) string {
	var first, plain string
	for line := range strings.SplitSeq(code, "\n") {
		for l := range strings.SplitSeq(line, ";") {
			l = strings.TrimSpace(l)
			switch {
			case l == "":
				continue
			case dull.MatchString(l):
				first = cmp.Or(first, l)
			case trivial.MatchString(l):
				plain = cmp.Or(plain, l)
			default:
				_, rest, _ := strings.Cut(line, l)
				return strings.TrimSpace(l + rest)
			}
		}
	}
	return cmp.Or(plain, first)
}

// answerWords says which code the user approved or denied. It is empty for other calls.
func (d *Dock) answerWords(c catalog.Activity) string {
	var args struct {
		Approve *bool
		Dismiss bool
		Code    string

		Prompt, Value string
		Password      bool
	}
	if c.Transport != string(tool.Window) || json.Unmarshal(c.Args, &args) != nil {
		return ""
	}
	if c.Tool == command.AnswerInput.Name() {
		if args.Password {
			args.Value = "••••"
		}
		return strings.TrimSpace(args.Prompt + " " + args.Value)
	}
	if args.Approve == nil {
		return ""
	}
	switch {
	case *args.Approve:
		return d.k.T("activity.approved", tellingLine(args.Code))
	case args.Dismiss:
		return d.k.T("activity.dismissed", tellingLine(args.Code))
	}
	return d.k.T("activity.denied", tellingLine(args.Code))
}
