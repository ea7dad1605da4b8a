package jupyter

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// A Route leads to a server that cannot be reached by an address of its own, for example
// through a tunnel. Its methods may be called from any goroutine.
type Route interface {
	// Reach returns where the server is now. It waits while the route is being opened. The
	// error says why there is no way to the server.
	Reach(ctx context.Context) (Place, error)
	// Dial connects to the server.
	Dial(ctx context.Context) (net.Conn, error)
	// Local returns the server's address for other programs on this machine, such as the
	// user's browser.
	Local(ctx context.Context) (*url.URL, error)
	// Doubt reports that the server did not answer or refused the token, so that the
	// route is checked.
	Doubt()
	// Note says what the user should know about where the route leads, or "".
	Note() string
	// Close closes the route and everything that goes through it.
	Close() error
}

// A Place is where a server is, as seen from its own machine.
type Place struct {
	URL   *url.URL // http or https, with base_url
	Token string
}

// NewByRoute returns a client of the server to which the route leads. The address names the
// server: it is what URL and String return, and no connection is made to it. The token takes
// precedence over that of the route. Close the client after use.
func NewByRoute(address *url.URL, token string, route Route, opts ...Option) *Server {
	s := newServer(&url.URL{Scheme: "http", Host: address.Host}, token, append(opts, WithDialer(route.Dial)))
	s.route, s.address = route, address
	return s
}

// Note returns what the user should know about where the server's route leads, or "".
func (s *Server) Note() string {
	if s.route == nil {
		return ""
	}
	return s.route.Note()
}

// Close closes the route to the server, if there is one. Close the server's kernels first.
func (s *Server) Close() error {
	if s.route == nil {
		return nil
	}
	s.client.CloseIdleConnections()
	return s.route.Close()
}

// whereabouts returns the address to which a request for u, which is below s.base, is sent,
// and its header. For a server with a route, the error is ErrUnreachable.
func (s *Server) whereabouts(ctx context.Context, u *url.URL) (*url.URL, http.Header, error) {
	token := s.token.current()
	if s.route == nil {
		return u, header(token), nil
	}
	place, err := s.route.Reach(ctx)
	if err != nil && errors.Is(err, context.Canceled) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if token == "" {
		token = place.Token
		s.token.announce(token)
	}
	return below(place.URL, u), header(token), nil
}

// below returns u with its path below that of base.
func below(base, u *url.URL) *url.URL {
	to := *base
	to.Path = strings.TrimRight(base.Path, "/") + u.Path
	to.RawPath = strings.TrimRight(base.EscapedPath(), "/") + u.EscapedPath()
	to.RawQuery = u.RawQuery
	return &to
}

// outside returns the address of u, which is below s.base, for another program on this
// machine, and the token.
func (s *Server) outside(ctx context.Context, u *url.URL) (*url.URL, string, error) {
	token := s.token.current()
	if s.route == nil {
		return u, token, nil
	}
	place, err := s.route.Reach(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if token == "" {
		token = place.Token
		s.token.announce(token)
	}
	local, err := s.route.Local(ctx)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return below(local, u), token, nil
}

// doubt lets the route check itself after an error that may be its fault.
func (s *Server) doubt(err error) {
	if s.route != nil && (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrUnauthorized)) {
		s.route.Doubt()
	}
}
