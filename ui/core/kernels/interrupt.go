package kernels

import (
	"context"
	"slices"
	"time"

	"easel/mcphost/catalog"
)

// An Interruption is what came of an interrupt, by the kernel's own word.
type Interruption struct {
	SessionView
	Outcome     string // as catalog.SessionInterruptOut has it
	ExecutionID string // of what was interrupted or withdrawn; "" if that is somebody else's
}

// An interrupting is an interrupt on its way.
type interrupting struct {
	u     *run            // what it is for; nil if that is not current
	over  <-chan struct{} // closed when what it is for has ended
	told  chan error      // how the server answered
	sent  bool            // it has been sent, or is about to be: told will say
	asked []string        // the executions that were withdrawn
}

// InterruptSession interrupts what runs in a session, and withdraws what waits there
// for the user's approval. What somebody else runs there is interrupted only if foreign
// is set; else that is ErrForeignRun. It waits until the code has ended, but no longer
// than code usually takes to react.
func (m *Manager) InterruptSession(ctx context.Context, id string, foreign bool) (Interruption, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return Interruption{}, err
	}
	var refused error
	i := interrupting{told: make(chan error, 1)}
	r.call(func() { refused = r.interruptNow(&i, foreign) })
	if refused != nil {
		return Interruption{SessionView: r.view()}, refused
	}
	out := Interruption{Outcome: catalog.NothingRan}
	if len(i.asked) > 0 {
		out.Outcome, out.ExecutionID = catalog.Withdrawn, i.asked[0]
	}
	if i.over != nil {
		out.Outcome, refused = r.awaitInterrupt(ctx, &i)
		out.ExecutionID = ""
		if i.u != nil {
			out.ExecutionID = i.u.x.ID()
		}
	}
	r.call(func() {}) // so that what has just ended is seen as ended
	out.SessionView = r.view()
	return out, refused
}

// interruptNow begins an interrupt.
func (r *recorder) interruptNow(i *interrupting, foreign bool) error {
	for _, u := range slices.Clone(r.awaiting) {
		i.asked = append(i.asked, u.x.ID())
		r.halt(u, causeInterrupted)
	}
	works, theirs := r.works()
	switch {
	case r.current != nil:
		i.u = r.current
		i.over = i.u.x.Done()
		i.u.stopTries = 0
		if i.sent = i.u.started; i.sent {
			i.u.stopTold = append(i.u.stopTold, i.told)
		}
		r.halt(i.u, causeInterrupted)
	case theirs && !foreign && len(i.asked) == 0:
		return ErrForeignRun
	case works && (foreign || !theirs):
		if r.moved == nil {
			r.moved = make(chan struct{})
		}
		i.over, i.sent = r.moved, true
		r.stopping++
		r.m.task(func() {
			ctx, cancel := context.WithTimeout(r.m.ctx, interruptTime)
			defer cancel()
			err := r.client.InterruptKernel(ctx, r.conn.ID())
			i.told <- err
			r.post(func() { r.stopping-- })
		})
	}
	return nil
}

// awaitInterrupt says what came of an interrupt.
func (r *recorder) awaitInterrupt(ctx context.Context, i *interrupting) (outcome string, err error) {
	if i.sent { // that the server refuses it is an answer, too
		select {
		case err := <-i.told:
			if err != nil {
				return "", r.explained(ctx, err)
			}
		case <-r.ended:
		case <-ctx.Done():
		}
	}
	patience := time.NewTimer(r.m.pace.react)
	defer patience.Stop()
	select {
	case <-i.over:
	case <-r.ended:
	case <-patience.C:
		return catalog.StillRuns, nil
	case <-ctx.Done():
		return catalog.StillRuns, nil
	}
	if i.u == nil {
		return catalog.Interrupted, nil
	}
	switch i.u.x.Status() {
	case catalog.StatusOK, catalog.StatusError: // the code came to its end before, or made something else of it
		return catalog.EndedItself, nil
	default:
		return catalog.Interrupted, nil
	}
}

// explained is err, or how the recorder's server does if that says more.
func (r *recorder) explained(ctx context.Context, err error) error {
	s, unknown := r.m.lookup(r.server)
	if err == nil || unknown != nil {
		return err
	}
	return s.explained(ctx, err)
}
