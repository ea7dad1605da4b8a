package window

import (
	"cmp"
	"encoding/json"
	"image/color"
	"regexp"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/properties"
)

// executionIn finds the id in a result that was cut.
var executionIn = regexp.MustCompile(`"execution_id":\s*"([^"]+)"`)

// executionOf is the id of the execution that a call started, or that its result or
// parameters name.
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
	_ = json.Unmarshal(c.Args, &args) // what is not JSON names none
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

// statusIn finds the status beside it.
var statusIn = regexp.MustCompile(`"execution_id":\s*"[^"]+"[^{}]*?"status":\s*"([a-z_]+)"`)

// reported is the status that an execution had when the call returned; empty if the call
// was about none.
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

// stateOf is how a call does or did. Of one that is about an execution it is that
// execution's status, which goes on after the call has returned.
func (s *shell) stateOf(n *state.Snapshot, c catalog.Activity) string {
	j := s.a.journal
	if awaits(n, c) {
		return callWaits
	}
	status, known := j.fate(c)
	if !known {
		status = reported(c) // nothing was told of it since, as of code that waits for its turn
	}
	if status != "" {
		if status == catalog.StatusAwaiting {
			return callWaits
		}
		return status
	}
	switch {
	case j.queued(n, c):
		return catalog.StatusQueued
	case c.Ended.IsZero():
		return catalog.StatusRunning
	case c.Status == string(tool.Denied), c.Status == string(tool.ApprovalTimeout), c.Status == string(tool.Cancelled):
		return catalog.StatusCancelled
	case s.k.Tr.Has("status." + c.Status):
		return c.Status
	}
	return callFailed // a code: the detail says it in words
}

// goesOn tells whether a call of this state has not come to its end.
func goesOn(state string) bool { return state == callWaits || !catalog.Ended(state) }

// callStatus is how a call does or did: its mark, its word, its colour.
func (s *shell) callStatus(c catalog.Activity) (kit.Mark, string, color.Color) {
	k := s.k
	is := s.stateOf(s.a.cfg.Store.Snapshot(), c)
	word := properties.StatusText(k, is)
	switch is {
	case callWaits:
		return kit.MarkWait, word, k.P.Warn
	case catalog.StatusQueued:
		return kit.MarkIdle, word, k.P.Muted
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
	// dull are lines that say nothing of what code does.
	dull = regexp.MustCompile(`^(#|%|!|import\s|from\s.+\simport|"""|'''|pass$|[)\]}]+$|plt\.(figure|show|close)\()`)
	// trivial is an assignment of a plain value.
	trivial = regexp.MustCompile(`^[A-Za-z_][\w, ]*\s*=\s*([-+]?[\d.]+(e[-+]?\d+)?|True|False|None|''|""|\[\]|\{\}|\(\)|"[^"]*"|'[^']*'|(list|dict|set)\(\))\s*(#.*)?$`)
)

// tellingLine is the first line of code that says what it does.
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

// answerWords is what the user answered to a question, and to what; empty for other calls.
func (s *shell) answerWords(c catalog.Activity) string {
	var args struct {
		Approve *bool
		Code    string
	}
	if c.Transport != string(tool.Window) || json.Unmarshal(c.Args, &args) != nil || args.Approve == nil {
		return ""
	}
	if *args.Approve {
		return s.k.T("activity.approved", tellingLine(args.Code))
	}
	return s.k.T("activity.denied", tellingLine(args.Code))
}

// sessionOf is the name of the session that a call is about.
func (s *shell) sessionOf(c catalog.Activity) string {
	var args struct {
		SessionID string `json:"session_id"`
	}
	if json.Unmarshal(c.Args, &args) != nil || args.SessionID == "" {
		return ""
	}
	return s.sessionName(args.SessionID)
}
