package kernels

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
)

// The states of a server, as reported by health.
const (
	ServerInstalling   = "installing"
	ServerStarting     = "starting"
	ServerReady        = "ready"
	ServerUnreachable  = "unreachable"
	ServerUnauthorized = "unauthorized"
	ServerFailed       = "failed"
	ServerStopped      = "stopped"
)

// A server is a Jupyter server with a name.
type server struct {
	name     string
	managed  bool
	local    bool               // it is LocalServer: not a server, but kernels without one
	rechecks chan chan struct{} // requests to Attach to check the server and then close the value

	mu       sync.Mutex
	client   *jupyter.Server // nil while the server is not ready
	health   catalog.ServerHealth
	changed  chan struct{} // closed when client or health changes
	detached chan struct{} // closed when Attach returns; nil if Attach was not called
}

// AddServer adds a server. The first server is the default one. Its state is ServerStarting
// until SetServer is called. The name must not be in use.
func (m *Manager) AddServer(name string, managed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers = append(m.servers, &server{
		name: name, managed: managed, changed: make(chan struct{}), rechecks: make(chan chan struct{}),
		health: catalog.ServerHealth{Name: name, State: ServerStarting, Managed: managed, Message: "starting"},
	})
}

// PreferServer makes the named server the default one. It returns false if there is no such
// server.
func (m *Manager) PreferServer(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.servers, func(s *server) bool { return s.name == name && !s.local })
	if i < 0 {
		return false
	}
	rest := slices.Delete(slices.Clone(m.servers), i, i+1)
	m.servers = slices.Insert(rest, 0, m.servers[i])
	return true
}

// SetServer sets the state of the server h.Name and its client, which is nil while the server
// is not ready. A client that differs from the last one means that the server has
// restarted, so its former kernels are gone. SetServer does nothing for an unknown server.
func (m *Manager) SetServer(client *jupyter.Server, h catalog.ServerHealth) {
	s, err := m.lookup(h.Name)
	if err != nil {
		return
	}
	s.mu.Lock()
	h.Managed = s.managed
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
		m.abandon(former)
	}
	if m.cfg.On.Server != nil {
		m.cfg.On.Server(h)
	}
}

// RemoveServer removes a server. Easel leaves its kernels, and their executions end as lost.
func (m *Manager) RemoveServer(name string) {
	m.mu.Lock()
	i := slices.IndexFunc(m.servers, func(s *server) bool { return s.name == name })
	if i < 0 {
		m.mu.Unlock()
		return
	}
	m.servers = slices.Delete(slices.Clone(m.servers), i, i+1)
	var theirs []*recorder
	for _, r := range m.kernels {
		if r.server == name {
			theirs = append(theirs, r)
		}
	}
	m.mu.Unlock()
	for _, r := range theirs {
		m.task(func() { r.post(func() { r.parted("Easel no longer knows its Jupyter server") }) })
	}
	if m.cfg.On.ServerRemoved != nil {
		m.cfg.On.ServerRemoved(name)
	}
}

// abandon ends the recorders of a server that no longer exists.
func (m *Manager) abandon(former *jupyter.Server) {
	m.mu.Lock()
	var theirs []*recorder
	for _, r := range m.kernels {
		if r.client == former {
			theirs = append(theirs, r)
		}
	}
	m.mu.Unlock()
	for _, r := range theirs { // without m.mu, which a running recorder may need
		m.task(func() { r.post(func() { r.gone("the Jupyter server was restarted") }) })
	}
}

// Servers returns the state of each server, the default one first.
func (m *Manager) Servers() []catalog.ServerHealth {
	m.mu.Lock()
	defer m.mu.Unlock()
	hs := make([]catalog.ServerHealth, 0, len(m.servers))
	for _, s := range m.servers {
		if s.local {
			continue
		}
		s.mu.Lock()
		hs = append(hs, s.health)
		s.mu.Unlock()
	}
	return hs
}

// lookup returns a server by its name, or the default one for "". The error is
// ErrServerNotFound.
func (m *Manager) lookup(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		if name == "" && !s.local || s.name == name {
			return s, nil
		}
	}
	names := make([]string, len(m.servers))
	for i, s := range m.servers {
		names[i] = s.name
	}
	return nil, fmt.Errorf("%w: %q; there are: %q", ErrServerNotFound, name, names)
}

// chosen returns the named server, or all servers for "".
func (m *Manager) chosen(name string) ([]*server, error) {
	if name != "" {
		s, err := m.lookup(name)
		return []*server{s}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*server(nil), m.servers...), nil
}

// now returns the client without waiting. The error is a NotReadyError.
func (s *server) now() (*jupyter.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, &NotReadyError{s.health}
	}
	return s.client, nil
}

// ready returns the client. It waits for a server that is being installed or started. It
// checks an unreachable server again, because the user may just have started it.
func (s *server) ready(ctx context.Context) (*jupyter.Server, error) {
	client, err := s.await(ctx, ServerStarting, ServerInstalling)
	if err != nil && s.recheck(ctx) {
		return s.await(ctx, ServerStarting, ServerInstalling)
	}
	return client, err
}

// attend records that its caller serves s.rechecks until it calls end.
func (s *server) attend() (end func()) {
	left := make(chan struct{})
	s.mu.Lock()
	s.detached = left
	s.mu.Unlock()
	return func() { close(left) }
}

// recheck has Attach check the server now, and waits for the result. It returns false if
// Attach is not running or ctx ends.
func (s *server) recheck(ctx context.Context) bool {
	s.mu.Lock()
	left := s.detached
	s.mu.Unlock()
	if left == nil {
		return false
	}
	seen := make(chan struct{})
	select {
	case s.rechecks <- seen:
	case <-left:
		return false
	case <-ctx.Done():
		return false
	}
	select {
	case <-seen:
		return true
	case <-left:
		return false
	case <-ctx.Done():
		return false
	}
}

// Recheck checks a server now, for example after a change of its token.
func (m *Manager) Recheck(ctx context.Context, name string) {
	if s, err := m.lookup(name); err == nil {
		s.recheck(ctx)
	}
}

// explained returns err. If err means that the server is unreachable or refuses the token,
// explained checks the server and returns its state instead, which says why.
func (s *server) explained(ctx context.Context, err error) error {
	away := errors.Is(err, jupyter.ErrUnreachable) || errors.Is(err, jupyter.ErrUnauthorized)
	if !away || !s.recheck(ctx) {
		return err
	}
	if _, now := s.now(); now != nil {
		return now
	}
	return err
}

// soonPatience is how long a list of kernels waits for a server that is starting, so that it
// is complete shortly after a restart of Easel.
const soonPatience = 5 * time.Second

// soon is like now, but waits up to soonPatience for a server that is starting. It does not
// wait for an installation.
func (s *server) soon(ctx context.Context) (*jupyter.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, soonPatience)
	defer cancel()
	return s.await(ctx, ServerStarting)
}

// await returns the client. It waits while the server is in one of the states.
func (s *server) await(ctx context.Context, states ...string) (*jupyter.Server, error) {
	for {
		s.mu.Lock()
		client, health, changed := s.client, s.health, s.changed
		s.mu.Unlock()
		if client != nil {
			return client, nil
		}
		if !slices.Contains(states, health.State) {
			return nil, &NotReadyError{health}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, &NotReadyError{health}
		}
	}
}
