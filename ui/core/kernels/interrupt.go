package kernels

import (
	"context"
	"slices"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
)

// An Interruption is the result of an interrupt, as the kernel reported it.
type Interruption struct {
	SessionView
	Outcome     string // as catalog.SessionInterruptOut has it
	ExecutionID string // of what was interrupted or withdrawn; "" if another client runs it
}

// An interrupting is one call of InterruptSession.
type interrupting struct {
	target    *run            // what the kernel executes; nil if that is unknown
	over      <-chan struct{} // closed when the kernel is done with target; nil if it executes nothing
	answer    chan error      // the server's answer
	sent      bool            // answer will come: the interrupt does not wait for the code to start
	execution string          // the id of what is interrupted; "" if another client runs it
	withdrawn []string        // the executions that waited for the user's approval
}

// InterruptSession interrupts what runs in a session, and withdraws what waits there
// for the user's approval. It interrupts another client's code only if foreign is set,
// and otherwise returns ErrForeignRun. It waits until the code has ended, but no longer
// than code usually takes to react. If the server refuses the interrupt, that is the error.
func (m *Manager) InterruptSession(ctx context.Context, id string, foreign bool) (Interruption, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return Interruption{}, err
	}
	var refused error
	i := interrupting{answer: make(chan error, 1)}
	r.call(func() { refused = r.interruptNow(&i, foreign) })
	if refused != nil {
		return Interruption{SessionView: r.view()}, refused
	}
	out := Interruption{Outcome: catalog.NothingRan}
	if len(i.withdrawn) > 0 {
		out.Outcome, out.ExecutionID = catalog.Withdrawn, i.withdrawn[0]
	}
	if i.over != nil {
		out.Outcome, refused = r.awaitInterrupt(ctx, &i)
		out.ExecutionID = i.execution
	}
	r.call(func() {}) // so that the view shows an end that has just come
	out.SessionView = r.view()
	return out, refused
}

// interruptNow begins an interrupt.
func (r *recorder) interruptNow(i *interrupting, foreign bool) error {
	for _, u := range slices.Clone(r.awaiting) {
		i.withdrawn = append(i.withdrawn, u.x.ID())
		r.halt(u, causeInterrupted)
	}
	works, theirs := r.works()
	switch {
	case r.current != nil:
		i.target = r.current
	case theirs && !foreign && len(i.withdrawn) == 0:
		return ErrForeignRun
	case !works || theirs && !foreign:
		return nil
	default:
		i.target = r.byRequest[r.foreign]
	}
	u := i.target
	if u == nil || u.phase.ended() { // its end ends no execution: only the kernel tells of it
		i.over, i.sent = r.whenMoved(i), true
		r.sendInterrupt(func(err error) { i.answer <- err })
		return nil
	}
	if u.own {
		i.execution = u.x.ID()
	}
	i.over, u.stopTries = u.x.Done(), 0
	if i.sent = u.phase.started(); i.sent {
		u.stopAnswered = append(u.stopAnswered, i.answer)
	}
	r.halt(u, causeInterrupted)
	return nil
}

// interruptTime is how long a server may take to answer an interrupt.
const interruptTime = 10 * time.Second

// sendInterrupt asks the server to interrupt the kernel, and calls then with the answer
// on the recorder's goroutine. Until then no request is sent: the interrupt could hit it.
func (r *recorder) sendInterrupt(then func(error)) {
	r.stopping++
	r.m.task(func() {
		ctx, cancel := context.WithTimeout(r.m.ctx, interruptTime)
		defer cancel()
		err := r.client.InterruptKernel(ctx, r.conn.ID())
		r.post(func() {
			r.stopping--
			if err != nil {
				r.log.Warn("interrupting", "err", err)
			}
			then(err)
		})
	})
}

// whenMoved is closed when the kernel is done with what is not current. i then gets the
// run of that code, if the kernel named it.
func (r *recorder) whenMoved(i *interrupting) <-chan struct{} {
	if r.moved == nil {
		r.moved = make(chan struct{})
	}
	r.interrupted = append(r.interrupted, i)
	return r.moved
}

// awaitInterrupt waits for the result of an interrupt.
func (r *recorder) awaitInterrupt(ctx context.Context, i *interrupting) (outcome string, err error) {
	if i.sent {
		select {
		case err := <-i.answer:
			if err != nil {
				return "", r.explained(ctx, err)
			}
		case <-r.ended:
		case <-ctx.Done():
		}
	}
	patience := time.NewTimer(r.m.timing.interruptReaction)
	defer patience.Stop()
	select {
	case <-i.over:
	case <-r.ended:
		if !r.isGone() {
			return catalog.StillRuns, nil // Easel has left the kernel
		}
	case <-patience.C:
		return catalog.StillRuns, nil
	case <-ctx.Done():
		return catalog.StillRuns, nil
	}
	outcome = catalog.Interrupted
	r.call(func() {
		if i.target != nil && r.endedItself(i.target) {
			outcome = catalog.EndedItself
		}
	})
	return outcome, nil
}

// endedItself tells whether the kernel reported that u came to its own end: with a
// result, or with an error other than that of an interrupt.
func (r *recorder) endedItself(u *run) bool {
	switch {
	case u.failure != nil:
		return !r.isInterrupt(u.failure)
	case u.own:
		return u.reply == wire.ReplyOK
	default: // the replies to other clients do not reach us
		return u.x.rec.Status == catalog.StatusOK
	}
}

// isInterrupt tells whether an error is that of an interrupt. What other kernels than
// Python's raise then is not known, so any error counts.
func (r *recorder) isInterrupt(e *catalog.ExecutionError) bool {
	return e.Type == keyboardInterrupt || !r.python()
}

// explained is err, or the state of the recorder's server if that says more.
func (r *recorder) explained(ctx context.Context, err error) error {
	s, unknown := r.m.lookup(r.server)
	if err == nil || unknown != nil {
		return err
	}
	return s.explained(ctx, err)
}
