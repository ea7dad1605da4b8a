// Package bridge is `easel mcp`: a stdio MCP server that passes every message to
// the running Easel's /mcp and every answer back, for clients that start their
// servers themselves. It keeps nothing: no kernel, no session, no output; closing
// it loses nothing, and it outlives a restart of Easel.
//
// Messages are passed as they are. The bridge looks at no more of them than it
// must to know which HTTP headers they want.
//
// # Goroutines
//
// Run reads standard input on one goroutine and passes each request on one of its
// own, so that a long call holds up no other; one more follows the stream of
// notifications. All have ended when Run returns, but for the one that reads
// standard input, which ends with the process: such a read cannot be interrupted.
package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/tool"
)

const (
	maxLine      = 8 << 20          // bytes of a message from the client: what the host takes
	startTimeout = 60 * time.Second // for Easel to start
	pollEvery    = 100 * time.Millisecond
	byeTimeout   = time.Second
)

// drainTimeout is for answers under way when the client closed its end. Tests are more
// patient.
var drainTimeout = 5 * time.Second

// Config says what to bridge.
type Config struct {
	DataDir  string
	Toolsets string // narrows the tools, as "jupyter,gallery"; "": all
	// Start starts Easel when none runs, and need not wait until it is ready.
	// Nil: only wait.
	Start func(context.Context) error
	In    io.Reader // the client's messages, one a line
	Out   io.Writer // ours; nothing else is written to it
	Log   *slog.Logger
}

// A bridge is one run.
type bridge struct {
	c    Config
	id   string // tells the host which requests are one client's
	http *http.Client
	link link

	write   sync.Mutex // of c.Out
	broken  context.CancelCauseFunc
	session session
	work    sync.WaitGroup // requests under way
	follow  sync.WaitGroup // the stream of notifications

	listening sync.Once
}

// A message is what the bridge must know of one.
type message struct {
	raw     []byte
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	version string          // protocol version in _meta, of 2026-07-28 or later
}

func (m message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// Run passes messages until the client closes its end, ctx ends or nobody reads
// what it writes. It returns nil unless something went wrong.
func Run(ctx context.Context, c Config) error {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &bridge{c: c, id: hex.EncodeToString(id[:]), broken: stop}
	// No proxy stands between two programs of one machine, and the token is not
	// for one. No connection is kept: one that Easel's end has closed meanwhile
	// would take a request with it, and nobody could say whether it was carried out.
	b.http = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	b.link = link{c: c}

	lines := make(chan line)
	failed := make(chan error, 1)
	go func() {
		defer close(lines)
		failed <- readLines(ctx, c.In, lines)
	}()
	err := b.pump(ctx, lines)
	if err == nil {
		err = <-failed
	}
	b.drain(stop)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// pump passes messages in their order: a notification only after the request in
// front of it is on its way, and nothing before initialize was answered.
func (b *bridge) pump(ctx context.Context, lines <-chan line) error {
	for {
		select {
		case l, ok := <-lines:
			switch {
			case !ok:
				return nil
			case l.raw == nil:
				b.refuse(ctx, l)
			default:
				b.pass(ctx, l.raw)
			}
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.Canceled) {
				return io.EOF // a clean end
			}
			return context.Cause(ctx)
		}
	}
}

// refuse answers a request that is too long.
func (b *bridge) refuse(ctx context.Context, l line) {
	b.c.Log.WarnContext(ctx, "the client sent a message that is too long", "method", l.method, "bytes", l.size)
	if len(l.id) > 0 || l.method == "" { // a notification has no answer
		b.put(failure(message{ID: l.id, Method: l.method}, &tool.Error{
			Code:   tool.PayloadTooLarge,
			Detail: fmt.Sprintf("The message has %.1f MB; Easel takes at most %.1f MB.", float64(l.size)/1e6, float64(maxLine)/1e6),
			Hint:   "Nothing was done. Write large data to a file, and read the file in code.",
		}))
	}
}

func (b *bridge) pass(ctx context.Context, line []byte) {
	m := message{raw: line}
	if err := json.Unmarshal(line, &m); err != nil {
		b.put(rpcError(json.RawMessage("null"), mcp.PARSE_ERROR, "the line is not a JSON-RPC message: "+err.Error(), nil))
		return
	}
	var p struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	if json.Unmarshal(m.Params, &p) == nil && mcp.IsModernProtocol(p.Meta.ProtocolVersion()) {
		m.version = p.Meta.ProtocolVersion()
	}
	switch {
	case m.Method == string(mcp.MethodInitialize):
		b.session.begin(m)
		b.forward(ctx, m, nil)
	case m.isRequest():
		sent := make(chan struct{})
		b.work.Go(func() { b.forward(ctx, m, sent) })
		select {
		case <-sent:
		case <-ctx.Done():
		}
	default:
		b.forward(ctx, m, nil)
		if m.Method == "notifications/initialized" {
			b.listening.Do(func() { b.follow.Go(func() { b.listen(ctx) }) })
		}
	}
}

// drain lets answers under way come in, and takes leave of the host.
func (b *bridge) drain(stop context.CancelCauseFunc) {
	done := make(chan struct{})
	go func() { // ends with the requests, which stop ends
		b.work.Wait()
		close(done)
	}()
	late := time.NewTimer(drainTimeout)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
	stop(context.Canceled)
	<-done
	b.follow.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
	defer cancel()
	b.bye(ctx)
}

// put writes one message to the client, on one line.
func (b *bridge) put(raw []byte) {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		b.c.Log.Warn("Easel sent something that is no JSON", "cause", err)
		return
	}
	line.WriteByte('\n')
	b.write.Lock()
	defer b.write.Unlock()
	if _, err := b.c.Out.Write(line.Bytes()); err != nil {
		b.broken(fmt.Errorf("bridge: the client does not read: %w", err))
	}
}

func rpcError(id json.RawMessage, code int, text string, data map[string]any) []byte {
	details := map[string]any{"code": code, "message": text}
	if data != nil {
		details["data"] = data
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": id, "error": details})
	if err != nil { // id is JSON: it was read as such
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return raw
}
