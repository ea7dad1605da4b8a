package kernels

import (
	"context"
	"errors"
	"slices"

	"easel/mcphost/catalog"
)

// await holds u back until approve has answered. A refusal ends it as cancelled.
func (r *recorder) await(u *run, approve func(context.Context, catalog.Execution) (string, error)) {
	r.advance(u, runAwaiting)
	r.awaiting = append(r.awaiting, u)
	r.keep(u)
	ctx, cancel := context.WithCancel(r.m.ctx)
	u.withdrawApproval = cancel
	u.x.mu.Lock()
	shown := u.x.view()
	u.x.mu.Unlock()
	r.m.task(func() {
		defer cancel()
		code, err := approve(ctx, shown)
		r.post(func() { r.answered(u, code, err) })
	})
}

// answered follows the answer of await.
func (r *recorder) answered(u *run, code string, err error) {
	r.awaiting = slices.DeleteFunc(r.awaiting, func(o *run) bool { return o == u })
	if u.phase.ended() {
		return
	}
	if err != nil {
		u.x.update(func() { u.x.refused = err })
		r.finish(u, cause{status: catalog.StatusCancelled, code: refusalCode(err), message: "It did not run: " + err.Error() + "."})
		return
	}
	u.x.update(func() {
		u.x.asIs = u.x.asIs && code == u.x.rec.Code
		u.x.rec.Code, u.x.rec.Status = code, catalog.StatusQueued
	})
	r.enqueue(u)
}

// A refusal is an error of approve that knows the code that its execution ends with.
type refusal interface {
	error
	ExecutionCode() string
}

// refusalCode is the code of an execution that was not approved.
func refusalCode(err error) string {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.ExecutionCode()
	}
	return catalog.CodeCancelled
}

// Refused is why the user did not let x run. It is nil if the user approved x or was not
// asked.
func (x *Execution) Refused() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refused
}
