package mcphttp

import "time"

// A Client is a client that has a session, or an open call or stream without one.
type Client struct {
	Name    string
	Session string    // "" if it is stateless
	Open    bool      // it has an open call or stream
	Expires time.Time // when the unused session's state is dropped; zero without a session
}

// Clients lists the clients that are known now. It omits deleted sessions.
func (h *Handler) Clients() []Client {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]Client, 0, len(h.sessions)+len(h.running))
	for _, s := range h.sessions {
		idle, open := s.state(now)
		if open || idle < h.c.IdleTTL {
			list = append(list, Client{Name: s.peer.GetClientInfo().Name, Session: s.id, Open: open, Expires: now.Add(h.c.IdleTTL - idle)})
		}
	}
	for c := range h.running {
		if c.session == nil {
			list = append(list, Client{Name: c.Client().Name, Open: true})
		}
	}
	return list
}

// state returns how long the session has been unused, and whether it has an open call or
// stream.
func (s *session) state(now time.Time) (idle time.Duration, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.used), s.busy > 0
}
