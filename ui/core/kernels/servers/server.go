package servers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
)

// The states of a server, as reported by health.
const (
	StateInstalling   = "installing"
	StateStarting     = "starting"
	StateReady        = "ready"
	StateUnreachable  = "unreachable"
	StateUnauthorized = "unauthorized"
	StateFailed       = "failed"
	StateStopped      = "stopped"
)

// A Server is a Jupyter server with a name.
type Server struct {
	Name     string
	Managed  bool
	Local    bool               // it is catalog.ThisMachine: not a server, but kernels without one
	rechecks chan chan struct{} // requests to Attach to check the server and then close the value

	mu       sync.Mutex
	client   *jupyter.Server // nil while the server is not ready
	health   catalog.ServerHealth
	changed  chan struct{} // closed when client or health changes
	detached chan struct{} // closed when Attach returns; nil if Attach was not called
}

// Now returns the client without waiting. The error is a NotReadyError.
func (s *Server) Now() (*jupyter.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil {
		return nil, &NotReadyError{s.health}
	}
	return s.client, nil
}

// Ready returns the client. It waits for a server that is being installed or started. It
// checks an unreachable server again, because the user may just have started it.
func (s *Server) Ready(ctx context.Context) (*jupyter.Server, error) {
	client, err := s.await(ctx, StateStarting, StateInstalling)
	if err != nil && s.Recheck(ctx) {
		return s.await(ctx, StateStarting, StateInstalling)
	}
	return client, err
}

// attend records that its caller serves s.rechecks until it calls end.
func (s *Server) attend() (end func()) {
	left := make(chan struct{})
	s.mu.Lock()
	s.detached = left
	s.mu.Unlock()
	return func() { close(left) }
}

// Recheck has Attach check the server now, and waits for the result. It returns false if
// Attach is not running or ctx ends.
func (s *Server) Recheck(ctx context.Context) bool {
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

// Explained returns err. If err means that the server is unreachable or refuses the token,
// Explained checks the server and returns its state instead, which says why.
func (s *Server) Explained(ctx context.Context, err error) error {
	away := errors.Is(err, jupyter.ErrUnreachable) || errors.Is(err, jupyter.ErrUnauthorized)
	if !away || !s.Recheck(ctx) {
		return err
	}
	if _, now := s.Now(); now != nil {
		return now
	}
	return err
}

// soonPatience is how long a list of kernels waits for a server that is starting, so that it
// is complete shortly after a restart of Easel.
const soonPatience = 5 * time.Second

// Soon is like now, but waits up to soonPatience for a server that is starting. It does not
// wait for an installation.
func (s *Server) Soon(ctx context.Context) (*jupyter.Server, error) {
	ctx, cancel := context.WithTimeout(ctx, soonPatience)
	defer cancel()
	return s.await(ctx, StateStarting)
}

// await returns the client. It waits while the server is in one of the states.
func (s *Server) await(ctx context.Context, states ...string) (*jupyter.Server, error) {
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

// Wait waits for the next change of the server. It returns false if ctx ends first.
func (s *Server) Wait(ctx context.Context) bool {
	s.mu.Lock()
	changed := s.changed
	s.mu.Unlock()
	select {
	case <-changed:
		return true
	case <-ctx.Done():
		return false
	}
}

// IsHere reports whether the server is on this machine, as far as its address says. One that
// is starting may be.
func (s *Server) IsHere() bool {
	s.mu.Lock()
	client, health := s.client, s.health
	s.mu.Unlock()
	if client == nil {
		return health.State == StateStarting && !tunnel.IsAddress(health.URL)
	}
	host := client.URL().Hostname()
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Unavailable returns the reason for err, if the server of s said one.
func (s *Server) Unavailable(err error) error {
	e, ok := errors.AsType[*jupyter.StatusError](err)
	if !s.Local || !ok || errors.Is(err, jupyter.ErrNotFound) || e.Message == "" {
		return err
	}
	return &UnavailableError{e.Message}
}

// StartsNone returns an error for a server that starts no kernels.
func (s *Server) StartsNone() error {
	if s.Local {
		return fmt.Errorf("%w: %q starts none", ErrNoServer, s.Name)
	}
	return nil
}
