package record

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/language"
	"easel/ui/core/library"
)

// A Link is how a recorder reaches its kernel: over a connection, and through the kernel's server.
// It does not change.
type Link struct {
	Server string          // name of the kernel's server
	Client *jupyter.Server // the kernel's server

	servers *servers.List
	conn    *jupyter.Kernel

	sandboxed bool // the kernel runs in a sandbox
}

// KernelID returns the kernel's id.
func (l *Link) KernelID() string { return l.conn.ID() }

// Connected reports whether there is a connection to the kernel.
func (l *Link) Connected() bool { return l.conn.Connected() }

// Info returns the kernel's kernel_info.
func (l *Link) Info() jupyter.KernelInfo { return l.conn.Info() }

// Clock converts a time by the clock of the kernel's machine to ours.
func (l *Link) Clock(t time.Time) time.Time { return l.conn.Clock(t) }

// model returns what the server says about the kernel now.
func (l *Link) model(ctx context.Context) (jupyter.KernelModel, error) {
	return l.Client.Kernel(ctx, l.KernelID())
}

// explained returns err, or the state of the server if that explains err.
func (l *Link) explained(ctx context.Context, err error) error {
	s, unknown := l.servers.Lookup(l.Server)
	if err == nil || unknown != nil {
		return err
	}
	if s.Local {
		return s.Unavailable(err)
	}
	return s.Explained(ctx, err)
}

// python reports whether the language of the kernel is Python or unknown.
func (l *Link) python() bool { return l.Info().Python() }

// answers reports whether the kernel answers questions in Python.
func (l *Link) answers() bool { return l.Info().Answers() }

// keeps reports whether the kernel can keep its plots.
func (l *Link) keeps() bool {
	return l.answers() || !l.Info().CellsOnly && language.Of(l.Info().Language).Can("keep")
}

// removeTries is the number of attempts to delete a kernel. Some servers return status 500
// while they restart a kernel that has died.
const removeTries = 5

// remove deletes the kernel. It returns nil if the kernel has already ended.
func (l *Link) remove(ctx context.Context, sess library.Session) error {
	for try := 1; ; try++ {
		var err error
		if sess.ID != sess.KernelID {
			err = l.Client.DeleteSession(ctx, sess.ID)
		} else {
			err = l.Client.DeleteKernel(ctx, sess.KernelID)
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

// tokenRefused returns an error if the server refuses the token, because waiting does not help
// then. It returns nil if the server does not respond, because it may come back.
func (l *Link) tokenRefused(ctx context.Context) error {
	trouble := l.conn.Trouble()
	if !errors.Is(trouble, jupyter.ErrUnauthorized) {
		return nil
	}
	s, err := l.servers.Lookup(l.Server)
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
func (l *Link) openElsewhere(ctx context.Context, list func(context.Context, servers.Host) ([]jupyter.SessionModel, error)) error {
	sessions, err := list(ctx, servers.Host{Name: l.Server, Client: l.Client})
	if err != nil && !errors.Is(err, jupyter.ErrNotFound) { // a gateway has none
		return err
	}
	if slices.ContainsFunc(sessions, func(s jupyter.SessionModel) bool { return s.Kernel.ID == l.KernelID() }) {
		return errInUse
	}
	k, err := l.model(ctx)
	if err != nil {
		return err
	}
	own := 0
	if l.Connected() {
		own = 1
	}
	if k.Connections > own {
		return errInUse
	}
	return nil
}

// absence returns a sentence without period that says how long the server has been away and,
// if known, why.
func (l *Link) absence(away time.Duration) string {
	said := "The Jupyter server has not answered for " + away.String()
	s, err := l.servers.Lookup(l.Server)
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
