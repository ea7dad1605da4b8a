package mcphttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// ErrNoRequests means that the client cannot be asked on a call: it has no session, does not read streams, or the call is answered.
var ErrNoRequests = errors.New("the client cannot be asked on this call")

// A RefusedRequestError is the error with which a client has answered a request.
type RefusedRequestError struct{ Details string }

// Error returns the client's error.
func (e *RefusedRequestError) Error() string {
	return "the client has refused the request: " + e.Details
}

// Forms reports whether the client can show the user a form: MCP's elicitation. Before 2025-11-25, clients did not say of which kinds.
func (c *Call) Forms() bool {
	e := c.GetClientCapabilities().Elicitation
	if e == nil || !c.modern && (c.session == nil || c.requests == nil) {
		return false
	}
	return e.Form != nil || e.URL == nil
}

// Ask sends the client a request on the call's own stream, in the era of sessions, and waits for the result, also after the call was
// answered. It calls sent, which may be nil, when the request is on its way. If ctx ends before, the client is told that the request is
// cancelled. The error is ErrNoRequests, a *RefusedRequestError or
// the cause of ctx.
func (c *Call) Ask(ctx context.Context, method string, params any, sent func()) (json.RawMessage, error) {
	if c.modern || c.session == nil || c.requests == nil {
		return nil, ErrNoRequests
	}
	id, answers := newID("easel-request-"), make(chan message, 1)
	defer c.session.await(id, answers)()
	request := mcp.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Params: params, Request: mcp.Request{Method: method}}
	if err := c.sendRequest(ctx, request); err != nil {
		return nil, err
	}
	if sent != nil {
		sent()
	}
	c.session.begin(time.Now()) // it must not be dropped as unused meanwhile
	defer func() { c.session.end(time.Now()) }()
	select {
	case m := <-answers:
		if m.Error != nil {
			return nil, &RefusedRequestError{fmt.Sprintf("%.500s", m.Error)}
		}
		return m.Result, nil
	case <-c.session.gone:
		return nil, ErrNoRequests
	case <-ctx.Done():
		over := map[string]any{"requestId": id, "reason": "it was answered elsewhere, or is no longer needed"}
		note := notification(string(mcp.MethodNotificationCancelled), over)
		select {
		case <-c.answered:
			c.session.push("cancelled "+id, note)
		default:
			c.send(note)
		}
		return nil, context.Cause(ctx)
	}
}

func (c *Call) sendRequest(ctx context.Context, request mcp.JSONRPCRequest) error {
	select {
	case c.requests <- request:
		return nil
	case <-c.answered:
		return ErrNoRequests
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// await makes answer send the response to a request, until forget is called.
func (s *session) await(id string, answers chan<- message) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = make(map[string]chan<- message)
	}
	s.asked[id] = answers
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id)
	}
}

// answer passes a response on to whoever waits for it. Others are ignored: the request is no longer needed.
func (s *session) answer(m *message) {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if answers, ok := s.asked[id]; ok {
		answers <- *m // never blocks: the first answer is the only one
		delete(s.asked, id)
	}
}
