package mcphttp

import "time"

// A Client is who has a session here, or a call or stream open without one.
type Client struct {
	Name    string
	Session string    // "": it is stateless
	Open    bool      // a call or a stream of it is open
	Expires time.Time // when the unused session's state is dropped; zero without a session
}

// Clients lists the clients that are known now. A session that was deleted is not
// among them.
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

// state tells for how long the session was unused, and whether a call or a stream of
// it is open.
func (s *session) state(now time.Time) (idle time.Duration, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.used), s.busy > 0
}
