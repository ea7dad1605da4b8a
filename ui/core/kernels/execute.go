package kernels

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// newID makes an id that sorts by time: the 48 bits of milliseconds and 40 of the random
// ones of a UUID version 7 (RFC 9562), in base 32. Models read it in every result, and it
// costs them half of what the UUID would.
func newID() string {
	id := uuid.Must(uuid.NewV7())
	return idEncoding.EncodeToString(slices.Concat(id[:6], id[11:]))
}

// idEncoding has no digits that look alike (Crockford), in lower case for file systems
// that ignore case.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// A Request is code to run.
type Request struct {
	SessionID string
	Code      string
	Timeout   time.Duration // 0: the default
	Transport string
	Client    string // who asks
	Version   string
	Cell      bool // it is a notebook's cell: keep its Outputs

	// Approve, if not nil, is asked before the code is queued, with the
	// execution as it waits; it gives the code to run or the reason not to. It
	// waits as long as it likes; its context ends when the execution does.
	Approve func(ctx context.Context, x catalog.Execution) (code string, err error)
}

// Execute takes code into a session's queue and returns at once; the execution
// goes on whatever becomes of ctx, which bounds only the finding of the session.
func (m *Manager) Execute(ctx context.Context, q Request) (*Execution, error) {
	r, err := m.joined(ctx, q.SessionID)
	if err != nil {
		return nil, err
	}
	if err := r.admits(ctx); err != nil {
		return nil, err
	}
	if q.Timeout <= 0 {
		q.Timeout = m.cfg.Timeout()
	}
	sess := r.session()
	x := newExecution(m.cfg.Library, library.Execution{
		ID: newID(), SessionID: sess.ID, KernelID: sess.KernelID, Generation: sess.Generation,
		Code: q.Code, Client: q.Client, ClientVersion: q.Version, Transport: q.Transport,
		Status: catalog.StatusQueued, Own: true, Timeout: q.Timeout, CreatedAt: time.Now().UTC(),
	})
	x.asIs = true
	if q.Cell {
		x.outputs = new(outputs)
	}
	u := &run{x: x, own: true, timeout: q.Timeout, cell: q.Cell}
	begin := func() { r.enqueue(u) }
	if q.Approve != nil {
		x.rec.Status = catalog.StatusAwaiting
		begin = func() { r.await(u, q.Approve) }
	}
	m.remember(x)
	if !r.call(begin) {
		m.disown(x)
		return nil, fmt.Errorf("%w: %q has just ended", ErrSessionNotFound, q.SessionID)
	}
	return x, nil
}

// admits is an error while the kernel cannot be reached for want of a login: no
// waiting helps then. That the server is away is no error: it may come back.
func (r *recorder) admits(ctx context.Context) error {
	trouble := r.conn.Trouble()
	if !errors.Is(trouble, jupyter.ErrUnauthorized) {
		return nil
	}
	s, err := r.m.lookup(r.server)
	if err != nil {
		return trouble
	}
	if !s.recheck(ctx) {
		return trouble
	}
	_, err = s.now() // nil if a new token has been given meanwhile
	return err
}

// Cancel ends an execution that the caller no longer wants: out of the queue, or
// by an interrupt. One that has ended stays as it is.
func (m *Manager) Cancel(x *Execution) { m.end(x, causeCancelled) }

func (m *Manager) end(x *Execution, why cause) {
	m.mu.Lock()
	r := m.kernels[x.rec.KernelID]
	m.mu.Unlock()
	if r == nil {
		return
	}
	r.post(func() {
		for _, u := range append(slices.Clone(r.awaiting), r.queue...) {
			if u.x == x {
				r.halt(u, why)
				return
			}
		}
		if r.current != nil && r.current.x == x {
			r.halt(r.current, why)
		}
	})
}

// cancelGrace is how long after a call has ended its explicit cancel may still
// arrive: the transport ends the call's context first.
const cancelGrace = 2 * time.Second

// CancelIf cancels x if cancelled is closed now or shortly.
func (m *Manager) CancelIf(x *Execution, cancelled <-chan struct{}) {
	if cancelled == nil {
		return
	}
	m.task(func() {
		late := time.NewTimer(cancelGrace)
		defer late.Stop()
		select {
		case <-cancelled:
			m.Cancel(x)
		case <-x.Done():
		case <-late.C:
		case <-m.ctx.Done():
		}
	})
}
