// Package mcphost serves Easel's tools to the outside: over MCP at /mcp and over
// HTTP at /api, from the one declaration of each in the catalog. It knows neither
// the window nor Jupyter; it asks the event bus.
//
// # Goroutines
//
// A request runs on a goroutine of net/http; its tool's body on one of the bus.
// Serve owns the rest: one goroutine for each listener, one that reads the
// changes of what the window shows for MCP's notifications and one that sends
// them, and the event log's. All have ended when Serve returns.
package mcphost

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/mark3labs/mcp-go/server"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/eventlog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// Limits of the host.
const (
	defaultMaxBody    = 8 << 20 // bytes, by the contract
	readHeaderTimeout = 10 * time.Second
	readBodyTimeout   = 30 * time.Second
	writeTimeout      = 2 * time.Minute // for an answer to be read; streams have their own
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	maxCall           = 5 * time.Minute // backstop: each body bounds its own waits far below
	shutdownTimeout   = 5 * time.Second
)

// Config says what to serve and where.
type Config struct {
	Bus           *eventbus.Bus
	Tools         []tool.Any
	Name, Version string        // of the server, as clients see it
	Instructions  string        // for the model
	Token         func() string // the token that callers must send; "" lets nobody in
	Port          int           // the port wanted; 0: any free one
	PortFixed     bool          // no other port will do
	Log           *slog.Logger
	MaxBody       int64  // bytes of a request's body; 0: 8 MiB
	SessionsFile  string // where MCP sessions outlive the process; "": nowhere

	introduction time.Duration // for who has our port to say who it is; 0: a second
}

// A Host serves tools over MCP and HTTP. Use New, then Listen, then Serve.
type Host struct {
	c         Config
	log       *slog.Logger
	order     map[string]int // a tool's place in the list
	echo      *echo.Echo
	server    *http.Server
	mcp       *mcphttp.Handler
	mcpServer *server.MCPServer
	eventLog  *eventlog.Log
	document  func() []byte   // the OpenAPI document
	calls     atomic.Uint64   // the id of the last activity
	quit      context.Context //nolint:containedctx // ends with Shutdown, and the calls at work with it
	stopCalls context.CancelCauseFunc

	bodyTimeout  time.Duration // for a request's body to arrive
	writeTimeout time.Duration // for an answer to be read
	closing      atomic.Bool
	fresh        newConns
	callers      callers
	forgetAsked  func() // that somebody may ask which clients are connected

	mu        sync.Mutex
	listeners []net.Listener
	port      int
	note      string
}

// New makes a host of the tools in c. It does not listen yet.
func New(c Config) (*Host, error) {
	switch {
	case c.Bus == nil:
		return nil, errors.New("mcphost: no bus")
	case c.Token == nil:
		return nil, errors.New("mcphost: no token: everybody on this machine could call")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.MaxBody <= 0 {
		c.MaxBody = defaultMaxBody
	}
	if c.Name == "" {
		c.Name = "easel"
	}
	h := &Host{c: c, log: c.Log, bodyTimeout: readBodyTimeout, writeTimeout: writeTimeout, order: make(map[string]int, len(c.Tools))}
	for i, t := range c.Tools {
		h.order[t.Spec().Name] = i
	}
	h.quit, h.stopCalls = context.WithCancelCause(context.Background())
	// From the time on, so that ids grow over restarts too.
	h.calls.Store(uint64(time.Now().UnixMicro()))
	h.eventLog = eventlog.New(eventlog.Config{})
	h.newMCP()
	h.forgetAsked = catalog.ConnectedClients.Handle(c.Bus, h.connected, nil)
	h.document = sync.OnceValue(h.openAPI)
	h.route()
	h.server = &http.Server{
		Handler:           h.guard(h.echo),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		ConnState:         h.fresh.note,
	}
	return h, nil
}

// Serve answers until ctx ends or Shutdown is called. It then returns nil; what
// is at work is told to end and has.
func (h *Host) Serve(ctx context.Context) error {
	h.mu.Lock()
	listeners := h.listeners
	h.mu.Unlock()
	if len(listeners) == 0 {
		return errors.New("mcphost: Serve before Listen")
	}
	watch, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	h.announce(watch, &wg)
	wg.Go(h.eventLog.Follow(watch, h.c.Bus))

	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		wg.Go(func() { failed <- h.server.Serve(l) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed: // also after Shutdown
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	shut := h.Shutdown(end)
	stop()
	wg.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mcphost: %w", err)
	}
	return shut
}

// Shutdown refuses new calls, ends the calls at work with SHUTTING_DOWN and every
// stream, and waits for them until ctx is done; then it cuts them off.
func (h *Host) Shutdown(ctx context.Context) error {
	h.closing.Store(true)
	h.forgetAsked()
	h.stopCalls(eventbus.ErrClosed)
	h.mcp.Close(eventbus.ErrClosed)
	h.eventLog.Close()
	h.fresh.close()
	if err := h.server.Shutdown(ctx); err != nil {
		_ = h.server.Close()
		return fmt.Errorf("mcphost: requests were cut off: %w", err)
	}
	return nil
}

// EndStreams ends every stream that a client listens on: after the token was
// changed, old clients must not go on listening.
func (h *Host) EndStreams() {
	h.mcp.EndStreams()
	h.eventLog.EndStreams()
}

// URL is the address to give to clients, as http://127.0.0.1:5149.
func (h *Host) URL() string {
	return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(h.Port()))
}

// Port is the port that the host listens on, 0 before Listen.
func (h *Host) Port() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.port
}

// PortNote says why the port is not the one asked for, or "".
func (h *Host) PortNote() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.note
}
