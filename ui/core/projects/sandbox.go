package projects

import (
	"errors"
	"fmt"

	"easel/jupyter/sandbox"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// boxes are the sandboxes of projects.
type boxes struct {
	store     *state.Store
	access    *access
	byDefault bool // the projects of the command line have one
	available func(p sandbox.Policy) (sandbox.Backend, error)
}

// of returns what the kernels of a project may do, or nil if they have no sandbox.
func (b *boxes) of(root string) *sandbox.Policy {
	x, ok := b.store.Snapshot().Settings.Sandboxes.Of(root)
	if !ok && (!b.byDefault || !b.access.onCommandLine(root)) {
		return nil
	}
	return policy(x)
}

func policy(x state.Sandbox) *sandbox.Policy {
	return &sandbox.Policy{Network: x.Network, Read: x.Read, Write: x.Write}
}

// check returns an *Error if the user wants a sandbox for a project, and there is none here.
func (b *boxes) check(root string) error {
	wanted := b.of(root)
	if wanted == nil {
		return nil
	}
	_, err := b.available(*wanted)
	if e, ok := errors.AsType[*sandbox.UnavailableError](err); ok {
		return &Error{
			Problem: NoSandbox, Err: err, Remedy: e.Remedy,
			Detail: fmt.Sprintf("the user wants the kernels of %s in a sandbox, so none starts without one: %s", root, e.Why),
		}
	}
	return err
}

// tell tells the server of a project what its kernels may do.
func (b *boxes) tell(o *openProject) error {
	wanted := b.of(o.root)
	host, ok := o.host.(interface {
		SetSandbox(policy *sandbox.Policy) error
	})
	switch {
	case ok:
		return host.SetSandbox(wanted)
	case wanted != nil:
		return &Error{Problem: NoSandbox, Detail: "the kernels of " + o.root + " cannot run in a sandbox", Remedy: "Ask the user to turn it off."}
	}
	return nil
}

// SetSandbox sets whether kernels of a project that start from now on run in a sandbox.
func (p *Projects) SetSandbox(in command.SandboxIn) (out command.SandboxOut, err error) {
	wanted := state.Sandbox{Network: in.Network, Read: in.Read, Write: in.Write}
	p.c.Store.Update(func(n *state.Snapshot) {
		if in.On {
			n.Settings.Sandboxes = n.Settings.Sandboxes.With(in.Root, wanted)
		} else {
			n.Settings.Sandboxes = n.Settings.Sandboxes.Without(in.Root)
		}
	})
	if in.On {
		_, err := p.boxes.available(*policy(wanted))
		if e, ok := errors.AsType[*sandbox.UnavailableError](err); ok {
			out.Unavailable = e.Why
		}
	}
	p.running.mu.Lock()
	var open []*openProject
	for _, o := range p.running.open { // those below it, too
		if below(in.Root, o.root) {
			open = append(open, o)
		}
	}
	p.running.mu.Unlock()
	for _, o := range open {
		err = errors.Join(err, p.boxes.tell(o))
	}
	return out, err
}

// confined returns the folder of a project whose interpreter runs only in a sandbox, or "".
func (b *boxes) confined(root string) string {
	if b.of(root) == nil {
		return ""
	}
	return root
}
