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

// The states of a server, as health tells them.
const (
	ServerInstalling   = "installing"
	ServerStarting     = "starting"
	ServerReady        = "ready"
	ServerUnreachable  = "unreachable"
	ServerUnauthorized = "unauthorized"
	ServerFailed       = "failed"
	ServerStopped      = "stopped"
)

// A server is one Jupyter server by its name.
type server struct {
	name     string
	managed  bool
	rechecks chan chan struct{} // to whoever keeps it attached: check the server, then close this

	mu       sync.Mutex
	client   *jupyter.Server // nil until there is one to talk to
	health   catalog.ServerHealth
	changed  chan struct{} // closed when client or health changes
	detached chan struct{} // closed when nobody attends to it any more; nil if nobody has
}

// AddServer makes a server known. The first one is the default. It is starting
// until SetServer.
func (m *Manager) AddServer(name string, managed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.servers = append(m.servers, &server{
		name: name, managed: managed, changed: make(chan struct{}), rechecks: make(chan chan struct{}),
		health: catalog.ServerHealth{Name: name, State: ServerStarting, Managed: managed, Message: "starting"},
	})
}

// PreferServer makes a server the default one. It reports false if there is none of
// that name.
func (m *Manager) PreferServer(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.servers, func(s *server) bool { return s.name == name })
	if i < 0 {
		return false
	}
	rest := slices.Delete(slices.Clone(m.servers), i, i+1)
	m.servers = slices.Insert(rest, 0, m.servers[i])
	return true
}

// SetServer tells how a server does, and with what client it is spoken to; nil
// if it cannot be. A client other than the one before means another process:
// the kernels of the former are gone.
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
		return // nothing new
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

// RemoveServer forgets a server: Easel leaves its kernels, whose executions end
// with what is known of them.
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

// abandon ends the recorders of a server that is no more.
func (m *Manager) abandon(former *jupyter.Server) {
	m.mu.Lock()
	var theirs []*recorder
	for _, r := range m.kernels {
		if r.client == former {
			theirs = append(theirs, r)
		}
	}
	m.mu.Unlock()
	for _, r := range theirs { // without the lock, which a recorder at work may want
		m.task(func() { r.post(func() { r.gone("the Jupyter server was restarted") }) })
	}
}

// Servers tells how each server does.
func (m *Manager) Servers() []catalog.ServerHealth {
	m.mu.Lock()
	defer m.mu.Unlock()
	hs := make([]catalog.ServerHealth, len(m.servers))
	for i, s := range m.servers {
		s.mu.Lock()
		hs[i] = s.health
		s.mu.Unlock()
	}
	return hs
}

// lookup finds a server by name; the default one for "".
func (m *Manager) lookup(name string) (*server, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.servers {
		if name == "" || s.name == name {
			return s, nil
		}
	}
	names := make([]string, len(m.servers))
	for i, s := range m.servers {
		names[i] = s.name
	}
	return nil, fmt.Errorf("%w: %q; there are: %q", ErrServerNotFound, name, names)
}

// chosen lists the server of that name, or all for "".
func (m *Manager) chosen(name string) ([]*server, error) {
	if name != "" {
		s, err := m.lookup(name)
		return []*server{s}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*server(nil), m.servers...), nil
}

// now gives the client, if there is one, without waiting.
func (s *server) now() (*jupyter.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, &NotReadyError{s.health}
	}
	return s.client, nil
}

// ready waits for the client while the server is being installed or started. One
// that is away is checked once more: the user may just have started it.
func (s *server) ready(ctx context.Context) (*jupyter.Server, error) {
	client, err := s.await(ctx, ServerStarting, ServerInstalling)
	if err != nil && s.recheck(ctx) {
		return s.await(ctx, ServerStarting, ServerInstalling)
	}
	return client, err
}

// attend tells that somebody takes what comes by asks, until the end that it gives.
func (s *server) attend() (end func()) {
	left := make(chan struct{})
	s.mu.Lock()
	s.detached = left
	s.mu.Unlock()
	return func() { close(left) }
}

// recheck has the server checked now, and waits for the result. It reports false if
// nobody attends to the server.
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

// Recheck has a server checked now, as something about it has changed.
func (m *Manager) Recheck(ctx context.Context, name string) {
	if s, err := m.lookup(name); err == nil {
		s.recheck(ctx)
	}
}

// explained is err; or the state of the server, after a new check, if err tells that
// it is away or refuses the token: who stands before it says why.
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

// soonPatience is how long a reading waits for a server that is being started or
// taken over: an Easel that has just been restarted finds its kernels there.
const soonPatience = 5 * time.Second

// soon is now, but for a server that is being started, for which it waits a
// moment. An installation is not waited for.
func (s *server) soon(ctx context.Context) (*jupyter.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, soonPatience)
	defer cancel()
	return s.await(ctx, ServerStarting)
}

// await waits for the client as long as the server is in one of these states.
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
