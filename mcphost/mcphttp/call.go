package mcphttp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A Call is one JSON-RPC request in progress. mcp-go uses it as the client's session.
type Call struct {
	*peer     // the session's, or the call's own
	id        string
	session   *session // nil for a stateless request or one without a session id
	holder    string   // see Holder
	modern    bool
	requestID any
	out       chan mcp.JSONRPCNotification
	requests  chan mcp.JSONRPCRequest // to the client, see Ask; nil if it reads no streams
	answered  chan struct{}           // closed with the answer
	cancelled chan struct{}
	stop      context.CancelCauseFunc
	log       func(msg string, args ...any)

	mu     sync.Mutex
	filter mcp.SubscriptionFilter
	uris   []string // subscriptions/listen
	gaveUp bool
	fault  *mcp.JSONRPCErrorDetails
}

type callKeyType struct{}

// CallFrom returns the call that ctx belongs to, or nil.
func CallFrom(ctx context.Context) *Call {
	c, _ := ctx.Value(callKeyType{}).(*Call)
	return c
}

// Cancelled is closed when the client explicitly cancels the call, before the call's
// context ends. The client cancels with notifications/cancelled or, in protocol
// 2026-07-28, by closing the response stream. In every other case, a lost connection
// does not close it.
func (c *Call) Cancelled() <-chan struct{} { return c.cancelled }

// Session returns the client's session id, or "" without a session.
func (c *Call) Session() string {
	if c.session == nil {
		return ""
	}
	return c.session.id
}

// Holder identifies what the call came from: the bridge's process, or the session; "" if
// neither. Unlike the session, it does not change when a bridge opens another one.
func (c *Call) Holder() string { return c.holder }

// Client returns the client's name and version as the client reported them.
func (c *Call) Client() mcp.Implementation { return c.GetClientInfo() }

// Modern reports whether the call uses protocol 2026-07-28 or later.
func (c *Call) Modern() bool { return c.modern }

// Notify sends a notification on the call's own stream, before its answer. It never
// blocks. After the answer it does nothing.
func (c *Call) Notify(method string, params map[string]any) {
	c.send(notification(method, params))
}

// Fail makes the answer this error, whatever the handler returns.
func (c *Call) Fail(code int, message string, data any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = &mcp.JSONRPCErrorDetails{Code: code, Message: message, Data: data}
}

func (c *Call) send(n mcp.JSONRPCNotification) {
	select {
	case c.out <- n:
	default:
		c.log("the client does not read its stream: a notification was dropped", "method", n.Method)
	}
}

// giveUp handles an explicit cancellation by the client.
func (c *Call) giveUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gaveUp {
		c.gaveUp = true
		close(c.cancelled)
	}
	c.stop(context.Canceled)
}

// awaitCancel waits briefly for the cancellation of a call whose connection was lost. A
// client that cancels a call may close its connection first and send the cancellation
// afterwards.
func (c *Call) awaitCancel(answered <-chan struct{}) {
	t := time.NewTimer(lateFor)
	defer t.Stop()
	select {
	case <-c.cancelled:
	case <-answered:
	case <-t.C:
	}
}

// answer returns the answer: the error of Fail if there is one, otherwise resp.
func (c *Call) answer(resp mcp.JSONRPCMessage) mcp.JSONRPCMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fault == nil {
		return resp
	}
	return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(c.requestID), Error: *c.fault}
}

// wants reports whether a subscriptions/listen stream asked for a kind of notification.
// A client must not receive kinds that it did not ask for.
func (c *Call) wants(method string) bool {
	f, _ := c.SubscriptionFilter()
	switch method {
	case mcp.MethodNotificationToolsListChanged:
		return f.ToolsListChanged
	case mcp.MethodNotificationPromptsListChanged:
		return f.PromptsListChanged
	case mcp.MethodNotificationResourcesListChanged:
		return f.ResourcesListChanged
	default:
		return false
	}
}

func (c *Call) subscriptions() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uris
}

// tagged adds to a notification the subscription whose stream carries it.
func (c *Call) tagged(n mcp.JSONRPCNotification) mcp.JSONRPCNotification {
	meta := maps.Clone(n.Params.Meta)
	if meta == nil {
		meta = make(map[string]any, 1)
	}
	meta[mcp.MetaKeySubscriptionID] = c.requestID
	n.Params.Meta = meta
	return n
}

// The methods below implement mcp-go's session interfaces.

var (
	_ server.SessionWithClientInfo            = (*Call)(nil)
	_ server.SessionWithLogging               = (*Call)(nil)
	_ server.SessionWithProtocolVersion       = (*Call)(nil)
	_ server.SessionWithResourceSubscriptions = (*Call)(nil)
	_ server.SessionWithSubscriptionFilter    = (*Call)(nil)
)

// Initialize implements server.ClientSession.
func (c *Call) Initialize() {}

// Initialized implements server.ClientSession.
func (c *Call) Initialized() bool { return true }

// NotificationChannel implements server.ClientSession.
func (c *Call) NotificationChannel() chan<- mcp.JSONRPCNotification { return c.out }

// SessionID implements server.ClientSession. If the client has no session, it is unique
// to the call, because mcp-go keys requests by it.
func (c *Call) SessionID() string { return c.id }

// SetSubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (c *Call) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filter = f
}

// SubscriptionFilter implements server.SessionWithSubscriptionFilter.
func (c *Call) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.filter, true
}

// SubscribeToResource implements server.SessionWithResourceSubscriptions. It subscribes
// the session or, without one, the call's stream.
func (c *Call) SubscribeToResource(uri string) {
	if c.session != nil {
		c.session.SubscribeToResource(uri)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uris = append(slices.Clone(c.uris), uri)
}

// UnsubscribeFromResource implements server.SessionWithResourceSubscriptions.
func (c *Call) UnsubscribeFromResource(uri string) {
	if c.session != nil {
		c.session.UnsubscribeFromResource(uri)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.uris = slices.DeleteFunc(slices.Clone(c.uris), func(u string) bool { return u == uri })
}

// SubscribedResources implements server.SessionWithResourceSubscriptions.
func (c *Call) SubscribedResources() []string {
	if c.session != nil {
		return c.session.SubscribedResources()
	}
	return slices.Clone(c.subscriptions())
}

// IsSubscribedToResource implements server.SessionWithResourceSubscriptions.
func (c *Call) IsSubscribedToResource(uri string) bool {
	if c.session != nil {
		return c.session.IsSubscribedToResource(uri)
	}
	return slices.Contains(c.subscriptions(), uri)
}
