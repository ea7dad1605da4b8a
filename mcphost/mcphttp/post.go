package mcphttp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		refuse(w, nil, refusal{http.StatusBadRequest, mcp.PARSE_ERROR, "the body could not be read", nil})
		return
	}
	m, no := parse(raw, r.Header)
	if no == nil {
		no = m.check(r.Header)
	}
	if no != nil {
		refuse(w, m.idValue, *no)
		return
	}
	var s *session
	if !m.modern() {
		if s, no = h.sessionOf(m, r.Header); no != nil {
			refuse(w, m.idValue, *no)
			return
		}
	}
	owner := ownerOf(s, r.Header)
	switch {
	case m.Method == "":
		if s != nil {
			s.answer(m)
		}
		w.WriteHeader(http.StatusAccepted)
	case m.notification():
		h.notified(w, r, m, raw, s, owner)
	default:
		h.call(w, r, m, raw, s, owner)
	}
}

// sessionOf finds or opens the session of a message in the handshake era. A message
// without a session id is served without a session: it cannot be cancelled and has no
// stream of notifications.
func (h *Handler) sessionOf(m *message, header http.Header) (*session, *refusal) {
	if m.Method == string(mcp.MethodInitialize) {
		return h.open(), nil
	}
	id := header.Get(mcp.HeaderSessionID)
	if id == "" {
		return nil, nil
	}
	s, ok := h.session(id)
	if !ok {
		return nil, &refusal{http.StatusNotFound, -32001, "no such session: initialize a new one", nil}
	}
	return s, nil
}

// ownerOf identifies who may cancel a request by its id; "" means nobody.
func ownerOf(s *session, header http.Header) string {
	switch b := header.Get(HeaderBridge); {
	case s != nil:
		return s.id
	case b != "":
		return "bridge " + b
	default:
		return ""
	}
}

// holderOf is Call.Holder.
func holderOf(s *session, header http.Header) string {
	switch b := header.Get(HeaderBridge); {
	case b != "":
		return "bridge " + b
	case s != nil:
		return s.id
	default:
		return ""
	}
}

// notified handles a notification from the client.
func (h *Handler) notified(w http.ResponseWriter, r *http.Request, m *message, raw []byte, s *session, owner string) {
	if m.Method == string(mcp.MethodNotificationCancelled) {
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(m.Params, &p) == nil && owner != "" {
			h.cancel(callKey{owner, string(p.RequestID)})
		}
	} else {
		c := h.newCall(m, s, r.Header)
		h.c.Server.HandleMessage(h.context(r, c), raw)
	}
	w.WriteHeader(http.StatusAccepted)
}

// cancel cancels the call of key, including one that arrives shortly afterwards.
func (h *Handler) cancel(key callKey) {
	now := time.Now()
	h.mu.Lock()
	c := h.calls[key]
	maps.DeleteFunc(h.earlyCancels, func(_ callKey, at time.Time) bool { return now.Sub(at) > earlyCancelTTL })
	if c == nil && len(h.earlyCancels) < maxEarlyCancels {
		h.earlyCancels[key] = now
	}
	h.mu.Unlock()
	if c != nil {
		c.giveUp()
	}
}

func (h *Handler) newCall(m *message, s *session, header http.Header) *Call {
	c := &Call{
		peer: &peer{},
		id:   newID("call-"), session: s, modern: m.modern(), requestID: m.idValue,
		out:       make(chan mcp.JSONRPCNotification, queueDepth),
		answered:  make(chan struct{}),
		cancelled: make(chan struct{}),
		stop:      func(error) {},
		log:       h.c.Log.Warn,
	}
	if accepts(header, "text/event-stream") {
		c.requests = make(chan mcp.JSONRPCRequest)
	}
	c.holder = holderOf(s, header)
	if s != nil {
		c.id, c.peer = s.id, s.peer
		s.heldBy(c.holder)
	}
	return c
}

// context returns the context of a call. It has the values of the request's context, but
// ends only explicitly. This distinguishes a cancelled call from a lost connection.
func (h *Handler) context(r *http.Request, c *Call) context.Context {
	ctx := context.WithValue(context.WithoutCancel(r.Context()), callKeyType{}, c)
	if h.c.Context != nil {
		ctx = h.c.Context(ctx, r)
	}
	return h.c.Server.WithContext(ctx, c)
}

// call handles a request and writes its answer: as JSON, or as a stream of events if
// there are notifications before the answer.
func (h *Handler) call(w http.ResponseWriter, r *http.Request, m *message, raw []byte, s *session, owner string) {
	c := h.newCall(m, s, r.Header)
	mute := c.requests == nil
	ctx, stop := context.WithCancelCause(h.context(r, c))
	defer stop(nil)
	c.stop = stop
	listen := m.modern() && m.Method == string(mcp.MethodSubscriptionsListen)
	leave, ok := h.enter(c, s, owner, string(m.ID), listen)
	if !ok {
		refuse(w, m.idValue, refusal{http.StatusServiceUnavailable, mcp.INTERNAL_ERROR, "Easel is shutting down", nil})
		return
	}
	defer leave()
	if listen && !h.allowed(r) {
		refuse(w, m.idValue, noLonger)
		return
	}
	defer close(c.answered)
	var replies atomic.Bool
	lost := context.AfterFunc(r.Context(), func() {
		if c.modern && r.Header.Get(HeaderBridge) == "" {
			c.giveUp()
			return
		}
		if !replies.Load() { // a bridge closes the connection as soon as it has the answer
			h.hungUp(r)
		}
		c.awaitCancel(c.answered)
		stop(context.Canceled)
	})
	defer lost()

	answers := make(chan mcp.JSONRPCMessage, 1)
	go func() { answers <- h.handle(ctx, c, raw) }()

	out := &stream{w: w, rc: http.NewResponseController(w)}
	defer out.end()
	beat := time.NewTicker(h.c.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case n := <-c.out:
			if !mute {
				out.event(n)
			}
		case request := <-c.requests:
			out.event(request)
		case <-beat.C:
			if out.started {
				out.comment("working")
			}
		case answer := <-answers:
			for len(c.out) > 0 { // sent before the handler returned
				if n := <-c.out; !mute {
					out.event(n)
				}
			}
			replies.Store(true)
			h.answer(w, m, s, out, c.answer(answer))
			return
		}
	}
}

// enter registers c. ok is false once the handler is closed.
func (h *Handler) enter(c *Call, s *session, owner, id string, listen bool) (leave func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
		return nil, false
	default:
	}
	key := callKey{owner, id}
	h.running[c] = struct{}{}
	if owner != "" {
		h.calls[key] = c
		if at, ok := h.earlyCancels[key]; ok {
			delete(h.earlyCancels, key)
			if time.Since(at) <= earlyCancelTTL {
				c.giveUp()
			}
		}
	}
	if listen {
		h.listeners[c] = struct{}{}
	}
	if s != nil {
		s.begin(time.Now())
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.running, c)
		delete(h.listeners, c)
		if h.calls[key] == c {
			delete(h.calls, key)
		}
		if s != nil {
			s.end(time.Now())
		}
	}, true
}

// handle passes the message to mcp-go. It does not panic.
func (h *Handler) handle(ctx context.Context, c *Call, raw []byte) (answer mcp.JSONRPCMessage) {
	defer func() {
		if v := recover(); v != nil {
			h.c.Log.ErrorContext(ctx, "MCP request panicked", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			answer = mcp.JSONRPCError{
				JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(c.requestID),
				Error: mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: "something went wrong inside Easel; its log has the cause"},
			}
		}
	}()
	return h.c.Server.HandleMessage(ctx, raw)
}

// storeSubscriptions stores the subscriptions of a session if m changed them.
func (h *Handler) storeSubscriptions(m *message, s *session) {
	switch {
	case h.c.Sessions == nil || s == nil:
	case m.Method == string(mcp.MethodResourcesSubscribe), m.Method == string(mcp.MethodResourcesUnsubscribe):
		h.c.Sessions.SaveSubscriptions(s.id, s.SubscribedResources())
	}
}

func (h *Handler) answer(w http.ResponseWriter, m *message, s *session, out *stream, answer mcp.JSONRPCMessage) {
	failed, isError := answer.(mcp.JSONRPCError)
	if !isError {
		h.storeSubscriptions(m, s)
	}
	if s != nil && m.Method == string(mcp.MethodInitialize) {
		if isError {
			h.mu.Lock()
			delete(h.sessions, s.id)
			h.mu.Unlock()
		} else {
			w.Header().Set(mcp.HeaderSessionID, s.id)
			if h.c.Sessions != nil {
				h.c.Sessions.Save(s.id, s.peer.GetClientInfo(), s.peer.GetClientCapabilities())
			}
		}
	}
	if out.started {
		out.event(answer)
		return
	}
	status := http.StatusOK
	if isError && m.modern() {
		status = statusOf(failed.Error.Code)
	}
	writeJSON(w, status, answer)
}

// statusOf returns the HTTP status that protocol 2026-07-28 defines for a JSON-RPC
// error.
func statusOf(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION,
		mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

func refuse(w http.ResponseWriter, id any, no refusal) {
	writeJSON(w, no.status, mcp.JSONRPCError{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id),
		Error: mcp.JSONRPCErrorDetails{Code: no.code, Message: no.message, Data: no.data},
	})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // a handler returned something that cannot be marshalled
		status = http.StatusInternalServerError
		b = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the result could not be encoded"}}`)
	}
	rc := http.NewResponseController(w)
	_ = rc.SetWriteDeadline(time.Now().Add(2 * writeTimeout))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may be gone
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{}) // it would remain on the connection
}

// accepts reports whether the client accepts a media type. Without an Accept header, it
// accepts all.
func accepts(header http.Header, mediaType string) bool {
	values := header.Values("Accept")
	if len(values) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	return slices.ContainsFunc(strings.Split(strings.Join(values, ","), ","), func(v string) bool {
		v, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(v)), ";")
		return v == mediaType || v == "*/*" || v == kind+"/*"
	})
}
