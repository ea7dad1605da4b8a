package kernels

import (
	"context"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
)

// When a kernel is restarted, dies or is replaced, its variables are lost. Each client that has
// used the session is told so once, with its next result. Who was told is stored with the
// session, because Easel may be restarted before that.

// An actor is who did something to a kernel. The zero actor is not known.
type actor struct {
	id   string // tool.Caller.Identity; "" for the user and for what is not a client of Easel
	name string // for a sentence, for example "claude-code 2.1"
}

// Actors that are not clients of Easel.
var (
	theUser      = actor{name: "the user, in Easel's window"}
	outsideEasel = actor{name: "someone outside Easel, for example the user in JupyterLab"}
	whileAway    = actor{name: "unknown: it happened while Easel was not connected to the kernel"}
	itself       = actor{name: "the kernel itself: it died, for example because it ran out of memory"}
	endedItself  = actor{name: "the kernel itself: it had ended, so a new one was started"}
	easelBegan   = actor{name: "Easel: it was started again, and the kernel had ended"}
	otherKernel  = actor{name: "someone outside Easel, who chose another kernel for the notebook"}
)

// actorOf returns the caller of ctx.
func actorOf(ctx context.Context) actor {
	c := tool.CallerFrom(ctx)
	switch c.Transport {
	case tool.Window:
		return theUser
	case "":
		return actor{name: "Easel"}
	default:
		return actor{id: c.Identity(), name: c.String()}
	}
}

// to returns the actor's name for another client, which may have the same name.
func (a actor) to(client actor) string {
	if a.id != "" && a.id != client.id && a.name == client.name {
		return "another " + a.name
	}
	return a.name
}

// replaced records that the session has lost its variables. All its clients but the one that
// did it are to be told.
func replaced(s *library.Session, by actor) {
	s.Generation++
	s.Replaced = &library.Replaced{By: by.name, ByID: by.id, At: time.Now().UTC(), Known: s.Users}
	untold := slices.DeleteFunc(strings.Fields(s.Users), func(u string) bool { return u == by.id })
	s.Untold = strings.Join(untold, "\n")
}

// Replaced returns how the variables of a session were lost, if the caller of ctx has used it
// before and was not told. From then on, it counts as told.
func (m *Manager) Replaced(ctx context.Context, session string) *catalog.KernelReplaced {
	client := actorOf(ctx)
	if session == "" || client.id == "" {
		return nil
	}
	r := m.recorderOf(session)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	if !tell(&r.sess, tool.CallerFrom(ctx)) {
		r.mu.Unlock()
		return nil
	}
	news, generation := *r.sess.Replaced, r.sess.Generation
	r.mu.Unlock()
	r.post(r.keepSession)
	return &catalog.KernelReplaced{
		Generation: generation, By: actor{news.ByID, news.By}.to(client), At: news.At.Truncate(time.Second), Note: catalog.VariablesLost,
	}
}

// tell reports whether a client has to be told that the session has lost its variables, and notes
// that it was. A client that is new to the session is told in the stead of one with the same
// name that was not: it is probably the same one, which has connected again. That one is told,
// too, if it calls after all, but nobody else in its stead.
func tell(s *library.Session, c tool.Caller) bool {
	if s.Replaced == nil {
		return false
	}
	id, untold := c.Identity(), strings.Fields(s.Untold)
	var alike []string
	for _, u := range untold {
		if u != id && kinOf(s.Kin, u) == kin(c) {
			alike = append(alike, u)
		}
	}
	known, passed := strings.Fields(s.Replaced.Known), strings.Fields(s.Replaced.Passed)
	successor := !slices.Contains(known, id) && slices.ContainsFunc(alike, func(u string) bool { return !slices.Contains(passed, u) })
	if !slices.Contains(untold, id) && !successor {
		return false
	}
	s.Untold = strings.Join(slices.DeleteFunc(untold, func(u string) bool { return u == id }), "\n")
	news := *s.Replaced // others may read what it was
	news.Known, news.Passed = strings.Join(append(known, id), "\n"), strings.Join(append(passed, alike...), "\n")
	s.Replaced = &news
	return true
}

// kin returns what a client keeps when it connects again.
func kin(c tool.Caller) string {
	return string(c.Transport) + ":" + strings.Join(strings.Fields(c.Name), " ")
}

// kinOf returns the kin of an identity, or "".
func kinOf(all, id string) string {
	for line := range strings.Lines(all) {
		if of, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); of == id {
			return name
		}
	}
	return ""
}

// withKin adds a client to a session's Kin, which keeps as many as may be untold.
func withKin(all string, c tool.Caller) string {
	list := append(names(all), c.Identity()+"\t"+kin(c))
	return strings.Join(list[max(0, len(list)-2*maxUsers):], "\n")
}

// succeed makes a new session of a notebook, which has none on its server, the successor of its
// last one, if that has ended lately: who has used that one is told that the variables are gone.
func (m *Manager) succeed(ctx context.Context, sess *library.Session) {
	all, err := m.cfg.Library.Sessions(ctx)
	if err != nil {
		m.cfg.Log.WarnContext(ctx, "looking for the last session of a notebook", "err", err)
		return
	}
	i := slices.IndexFunc(all, func(s library.Session) bool { return s.Server == sess.Server && s.NotebookPath == sess.NotebookPath })
	if i < 0 {
		return
	}
	last, by := all[i], endedItself
	if r := m.recorderOf(last.ID); r != nil {
		last = r.session()
	} else if last.EndedAt.IsZero() && last.CreatedAt.Before(m.began) {
		last.EndedAt, by = m.began.UTC(), easelBegan
	}
	if last.EndedAt.IsZero() { // the server has ended it just now
		last.EndedAt = time.Now().UTC()
	}
	if time.Since(last.EndedAt) > succession {
		return
	}
	if last.EndedBy != "" {
		by = actor{id: last.EndedByID, name: last.EndedBy}
	}
	sess.Users, sess.Kin, sess.Clients, sess.Generation = last.Users, last.Kin, last.Clients, last.Generation
	replaced(sess, by)
	sess.Replaced.At = last.EndedAt
}

// succession is how long after its end a session has a successor. Later, clients have forgotten it.
const succession = 24 * time.Hour

// interruptedBy returns the cause for code that by interrupted. Its client is told who that was,
// unless it was the client itself.
func (u *run) interruptedBy(by actor) cause {
	why := causeInterrupted
	if !u.own || by.id != "" && by.id == u.asked.id || by.id == "" && by.name == u.asked.name {
		return why
	}
	why.by = by.to(u.asked)
	why.message = "It was interrupted by " + why.by + ". What it printed and drew before is kept."
	return why
}
