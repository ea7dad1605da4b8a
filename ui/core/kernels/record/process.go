package record

import (
	"context"
	"errors"
	"fmt"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// A processState is whether the kernel's process has run anything. It decides whether a
// report of a restart counts, because the kernel, its server and other clients each report
// the same restart. It is separate from kernelPhase because it survives a lost connection.
type processState int

const (
	processNew       processState = iota // has run nothing; its own start may still be reported
	processUsed                          // has run code; a reported start means a new process
	processRestarted                     // its restart was counted; has run nothing since
)

// noticeProcess detects that the kernel's process has changed, because it was restarted
// while the connection was lost. Each process has its own session id in its headers, except
// for kernels that repeat their client's.
func (r *Recorder) noticeProcess(m *wire.Message, u *run) {
	process := m.Header.Session
	if m.Header.MsgType != "status" && m.Header.MsgType != "execute_input" || // the server creates some of the others
		m.Parent.MsgID == "" || process == "" || process == m.Parent.Session || r.hasEnded(m) {
		return
	}
	former := r.processID
	r.processID = process
	if former == "" || former == process || r.process == processRestarted {
		if former == "" && r.Session.Stored().Process != process {
			r.Session.keepProcess(process)
		}
		return
	}
	r.Session.replace(sessionuse.WhileAway, r.processID)
	r.outputs.renew()
	if u != nil && !u.phase.ended() {
		u.x.Renew(r.Session.Stored().Generation)
	}
}

// hasEnded reports whether m is from the kernel's former process. Until it has ended, which takes
// a moment, it still says what it does.
func (r *Recorder) hasEnded(m *wire.Message) bool {
	return r.endedProcess != "" && m.Header.Session == r.endedProcess
}

// recordShutdown handles a restart that a client requested. The kernel announces it on
// iopub, and may never reply to the request that it was executing.
func (r *Recorder) recordShutdown(m *wire.Message) {
	var s wire.ShutdownReply
	if m.Channel == "iopub" && m.Decode(&s) == nil && s.Restart && r.process != processRestarted {
		if r.processID == "" && m.Header.Session != m.Parent.Session {
			r.processID = m.Header.Session
		}
		r.restart(catalog.MessageRestarted, false, sessionuse.OutsideEasel)
	}
}

// restart ends the executions of the kernel's former process and counts the restart. Several
// reports of one restart count once. crashed is whether the process died by itself, and by who
// restarted it.
func (r *Recorder) restart(message string, crashed bool, by sessionuse.Actor) {
	status, code := catalog.StatusInterrupted, catalog.CodeInterrupted
	if crashed {
		status, code = catalog.StatusKernelDied, catalog.CodeKernelDied
	}
	if u := r.current; u != nil && u.stop != (cause{}) && !crashed {
		status, code = u.stop.status, u.stop.code
	}
	if r.processID != "" {
		r.endedProcess = r.processID
	}
	r.probeID, r.processID = 0, ""
	// Before the executions end, so that their results say so.
	if r.process != processRestarted {
		r.process = processRestarted
		r.Session.replace(by, r.processID)
	}
	r.Session.noteCrash(crashed && by == sessionuse.Itself)
	r.endAll(cause{status: status, code: code, message: message})
	r.worksAt("")
	r.outputs.renew()
	r.Figures.begin()
	if r.Session.phase != kernelDisconnected {
		r.Session.become(kernelRestarting)
	}
}

// Restart restarts the kernel and waits until it responds. If another call is restarting it,
// Restart waits for that one and restarts it once more only if that one failed: a server refuses a
// restart during another.
func (r *Recorder) Restart(ctx context.Context) error {
	before := r.restarts.Load()
	// The executions end before the restart, so check first that the server responds and
	// accepts the token.
	if _, err := r.Link.model(ctx); errors.Is(err, jupyter.ErrUnauthorized) || errors.Is(err, jupyter.ErrUnreachable) {
		return fmt.Errorf("restarting the kernel: %w", r.Link.explained(ctx, err))
	}
	select {
	case r.restartTurn <- struct{}{}:
		defer func() { <-r.restartTurn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.restarts.Load() == before {
		if err := r.restartNow(ctx); err != nil {
			return fmt.Errorf("restarting the kernel: %w", r.Link.explained(ctx, err))
		}
	}
	return nil
}

// restartNow restarts the kernel and waits until it responds. The caller has the turn.
func (r *Recorder) restartNow(ctx context.Context) error {
	var probe int
	r.mail.call(func() {
		r.process = processUsed // so that the restart counts
		r.restart(catalog.MessageRestarted, false, sessionuse.ActorOf(ctx))
		probe = r.beginProbe() // send no code during the restart
	})
	_, err := r.Link.Client.RestartKernel(ctx, r.Link.KernelID())
	if err == nil {
		err = r.Link.conn.Probe(ctx)
	}
	r.mail.call(func() { r.probeAnswered(probe, err) })
	if err == nil {
		r.restarts.Add(1)
	}
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
