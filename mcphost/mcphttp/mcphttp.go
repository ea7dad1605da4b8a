// Package mcphttp serves an mcp-go server over MCP's Streamable HTTP transport, in both
// protocol eras: sessions with an initialize handshake (up to 2025-11-25) and stateless
// requests (2026-07-28).
//
// It replaces mcp-go's own transport. That transport loses the last notification of a
// call, sends a call's progress on an arbitrary stream of the session, switches a
// session to SSE permanently, lets one client of 2026-07-28 cancel another's request,
// and cannot distinguish a cancelled call from a lost connection.
//
// Each request is a [Call], which mcp-go also uses as the session. So what a handler
// sends while it runs goes out only on that request's own stream, before its answer.
// Notifications that belong to no request go to the session's newest GET stream, or wait
// for one.
//
// # Goroutines
//
// A request's message is handled on its own goroutine, which ends before ServeHTTP
// returns. Only ServeHTTP's goroutine writes the response. The Handler itself owns no
// goroutine. Everything exported may be called from any goroutine.
package mcphttp

import (
	"cmp"
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

// HeaderBridge is the header in which a stdio bridge sends its id on every request. A
// lost connection of a bridge cancels nothing in either protocol era, because the bridge
// forwards its client's cancellations.
const HeaderBridge = "Easel-Bridge"

// Defaults of Config.
const (
	defaultHeartbeat = 15 * time.Second
	defaultIdleTTL   = time.Hour
	writeTimeout     = 30 * time.Second // for one event; a client that reads more slowly is considered gone
	queueDepth       = 1024             // notifications that may wait for one stream
	earlyCancelTTL   = 2 * time.Second  // how long a cancellation may arrive before its request
	maxEarlyCancels  = 256
	lateFor          = time.Second // how long a cancellation may arrive after the connection is lost
)

// A SessionStore stores the client of each session, what it can, and its subscriptions, so that they
// outlive the process.
type SessionStore interface {
	Load(session string) (client mcp.Implementation, can mcp.ClientCapabilities, uris []string, ok bool)
	Save(session string, client mcp.Implementation, can mcp.ClientCapabilities)
	SaveSubscriptions(session string, uris []string) // all current subscriptions
	Delete(session string)
}

// Config configures a Handler.
type Config struct {
	Server   *server.MCPServer
	Log      *slog.Logger
	Sessions SessionStore // if nil, sessions end with the process
	// Context adds values to the context of each request; nil adds nothing.
	Context func(context.Context, *http.Request) context.Context
	// Allowed reports whether the client may still listen. It is called once a stream is
	// registered, because EndStreams may have run since the request was authorized. Nil
	// allows all.
	Allowed func(*http.Request) bool
	// Ended is called with the holder of a session or bridge that has ended, perhaps more than once, and of a
	// session that has been unused for IdleTTL; see Call.Holder. It must not block. May be nil.
	Ended     func(holder string)
	Heartbeat time.Duration // between comments on an idle stream; 0 means 15 s
	IdleTTL   time.Duration // after which an unused session's state is dropped; 0 means one hour
}

// A Handler is the MCP endpoint. Use New to create one.
type Handler struct {
	c Config

	mu           sync.Mutex
	sessions     map[string]*session
	ended        map[string]time.Time  // deleted sessions
	calls        map[callKey]*Call     // can be cancelled by id
	earlyCancels map[callKey]time.Time // cancelled before they arrived, on a different connection
	running      map[*Call]struct{}
	listeners    map[*Call]struct{} // subscriptions/listen streams
	swept        time.Time
	closed       chan struct{} // closed by Close
	closing      error         // the cause; set before closed is closed
	streams      chan struct{} // closed and replaced by EndStreams
}

type callKey struct{ owner, id string }

// New returns a handler.
func New(c Config) *Handler {
	if c.Heartbeat <= 0 {
		c.Heartbeat = defaultHeartbeat
	}
	if c.IdleTTL <= 0 {
		c.IdleTTL = defaultIdleTTL
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
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

// ServeHTTP serves one request. The caller has already checked authorization and the
// size of the body.
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

// Broadcast sends a notification to every session, and to the streams of stateless
// clients that asked for its kind.
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

// Updated notifies the subscribers of uri that it has changed.
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

// EndStreams ends the streams on which clients listen. Calls continue. A client that is
// still authorized reopens its streams.
func (h *Handler) EndStreams() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.streams)
	h.streams = make(chan struct{})
	for c := range h.listeners {
		c.stop(context.Canceled)
		delete(h.listeners, c) // it gets nothing more
	}
}

func (h *Handler) allowed(r *http.Request) bool { return h.c.Allowed == nil || h.c.Allowed(r) }

// noLonger is the answer to a stream whose client lost its authorization while the
// stream opened.
var noLonger = refusal{http.StatusUnauthorized, mcp.INVALID_REQUEST, "the token has changed", nil}

// Close ends every stream and cancels every running call with cause. The caller must
// reject later calls.
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

// newID returns an id that cannot be guessed. A session's id is enough to read its
// notifications.
func newID(prefix string) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return prefix + hex.EncodeToString(b[:])
}

const sessionPrefix = "easel-"

// wellFormed reports whether id has the form of our ids, including those from an earlier
// start.
func wellFormed(id string) bool {
	rest, ok := strings.CutPrefix(id, sessionPrefix)
	if !ok || len(rest) != 32 {
		return false
	}
	_, err := hex.DecodeString(rest)
	return err == nil
}
