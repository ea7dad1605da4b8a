// Package mcphttp serves an mcp-go server over MCP's Streamable HTTP transport,
// in both protocol eras: sessions with an initialize handshake (up to
// 2025-11-25) and stateless requests (2026-07-28).
//
// It stands in for mcp-go's own transport, which loses the last notification of
// a call, sends a call's progress on whichever stream of the session comes
// first, turns a session to SSE for good, lets one client of 2026-07-28 cancel
// another's request, and cannot tell a cancelled call from a lost connection.
//
// Each request is a [Call], which is also the session that mcp-go sees, so what
// a handler sends while it works goes out on that request's own stream and
// nowhere else, and in front of its answer. Notifications that belong to no
// request go to the session's newest GET stream, or wait for one.
//
// # Goroutines
//
// A request's message is handled on a goroutine of its own, which ends before
// ServeHTTP returns; only ServeHTTP's goroutine writes the response. The handler
// itself owns no goroutine. Everything exported may be called from any goroutine.
package mcphttp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// HeaderBridge names a stdio bridge and is set by it on every request. A bridge's
// connection that is lost cancels nothing, whatever the protocol era: it forwards
// its client's cancellations instead.
const HeaderBridge = "Easel-Bridge"

// Defaults of Config.
const (
	defaultHeartbeat = 15 * time.Second
	defaultIdleTTL   = time.Hour
	writeTimeout     = 30 * time.Second // for one event: a client that reads slower than that is gone
	queueDepth       = 1024             // notifications that may wait in front of one stream
	earlyCancelTTL   = 2 * time.Second  // how much a cancellation may overtake its request
	maxEarlyCancels  = 256
	lateFor          = time.Second // how long after the connection a cancellation may come
)

// A SessionStore keeps the client and the subscriptions of each session for longer than
// a process lives.
type SessionStore interface {
	Load(session string) (client mcp.Implementation, uris []string, ok bool)
	Save(session string, client mcp.Implementation)
	SaveSubscriptions(session string, uris []string) // all that it is subscribed to now
	Delete(session string)
}

// Config says what to serve.
type Config struct {
	Server   *server.MCPServer
	Log      *slog.Logger
	Sessions SessionStore // nil: sessions end with the process
	// Context adds to the context of each request; nil adds nothing.
	Context func(context.Context, *http.Request) context.Context
	// Allowed is asked once more when a stream is open, and before EndStreams can
	// miss it: may its client still listen? Nil: yes.
	Allowed   func(*http.Request) bool
	Heartbeat time.Duration // between comments on an idle stream; 0: 15 s
	IdleTTL   time.Duration // after which an unused session's state is dropped; 0: an hour
}

// A Handler is the MCP endpoint. Use New.
type Handler struct {
	c Config

	mu           sync.Mutex
	sessions     map[string]*session
	ended        map[string]time.Time  // sessions that were deleted
	calls        map[callKey]*Call     // that can be cancelled by id
	earlyCancels map[callKey]time.Time // cancelled before they came: the two took different connections
	running      map[*Call]struct{}
	listeners    map[*Call]struct{} // subscriptions/listen streams
	swept        time.Time
	closed       chan struct{} // closed by Close
	closing      error         // why; set before closed is
	streams      chan struct{} // closed and replaced by EndStreams
}

type callKey struct{ owner, id string }

// New makes a handler.
func New(c Config) *Handler {
	if c.Heartbeat <= 0 {
		c.Heartbeat = defaultHeartbeat
	}
	if c.IdleTTL <= 0 {
		c.IdleTTL = defaultIdleTTL
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Handler{
		c:            c,
		sessions:     make(map[string]*session),
		ended:        make(map[string]time.Time),
		calls:        make(map[callKey]*Call),
		earlyCancels: make(map[callKey]time.Time),
		running:      make(map[*Call]struct{}),
		listeners:    make(map[*Call]struct{}),
		closed:       make(chan struct{}),
		streams:      make(chan struct{}),
	}
}

// ServeHTTP serves one request. Who may call, and how large a body may be, has
// been decided in front of it.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// Broadcast sends a notification to every session, and to the streams of
// stateless clients that asked for its kind.
func (h *Handler) Broadcast(method string) {
	note := notification(method, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		s.push(method, note)
	}
	for c := range h.listeners {
		if c.wants(method) {
			c.send(c.tagged(note))
		}
	}
}

// Updated tells those who subscribed to uri that it has changed.
func (h *Handler) Updated(uri string) {
	note := notification(string(mcp.MethodNotificationResourceUpdated), map[string]any{"uri": uri})
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if s.IsSubscribedToResource(uri) {
			s.push("updated "+uri, note)
		}
	}
	for c := range h.listeners {
		if slices.Contains(c.subscriptions(), uri) {
			c.send(c.tagged(note))
		}
	}
}

// EndStreams ends the streams that clients listen on; calls go on. A client that
// may still call opens them again.
func (h *Handler) EndStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.streams)
	h.streams = make(chan struct{})
	for c := range h.listeners {
		c.stop(context.Canceled)
		delete(h.listeners, c) // nothing more for it
	}
}

func (h *Handler) allowed(r *http.Request) bool { return h.c.Allowed == nil || h.c.Allowed(r) }

// noLonger is the refusal of a stream whose client was locked out while it came.
var noLonger = refusal{http.StatusUnauthorized, mcp.INVALID_REQUEST, "the token has changed", nil}

// Close ends every stream, and every call at work with cause. Calls that come
// later are refused by whoever stands in front.
func (h *Handler) Close(cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.closed:
		return
	default:
	}
	h.closing = cause
	close(h.closed)
	for c := range h.running {
		c.stop(cause)
	}
}

func (h *Handler) ending() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.streams
}

func notification(method string, params map[string]any) mcp.JSONRPCNotification {
	return mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: method,
			Params: mcp.NotificationParams{AdditionalFields: params},
		},
	}
}

// newID makes an id that cannot be guessed: knowing a session's id is enough to
// read its notifications.
func newID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return prefix + hex.EncodeToString(b[:])
}

const sessionPrefix = "easel-"

// wellFormed tells whether id may be one of ours, perhaps of an earlier start.
func wellFormed(id string) bool {
	rest, ok := strings.CutPrefix(id, sessionPrefix)
	if !ok || len(rest) != 32 {
		return false
	}
	_, err := hex.DecodeString(rest)
	return err == nil
}
