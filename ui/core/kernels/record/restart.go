package record

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// A restarts makes concurrent calls that restart a kernel wait for each other. A server refuses a
// restart during another.
type restarts struct {
	turn chan struct{} // has a value while a call restarts the kernel
	n    atomic.Int64  // how many calls have restarted it
}

func newRestarts() *restarts { return &restarts{turn: make(chan struct{}, 1)} }

// join calls restart, unless another call has restarted the kernel since there were so many.
func (s *restarts) join(ctx context.Context, since int64, restart func() error) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.n.Load() != since {
		return nil
	}
	err := restart()
	if err == nil {
		s.n.Add(1)
	}
	return err
}

// noticeProcess counts a restart while the connection was lost, which m shows. u is the run of m, or nil.
func (r *Recorder) noticeProcess(m *wire.Message, u *queuedExecution) {
	identified, replaced := r.process.hears(m)
	if identified && r.Session.Stored().Process != r.process.id {
		r.Session.keepProcess(r.process.id)
	}
	if !replaced {
		return
	}
	r.Session.replace(sessionuse.WhileAway, r.process.id)
	r.outputs.renew()
	if u != nil && !u.phase.ended() {
		u.x.Renew(r.Session.Stored().Generation)
	}
}

// recordShutdown handles a restart that a client requested. The kernel announces it on
// iopub, and may never reply to the request that it was executing.
func (r *Recorder) recordShutdown(m *wire.Message) {
	var s wire.ShutdownReply
	if m.Channel == "iopub" && m.Decode(&s) == nil && s.Restart && r.process.use != processRestarted {
		r.process.shutsDown(m)
		r.restart(catalog.MessageRestarted, false, sessionuse.OutsideEasel)
	}
}

// restart ends the executions of the kernel's former process and counts the restart. crashed is
// whether the process died by itself, and by who restarted it.
func (r *Recorder) restart(message string, crashed bool, by sessionuse.Actor) {
	end := cause{status: catalog.StatusInterrupted, code: catalog.CodeInterrupted, message: message}
	if crashed {
		end.status, end.code = catalog.StatusKernelDied, catalog.CodeKernelDied
	}
	if u := r.dispatch.current; u != nil && u.stop != (cause{}) && !crashed {
		end.status, end.code = u.stop.status, u.stop.code
	}
	r.Session.noteCrash(false, "")
	r.renew(end, by)
}

// died is restart for a process that has died by itself. end is nil if nobody knows how.
func (r *Recorder) died(message string, end *wire.ProcessEnd) {
	why, by := cause{status: catalog.StatusKernelDied, code: catalog.CodeKernelDied, message: message}, sessionuse.Itself
	death := ""
	if end != nil {
		d := deathOf(*end)
		death, by = d.String(), sessionuse.Died(d)
		why.message, why.hint = d.Explain(message), execution.HintDeath(d)
	}
	r.Session.noteCrash(true, death)
	r.renew(why, by)
}

func deathOf(e wire.ProcessEnd) catalog.Death {
	return catalog.Death{
		Code: e.Code, Signal: e.Signal, Memory: e.Memory, Total: e.Total, OutOfMemory: e.OutOfMemory,
		Words: truncate.Middle(e.Words, mostLastWords),
	}
}

// mostLastWords is how much of a process's last words are kept.
const mostLastWords = 2000

// renew ends what the former process executed, and counts its replacement by who caused it.
func (r *Recorder) renew(end cause, by sessionuse.Actor) {
	// Before the executions end, so that their results say so.
	if r.process.restarted() {
		r.Session.replace(by, "")
	}
	r.dispatch.endAll(end)
	r.foreign.set("")
	r.outputs.renew()
	r.Figures.begin()
	if r.Session.phase != kernelDisconnected {
		r.Session.become(kernelRestarting)
	}
}

// Restarts returns how many calls have restarted the kernel.
func (r *Recorder) Restarts() int64 { return r.restarts.n.Load() }

// Restart restarts the kernel and waits until it responds. before is what Restarts returned when the
// caller was asked to. If another call has restarted the kernel since then, or does so now, that is
// enough unless it failed.
func (r *Recorder) Restart(ctx context.Context, before int64) error {
	// The executions end before the restart, so check first that the server responds and
	// accepts the token.
	_, err := r.Link.model(ctx)
	if !errors.Is(err, jupyter.ErrUnauthorized) && !errors.Is(err, jupyter.ErrUnreachable) {
		err = r.restarts.join(ctx, before, func() error { return r.restartNow(ctx) })
	}
	if err != nil {
		return fmt.Errorf("restarting the kernel: %w", r.Link.explained(ctx, err))
	}
	return nil
}

// restartNow restarts the kernel and waits until it responds. The caller has the turn.
func (r *Recorder) restartNow(ctx context.Context) error {
	var probe int
	r.mail.call(func() {
		r.process.runs() // so that the restart counts
		r.restart(catalog.MessageRestarted, false, sessionuse.ActorOf(ctx))
		probe = r.process.begin() // send no code during the restart
	})
	_, err := r.Link.Client.RestartKernel(ctx, r.Link.KernelID())
	if err == nil {
		err = r.Link.conn.Probe(ctx)
	}
	r.mail.call(func() { r.probeAnswered(probe, err) })
	return err
}

// Delete deletes the kernel for the caller of ctx, and ends the recorder.
func (r *Recorder) Delete(ctx context.Context) error {
	if err := r.Link.remove(ctx, r.Session.Stored()); err != nil {
		return r.Link.explained(ctx, err)
	}
	r.mail.call(func() {
		by := sessionuse.ActorOf(ctx)
		r.Session.change(func(s *library.Session) { s.EndedBy, s.EndedByID = by.Name, by.ID })
		r.gone("it was deleted")
	})
	return nil
}
