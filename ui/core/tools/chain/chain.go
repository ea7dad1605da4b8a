// Package chain registers the bodies of tools and topics, with the steps that a call takes
// before and after its body. The declaration of a tool or topic chooses the steps, so that a
// body can forget none.
//
// # Goroutines
//
// Calls run on goroutines of the bus, each with its caller's context. A Chain may be used by
// all of them.
package chain

import (
	"context"
	"sync/atomic"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/tools/codes"
)

// steps are the steps of a call that only some calls take. Every call ends with one that turns
// errors into codes.
type steps struct {
	admit  bool // asks what the user allows
	record bool // writes what the user does into the log of calls
	undo   bool // keeps the change for Undo, and shows an assistant's call in the window
}

// topicSteps are the steps of topics. Topics that are not here take none.
var topicSteps = map[string]steps{
	command.AnswerApproval.Name(): {record: true},
	command.AnswerInput.Name():    {record: true},
	command.SendAgain.Name():      {record: true},
	command.SetTitle.Name():       {undo: true},
	command.SetNote.Name():        {undo: true},
	command.JudgeFinding.Name():   {undo: true},
	command.Dispose.Name():        {undo: true},
}

// A Declaration is what declares a tool, which has a Spec, or a topic, which has none.
type Declaration[In, Out any] interface {
	Name() string
	Handle(b *eventbus.Bus, do func(context.Context, In) (Out, error), can func(context.Context, In) error) (remove func())
}

// A toolDeclaration is the declaration of a tool.
type toolDeclaration interface{ Spec() tool.Spec }

// A Call is a call that takes the step Undo.
type Call struct {
	By     string // as in state.Snapshot.ByAssistant; empty if the user called
	Client string
	Tool   string
}

// A Chain registers bodies.
type Chain struct {
	Bus   *eventbus.Bus
	Store *state.Store
	// Replaced returns what the caller has not been told about the loss of a session's
	// variables. May be nil.
	Replaced func(ctx context.Context, session string) *catalog.KernelReplaced
	// Secrets knows what is secret in the answers to clients. May be nil.
	Secrets Secrets
	// Undo begins the step of the same name: the context collects what is changed with it, and
	// end keeps it. It must be set for declarations that take the step.
	Undo func(ctx context.Context, c Call) (_ context.Context, end func(error))

	// Actions asks the user about calls that are no code. Nil if nobody can be asked.
	Actions *oversight.Actions

	meter oversight.Meter
	acts  atomic.Uint64 // id of the user's last action; see actID
}

// Secrets knows what is secret.
type Secrets interface {
	// Look learns what has become secret.
	Look()
	// Open reports whether clients may see the secrets in what a call about a session, or about
	// what a server has, returns.
	Open(session, server string) bool
}

// An Extra is what a body adds to its declaration.
type Extra[In any] struct {
	Can  func(context.Context, In) error // says why a request cannot run now
	Args func(In) any                    // what the log of calls has as the parameters
}

// Register registers do as the body of d.
func Register[In, Out any](c *Chain, d Declaration[In, Out], do func(context.Context, In) (Out, error), extras ...Extra[In]) {
	x := Extra[In]{Args: func(in In) any { return in }}
	for _, e := range extras {
		x.Can = e.Can
		if e.Args != nil {
			x.Args = e.Args
		}
	}
	take, spec := topicSteps[d.Name()], tool.Spec{}
	if s, ok := d.(toolDeclaration); ok {
		spec = s.Spec()
		take = steps{admit: true, record: !spec.ReadOnly() && !spec.Undo, undo: spec.Undo}
	}
	do = informed(c, do)
	if take.undo {
		do = undone(c, d, do)
	}
	if take.admit {
		do = admitted(c, spec, do)
	}
	do = coded(discreet(c, do))
	if take.record {
		do = recorded(c, d.Name(), x.Args, do)
	}
	d.Handle(c.Bus, do, x.Can)
}

// discreet learns what is secret before a client gets an answer, and tells the host if the client may
// see it.
func discreet[In, Out any](c *Chain, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	if c.Secrets == nil {
		return do
	}
	return func(ctx context.Context, in In) (Out, error) {
		open := tool.CallerFrom(ctx).Open
		if open == nil { // the user, or Easel itself
			return do(ctx, in)
		}
		c.Secrets.Look()
		early := c.Secrets.Open(catalog.SessionOf(in, nil), catalog.ServerOf(in))
		if early {
			open()
		}
		out, err := do(ctx, in)
		c.Secrets.Look()
		if !early && c.Secrets.Open(catalog.SessionOf(in, out), catalog.ServerOf(out)) {
			open()
		}
		return out, err
	}
}

// undone keeps what a call changes.
func undone[In, Out any](c *Chain, d Declaration[In, Out], do func(context.Context, In) (Out, error)) func(context.Context, In) (Out,
	error) {
	if c.Undo == nil {
		panic("chain: nothing keeps what " + d.Name() + " changes")
	}
	return func(ctx context.Context, in In) (Out, error) {
		call := Call{Tool: d.Name()}
		if s, ok := d.(toolDeclaration); ok {
			caller := tool.CallerFrom(ctx)
			if call.Client = caller.Name; caller.Transport != tool.Window {
				call.By = caller.String() + " · " + s.Spec().Title
			}
		}
		ctx, end := c.Undo(ctx, call)
		out, err := do(ctx, in)
		end(err)
		return out, err
	}
}

// informed says in the result or the error of a call about a session if its variables were lost.
func informed[In, Out any](c *Chain, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := do(ctx, in)
		return out, c.tellReplaced(ctx, in, &out, codes.Of(err))
	}
}

// coded turns errors into codes.
func coded[In, Out any](do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (Out, error) {
		out, err := do(ctx, in)
		return out, codes.Of(err)
	}
}
