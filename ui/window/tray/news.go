package tray

import (
	"time"

	"easel/ui/core/state"
)

// A noteKind is a kind of notification; a newer one replaces one of its kind.
type noteKind int

// The kinds of notification.
const (
	noteHidden noteKind = iota
	noteApproval
	noteDied
	noteFinished
	noteStopped // how an interrupt from the tray went
	noteKinds
)

// A note is a notification: keys of texts that never hold anything of the user's.
type note struct {
	kind        noteKind
	title, text string
}

var (
	hiddenNote   = note{noteHidden, "tray.note.hidden", "tray.note.hidden_text"}
	approvalNote = note{noteApproval, "tray.note.approval", "tray.note.approval_text"}
	diedNote     = note{noteDied, "tray.note.died", "tray.note.died_text"}
	finishedNote = note{noteFinished, "tray.note.finished", "tray.note.finished_text"}
	stillNote    = note{noteStopped, "tray.note.still", "tray.note.still_text"}
	refusedNote  = note{noteStopped, "tray.note.refused", "tray.note.refused_text"}
)

// A news finds what is new between the states that it is shown.
type news struct {
	approvals map[string]bool
	died      map[string]bool
	running   map[string]state.Running // by session id
	now       func() time.Time
}

// newNews takes s as known.
func newNews(s *state.Snapshot) *news {
	n := &news{now: time.Now}
	n.observe(s)
	return n
}

// observe remembers s, and tells what is in it that was not there before: a question,
// a death, the end of a long run that nobody stopped.
func (n *news) observe(s *state.Snapshot) (asked, died, finished bool) {
	approvals, dead, runs := make(map[string]bool), make(map[string]bool), make(map[string]state.Running)
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
	n.approvals, n.died, n.running = approvals, dead, runs
	return asked, died, finished
}

// next is what the user is told of s, as the settings say. reachable tells whether
// there is a tray that leads back to a hidden window.
func (n *news) next(s *state.Snapshot, reachable bool) []note {
	asked, died, finished := n.observe(s)
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
	if died {
		notes = append(notes, diedNote)
	}
	if finished {
		notes = append(notes, finishedNote)
	}
	return notes
}
