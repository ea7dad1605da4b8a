// Package servers keeps the list of Jupyter servers and knows which of them are ready.
//
// # Goroutines
//
// All methods may be called on any goroutine. Attach runs on its caller's until its context ends.
// The callbacks of Events run on the goroutine that causes them, without a lock.
package servers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

// Errors of servers.
var (
	ErrNotFound = errors.New("no such server")
	// ErrNoServer means that only the kernel's own program can do it.
	ErrNoServer = errors.New("no Jupyter server runs this kernel")
)

// A NotReadyError reports that a server is not ready. Health says why.
type NotReadyError struct{ Health catalog.ServerHealth }

// Error returns the name of the server, its state and its message.
func (e *NotReadyError) Error() string {
	return fmt.Sprintf("the Jupyter server %q is %s: %s", e.Health.Name, e.Health.State, e.Health.Message)
}

// An UnavailableError says why Easel cannot connect to a kernel that no Jupyter server runs,
// or cannot interrupt it.
type UnavailableError struct{ Reason string }

// Error returns the reason.
func (e *UnavailableError) Error() string { return e.Reason }

// Events are what a List reports.
type Events struct {
	Changed  func(catalog.ServerHealth)
	Replaced func(former *jupyter.Server)           // a server was restarted, so its former kernels are gone
	Removed  func(name string)                      // a server was removed
	Ready    func(ctx context.Context, name string) // an attached server is ready for the first time
}

// A List is the servers. The first is the default one.
type List struct {
	on Events

	mu      sync.Mutex
	servers []*Server
}

// NewList returns an empty list.
func NewList(on Events) *List { return &List{on: on} }

// Add adds a server. The first server is the default one. Its state is StateStarting
// until Set is called. The name must not be in use.
func (l *List) Add(name string, managed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.servers = append(l.servers, &Server{
		Name: name, Managed: managed, changed: make(chan struct{}), rechecks: make(chan chan struct{}),
		health: catalog.ServerHealth{Name: name, State: StateStarting, Managed: managed, Message: "starting"},
	})
}

// Prefer makes the named server the default one. It returns false if there is no such
// server.
func (l *List) Prefer(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.servers, func(s *Server) bool { return s.Name == name && !s.Local })
	if i < 0 {
		return false
	}
	rest := slices.Delete(slices.Clone(l.servers), i, i+1)
	l.servers = slices.Insert(rest, 0, l.servers[i])
	return true
}

// Set sets the state of the server h.Name and its client, which is nil while the server
// is not ready. A client that differs from the last one means that the server has
// restarted. Set does nothing for an unknown server.
func (l *List) Set(client *jupyter.Server, h catalog.ServerHealth) {
	s, err := l.Lookup(h.Name)
	if err != nil {
		return
	}
	s.mu.Lock()
	h.Managed = s.Managed
	former := s.client
	if former == client && s.health == h {
		s.mu.Unlock()
		return // unchanged
	}
	s.client, s.health = client, h
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if former != nil && client != nil && former != client {
		l.on.Replaced(former)
	}
	l.on.Changed(h)
}

// Remove removes a server.
func (l *List) Remove(name string) {
	l.mu.Lock()
	i := slices.IndexFunc(l.servers, func(s *Server) bool { return s.Name == name })
	if i < 0 {
		l.mu.Unlock()
		return
	}
	l.servers = slices.Delete(slices.Clone(l.servers), i, i+1)
	l.mu.Unlock()
	l.on.Removed(name)
}

// Health returns the state of each server, the default one first.
func (l *List) Health() []catalog.ServerHealth {
	l.mu.Lock()
	defer l.mu.Unlock()
	hs := make([]catalog.ServerHealth, 0, len(l.servers))
	for _, s := range l.servers {
		if s.Local {
			continue
		}
		s.mu.Lock()
		hs = append(hs, s.health)
		s.mu.Unlock()
	}
	return hs
}

// Lookup returns a server by its name, or the default one for "". The error is
// ErrNotFound.
func (l *List) Lookup(name string) (*Server, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.servers {
		if name == "" && !s.Local || s.Name == name {
			return s, nil
		}
	}
	names := make([]string, len(l.servers))
	for i, s := range l.servers {
		names[i] = s.Name
	}
	return nil, fmt.Errorf("%w: %q; there are: %q", ErrNotFound, name, names)
}

// Select returns the named server, or all servers for "".
func (l *List) Select(name string) ([]*Server, error) {
	if name != "" {
		s, err := l.Lookup(name)
		return []*Server{s}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]*Server(nil), l.servers...), nil
}

// AddLocal adds the kernels on this machine that no Jupyter server runs, by a client that
// lists them, under the name catalog.ThisMachine. They are not in Health, never the default, and
// no kernels start there.
func (l *List) AddLocal(client *jupyter.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.servers = append(l.servers, &Server{
		Name: catalog.ThisMachine, Local: true, client: client, changed: make(chan struct{}), rechecks: make(chan chan struct{}),
		health: catalog.ServerHealth{Name: catalog.ThisMachine, State: StateReady},
	})
}

// Recheck checks a server now, for example after a change of its token.
func (l *List) Recheck(ctx context.Context, name string) {
	if s, err := l.Lookup(name); err == nil {
		s.Recheck(ctx)
	}
}

// A Host is a Jupyter server that is ready, by its name.
type Host struct {
	Name   string
	Client *jupyter.Server
}

// Hosts returns the named server, or all servers if name is "", the default one first. It
// waits for the named server, or for the default one, while that starts. It leaves out
// servers that are not ready and, unless it is named, catalog.ThisMachine, which has no files. If none
// is left, it returns an error.
func (l *List) Hosts(ctx context.Context, name string) ([]Host, error) {
	first, err := l.Lookup(name)
	if err != nil {
		return nil, err
	}
	servers, err := l.Select(name)
	if err != nil {
		return nil, err
	}
	var hosts []Host
	_, problem := first.Ready(ctx)
	for _, s := range servers {
		if client, err := s.Now(); err == nil && (!s.Local || name != "") {
			hosts = append(hosts, Host{s.Name, client})
		}
	}
	if len(hosts) == 0 {
		return nil, problem
	}
	return hosts, nil
}
