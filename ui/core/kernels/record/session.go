package record

import (
	"context"
	"strings"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
	"easel/ui/core/library/search"
)

// mostTitle is the length of the title of a session that nobody gave, in characters.
const mostTitle = 60

// A Session is what is stored of a live session, and the state of its kernel.
type Session struct {
	journal   journal
	mail      mailbox      // of the recorder, whose goroutine stores the session
	link      *Link        // for what the kernel says of itself
	managed   bool         // its server is Easel's
	published *SessionView // the last argument of On.Session; only for the recorder's goroutine

	mu       sync.Mutex // guards the fields below
	stored   library.Session
	used     time.Time              // time of last use
	awaiting int                    // executions that wait for approval
	phase    kernelPhase            // only written by the recorder's goroutine, which may read it as it is
	shown    *execution.RunningCode // what the kernel executes; nil if nothing
	queued   int                    // executions that wait for the kernel
	died     string                 // see SessionView.Died
	crashed  time.Time
	death    string // see SessionView.Death
}

// Stored returns the session as it is stored.
func (s *Session) Stored() library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored
}

// change changes what is stored of the session.
func (s *Session) change(f func(*library.Session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stored)
}

// end notes that the session has ended, and why, and returns it.
func (s *Session) end(why string) library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.died = why
	s.stored.EndedAt = time.Now().UTC()
	return s.stored
}

// hold notes what the session held if it was unused for idle and is not pinned, and returns the session.
func (s *Session) hold(idle time.Duration, held *library.EndState) library.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.used) >= idle && !s.stored.Pinned {
		s.stored.Held = held
	}
	return s.stored
}

// SetUsed sets when the session was last used.
func (s *Session) SetUsed(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = at
}

// gone reports whether the kernel has ended, or Easel has left it.
func (s *Session) gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phase == kernelGone
}

// running returns what the kernel executes; nil if nothing.
func (s *Session) running() *execution.RunningCode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// count notes how many executions wait, and what the kernel executes.
func (s *Session) count(queued, awaiting int, shown *execution.RunningCode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queued, s.awaiting, s.shown = queued, awaiting, shown
}

// View returns the current state of the session.
func (s *Session) View() SessionView {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := SessionView{
		Session: s.stored, Status: s.phase.status(), Used: s.used, Queued: s.queued, Awaiting: s.awaiting, Died: s.died,
		Crashed: s.crashed, Death: s.death, Gone: s.phase == kernelGone,
	}
	if s.link != nil {
		v.OwnPython = OwnPython(s.managed, s.stored, s.link.Info().LanguageVersion)
		v.Sandboxed = s.link.sandboxed
		v.R = ofR(s.link.Info(), s.stored)
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

// alone reports whether Easel started the kernel and is its only client.
func (s *Session) alone(k jupyter.KernelModel) bool {
	return s.Stored().Owner == OwnerEasel && k.Connections <= 1
}

// busy reports whether the main shell of the kernel is busy or not available.
func (s *Session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown != nil || s.phase.status() != "idle"
}

// become changes the phase of the kernel to next. If that is not valid, it logs it, changes
// nothing and returns false.
func (s *Session) become(next kernelPhase) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.phase == next {
		return true
	}
	if !next.mayFollow(s.phase) {
		s.journal.log.Error("a kernel's phase cannot follow", "phase", s.phase, "next", next)
		return false
	}
	s.phase = next
	return true
}

// noteCrash notes whether the kernel died, and how, for the user.
func (s *Session) noteCrash(crashed bool, death string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.crashed, s.death = time.Time{}, death
	if crashed {
		s.crashed = time.Now()
	}
}

// Use records that the caller of ctx uses the session now.
func (s *Session) Use(ctx context.Context) {
	added := false
	s.SetUsed(time.Now())
	s.change(func(sess *library.Session) { added = sessionuse.Add(sess, tool.CallerFrom(ctx)) })
	if added {
		s.mail.post(s.keep)
	}
}

// keep stores the session in the library.
func (s *Session) keep() {
	if err := s.journal.env.Library.Sessions.Put(s.journal.keeping(), s.Stored()); err != nil {
		s.journal.log.Error("storing the session", "err", err)
	}
}

// keepProcess stores the id of the kernel's process, for the next start of Easel.
func (s *Session) keepProcess(id string) {
	s.change(func(sess *library.Session) { sess.Process = id })
	s.keep()
}

// replace increments the session's generation, because of a restart by who caused it, and stores
// the id of the new process.
func (s *Session) replace(by sessionuse.Actor, process string) {
	s.change(func(sess *library.Session) { sessionuse.Replace(sess, by) })
	s.keepProcess(process)
}

// MoveTo makes the path of a session that of its Jupyter session, and returns the former path
// if it was another. The library has it when MoveTo returns.
func (s *Session) MoveTo(model jupyter.SessionModel) (was string) {
	s.change(func(sess *library.Session) {
		if sess.ID == model.ID && sess.NotebookPath != model.Path {
			was, sess.NotebookPath = sess.NotebookPath, model.Path
		}
	})
	if was != "" {
		s.mail.call(s.keep)
	}
	return was
}

// nameAfter names a session that Easel started, without a notebook and without a title, after what is asked
// of it: a comment of its code or the titles of panels, until a plot has a title of its own, which is sure. It is only for the
// recorder's goroutine.
func (s *Session) nameAfter(title string, sure bool) {
	if title = strings.Join(strings.Fields(search.Clean(title)), " "); title == "" {
		return
	}
	named := false
	s.change(func(sess *library.Session) {
		if named = sess.Owner == OwnerEasel && sess.NotebookPath == "" && (sess.Title == "" || sure && sess.Guessed); named {
			sess.Title, sess.Guessed = truncate.Runes(title, mostTitle), !sure
		}
	})
	if named {
		s.keep()
		s.publish()
	}
}

// Rename gives the session the user's name; "" takes it back. It reports false if the session has just ended.
func (s *Session) Rename(name string) bool {
	return s.mail.call(func() {
		s.change(func(sess *library.Session) { sess.Name = name })
		s.keep()
		s.publish()
	})
}

// SetEnvironment notes the environment that the kernel has since it was restarted.
func (s *Session) SetEnvironment(name string) {
	s.mail.call(func() {
		s.change(func(sess *library.Session) { sess.Environment = name })
		s.keep()
		s.publish()
	})
}

// Pin sets whether Easel keeps the session while it is unused.
func (s *Session) Pin(on bool) {
	s.mail.call(func() {
		s.change(func(sess *library.Session) { sess.Pinned = on })
		s.keep()
	})
}

// Tell returns how the variables of the session were lost, if the caller of ctx has not been told,
// and notes that it was.
func (s *Session) Tell(ctx context.Context) (news library.Replacement, generation int, ok bool) {
	s.change(func(sess *library.Session) {
		if ok = sessionuse.Tell(sess, tool.CallerFrom(ctx)); ok {
			news, generation = *sess.Replaced, sess.Generation
		}
	})
	if ok {
		s.mail.post(s.keep)
	}
	return news, generation, ok
}

// publish calls On.Session if the view has changed.
func (s *Session) publish() {
	v := s.View()
	if s.published != nil && sameView(*s.published, v) {
		return
	}
	s.published = &v
	if s.journal.env.OnSession != nil {
		s.journal.env.OnSession(v)
	}
}

func sameView(a, b SessionView) bool {
	if (a.Running == nil) != (b.Running == nil) || a.Running != nil && *a.Running != *b.Running {
		return false
	}
	return a.Session == b.Session && a.Status == b.Status && a.Queued == b.Queued && a.Died == b.Died && a.Death == b.Death &&
		a.Crashed.Equal(b.Crashed)
}
