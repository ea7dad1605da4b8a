package kernels

import (
	"context"
	"errors"
	"slices"

	"easel/mcphost/catalog"
)

// await asks approve whether u may run, without blocking. answered handles the result.
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

// answered queues u if it was approved, and ends it as cancelled otherwise. It ignores the
// answer if u has ended meanwhile.
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

// A refusal is an error of approve that determines the error code of the execution.
type refusal interface {
	error
	ExecutionCode() string
}

// refusalCode returns the error code of an execution that was not approved.
func refusalCode(err error) string {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.ExecutionCode()
	}
	return catalog.CodeCancelled
}

// Refused returns why x was not approved, or nil if it was approved, is still waiting, or
// needed no approval.
func (x *Execution) Refused() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.refused
}
