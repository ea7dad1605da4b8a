package kernels

import (
	"context"
	"errors"
	"fmt"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

// How often a server that somebody else runs is checked.
const (
	attachRetry = 2 * time.Second  // when it does not answer; doubles
	attachRest  = 30 * time.Second // at most, while it does not
	attachCheck = 15 * time.Second // while it does
)

// Attach keeps the server of that name, which somebody else runs, joined: it
// tells how it does until ctx ends. AddServer comes first.
func (m *Manager) Attach(ctx context.Context, name string, client *jupyter.Server) {
	s, err := m.lookup(name)
	if err != nil {
		return
	}
	defer s.attend()()
	first, retry := true, attachRetry
	var asked chan struct{} // who wants to know
	for {
		h := examine(ctx, name, client)
		next, wait := client, attachCheck
		if h.State == ServerReady {
			retry = attachRetry
		} else {
			next, wait = nil, retry
			if asked == nil {
				retry = min(2*retry, attachRest)
			}
		}
		m.SetServer(next, h)
		if asked != nil {
			close(asked)
			asked = nil
		}
		if first && next != nil {
			first = false
			if err := m.Restore(ctx, name); err != nil {
				m.cfg.Log.WarnContext(ctx, "joining kernels again", "server", name, "err", err)
			}
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

// examine asks a server how it is.
func examine(ctx context.Context, name string, client *jupyter.Server) catalog.ServerHealth {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	h := catalog.ServerHealth{Name: name, URL: client.URL().String(), State: ServerReady}
	// The kernelspecs need the token, which the status of some servers does not;
	// gateways have no status, and may refuse to list kernels.
	_, err := client.KernelSpecs(ctx)
	answer, answered := errors.AsType[*jupyter.StatusError](err)
	switch {
	case err == nil:
	case errors.Is(err, jupyter.ErrUnauthorized):
		h.State, h.Message = ServerUnauthorized, "it refuses Easel's token, which may have expired"
		if answered && answer.Status < 400 {
			h.Message = "it requires a login: the token is invalid or has expired"
		}
	case errors.Is(err, jupyter.ErrUnreachable) && answered:
		h.State = ServerUnreachable
		h.Message = fmt.Sprintf("it is not running (what is in front of it, for example a JupyterHub, answers %d): start it there", answer.Status)
	case errors.Is(err, jupyter.ErrUnreachable), errors.Is(err, context.DeadlineExceeded):
		h.State, h.Message = ServerUnreachable, "nothing answers at "+h.URL
	default:
		h.State, h.Message = ServerUnreachable, err.Error()
	}
	return h
}

// Known resolves the id of a session that runs on some server, in either form.
func (m *Manager) Known(ctx context.Context, id string) (string, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return "", err
	}
	return r.session().ID, nil
}
