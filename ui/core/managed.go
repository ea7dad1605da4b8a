package core

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// managedStart is a start of the managed Jupyter, which the user can cancel.
type managedStart struct {
	mu     sync.Mutex
	cancel context.CancelFunc // nil while there is none

	restored atomic.Pointer[jupyter.Server] // the server whose kernels have been restored
}

// startManaged starts the managed Jupyter, unless it is being started or is running.
func (c *Core) startManaged(ctx context.Context) {
	s := &c.starting
	s.mu.Lock()
	if s.cancel != nil {
		s.mu.Unlock()
		return
	}
	ctx, s.cancel = context.WithCancel(ctx)
	s.mu.Unlock()
	_, err := c.managed.Start(ctx)
	if err != nil && !errors.Is(err, managed.ErrStarted) && ctx.Err() == nil {
		c.cfg.Log.ErrorContext(ctx, "starting Jupyter", "err", err)
	}
	s.mu.Lock()
	s.cancel()
	s.cancel = nil
	s.mu.Unlock()
}

// handleManaged lets the user start the managed Jupyter again, and cancel its start.
func (c *Core) handleManaged() {
	if c.managed == nil {
		return
	}
	chain.Register(c.chain, command.StartJupyter, func(_ context.Context, in command.StartJupyterIn) (struct{}, error) {
		if in.Offline != "" {
			if c.cfg.Options.Wheelhouse != "" {
				return struct{}{}, &tool.Error{Code: tool.NotExecutable, Detail: "Easel was started with --wheelhouse or EASEL_WHEELHOUSE.", Hint: "Start it without."}
			}
			c.Store.Update(func(n *state.Snapshot) { n.Settings.Wheelhouse = in.Offline })
		}
		if in.Online {
			c.Store.Update(func(n *state.Snapshot) { n.Settings.Wheelhouse = "" })
		}
		c.managed.Retry()
		c.tasks.Go(func() { c.startManaged(c.life) })
		return struct{}{}, nil
	})
	chain.Register(c.chain, command.CancelJupyter, func(context.Context, struct{}) (struct{}, error) {
		c.starting.mu.Lock()
		defer c.starting.mu.Unlock()
		if c.starting.cancel != nil {
			c.starting.cancel()
		}
		return struct{}{}, nil
	})
}

// wheelhouse returns where packages are installed from without a network; "" for the
// network.
func (c *Core) wheelhouse() string {
	return cmp.Or(c.cfg.Options.Wheelhouse, c.Store.Snapshot().Settings.Wheelhouse)
}

// report passes the status of the managed Jupyter server on to the kernels and the state.
// It must not block, so it restores the kernels on a goroutine.
func (c *Core) report(s managed.Status) {
	h := health(ManagedServer, s)
	var client *jupyter.Server
	if s.Phase == managed.Ready {
		client = c.managed.Server()
		h.URL = client.URL().String()
	}
	c.Kernels.Servers.Set(client, h)
	c.Store.Update(func(n *state.Snapshot) {
		servers := append([]state.Server(nil), n.Servers...)
		for i := range servers {
			if servers[i].Name == ManagedServer {
				servers[i].Fraction, servers[i].Install = s.Fraction, install(s)
			}
		}
		n.Servers = servers
	})
	if client != nil && s.Later == nil && c.Store.Snapshot().Settings.Wheelhouse != "" && !managed.Unfinished(c.cfg.Options.DataDir) {
		// The packages are installed. The next version of Easel needs others.
		c.Store.Update(func(n *state.Snapshot) { n.Settings.Wheelhouse = "" })
	}
	if client != nil && c.starting.restored.Swap(client) != client {
		c.tasks.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := c.Kernels.Restore(ctx, ManagedServer); err != nil {
				c.cfg.Log.Warn("reconnecting to kernels", "err", err)
			}
		})
	}
}

// install converts the status of an installation to the form of the state.
func install(s managed.Status) state.Install {
	p := s.Progress
	i := state.Install{Cancelled: s.Phase == managed.Stopped && s.Err != nil}
	failed := s.Err
	if s.Later != nil {
		p = s.Later.Progress
		i.Later, i.Upgrade = true, s.Later.Upgrade
		if s.Later.Err != nil {
			failed, i.Failed = s.Later.Err, s.Later.Err.Error()
		}
	}
	if e, ok := errors.AsType[*managed.Error](failed); ok {
		i.Kind, i.Command, i.Free, i.Need = string(e.Kind), e.Command, int64(e.Free), int64(e.Need)
	}
	i.Step, i.Package, i.Done, i.Total, i.After, i.Python = string(p.Step), p.Package, p.Done, p.Total, p.After, p.Python
	return i
}

// health converts the status of a managed Jupyter server to the form of the catalog.
func health(name string, s managed.Status) catalog.ServerHealth {
	h := catalog.ServerHealth{Name: name, Managed: true, Message: s.Detail}
	switch s.Phase {
	case managed.Installing:
		h.State = servers.StateInstalling
	case managed.Searching, managed.Starting:
		h.State = servers.StateStarting
	case managed.Ready:
		h.State = servers.StateReady
		h.Message += later(s.Later)
	case managed.Stopped:
		h.State = servers.StateStopped
		if s.Err != nil {
			h.Message = "the user cancelled its installation and can continue it in Easel's window"
		}
	default:
		h.State = servers.StateFailed
		if s.Err != nil {
			h.Message = s.Err.Error()
		}
		if s.Remedy != "" {
			h.Message = strings.TrimRight(h.Message, ".") + ". " + s.Remedy
		}
	}
	return h
}

// later describes what is installed in the background.
func later(l *managed.Later) string {
	switch {
	case l == nil:
		return ""
	case l.Upgrade && l.Err != nil:
		return ". A newer Python environment cannot be built yet, so this one stays in use: " + l.Err.Error()
	case l.Upgrade:
		return ". A newer Python environment is being built for its next start"
	case l.Err != nil:
		return ". pandas, SciPy, seaborn, Plotly and JupyterLab are not installed yet: " + l.Err.Error()
	}
	return ". pandas, SciPy, seaborn, Plotly and JupyterLab are still being installed; code that imports them waits. " + l.String()
}
