package tray

import (
	"time"

	"easel/ui/core/state"
)

// A noteKind is a kind of notification. A new notification replaces the previous one of
// its kind.
type noteKind int

// The kinds of notification.
const (
	noteHidden noteKind = iota
	noteApproval
	noteInput
	noteDied
	noteFinished
	noteStopped // the outcome of an interrupt from the tray
	noteKinds
)

// A note is a notification, as message IDs. The messages never contain anything of the
// user's.
type note struct {
	kind        noteKind
	title, text string
}

var (
	hiddenNote   = note{noteHidden, "tray.note.hidden", "tray.note.hidden_text"}
	approvalNote = note{noteApproval, "tray.note.approval", "tray.note.approval_text"}
	inputNote    = note{noteInput, "tray.note.input", "tray.note.input_text"}
	diedNote     = note{noteDied, "tray.note.died", "tray.note.died_text"}
	finishedNote = note{noteFinished, "tray.note.finished", "tray.note.finished_text"}
	stillNote    = note{noteStopped, "tray.note.still", "tray.note.still_text"}
	refusedNote  = note{noteStopped, "tray.note.refused", "tray.note.refused_text"}
)

// A news detects what is new in successive states.
type news struct {
	approvals map[string]bool
	inputs    map[string]bool // questions of running code
	died      map[string]bool
	running   map[string]state.RunningCode // by session id
	now       func() time.Time
}

// newNews returns a news for which nothing in s is new.
func newNews(s *state.Snapshot) *news {
	n := &news{now: time.Now}
	n.observe(s)
	return n
}

// observe compares s with the previous state and reports whether there is a new request for approval,
// a new question of running code, a newly died kernel, or a finished execution that ran for at least
// longRun and was not interrupted.
func (n *news) observe(s *state.Snapshot) (asked, input, died, finished bool) {
	approvals, dead, runs := make(map[string]bool), make(map[string]bool), make(map[string]state.RunningCode)
	inputs := make(map[string]bool)
	for _, q := range s.Inputs {
		inputs[q.ID] = true
		input = input || !n.inputs[q.ID]
	}
	for _, a := range s.Approvals {
		approvals[a.ApprovalID] = true
		asked = asked || !n.approvals[a.ApprovalID]
	}
	for _, x := range s.Sessions {
		if x.Died != "" {
			dead[x.SessionID] = true
			died = died || !n.died[x.SessionID]
			continue
		}
		if x.Running != nil {
			runs[x.SessionID] = *x.Running
		}
		was, ran := n.running[x.SessionID]
		if over := x.Running == nil || x.Running.ExecutionID != was.ExecutionID || !x.Running.Since.Equal(was.Since); ran && over &&
			was.Interrupt.IsZero() && n.now().Sub(was.Since) >= longRun {
			finished = true
		}
	}
	n.approvals, n.inputs, n.died, n.running = approvals, inputs, dead, runs
	return asked, input, died, finished
}

// next returns the notifications for s, according to the settings. reachable says
// whether the tray can show a hidden window again.
func (n *news) next(s *state.Snapshot, reachable bool) []note {
	asked, input, died, finished := n.observe(s)
	switch s.Settings.Notify {
	case "always":
	case "off":
		return nil
	default:
		if s.Window != state.WindowHidden {
			return nil
		}
	}
	var notes []note
	if s.Window == state.WindowHidden && reachable && !s.Settings.ToldTray {
		notes = append(notes, hiddenNote)
	}
	if asked {
		notes = append(notes, approvalNote)
	}
	if input {
		notes = append(notes, inputNote)
	}
	if died {
		notes = append(notes, diedNote)
	}
	if finished {
		notes = append(notes, finishedNote)
	}
	return notes
}
