package tool

import (
	"cmp"
	"context"
	"strings"
)

// A Transport is the way in which a request arrived.
type Transport string

// The transports.
const (
	MCP    Transport = "mcp"
	REST   Transport = "rest"
	Window Transport = "window" // the user, through the GUI
)

// Others is the Caller.Assistant of all that send Easel's own token.
const Others = "others"

// AssistantToken begins the tokens of assistants, and no other token.
const AssistantToken = "easel_client_"

// A Caller identifies who sent a request. The request's context carries it.
type Caller struct {
	Transport Transport
	Name      string // MCP clientInfo.name, or the REST User-Agent
	Version   string // MCP clientInfo.version
	Session   string // MCP session id, if there is one
	// Assistant says by which token the caller is known, whatever name it gives: the id of one that has a token of its own, or
	// Others. It is "" only in the zero Caller and for the user.
	Assistant string
	// Holder is the bridge's process or the MCP session that the call came from, as a secret
	// that only it and the host know. It is "" if there is neither. What the user allows
	// “for this session” ends with it.
	Holder string
	// Workspace is where the client works, as far as its bridge or its request says.
	Workspace Workspace

	// Call is the host's number of the call; 0 if it has none.
	Call uint64
	// Forms says that the client can show the user a form in its chat: MCP's elicitation.
	Forms bool
	// Asking reports whether it shows the user one about this call now. Then the call may wait for the answer for longer than
	// usual. It is nil if it cannot.
	Asking func() bool

	// Progress reports progress to the caller while it waits. It is nil if the caller
	// did not ask for progress. It never blocks.
	Progress func(Progress)
	// Started tells the host which execution the call has started. It is nil if nobody
	// needs to know. It never blocks.
	Started func(executionID string)
	// Open tells the host that the user lets clients see the secrets in the answer to this call. It
	// is nil if nobody needs to know. It never blocks.
	Open func()
	// Cancelled is closed when the caller cancels explicitly. A connection that is
	// merely lost only ends the request's context. Nil means that the caller cannot
	// cancel.
	Cancelled <-chan struct{}
}

// Identity tells callers apart: by the MCP session if there is one, otherwise by
// transport and name, without spaces. The window and Easel itself have no identity.
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

// Process tells callers apart as exactly as possible: by the bridge's process, if there is one.
// Two processes of a client may have one Identity. It is for memory only, as Holder is a secret.
func (c Caller) Process() string { return cmp.Or(c.Holder, c.Identity()) }

// Progress is the progress of a request that is still running.
type Progress struct {
	Done, Total float64 // Total 0: unknown
	Message     string
}

type callerKey struct{}

// WithCaller puts c into ctx.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of a request, or the zero Caller if the context has
// none. The zero Caller has the fewest rights: it is not the user, and nobody has
// granted it anything.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// String returns the caller's name for the log and the window.
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
