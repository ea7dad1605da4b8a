package tool

import (
	"context"
	"strings"
)

// A Transport is the way a request came.
type Transport string

// The transports.
const (
	MCP    Transport = "mcp"
	REST   Transport = "rest"
	Window Transport = "window" // the user, by the GUI
)

// A Caller is who asks. It travels with each request's context.
type Caller struct {
	Transport Transport
	Name      string // MCP clientInfo.name, or the REST User-Agent
	Version   string // MCP clientInfo.version
	Session   string // MCP session id, where there is one

	// Progress carries a line to the caller while it waits; nil if it did not
	// ask for progress. It never blocks.
	Progress func(Progress)
	// Started tells the host which execution the call has started; nil if nobody asks.
	// It never blocks.
	Started func(executionID string)
	// Cancelled is closed when the caller explicitly gives up (the contract's
	// explicit cancel), as against a connection that is merely lost, which only
	// ends the request's context. Nil means that it cannot cancel.
	Cancelled <-chan struct{}
}

// Identity tells callers apart: by the MCP session where there is one, else by
// transport and name, without spaces. The window and Easel itself have none.
func (c Caller) Identity() string {
	switch {
	case c.Session != "":
		return c.Session
	case c.Transport == "" || c.Transport == Window:
		return ""
	default:
		return string(c.Transport) + ":" + strings.Join(strings.Fields(c.Name), "_")
	}
}

// Progress is news of a request that is still at work.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

type callerKey struct{}

// WithCaller puts c into ctx.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom is the caller of a request, or the zero Caller if none was named. The
// zero Caller has the fewest rights: it is no user, and nobody has allowed it anything.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// String names the caller for the log and the window.
func (c Caller) String() string {
	switch {
	case c.Name == "":
		return string(c.Transport)
	case c.Version == "":
		return c.Name
	default:
		return c.Name + " " + c.Version
	}
}
