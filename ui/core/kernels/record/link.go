package record

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// A link is how a recorder reaches its kernel: over a connection, and through the kernel's server.
type link struct {
	servers *servers.List
	server  string // name
	client  *jupyter.Server
	conn    *jupyter.Kernel
}

// explained returns err, or the state of the server if that explains err.
func (l *link) explained(ctx context.Context, err error) error {
	s, unknown := l.servers.Lookup(l.server)
	if err == nil || unknown != nil {
		return err
	}
	if s.Local {
		return s.Unavailable(err)
	}
	return s.Explained(ctx, err)
}

// python reports whether the language of the kernel is Python or unknown.
func (l *link) python() bool {
	lang := l.conn.Info().Language
	return lang == "" || strings.EqualFold(lang, "python")
}

// removeTries is the number of attempts to delete a kernel. Some servers return status 500
// while they restart a kernel that has died.
const removeTries = 5

// remove deletes the kernel. It returns nil if the kernel has already ended.
func (l *link) remove(ctx context.Context, sess library.Session) error {
	for try := 1; ; try++ {
		var err error
		if sess.ID != sess.KernelID {
			err = l.client.DeleteSession(ctx, sess.ID)
		} else {
			err = l.client.DeleteKernel(ctx, sess.KernelID)
		}
		if err == nil || errors.Is(err, jupyter.ErrNotFound) {
			return nil
		}
		if e, ok := errors.AsType[*jupyter.StatusError](err); !ok || e.Status != http.StatusInternalServerError || try == removeTries {
			return err
		}
		again := time.NewTimer(time.Duration(try) * 500 * time.Millisecond)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return err
		}
	}
}

// admits returns an error if the server refuses the token, because waiting does not help
// then. It returns nil if the server does not respond, because it may come back.
func (l *link) admits(ctx context.Context) error {
	trouble := l.conn.Trouble()
	if !errors.Is(trouble, jupyter.ErrUnauthorized) {
		return nil
	}
	s, err := l.servers.Lookup(l.server)
	if err != nil {
		return trouble
	}
	if !s.Recheck(ctx) {
		return trouble
	}
	_, err = s.Now() // nil if there is a new token meanwhile
	return err
}

// openElsewhere returns errInUse if the kernel is used outside Easel: it belongs to a
// Jupyter session, or another client is connected to it.
func (l *link) openElsewhere(ctx context.Context, list func(context.Context, servers.Host) ([]jupyter.SessionModel, error)) error {
	sessions, err := list(ctx, servers.Host{Name: l.server, Client: l.client})
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) { // a gateway has none
		return err
	}
	if slices.ContainsFunc(sessions, func(s jupyter.SessionModel) bool { return s.Kernel.ID == l.conn.ID() }) {
		return errInUse
	}
	k, err := l.client.Kernel(ctx, l.conn.ID())
	if err != nil {
		return err
	}
	own := 0
	if l.conn.Connected() {
		own = 1
	}
	if k.Connections > own {
		return errInUse
	}
	return nil
}

// absence returns a sentence without period that says how long the server has been away and,
// if known, why.
func (l *link) absence(away time.Duration) string {
	said := "The Jupyter server has not answered for " + away.String()
	s, err := l.servers.Lookup(l.server)
	if err != nil {
		return said
	}
	_, err = s.Now()
	e, told := errors.AsType[*servers.NotReadyError](err)
	switch {
	case !told || e.Health.Message == "":
		return said
	case e.Health.State == servers.StateUnauthorized:
		said = "The Jupyter server has refused Easel's login for " + away.String()
	}
	return said + " (" + e.Health.Message + ")"
}
