package state

import (
	"slices"
	"strings"

	"easel/ui/core/sessionname"
)

// Runs reports whether code is running in the session.
func (x Session) Runs() bool {
	return x.Died == "" && x.Status != "dead" && (x.Running != nil || x.Status == "busy")
}

// Titles returns the titles of sessions, separated by commas.
func Titles(xs []Session) string {
	var names []string
	for _, x := range xs {
		names = append(names, x.Title())
	}
	return strings.Join(names, ", ")
}

// Busy returns the sessions in which code is running.
func (s *Snapshot) Busy() (busy []Session) {
	for _, x := range s.Sessions {
		if x.Runs() {
			busy = append(busy, x)
		}
	}
	return busy
}

// Unmoved returns the sessions whose code has not reacted to an interrupt, and runs on.
func (s *Snapshot) Unmoved() (unmoved []Session) {
	for _, x := range s.Sessions {
		if x.Running != nil && x.Running.Unmoved {
			unmoved = append(unmoved, x)
		}
	}
	return unmoved
}

// Waiting returns how many executions wait: for their kernel, or until the user resumes the AI.
func (s *Snapshot) Waiting() (n int) {
	for _, x := range s.Sessions {
		n += x.Queued
	}
	return n
}

// Stops returns the sessions that an interrupt without a session may act on. It is sure
// only of one session: the picked one if it runs, else the only one that runs. It is
// never sure of a session other than the picked one, nor of code that another client
// started. If it is not sure, the user chooses. If nothing runs, it returns none.
//
// It ignores which folder is open: a user who looks at the plots of one session and
// presses Stop means the session that runs.
func (s *Snapshot) Stops() (among []Session, sure bool) {
	busy := s.Busy()
	picked, ok := s.Session(s.Picked)
	if ok && picked.Runs() {
		return []Session{picked}, true
	}
	elsewhere := ok && picked.Died == ""
	return busy, !elsewhere && len(busy) == 1 && (busy[0].Running == nil || !busy[0].Running.Theirs)
}

// Session returns the live session with an id.
func (s *Snapshot) Session(id string) (Session, bool) {
	i := slices.IndexFunc(s.Sessions, func(x Session) bool { return x.SessionID == id })
	if i < 0 || id == "" {
		return Session{}, false
	}
	return s.Sessions[i], true
}

// SessionName returns the name of a session, which may be gone.
func (s *Snapshot) SessionName(id string) string {
	if x, ok := s.Session(id); ok {
		return x.Title()
	}
	return sessionname.Of(sessionname.Session{ID: id})
}

// Shown returns the session that the top bar, the variables and the console show: the
// picked one, else the one whose folder is open, else one that runs, else the last that
// was shown, else the newest.
func (s *Snapshot) Shown(last string) (Session, bool) {
	var best Session
	rank := 0
	for _, x := range s.Sessions {
		r := 1
		switch {
		case x.SessionID == s.Picked:
			r = 6
		case x.SessionID == s.Folder.ID:
			r = 5
		case x.SessionID == last && x.Runs():
			r = 4
		case x.Runs():
			r = 3
		case x.SessionID == last:
			r = 2
		}
		if r > rank {
			best, rank = x, r
		}
	}
	return best, rank > 0
}

// A Hold is whether the user has paused the AI, and whether code that was already running
// continues.
type Hold string

// The values of Hold.
const (
	Free        Hold = ""
	Held        Hold = "paused"
	HeldRunning Hold = "paused_running" // paused, and code still runs
)

// Hold returns the state of the pause that the window and the tray show.
func (s *Snapshot) Hold() Hold {
	switch {
	case !s.Paused:
		return Free
	case len(s.Busy()) > 0:
		return HeldRunning
	default:
		return Held
	}
}
