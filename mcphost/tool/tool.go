// Package tool defines what a tool of Easel is: a name, a description, an input and an
// output type with their schemas, and a topic on the event bus. A tool is declared once
// with [Define]. Every transport lists and calls it through [Any], and the core
// registers its body with Handle.
//
// The package is independent of transports: it imports neither MCP nor HTTP.
//
// # Goroutines
//
// Declarations are immutable after Define. Invoke may be called from any goroutine; the
// body runs on a goroutine of the bus.
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

// A Category says how a tool is called over REST.
type Category string

// The categories.
const (
	Execute Category = "execute" // POST /api/execute/{tool}
	Info    Category = "info"    // GET /api/info/{tool}; changes nothing
)

// What Spec.Changes may be.
const (
	Notebooks = "notebooks"
	Sessions  = "sessions" // it restarts or ends one
)

// A Spec is what a transport needs to list a tool.
type Spec struct {
	Name, Title, Description string
	Category                 Category
	Toolset                  Toolset
	Core                     bool // also in the toolset core
	AlwaysLoad               bool // a client that defers tools should still load this one immediately
	Destructive              bool // may remove something irrecoverably
	Idempotent               bool // calling it twice has the same effect as calling it once
	OpenWorld                bool // reaches beyond Easel, as code does
	// Changes says what a call changes, if the user can forbid that by itself; see Notebooks.
	Changes string `json:"-"`
	// Undo says that the user can undo what a call changes in the window. Such changes are in
	// the history of edits, and what the user does there is not in the log of calls.
	Undo bool `json:"-"`
	// Aliases maps old or foreign parameter names to ours. They are renamed before
	// validation and appear in no schema.
	Aliases map[string]string
	// Mistaken maps wrong names that models guess to the parameter's name. A call with
	// such a name fails, and the error gives the right name. Names that merely resemble
	// the parameter's need no entry.
	Mistaken map[string]string
	// Unlisted are parameters that the tool list for models omits, because they are rarely
	// needed. Errors name them where they are, and documents describe them.
	Unlisted []string `json:",omitempty"`
	// Either requires one of several parameters. Define adds the rule to Description.
	Either Either `json:",omitzero"`
	// Patterns are regular expressions that a valid parameter matches. They are only for
	// documents: the body checks more closely and explains better what is wrong.
	Patterns map[string]string `json:",omitempty"`
	// Example is a valid input, for the OpenAPI document and the docs.
	Example string
	In, Out *jsonschema.Schema // set by Define
	// Pictures reports whether results may contain pictures, which is the case if Out is
	// a Picturer or an Inliner. Define sets it.
	Pictures bool `json:",omitzero"`
}

// ReadOnly reports whether the tool changes nothing.
func (s Spec) ReadOnly() bool { return s.Category == Info }

// Names returns the names under which the tool is available over REST, the main one
// first. A read-only tool get_x is also available as x.
func (s Spec) Names() []string {
	if short, ok := strings.CutPrefix(s.Name, "get_"); ok && s.Category == Info {
		return []string{short, s.Name}
	}
	return []string{s.Name}
}

// Address returns the method and the path of the tool's own address.
func (s Spec) Address() (method, path string) {
	if s.Category == Info {
		return http.MethodGet, "/api/info/" + s.Names()[0]
	}
	return http.MethodPost, "/api/execute/" + s.Name
}

// Any is a tool as transports see it.
type Any interface {
	Spec() Spec
	// Invoke checks args against the input schema and asks the bus. The note lists the
	// parameters that were not used as given. Every error is an *Error.
	Invoke(ctx context.Context, b *eventbus.Bus, args json.RawMessage) (out any, note Note, err error)
	// Handled reports whether the tool has a body on b.
	Handled(b *eventbus.Bus) bool
}

// A Tool is a declaration with its types.
type Tool[In, Out any] struct {
	spec  Spec
	in    *validator
	topic *eventbus.Topic[In, Out]
}

// Define declares a tool. The schemas come from the types; refine adds what Go types
// cannot express, for example a minimum. Define panics if the tool is invalid.
func Define[In, Out any](s Spec, refine ...func(in *jsonschema.Schema)) *Tool[In, Out] {
	s.In, s.Out = schemaOf[In](), SchemaOf[Out]()
	open(s.In)
	annotate(reflect.TypeFor[In](), s.In, false)
	_, picturer := any(*new(Out)).(Picturer)
	_, inliner := any(*new(Out)).(Inliner)
	s.Pictures = picturer || inliner
	for _, f := range refine {
		f(s.In)
	}
	walk(s.In, stateBounds)
	s.Either.mustFit(s.Name, s.In)
	s.Description = strings.TrimSpace(s.Description + " " + s.Either.Sentence())
	return &Tool[In, Out]{s, newValidator(s), eventbus.NewTopic[In, Out](s.Name)}
}

// Spec describes the tool. The schemas are shared and must not be changed.
func (t *Tool[In, Out]) Spec() Spec { return t.spec }

// Name returns the name of the tool.
func (t *Tool[In, Out]) Name() string { return t.spec.Name }

// Handle registers do as the body of t. can says why a request cannot run now; nil means
// that it always can. See eventbus.Topic.Handle.
func (t *Tool[In, Out]) Handle(b *eventbus.Bus, do func(context.Context, In) (Out, error),
	can func(context.Context, In) error,
) (remove func()) {
	return t.topic.Handle(b, do, can)
}

// Ask runs the tool with typed parameters. The window uses it.
func (t *Tool[In, Out]) Ask(ctx context.Context, b *eventbus.Bus, in In) (Out, error) {
	return t.topic.Ask(ctx, b, in)
}

// Handled reports whether the tool has a body on b.
func (t *Tool[In, Out]) Handled(b *eventbus.Bus) bool { return t.topic.Handled(b) }

// Invoke implements Any. Over MCP, a wait or limit above its maximum becomes the
// maximum: many clients do not show ranges to the model, so it cannot know them.
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

// A Link refers to something that an output created and that a client may read.
type Link struct {
	URI, Name, Title, Description, MIMEType string
	Bytes                                   int64
}

// A Linker is an output with links. MCP sends a resource_link for each link of a
// Picturer whose picture is not in the result. Other Linkers list their links in the
// text.
type Linker interface{ Links() []Link }

// A Picturer is an output that asks for pictures in the MCP result. A tool with such an
// output has no structured content, because some clients would forward nothing else.
type Picturer interface {
	// Pictures lists the URIs to inline, in order, each at most maxEdge pixels on the
	// long edge.
	Pictures() (uris []string, maxEdge int)
}

// An Inliner is an output with a picture that has no URI. Like a Picturer's, its results have
// no structured content.
type Inliner interface {
	// Inline returns a PNG or JPEG that fits the budget of a result; nil if there is none.
	Inline() (data []byte, mimeType string)
}

// A Failer is an output that may report a failure: the tool ran, but what it did failed.
// MCP marks the result with isError; REST answers 200.
type Failer interface{ Failed() bool }
