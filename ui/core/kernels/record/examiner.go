package record

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
)

// An examiner asks the server and the kernel whether the kernel still executes code. Its methods
// wait for the answers, so they are called on goroutines of their own.
type examiner struct {
	env  *Environment
	mail mailbox // of the recorder
	link *Link
}

// A condition is what an examiner has found. In the zero value, nothing is known.
type condition struct {
	gone    bool   // the kernel does not exist
	idle    bool   // the kernel executes nothing, and the recorder has all of its messages
	busy    bool   // the kernel executes code
	process string // id of its process, if it is busy; "" if unknown
}

// examine returns the condition of the kernel. If it is busy, examine also asks for its process,
// because both the server and Easel may have missed a restart.
func (e *examiner) examine() (c condition) {
	ctx, cancel := context.WithTimeout(e.env.Tasks.Context(), 2*e.env.Timing.Watchdog)
	defer cancel()
	k, err := e.link.model(ctx)
	switch {
	case err != nil: // or the server is unreachable; the connection reports it
		c.gone = errors.Is(err, jupyter.ErrNotFound)
	case k.State == wire.StateBusy:
		c.process, err = e.link.conn.Process(ctx)
		c.busy = err == nil
	default:
		c.idle = e.drained(ctx)
	}
	return c
}

// free reports whether the kernel no longer executes request, and whether the kernel no
// longer exists. If it is neither, the watchdog checks again later.
func (e *examiner) free(request string) (free, gone bool) {
	ctx, cancel := context.WithTimeout(e.env.Tasks.Context(), 2*e.env.Timing.Watchdog)
	defer cancel()
	k, err := e.link.model(ctx)
	switch {
	case err != nil: // the kernel does not exist, or the server is unreachable
		return false, errors.Is(err, jupyter.ErrNotFound)
	case request == unknownRequest:
		return e.drained(e.env.Tasks.Context()), false
	}
	return k.State != wire.StateBusy && e.drained(ctx), false
}

// drained probes the kernel and waits until the recorder has handled all messages from before
// the answer. It returns false if the probe fails, ctx ends or the recorder ends.
func (e *examiner) drained(ctx context.Context) bool {
	if e.link.conn.Probe(ctx) != nil {
		return false
	}
	pause := time.NewTimer(e.env.Timing.Drain)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return false
	}
	// This may take long, because the recorder may be waiting for the disk.
	reached := make(chan struct{})
	e.link.conn.Barrier(reached)
	select {
	case <-reached:
		return true
	case <-e.mail.ended: // a barrier after the end is dropped
		return false
	case <-ctx.Done():
		return false
	}
}
