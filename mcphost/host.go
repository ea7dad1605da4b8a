// Package mcphost serves Easel's tools to clients: over MCP at /mcp and over HTTP at
// /api. Both use the declarations in the catalog. The package knows neither the window
// nor Jupyter; it asks the event bus.
//
// # Goroutines
//
// A request runs on a goroutine of net/http, and its tool's body on one of the bus.
// Serve owns the others: one for each listener, one that reads the window's changes for
// MCP's notifications, one that sends them, and the event log's; one that reads the user's
// questions, one for each of them that a chat shows, and one for each call that a question
// interrupts. The connection of an editor keeps its request's. All have ended when Serve returns.
package mcphost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/mark3labs/mcp-go/server"

	"easel/eventbus"
	"easel/internal/mask"
	"easel/mcphost/eventlog"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// Limits of the host.
const (
	defaultMaxBody    = 8 << 20 // bytes, by the contract
	readHeaderTimeout = 10 * time.Second
	readBodyTimeout   = 30 * time.Second
	writeTimeout      = 2 * time.Minute // for a client to read an answer; streams have their own
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	maxCall           = 5 * time.Minute // safety limit: each body limits its own waits to far less
	shutdownTimeout   = 5 * time.Second
)

// Config configures a Host.
type Config struct {
	Bus           *eventbus.Bus
	Tools         []tool.Any
	Name, Version string        // of the server, as clients see it
	Instructions  string        // for the model
	Token         func() string // the token that callers must send; "" rejects everybody
	// Assistant returns the id of the assistant with a token of its own; see tool.Caller. Nil if there are none.
	Assistant func(token string) (id string, ok bool)
	// Viewer reports whether a client that declares that it renders pages does so for ours. Nil means that all do.
	Viewer       func(client string) bool
	Mask         *mask.Mask // hides tokens in everything that callers get; may be nil
	Port         int        // the preferred port; 0 means any free port
	PortFixed    bool       // use no other port
	Log          *slog.Logger
	MaxBody      int64  // bytes of a request's body; 0 means 8 MiB
	SessionsFile string // stores MCP sessions across restarts; "" disables that

	introduction time.Duration // how long whoever uses our port may take to identify itself; 0 means one second
}

// A Host serves tools over MCP and HTTP. Call New, then Listen, then Serve.
type Host struct {
	c         Config
	log       *slog.Logger
	order     map[string]int // a tool's position in the list
	echo      *echo.Echo
	server    *http.Server
	mcp       *mcphttp.Handler
	mcpServer *server.MCPServer
	eventLog  *eventlog.Log
	calls     atomic.Uint64   // the id of the last activity
	quit      context.Context //nolint:containedctx // ends with Shutdown and cancels the running calls
	stopCalls context.CancelCauseFunc

	address      address
	guard        guard
	instructions instructions
	site         site
	fresh        newConns
	callers      callers
	chats        *chats
	editors      editorLinks
}

// New returns a host with the tools in c. It does not listen yet.
func New(c Config) (*Host, error) {
	switch {
	case c.Bus == nil:
		return nil, errors.New("mcphost: no bus")
	case c.Token == nil:
		return nil, errors.New("mcphost: no token: everybody on this machine could call")
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.MaxBody <= 0 {
		c.MaxBody = defaultMaxBody
	}
	c.Name = cmp.Or(c.Name, "easel")
	h := &Host{c: c, log: c.Log, order: make(map[string]int, len(c.Tools))}
	for i, t := range c.Tools {
		h.order[t.Spec().Name] = i
	}
	h.address.introduction = c.introduction
	h.guard = guard{
		tokens: callerTokens{c.Token, c.Assistant}, address: &h.address, mask: c.Mask, log: c.Log,
		maxBody: c.MaxBody, bodyTimeout: readBodyTimeout, writeTimeout: writeTimeout,
	}
	h.instructions = instructions{text: c.Instructions, tools: c.Tools, order: h.order}
	h.site = site{version: c.Version, tools: c.Tools, url: h.address.URL, log: c.Log}
	h.site.document = sync.OnceValue(h.site.openAPI)
	h.quit, h.stopCalls = context.WithCancelCause(context.Background())
	// Start from the current time, so that ids also grow across restarts.
	h.calls.Store(uint64(time.Now().UnixMicro()))
	h.eventLog = eventlog.New(eventlog.Config{})
	h.chats = newChats(h)
	h.newMCP()
	h.route()
	h.server = &http.Server{
		Handler:           h.guard.before(h.echo),
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
		ConnState:         h.fresh.note,
	}
	return h, nil
}

// Serve serves until ctx ends or Shutdown is called, and then returns nil. By then, all
// running calls have ended.
func (h *Host) Serve(ctx context.Context) error {
	listeners := h.address.Listeners()
	if len(listeners) == 0 {
		return errors.New("mcphost: Serve before Listen")
	}
	watch, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	h.announce(watch, &wg)
	wg.Go(func() { h.chats.watch(watch) })
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
	h.chats.work.Wait()
	h.editors.work.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mcphost: %w", err)
	}
	return shut
}

// Shutdown rejects new calls, ends running calls with SHUTTING_DOWN, and ends every
// stream. It waits for them until ctx is done, and then closes the connections.
func (h *Host) Shutdown(ctx context.Context) error {
	h.guard.closing.Store(true)
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

// EndStreams ends every stream on which a client listens. After a change of the token,
// old clients must not continue to listen.
func (h *Host) EndStreams() {
	h.mcp.EndStreams()
	h.eventLog.EndStreams()
	h.editors.end(h.guard.tokens.allow)
}

// URL returns the address for clients, for example http://127.0.0.1:5149.
func (h *Host) URL() string { return h.address.URL() }

// Port returns the port on which the host listens, or 0 before Listen.
func (h *Host) Port() int { return h.address.Port() }

// PortNote says why the port is not the requested one, or returns "".
func (h *Host) PortNote() string { return h.address.Note() }
