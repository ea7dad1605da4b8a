// Package tool says what a tool of Easel is: a name, a description, an input
// and an output type with their schemas, and a topic on the event bus. A tool is
// declared once with [Define]; every transport lists and calls it through
// [Any], and the GUI side gives it its body with Handle.
//
// The package knows no transport: neither MCP nor HTTP is imported here.
//
// # Goroutines
//
// Declarations are immutable after Define. Invoke may be called from any
// goroutine; the body runs on a goroutine of the bus.
package tool

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"easel/eventbus"
)

// A Category says how a tool is reached over REST.
type Category string

// The categories.
const (
	Execute Category = "execute" // POST /api/execute/{tool}
	Info    Category = "info"    // GET /api/info/{tool}; changes nothing
)

// A Spec is what a transport needs to list a tool.
type Spec struct {
	Name, Title, Description string
	Category                 Category
	Toolset                  Toolset
	Core                     bool // also in the toolset core
	AlwaysLoad               bool // a client that defers tools should still load it at once
	Destructive              bool // may take something away that cannot be had back
	Idempotent               bool // twice is as once
	OpenWorld                bool // reaches beyond Easel, as code does
	// Aliases maps old or foreign parameter names to ours. They are renamed
	// before validation and stand in no schema.
	Aliases map[string]string
	// Mistaken maps names that models guess for a parameter to its own: they are
	// refused, with the right name. What only looks like it needs no entry.
	Mistaken map[string]string
	// Either says that one of several parameters must be given. Define adds it to
	// Description.
	Either Either `json:",omitzero"`
	// Patterns are regular expressions that a valid parameter matches, for documents
	// only: the body looks closer, and says better what is wrong.
	Patterns map[string]string `json:",omitempty"`
	// Example is a valid input, for the OpenAPI document and the docs.
	Example string
	In, Out *jsonschema.Schema // set by Define
	// Pictures: its results may carry pictures, as Out is a Picturer. Set by Define.
	Pictures bool `json:",omitzero"`
}

// ReadOnly tells whether the tool changes nothing.
func (s Spec) ReadOnly() bool { return s.Category == Info }

// Names are the names that a tool answers at over REST, the main one first: one
// that reads, get_x, answers at x too.
func (s Spec) Names() []string {
	if short, ok := strings.CutPrefix(s.Name, "get_"); ok && s.Category == Info {
		return []string{short, s.Name}
	}
	return []string{s.Name}
}

// Address is the method and the path of the tool's own address.
func (s Spec) Address() (method, path string) {
	if s.Category == Info {
		return http.MethodGet, "/api/info/" + s.Names()[0]
	}
	return http.MethodPost, "/api/execute/" + s.Name
}

// Any is a tool as transports see it.
type Any interface {
	Spec() Spec
	// Invoke checks args against the input schema and asks the bus. The note says
	// what it did not use as it was given. Every error it returns is an *Error.
	Invoke(ctx context.Context, b *eventbus.Bus, args json.RawMessage) (out any, note Note, err error)
	// Handled tells whether the tool has a body on b.
	Handled(b *eventbus.Bus) bool
}

// A Tool is a declaration that knows its types.
type Tool[In, Out any] struct {
	spec  Spec
	in    *validator
	topic *eventbus.Topic[In, Out]
}

// Define declares a tool. Schemas come from the types; refine adds what Go
// types cannot say, such as a minimum. It panics if the tool cannot be served.
func Define[In, Out any](s Spec, refine ...func(in *jsonschema.Schema)) *Tool[In, Out] {
	s.In, s.Out = schemaOf[In](), SchemaOf[Out]()
	open(s.In)
	annotate(reflect.TypeFor[In](), s.In, false)
	_, s.Pictures = any(*new(Out)).(Picturer)
	for _, f := range refine {
		f(s.In)
	}
	walk(s.In, stateBounds)
	s.Either.mustFit(s.Name, s.In)
	s.Description = strings.TrimSpace(s.Description + " " + s.Either.Sentence())
	return &Tool[In, Out]{s, newValidator(s), eventbus.NewTopic[In, Out](s.Name)}
}

// Spec describes the tool. The schemas are shared: do not change them.
func (t *Tool[In, Out]) Spec() Spec { return t.spec }

// Handle gives t its body do, and says with can (nil: always) when it cannot
// run; see eventbus.Topic.Handle.
func (t *Tool[In, Out]) Handle(b *eventbus.Bus, do func(context.Context, In) (Out, error), can func(context.Context, In) error) (remove func()) {
	return t.topic.Handle(b, do, can)
}

// Ask runs the tool with typed parameters: the window's way in.
func (t *Tool[In, Out]) Ask(ctx context.Context, b *eventbus.Bus, in In) (Out, error) {
	return t.topic.Ask(ctx, b, in)
}

// Can says why the tool cannot run now, or nil.
func (t *Tool[In, Out]) Can(ctx context.Context, b *eventbus.Bus, in In) error {
	return t.topic.Can(ctx, b, in)
}

// Handled tells whether the tool has a body on b.
func (t *Tool[In, Out]) Handled(b *eventbus.Bus) bool { return t.topic.Handled(b) }

// Invoke implements Any. Over MCP a wait or limit above its maximum is the
// maximum: many clients keep ranges from the model, so it cannot know better.
func (t *Tool[In, Out]) Invoke(ctx context.Context, b *eventbus.Bus, raw json.RawMessage) (any, Note, error) {
	full, note, err := t.in.check(raw, CallerFrom(ctx).Transport == MCP)
	if err != nil {
		return nil, note, err
	}
	var in In
	if err := json.Unmarshal(full, &in); err != nil {
		return nil, note, Errorf(Validation, "the parameters cannot be read: %w", err)
	}
	out, err := t.topic.Ask(ctx, b, in)
	if err != nil {
		return nil, note, AsError(err)
	}
	return out, note, nil
}

// A Link points at something that an output made and that a client may read.
type Link struct {
	URI, Name, Title, Description, MIMEType string
	Bytes                                   int64
}

// A Linker is an output with links. MCP sends a resource_link for each of a Picturer's
// that is not there as a picture; a list names them in its text.
type Linker interface{ Links() []Link }

// A Picturer is an output that asks for pictures to be put into an MCP result. A tool
// with such an output has no structured content: some clients forward nothing else.
type Picturer interface {
	// Pictures lists the URIs to inline, in order, at most maxEdge pixels on the
	// long edge each.
	Pictures() (uris []string, maxEdge int)
}

// A Failer is an output that may tell of failure: the tool ran, what it did
// went wrong. MCP marks the result isError; REST answers 200.
type Failer interface{ Failed() bool }
