package mcphttp

import (
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// pendingLimit limits what waits for a session without an open stream.
const pendingLimit = 256

// A session is the state of a client of the handshake era between its requests.
type session struct {
	id   string
	peer *peer
	gone chan struct{} // closed when the session is deleted

	mu      sync.Mutex
	holder  string                    // of its calls; see Call.Holder
	uris    map[string]struct{}       // resources/subscribe
	streams []*noteStream             // GET streams, newest last
	pending []queuedNote              // for the next GET stream
	busy    int                       // open requests and streams
	asked   map[string]chan<- message // the server's requests that the client has not answered, by their ids
	used    time.Time
}

type queuedNote struct {
	key  string
	note mcp.JSONRPCNotification
}

// A noteStream is one GET stream.
type noteStream struct {
	queue chan queuedNote
}

// push queues note for the newest stream. Without one, it keeps note for the next
// stream. Then one note for each key is enough, because a note only says that something
// changed.
func (s *session) push(key string, note mcp.JSONRPCNotification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(queuedNote{key, note})
}

// put is push with s.mu held.
func (s *session) put(note queuedNote) {
	for _, l := range slices.Backward(s.streams) {
		select {
		case l.queue <- note:
			return
		default: // its client does not read
		}
	}
	if slices.ContainsFunc(s.pending, func(p queuedNote) bool { return p.key == note.key }) {
		return
	}
	if len(s.pending) == pendingLimit {
		s.pending = slices.Delete(s.pending, 0, 1)
	}
	s.pending = append(s.pending, note)
}

// listen opens a stream and queues the pending notifications for it.
func (s *session) listen() *noteStream {
	l := &noteStream{queue: make(chan queuedNote, queueDepth)}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pending { // fewer than queueDepth
		l.queue <- p
	}
	s.pending = nil
	s.streams = append(s.streams, l)
	return l
}

// leave closes a stream. What it has not sent, unsent and its queue, goes to another
// stream or waits for the next one.
func (s *session) leave(l *noteStream, unsent ...queuedNote) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(o *noteStream) bool { return o == l })
	for _, p := range unsent {
		s.put(p)
	}
	for {
		select {
		case p := <-l.queue:
			s.put(p)
		default:
			return
		}
	}
}

func (s *session) begin(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy++
	s.used = now
}

func (s *session) end(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy--
	s.used = now
}

func (s *session) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy > 0 {
		return 0
	}
	return now.Sub(s.used)
}

func (s *session) SubscribeToResource(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = make(map[string]struct{})
	}
	if len(s.uris) < 10_000 {
		s.uris[uri] = struct{}{}
	}
}

func (s *session) UnsubscribeFromResource(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.uris, uri)
}

func (s *session) IsSubscribedToResource(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.uris[uri]
	return ok
}

func (s *session) SubscribedResources() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	uris := make([]string, 0, len(s.uris))
	for u := range s.uris {
		uris = append(uris, u)
	}
	return uris
}

func newSession(id string, now time.Time) *session {
	return &session{id: id, peer: &peer{}, gone: make(chan struct{}), used: now}
}

// open creates the session of an initialize request.
func (h *Handler) open() *session {
	s := newSession(newID(sessionPrefix), time.Now())
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep(s.used)
	h.sessions[s.id] = s
	return s
}

// session finds the session of id. An unknown id with the form of our ids is from before
// a restart or a long pause, and the session continues. ok is false if the session was
// deleted or the id is not ours.
func (h *Handler) session(id string) (s *session, ok bool) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep(now)
	if s, ok := h.sessions[id]; ok {
		return s, true
	}
	if _, gone := h.ended[id]; gone || !wellFormed(id) {
		return nil, false
	}
	s = newSession(id, now)
	if h.c.Sessions != nil {
		if client, can, uris, ok := h.c.Sessions.Load(id); ok {
			s.peer.SetClientInfo(client)
			s.peer.SetClientCapabilities(can)
			for _, uri := range uris {
				s.SubscribeToResource(uri)
			}
		}
	}
	// It has missed the changes in the meantime.
	s.push(mcp.MethodNotificationResourcesListChanged, notification(mcp.MethodNotificationResourcesListChanged, nil))
	h.sessions[id] = s
	return s, true
}

// heldBy notes the holder of the session's calls.
func (s *session) heldBy(holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holder = holder
}

// end tells that the session, if it had a call, has ended.
func (h *Handler) end(s *session) {
	s.mu.Lock()
	holder := s.holder
	s.mu.Unlock()
	if holder != "" && h.c.Ended != nil {
		h.c.Ended(holder)
	}
}

// forget deletes a session and ends its streams.
func (h *Handler) forget(id string) {
	h.mu.Lock()
	s := h.sessions[id]
	if s != nil {
		close(s.gone)
		delete(h.sessions, id)
	}
	h.ended[id] = time.Now()
	h.mu.Unlock()
	if s != nil {
		h.end(s)
	}
	if h.c.Sessions != nil {
		h.c.Sessions.Delete(id)
	}
}

// sweep drops the state of sessions that have been unused for too long, at most once a
// minute. h.mu must be held. A session is restored when it is used again.
func (h *Handler) sweep(now time.Time) {
	if now.Sub(h.swept) < min(time.Minute, h.c.IdleTTL) {
		return
	}
	h.swept = now
	for id, s := range h.sessions {
		if s.idle(now) > h.c.IdleTTL {
			delete(h.sessions, id)
			go h.end(s) // a short call, and not with h.mu held
		}
	}
	for id, at := range h.ended {
		if now.Sub(at) > 24*h.c.IdleTTL {
			delete(h.ended, id)
		}
	}
}
