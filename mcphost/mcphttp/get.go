package mcphttp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// A stream is a response with server-sent events. Only one goroutine writes to it.
type stream struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	started bool
	err     error
}

func (s *stream) start() {
	if s.started {
		return
	}
	s.started = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache, no-store")
	s.w.WriteHeader(http.StatusOK)
}

// event writes v. After a failed write, the stream stays silent because its client is
// gone.
func (s *stream) event(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the result could not be encoded"}}`)
	}
	s.write("event: message\ndata: %s\n\n", b)
}

// comment writes a comment, which keeps proxies from closing an idle connection and
// reveals a dead one.
func (s *stream) comment(text string) { s.write(": %s\n\n", text) }

func (s *stream) write(format string, args ...any) {
	s.start()
	if s.err != nil {
		return
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer supports it
	if _, s.err = fmt.Fprintf(s.w, format, args...); s.err == nil {
		s.err = s.rc.Flush()
	}
}

// end removes the write deadline of the last event, which would otherwise remain on the
// connection.
func (s *stream) end() {
	if s.started {
		_ = s.rc.SetWriteDeadline(time.Time{})
	}
}

// get serves the stream of notifications that belong to no request.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	s := h.listener(w, r)
	if s == nil {
		return
	}
	s.begin(time.Now())
	defer func() { s.end(time.Now()) }()
	l := s.listen()
	var unsent []queuedNote
	defer func() { s.leave(l, unsent...) }()
	ending := h.ending()
	if !h.allowed(r) {
		refuse(w, nil, noLonger)
		return
	}

	out := &stream{w: w, rc: http.NewResponseController(w)}
	defer out.end()
	out.comment("listening")
	beat := time.NewTicker(h.c.Heartbeat)
	defer beat.Stop()
	for out.err == nil {
		select {
		case n := <-l.queue:
			unsent = []queuedNote{n}
			select { // several cases may have been ready
			case <-ending:
				return
			case <-r.Context().Done(): // the event would be written to a closed connection and count as sent
				h.hungUp(r)
				return
			default:
			}
			if out.event(n.note); out.err == nil {
				unsent = nil
			}
		case <-beat.C:
			out.comment("listening")
		case <-ending:
			return
		case <-s.gone:
			return
		case <-h.closed:
			return
		case <-r.Context().Done():
			h.hungUp(r)
			return
		}
	}
}

// hungUp tells that a bridge has ended, if that is what has closed the connection of a request. A bridge that
// was killed says nothing else.
func (h *Handler) hungUp(r *http.Request) {
	b := r.Header.Get(HeaderBridge)
	if b == "" || h.c.Ended == nil {
		return
	}
	select {
	case <-h.closed: // Easel has closed it
	default:
		h.c.Ended("bridge " + b)
	}
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	if no := beforeModern(r.Header); no != nil {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, nil, *no)
		return
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	_, ok := h.session(id)
	switch b := r.Header.Get(HeaderBridge); {
	case ok:
		h.forget(id)
	case id == "" && b != "": // of a client without sessions
		if h.c.Ended != nil {
			h.c.Ended("bridge " + b)
		}
	default:
		refuse(w, nil, refusal{http.StatusNotFound, -32001, "no such session", nil})
		return
	}
	w.WriteHeader(http.StatusOK)
}

// beforeModern rejects GET and DELETE in protocol 2026-07-28, which no longer has them.
func beforeModern(header http.Header) *refusal {
	switch v := header.Get(mcp.HeaderProtocolVersion); {
	case mcp.IsModernProtocol(v):
		return &refusal{
			http.StatusMethodNotAllowed, mcp.INVALID_REQUEST,
			"protocol " + v + " has only POST: subscriptions/listen carries notifications", nil,
		}
	case v != "" && !mcp.IsValidProtocolVersion(v):
		return unsupported(v)
	}
	return nil
}

// listener returns the session of a request that listens; nil if the request was refused.
func (h *Handler) listener(w http.ResponseWriter, r *http.Request) *session {
	if no := beforeModern(r.Header); no != nil {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, nil, *no)
		return nil
	}
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		refuse(w, nil, refusal{
			http.StatusBadRequest, mcp.INVALID_REQUEST,
			"the header " + mcp.HeaderSessionID + " is missing: initialize first", nil,
		})
		return nil
	}
	s, ok := h.session(id)
	if !ok {
		refuse(w, nil, refusal{http.StatusNotFound, -32001, "no such session: initialize a new one", nil})
		return nil
	}
	return s
}
