package record

import (
	"log/slog"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// A sessionState is what other goroutines read of a recorder.
type sessionState struct {
	mu       sync.Mutex // guards the fields below
	sess     library.Session
	used     time.Time // time of last use
	awaiting int       // executions that wait for approval
	phase    kernelPhase
	shown    *execution.RunningCode // what the kernel executes; nil if nothing
	queued   int                    // executions that wait for the kernel
	died     string                 // see SessionView.Died
	crashed  time.Time
}

// session returns the session as it is stored.
func (s *sessionState) session() library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sess
}

// change changes the session, and returns it.
func (s *sessionState) change(f func(*library.Session)) library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.sess)
	return s.sess
}

// end notes that the session has ended, and why, and returns it.
func (s *sessionState) end(why string) library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.died = why
	s.sess.EndedAt = time.Now().UTC()
	return s.sess
}

// hold notes what the session held if it was unused for idle and is not pinned, and returns the session.
func (s *sessionState) hold(idle time.Duration, held *library.EndState) library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.used) >= idle && !s.sess.Pinned {
		s.sess.Held = held
	}
	return s.sess
}

// useAt notes that the session was used last at a time.
func (s *sessionState) useAt(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = at
}

// gone reports whether the kernel has ended, or Easel has left it.
func (s *sessionState) gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase == kernelGone
}

// running returns what the kernel executes; nil if nothing.
func (s *sessionState) running() *execution.RunningCode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// count notes how many executions wait, and what the kernel executes.
func (s *sessionState) count(queued, awaiting int, shown *execution.RunningCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued, s.awaiting, s.shown = queued, awaiting, shown
}

// view returns the current state of the session.
func (s *sessionState) view() SessionView {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := SessionView{
		Session: s.sess, Status: s.phase.status(), Used: s.used, Queued: s.queued, Awaiting: s.awaiting, Died: s.died,
		Crashed: s.crashed, Gone: s.phase == kernelGone,
	}
	if s.phase == kernelDead {
		v.Died = catalog.MessageDied
	}
	if s.shown != nil {
		shown := *s.shown
		v.Running = &shown
		if v.Status == "idle" {
			v.Status = "busy"
		}
	}
	return v
}

// busy reports whether the main shell of the kernel is busy or not available.
func (s *sessionState) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown != nil || s.phase.status() != "idle"
}

// become changes the phase of the kernel to next. If that is not valid, it logs it, changes
// nothing and returns false.
func (s *sessionState) become(log *slog.Logger, next kernelPhase) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == next {
		return true
	}
	if !next.mayFollow(s.phase) {
		log.Error("a kernel's phase cannot follow", "phase", s.phase, "next", next)
		return false
	}
	s.phase = next
	return true
}

// noteCrash notes whether the kernel died, for the user.
func (s *sessionState) noteCrash(crashed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashed = time.Time{}
	if crashed {
		s.crashed = time.Now()
	}
}
