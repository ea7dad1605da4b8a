package mcphost

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"easel/internal/system"
)

// portsToTry is how many ports after the preferred one are tried before any free port is
// used.
const portsToTry = 50

// Listen listens on the port, or on the next free one unless the port is fixed, on
// 127.0.0.1 and, if available, on ::1. From then on clients may connect; Serve answers
// them.
func (h *Host) Listen(ctx context.Context) error {
	err := h.address.listen(ctx, h.c.Port, h.c.PortFixed)
	if note := h.address.Note(); note != "" {
		h.log.WarnContext(ctx, "another port", "wanted", h.c.Port, "port", h.Port(), "note", note)
	}
	return err
}

// An address is where the host listens.
type address struct {
	introduction time.Duration // see Config

	mu        sync.Mutex
	listeners []net.Listener
	port      int
	note      string
}

// listen finds a port, the wanted one if it is fixed, and listens there.
func (a *address) listen(ctx context.Context, want int, fixed bool) error {
	ports := []int{want}
	if want != 0 && !fixed {
		for p := want + 1; p <= min(want+portsToTry, 65535); p++ {
			ports = append(ports, p)
		}
		ports = append(ports, 0)
	}
	var first error
	for _, p := range ports {
		ls, err := listenLoopback(ctx, p)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		port, note := ls[0].Addr().(*net.TCPAddr).Port, ""
		if first != nil {
			note = fmt.Sprintf("Port %d is taken by %s; Easel listens on %d.", want, a.whoHolds(ctx, want, first), port)
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		a.listeners, a.port, a.note = ls, port, note
		return nil
	}
	if fixed {
		return fmt.Errorf("port %d is taken by %s", want, a.whoHolds(ctx, want, first))
	}
	return fmt.Errorf("mcphost: no port on the loopback interface: %w", first)
}

// listenLoopback listens on port (0 means any) on both loopback addresses. Without IPv6
// there is only one. If another program uses the port on ::1, the port counts as taken,
// because "localhost" would lead to that program.
func listenLoopback(ctx context.Context, port int) ([]net.Listener, error) {
	var lc net.ListenConfig
	for range 10 { // with port 0, the first listener's port may be taken on the second address
		four, err := lc.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return nil, err
		}
		got := four.Addr().(*net.TCPAddr).Port
		six, err := lc.Listen(ctx, "tcp6", net.JoinHostPort("::1", strconv.Itoa(got)))
		switch {
		case err == nil:
			return []net.Listener{four, six}, nil
		case !system.IsPortTaken(err):
			return []net.Listener{four}, nil // this machine has no IPv6
		}
		_ = four.Close()
		if port != 0 {
			return nil, err
		}
	}
	return nil, errors.New("no port is free on both 127.0.0.1 and ::1")
}

// Listeners returns the listeners; there are none before listen.
func (a *address) Listeners() []net.Listener {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.listeners
}

// Port returns the port, or 0 before listen.
func (a *address) Port() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.port
}

// Note says why the port is not the wanted one, or returns "".
func (a *address) Note() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.note
}

// URL returns the address for clients.
func (a *address) URL() string {
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(a.Port()))
}

// newConns are the connections on which nothing was asked yet: browsers open some
// beforehand. net/http waits for each until it is five seconds old; nobody who quits
// should.
type newConns struct {
	mu     sync.Mutex
	conns  map[net.Conn]struct{}
	closed bool
}

// note is called by net/http for each change of a connection's state.
func (s *newConns) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.closed:
		_ = c.Close() // it has no open request
	default:
		if s.conns == nil {
			s.conns = make(map[net.Conn]struct{})
		}
		s.conns[c] = struct{}{}
	}
}

// close closes them, and those that come.
func (s *newConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.conns {
		_ = c.Close()
	}
}

// whoHolds says which program uses a port that is not available.
func (a *address) whoHolds(ctx context.Context, port int, cause error) string {
	if !system.IsPortTaken(cause) {
		return "nobody, but cannot be opened (" + cause.Error() + ")"
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.introduction, time.Second))
	defer cancel()
	url := "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) + "/api/health"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err == nil {
		if res, err := http.DefaultClient.Do(req); err == nil {
			defer func() { _ = res.Body.Close() }()
			var health struct{ Name, Version string }
			if json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<16)).Decode(&health) == nil && health.Name == "easel" {
				return "another Easel (version " + health.Version + ", with another data directory)"
			}
		}
	}
	if name := system.Listener(port); name != "" {
		return name
	}
	return "another program"
}
