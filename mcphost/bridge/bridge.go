// Package bridge implements `easel mcp`: a stdio MCP server that forwards every message
// to the running Easel's /mcp, and every answer back. It is for clients that start their
// servers themselves. The bridge keeps no kernel, no session and no output. Closing it
// loses nothing, and it keeps working when Easel restarts.
//
// Messages are forwarded unchanged. The bridge reads only what it needs for the HTTP
// headers. With them, it sends where the client works, for which it asks the client itself
// (MCP's roots) if the client can be asked.
//
// # Goroutines
//
// Run reads standard input on one goroutine and forwards each request on its own
// goroutine, so that a long call delays no other. One more goroutine follows the stream
// of notifications. All have ended when Run returns, except for the one that reads
// standard input: that read cannot be interrupted, so it ends with the process.
package bridge

import (
	"bytes"
	"cmp"
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

	"easel/internal/mask"
	"easel/mcphost/instance"
	"easel/mcphost/tool"
)

const (
	maxLine    = 8 << 20 // bytes of a message from the client; the host accepts the same
	byeTimeout = time.Second
)

// drainTimeout is how long answers may still arrive after the client closed its end.
// Tests use a longer timeout.
var drainTimeout = 5 * time.Second

// Config configures a bridge.
type Config struct {
	DataDir  string
	Toolsets string // limits the tools, for example "jupyter,gallery"; "" means all
	// Start starts an Easel and waits until it answers. It is called if none is running.
	Start func(context.Context) (instance.Runtime, error)
	In    io.Reader // the client's messages, one per line
	Out   io.Writer // the bridge's messages; nothing else is written to it
	Log   *slog.Logger
	// Workspace is where the client works. It is sent with every request. Named means that a
	// variable of the client names its directory, so that the client is not asked.
	Workspace tool.Workspace
	Named     bool
	// Patience is how long messages wait for the client's roots; 0 means a second.
	Patience time.Duration
	Mask     *mask.Mask // learns Easel's token; may be nil
	Token    string     // the client's own; "" for Easel's
}

// A bridge is the state of one Run.
type bridge struct {
	c     Config
	id    string // tells the host which requests belong to the same client
	http  *http.Client
	easel locator
	roots roots

	write   sync.Mutex // guards c.Out
	broken  context.CancelCauseFunc
	session session
	work    sync.WaitGroup // pending requests
	follow  sync.WaitGroup // the stream of notifications

	listening sync.Once
}

// A message is what the bridge needs to know about a message.
type message struct {
	raw     []byte
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	version string          // protocol version in _meta, since 2026-07-28
}

func (m message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// Run forwards messages until the client closes its end, ctx ends, or writing to Out
// fails. It returns nil unless something went wrong.
func Run(ctx context.Context, c Config) error {
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &bridge{c: c, id: hex.EncodeToString(id[:]), broken: stop}
	// No proxy: both programs are on the same machine, and a proxy must not see the
	// token. No connections are kept: if Easel has closed one in the meantime, a request
	// on it fails, and nobody can know whether it was carried out.
	b.http = &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	b.easel = locator{c: c}
	b.roots = roots{
		first: c.Workspace, now: c.Workspace, fixed: c.Named, patience: cmp.Or(c.Patience, rootsPatience),
		prefix: "easel-roots-" + b.id + "-",
	}

	lines := make(chan []byte)
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

// pump forwards messages in order. A notification waits until the request before it has
// been sent, and everything waits until initialize was answered, and for a moment until the
// client has said its roots.
func (b *bridge) pump(ctx context.Context, lines <-chan []byte) error {
	var waiting [][]byte
	for {
		for len(waiting) > 0 && (b.roots.pending == "" || lines == nil) {
			next := waiting[0]
			waiting = waiting[1:]
			b.pass(ctx, next)
		}
		if lines == nil {
			return nil
		}
		select {
		case l, ok := <-lines:
			switch {
			case !ok:
				lines = nil
			case !b.roots.take(l):
				waiting = append(waiting, l)
			}
		case <-b.roots.late:
			b.roots.proceed()
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.Canceled) {
				return io.EOF // the client closed its end
			}
			return context.Cause(ctx)
		}
	}
}

// refuse answers a request that is too long.
func (b *bridge) refuse(ctx context.Context, m message) {
	b.c.Log.WarnContext(ctx, "the client sent a message that is too long", "method", m.Method, "bytes", len(m.raw))
	if len(m.ID) > 0 || m.Method == "" { // notifications are not answered
		b.put(failure(m, &tool.Error{
			Code:   tool.PayloadTooLarge,
			Detail: fmt.Sprintf("The message has %.1f MB; Easel takes at most %.1f MB.", float64(len(m.raw))/1e6, float64(maxLine)/1e6),
			Hint:   "Nothing was done. Write large data to a file, and read the file in code.",
		}))
	}
}

func (b *bridge) pass(ctx context.Context, line []byte) {
	m := message{raw: line}
	err := json.Unmarshal(line, &m)
	if len(line) > maxLine {
		b.refuse(ctx, m)
		return
	}
	if err != nil {
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
		b.roots.announce(m)
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
		if ask := b.roots.request(m.Method); ask != nil {
			b.put(ask)
		}
	}
}

// drain waits for pending answers and then ends the session with the host.
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
	if err != nil { // cannot happen: id was read from JSON
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return raw
}
