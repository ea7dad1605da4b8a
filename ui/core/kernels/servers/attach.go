package servers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"easel/jupyter"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
)

// Intervals between the checks of a server that Easel does not run.
const (
	attachRetry = 2 * time.Second  // first retry if it is not ready; then doubled each time
	attachRest  = 30 * time.Second // longest interval while it is not ready
	attachCheck = 15 * time.Second // while it is ready
)

// Attach checks the named server, which Easel does not run, and passes its state to
// Set until ctx ends. Call Add first.
func (l *List) Attach(ctx context.Context, name string, client *jupyter.Server) {
	s, err := l.Lookup(name)
	if err != nil {
		return
	}
	defer s.attend()()
	first, retry := true, attachRetry
	var asked chan struct{} // closed after the check; nil if nobody waits for it
	for {
		h := examine(ctx, name, client)
		next, wait := client, attachCheck
		if h.State == StateReady {
			retry = attachRetry
		} else {
			next, wait = nil, retry
			if asked == nil {
				retry = min(2*retry, attachRest)
			}
		}
		l.Set(next, h)
		if asked != nil {
			close(asked)
			asked = nil
		}
		if first && next != nil {
			first = false
			l.on.Ready(ctx, name)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case asked = <-s.rechecks:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// reasonSeveral is the reason of a server that is one of several on another machine.
const reasonSeveral = "several"

// examine checks a server and returns its state.
func examine(ctx context.Context, name string, client *jupyter.Server) catalog.ServerHealth {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	h := catalog.ServerHealth{Name: name, URL: client.URL().String(), State: StateReady}
	// Reading the kernelspecs checks the token. Some servers report their status without
	// one. Gateways have no status, and may refuse to list kernels.
	_, err := client.KernelSpecs(ctx)
	answer, answered := errors.AsType[*jupyter.StatusError](err)
	away, tunnelled := errors.AsType[*tunnel.Error](err)
	switch {
	case err == nil:
		if h.Message = client.Note(); h.Message != "" {
			h.Reason = reasonSeveral
		}
	case tunnelled:
		h.State, h.Message, h.Reason = StateUnreachable, away.Error(), string(away.Problem)
		if away.Problem == tunnel.Connecting {
			h.State = StateStarting
		}
	case errors.Is(err, jupyter.ErrUnauthorized):
		h.State, h.Message = StateUnauthorized, "it refuses Easel's token, which may have expired"
		if answered && answer.Status < 400 {
			h.Message = "it requires a login: the token is invalid or has expired"
		}
	case errors.Is(err, jupyter.ErrUnreachable) && answered:
		h.State = StateUnreachable
		h.Message = fmt.Sprintf("it is not running (what is in front of it, for example a JupyterHub, answers %d): start it there", answer.Status)
	case errors.Is(err, jupyter.ErrUnreachable), errors.Is(err, context.DeadlineExceeded):
		h.State, h.Message = StateUnreachable, "nothing answers at "+h.URL
	default:
		h.State, h.Message = StateUnreachable, err.Error()
	}
	return h
}
