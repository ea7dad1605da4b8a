package remote

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/jupyter/tunnel"
)

// A Host is the Jupyter server of a project on another machine. Its methods are as those of
// [managed.Project].
type Host struct {
	m       *Machine
	of      managed.ProjectServer
	report  func(managed.Status)
	changed func()

	mu     sync.Mutex
	client *jupyter.Server // nil while it does not run
}

// Host returns the server of a project, whose root is the directory there. It is not started.
// report is told the progress of Start. changed is called when the way to the server may have
// changed; it must not block.
func (m *Machine) Host(of managed.ProjectServer, report func(managed.Status), changed func()) *Host {
	return &Host{m: m, of: of, report: report, changed: changed}
}

// Start starts the server, or takes it over if it runs. Where Easel's environment is missing, that
// is installed first.
func (h *Host) Start(ctx context.Context) (*jupyter.Server, error) {
	s, err := h.start(ctx, func(s Step) {
		h.report(managed.Status{Phase: managed.Starting, Detail: s.Text, Fraction: s.Fraction})
	})
	if err != nil {
		h.report(managed.Status{Phase: managed.Failed, Detail: err.Error(), Err: err})
		return nil, err
	}
	address := h.m.cfg.Address
	address.Path, address.RuntimeDir = h.of.Root, s.RuntimeDir
	way := tunnel.New(tunnel.Config{Address: address, Dir: h.m.cfg.Sockets, Log: h.m.cfg.Log, Changed: h.changed})
	client := way.Client("", h.m.cfg.Options...)
	if _, err := way.Reach(ctx); err != nil {
		_ = client.Close()
		if e, ok := errors.AsType[*tunnel.Error](err); ok && e.Problem == tunnel.NoServer { // the user has to start none
			err = &Error{
				Kind: Failed, Text: "the project's Jupyter server was started on " + address.Host + ", but Easel does not find it there",
				Remedy: "Call again. If that does not help, the logs in ~/.local/share/easel/remote there show the cause.",
			}
		}
		h.report(managed.Status{Phase: managed.Failed, Detail: err.Error(), Err: err})
		return nil, err
	}
	h.mu.Lock()
	h.client = client
	h.mu.Unlock()
	h.m.mu.Lock()
	h.m.hosts = append(h.m.hosts, h)
	h.m.mu.Unlock()
	h.report(managed.Status{Phase: managed.Ready, Fraction: 1})
	return client, nil
}

// resume makes a new agent look after the server. If the server has ended meanwhile, that starts
// another one, which the tunnel finds.
func (h *Host) resume(c *connection) {
	ctx, cancel := context.WithCancel(h.m.ctx)
	defer cancel()
	var s runtimeOf
	if err := c.call(ctx, methodStart, h.of, &s, nil); err != nil && ctx.Err() == nil {
		h.m.cfg.Log.Warn("a project on another machine is not looked after", "address", h.m.cfg.Address.String(), "root", h.of.Root, "err", err)
	}
}

// Server returns the client, or nil if the server was not started.
func (h *Host) Server() *jupyter.Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.client
}

// Stop ends the server and its kernels. If the machine cannot be reached, they run until the
// lease ends.
func (h *Host) Stop(ctx context.Context) error {
	h.m.mu.Lock()
	h.m.hosts = slices.DeleteFunc(h.m.hosts, func(x *Host) bool { return x == h })
	h.m.mu.Unlock()
	h.mu.Lock()
	client := h.client
	h.client = nil
	h.mu.Unlock()
	if client == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	defer client.Close() //nolint:errcheck // the tunnel
	h.m.mu.Lock()
	c := h.m.now.connection
	h.m.mu.Unlock()
	if c == nil { // connecting may take long
		return h.m.cfg.Address.Lost()
	}
	return c.call(ctx, methodStop, h.of, &none{}, nil)
}

// kernelLimit is how long a small change there may take.
const kernelLimit = 30 * time.Second

// SetKernel sets a kernelspec.
func (h *Host) SetKernel(name string, spec managed.KernelSpec) error {
	ctx, cancel := context.WithTimeout(h.m.ctx, kernelLimit)
	defer cancel()
	return h.m.call(ctx, methodSetKernel, kernelOf{h.of, name, spec}, &none{}, nil)
}

// RemoveKernel removes a kernelspec.
func (h *Host) RemoveKernel(name string) error {
	ctx, cancel := context.WithTimeout(h.m.ctx, kernelLimit)
	defer cancel()
	return h.m.call(ctx, methodRemoveKernel, kernelOf{Of: h.of, Name: name}, &none{}, nil)
}
