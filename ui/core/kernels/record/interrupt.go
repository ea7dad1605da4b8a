package record

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
)

// An Interruption is the result of an interrupt, as the kernel reported it.
type Interruption struct {
	SessionView
	Outcome     string // one of the outcomes of catalog.SessionInterruptOut
	ExecutionID string // the execution that was interrupted or withdrawn; "" if Easel did not start it
}

// An interruptCall is one call of InterruptSession.
type interruptCall struct {
	target    *queuedExecution // what the kernel executes; nil if that is unknown
	over      <-chan struct{}  // closed when the kernel has finished target; nil if it executes nothing
	answer    chan error       // the server's answer
	sent      bool             // the interrupt was sent, so answer will get a value
	execution string           // id of the interrupted execution; "" if Easel did not start it
	withdrawn []string         // ids of the executions that waited for approval
}

// Interrupt interrupts the code that the kernel executes, and withdraws executions that
// wait for approval. It interrupts another client's code only if foreign is set; otherwise
// it returns ErrForeignRun. It waits for the end of the code, up to
// Timing.InterruptReaction. It returns the server's error if that refuses the interrupt.
func (r *Recorder) Interrupt(ctx context.Context, foreign bool) (Interruption, error) {
	var refused error
	i := interruptCall{answer: make(chan error, 1)}
	r.mail.call(func() { refused = r.dispatch.interruptNow(&i, foreign, sessionuse.ActorOf(ctx)) })
	if refused != nil {
		return Interruption{SessionView: r.Session.View()}, refused
	}
	out := Interruption{Outcome: catalog.NothingRan}
	if len(i.withdrawn) > 0 {
		out.Outcome, out.ExecutionID = catalog.Withdrawn, i.withdrawn[0]
	}
	if i.over != nil {
		out.Outcome, refused = r.dispatch.interrupts.await(ctx, &i)
		out.ExecutionID = i.execution
	}
	r.Wait() // until the view includes the end
	out.SessionView = r.Session.View()
	return out, refused
}

// interruptNow starts an interrupt by a client, and fills in i.
func (d *dispatcher) interruptNow(i *interruptCall, foreign bool, by sessionuse.Actor) error {
	for _, u := range slices.Clone(d.queue.awaiting) {
		i.withdrawn = append(i.withdrawn, u.x.ID())
		d.halt(u, u.interruptedBy(by))
	}
	theirs := d.foreign.theirs()
	switch {
	case d.current != nil:
		i.target = d.current
	case theirs && !foreign && len(i.withdrawn) == 0:
		return ErrForeignRun
	case !d.foreign.runs() || theirs && !foreign:
		return nil
	default:
		i.target = d.foreign.run()
	}
	u := i.target
	if u == nil || u.phase.ended() { // no execution ends with it, so wait for the kernel
		over := d.foreign.wait(i)
		i.over, i.sent = over, true
		d.interrupts.send(func(err error) {
			i.answer <- err
			time.AfterFunc(d.env.Timing.InterruptRetry, func() {
				d.mail.post(func() { d.foreign.unmoved = err == nil && d.foreign.over == over })
			})
		})
		return nil
	}
	if u.own {
		i.execution = u.x.ID()
	}
	i.over, u.stopTries = u.x.Done(), 0
	if i.sent = u.phase.started(); i.sent {
		u.stopAnswered = append(u.stopAnswered, i.answer)
	}
	d.halt(u, u.interruptedBy(by))
	return nil
}

// interruptedBy returns the cause for code that by interrupted. Its client is told who that was,
// unless it was the client itself.
func (u *queuedExecution) interruptedBy(by sessionuse.Actor) cause {
	why := causeInterrupted
	if !u.own || by.ID != "" && by.ID == u.asked.ID || by.ID == "" && by.Name == u.asked.Name {
		return why
	}
	why.by = by.To(u.asked)
	why.message = "It was interrupted by " + why.by + ". What it printed and drew before is kept."
	return why
}

// interruptTime is the time limit for the interrupt request to the server.
const interruptTime = 10 * time.Second

// An interrupter sends interrupts to a kernel.
type interrupter struct {
	env      *Environment
	log      *slog.Logger
	mail     mailbox // of the recorder
	link     *Link
	session  *Session
	inFlight int // interrupts that the server has not answered; no request is sent meanwhile
}

// send asks the server to interrupt the kernel, and calls then with the result on
// the recorder's goroutine. No code is sent to the kernel until then, because the interrupt
// could hit it.
func (n *interrupter) send(then func(error)) {
	n.inFlight++
	n.env.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(n.env.Tasks.Context(), interruptTime)
		defer cancel()
		err := n.link.Client.InterruptKernel(ctx, n.link.KernelID())
		n.mail.post(func() {
			n.inFlight--
			if err != nil {
				n.log.Warn("interrupting", "err", err)
			}
			then(err)
		})
	})
}

// await waits for the result of an interrupt, and returns its outcome. It may be called on any goroutine.
func (n *interrupter) await(ctx context.Context, i *interruptCall) (outcome string, err error) {
	if i.sent {
		select {
		case err := <-i.answer:
			if err != nil {
				return "", n.link.explained(ctx, err)
			}
		case <-n.mail.ended:
		case <-ctx.Done():
		}
	}
	patience := time.NewTimer(n.env.Timing.InterruptReaction)
	defer patience.Stop()
	select {
	case <-i.over:
	case <-n.mail.ended:
		if !n.session.gone() {
			return catalog.StillRuns, nil // Easel quits
		}
	case <-patience.C:
		return catalog.StillRuns, nil
	case <-ctx.Done():
		return catalog.StillRuns, nil
	}
	outcome = catalog.Interrupted
	n.mail.call(func() {
		if i.target != nil && i.target.endedItself(n.link.python()) {
			outcome = catalog.EndedItself
		}
	})
	return outcome, nil
}

// endedItself reports whether u ended by itself: successfully, or with an error other than
// that of an interrupt.
func (u *queuedExecution) endedItself(python bool) bool {
	switch {
	case u.failure != nil:
		return !isInterrupt(u.failure, python)
	case u.own:
		return u.reply == wire.ReplyOK
	default: // Easel does not receive the replies to other clients
		return u.x.Record().Status == catalog.StatusOK
	}
}

// isInterrupt reports whether an error is that of an interrupt. For kernels other than
// Python's, which raise unknown errors then, it returns true for any error.
func isInterrupt(e *catalog.ExecutionError, python bool) bool {
	return e.Type == keyboardInterrupt || !python
}

// Cancel ends an execution, unless it has ended.
func (r *Recorder) Cancel(x *execution.Execution) {
	r.mail.post(func() {
		if u := r.dispatch.find(x); u != nil {
			r.dispatch.halt(u, causeCancelled)
		}
	})
}

// ErrForeignRun reports that the kernel executes code of another client.
var ErrForeignRun = errors.New("another client's code is running in this kernel")
