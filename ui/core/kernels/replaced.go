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
	s.Replaced = &library.Replaced{By: by.name, ByID: by.id, At: time.Now().UTC()}
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
	untold := strings.Fields(r.sess.Untold)
	i := slices.Index(untold, client.id)
	if i < 0 {
		r.mu.Unlock()
		return nil
	}
	r.sess.Untold = strings.Join(slices.Delete(untold, i, i+1), "\n")
	news, generation := *r.sess.Replaced, r.sess.Generation
	r.mu.Unlock()
	r.post(r.keepSession)
	return &catalog.KernelReplaced{
		Generation: generation, By: actor{news.ByID, news.By}.to(client), At: news.At.Truncate(time.Second), Note: catalog.VariablesLost,
	}
}

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
