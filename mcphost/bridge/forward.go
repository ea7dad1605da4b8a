package bridge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"easel/mcphost/instance"
	"easel/mcphost/mcphttp"
	"easel/mcphost/tool"
)

// A session is the result of the client's handshake. Every later request refers to it.
type session struct {
	mu         sync.Mutex
	initialize message // is sent again if the host has forgotten the session
	id         string
	version    string
}

func (s *session) begin(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.initialize, s.id, s.version = m, "", ""
}

func (s *session) began(id, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.version = id, version
}

func (s *session) get() (id, version string, initialize message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id, s.version, s.initialize
}

// errNotSent means that no byte of the request reached Easel, so that it can be sent
// again.
var errNotSent = errors.New("not sent")

// attempts limits how often a request is sent. Easel may be restarted or its token
// changed in the meantime.
const attempts = 3

// forward forwards m and writes the answer. If sent is not nil, forward closes it when
// the request has been sent or has failed.
func (b *bridge) forward(ctx context.Context, m message, sent chan<- struct{}) {
	tell := sync.OnceFunc(func() {
		if sent != nil {
			close(sent)
		}
	})
	defer tell()
	var err error
	for range attempts {
		var r instance.Runtime
		if r, err = b.easel.runtime(ctx); err != nil {
			break
		}
		var again bool
		if again, err = b.post(ctx, r, m, tell); err == nil {
			return
		}
		b.c.Log.DebugContext(ctx, "request failed", "method", m.Method, "again", again, "cause", err)
		if !again || ctx.Err() != nil {
			break
		}
	}
	if m.isRequest() && ctx.Err() == nil {
		b.put(failure(m, err))
	}
}

// post sends m to r. again reports whether it may be sent once more.
func (b *bridge) post(ctx context.Context, r instance.Runtime, m message, tell func()) (again bool, err error) {
	req, err := b.request(ctx, r, http.MethodPost, m.raw)
	if err != nil {
		return false, err
	}
	b.headers(req.Header, m)
	var wrote atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if i.Err == nil {
				wrote.Store(true)
				tell()
			}
		},
	}))
	res, err := b.http.Do(req)
	if err != nil {
		b.easel.lost(r)
		return !wrote.Load() || repeatable(m), pause(ctx, fmt.Errorf("no answer from Easel: %w", err))
	}
	defer func() { _ = res.Body.Close() }()
	switch res.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden: // the token was changed, or another program uses the port now
		b.easel.lost(r)
		return true, problem(res)
	case http.StatusServiceUnavailable: // it is quitting
		b.easel.lost(r)
		return true, pause(ctx, problem(res))
	case http.StatusNotFound:
		if id, _, _ := b.session.get(); id != "" && m.version == "" && m.Method != string(mcp.MethodInitialize) {
			return true, b.renew(ctx, r, id)
		}
	}
	if m.Method == string(mcp.MethodInitialize) {
		return false, b.initialized(res, m.isRequest())
	}
	got, err := b.relay(res)
	if err == nil && !got && m.isRequest() {
		err = fmt.Errorf("no message in the answer (%s)", res.Status)
	}
	if err != nil {
		b.easel.lost(r)
		return repeatable(m), err
	}
	return false, nil
}

// pause waits between attempts, so that all attempts together outlast a restart.
func pause(ctx context.Context, err error) error {
	t := time.NewTimer(500 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return err
}

// repeatable reports whether a request may be sent again although it may have been
// carried out. A request that may run code must not be repeated.
func repeatable(m message) bool { return m.isRequest() && m.Method != string(mcp.MethodToolsCall) }

func (b *bridge) request(ctx context.Context, r instance.Runtime, method string, body []byte) (*http.Request, error) {
	address := r.URL + "/mcp"
	if b.c.Toolsets != "" {
		address += "?toolsets=" + url.QueryEscape(b.c.Toolsets)
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("bridge: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+cmp.Or(b.c.Token, r.Token))
	req.Header.Set(mcphttp.HeaderBridge, b.id)
	b.roots.current().SetHeader(req.Header)
	return req, nil
}

// headers sets the headers that the transport requires for m.
func (b *bridge) headers(h http.Header, m message) {
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json, text/event-stream")
	if m.version != "" {
		h.Set(mcp.HeaderProtocolVersion, m.version)
		for k, v := range mcp.StandardHeaders(m.version, mcp.MCPMethod(m.Method), m.Params) {
			h.Set(k, v)
		}
		return
	}
	if id, version, _ := b.session.get(); id != "" {
		h.Set(mcp.HeaderSessionID, id)
		h.Set(mcp.HeaderProtocolVersion, version)
	}
}

// relay writes the messages of an answer to the client. got reports whether a response
// or an error was among them.
func (b *bridge) relay(res *http.Response) (got bool, err error) {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")) // without a type, neither case below matches
	switch {
	case kind == "text/event-stream":
		err = events(res.Body, func(data []byte) {
			got = got || isAnswer(data)
			b.put(data)
		})
		return got, err
	case kind == "application/json":
		raw, err := io.ReadAll(res.Body)
		if err != nil {
			return false, fmt.Errorf("the answer broke off: %w", err)
		}
		if isAnswer(raw) {
			b.put(raw)
			return true, nil
		}
		return false, nil
	case res.StatusCode/100 == 2:
		return false, nil
	default:
		return false, problem(res)
	}
}

// initialized reads the answer to initialize. It forwards the answer if pass is set,
// that is, if the client sent the request.
func (b *bridge) initialized(res *http.Response, pass bool) error {
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("the answer broke off: %w", err)
	}
	var a struct {
		Result struct {
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"result"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return problemOf(res, raw)
	}
	if id := res.Header.Get(mcp.HeaderSessionID); id != "" {
		b.session.began(id, a.Result.ProtocolVersion)
	}
	if pass {
		if !isAnswer(raw) {
			return problemOf(res, raw)
		}
		b.put(raw)
	}
	return nil
}

// renew repeats the client's handshake, because the host has forgotten its session old.
func (b *bridge) renew(ctx context.Context, r instance.Runtime, old string) error {
	id, _, first := b.session.get()
	if id != old || first.raw == nil {
		return errNotSent // another request has renewed it
	}
	req, err := b.request(ctx, r, http.MethodPost, first.raw)
	if err != nil {
		return err
	}
	b.headers(req.Header, message{})
	req.Header.Del(mcp.HeaderSessionID)
	req.Header.Del(mcp.HeaderProtocolVersion)
	res, err := b.http.Do(req)
	if err != nil {
		return fmt.Errorf("bridge: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if err := b.initialized(res, false); err != nil {
		return err
	}
	return errNotSent
}

// bye tells the host that the client has ended, with its session if it has one.
func (b *bridge) bye(ctx context.Context) {
	id, version, _ := b.session.get()
	r, err := b.easel.running(ctx)
	if err != nil {
		return
	}
	req, err := b.request(ctx, r, http.MethodDelete, nil)
	if err != nil {
		return
	}
	if id != "" {
		req.Header.Set(mcp.HeaderSessionID, id)
		req.Header.Set(mcp.HeaderProtocolVersion, version)
	}
	if res, err := b.http.Do(req); err == nil {
		_ = res.Body.Close()
	}
}

func isAnswer(raw []byte) bool {
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	return json.Unmarshal(raw, &m) == nil && (m.Result != nil || m.Error != nil)
}

func problem(res *http.Response) error {
	raw, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10)) // reports whatever arrived
	return problemOf(res, raw)
}

// problemOf converts an error response to an error: Easel's own, with its code, if the
// response is one.
func problemOf(res *http.Response, raw []byte) error {
	var p struct {
		Detail, Hint string
		Code         tool.Code
	}
	switch {
	case json.Unmarshal(raw, &p) != nil || p.Detail == "":
		return fmt.Errorf("the answer was %s", res.Status)
	case p.Code == "":
		return errors.New(strings.TrimSpace(p.Detail + " " + p.Hint))
	default:
		return &tool.Error{Code: p.Code, Detail: p.Detail, Hint: p.Hint}
	}
}

// failure returns the answer to a request that Easel did not answer, or that it refused
// before the protocol was involved. For a tool call it is a result, so that the model
// reads it.
func failure(m message, err error) []byte {
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code == "" {
		e = unreachable(err)
	}
	id := m.ID
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	if m.Method != string(mcp.MethodToolsCall) {
		return rpcError(id, mcp.INTERNAL_ERROR, tool.Explain(e), map[string]any{"code": e.Code})
	}
	details := map[string]any{"code": e.Code, "message": e.Detail}
	if e.Hint != "" {
		details["hint"] = e.Hint
	}
	raw, err := json.Marshal(map[string]any{
		"jsonrpc": mcp.JSONRPC_VERSION, "id": id,
		"result": map[string]any{"isError": true, "content": []any{map[string]any{
			"type": "text", "text": text(map[string]any{"success": false, "error": details}),
		}}},
	})
	if err != nil { // cannot happen: id was read from JSON
		return rpcError(json.RawMessage("null"), mcp.INTERNAL_ERROR, "internal error", nil)
	}
	return raw
}

func unreachable(err error) *tool.Error {
	if err == nil || errors.Is(err, errNotSent) {
		err = errors.New("no answer")
	}
	return &tool.Error{
		Code: tool.ShuttingDown, Detail: "Easel cannot be reached: " + strings.TrimSuffix(err.Error(), ".") + ".",
		Hint: "Code that was already sent continues if Easel is running. Check with session_list and list_session_images before you run it again.",
	}
}

// text encodes v as JSON for a model. It does not escape <, because each \u003c costs
// tokens.
func text(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // strings can always be encoded
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
