package kernels

import (
	"context"

	"easel/jupyter"
	"easel/ui/core/kernels/record"
)

// CompleteCode asks the kernel of a session how code can go on at a place, in code points. The error is
// jupyter.ErrKernelBusy if it runs code.
func CompleteCode(ctx context.Context, m *Manager, id, code string, at int) (c jupyter.Completion, err error) {
	err = consult(ctx, m, id, func(q *record.Inquiry) (err error) {
		c, err = q.CompleteCode(ctx, code, at)
		return err
	})
	return c, err
}

// InspectCode is like CompleteCode for what is at the place.
func InspectCode(ctx context.Context, m *Manager, id, code string, at int) (text string, err error) {
	err = consult(ctx, m, id, func(q *record.Inquiry) (err error) {
		text, err = q.InspectCode(ctx, code, at)
		return err
	})
	return text, err
}

// consult asks an idle kernel. A session that is not joined is joined: the user types code for it.
func consult(ctx context.Context, m *Manager, id string, ask func(*record.Inquiry) error) error {
	r, err := m.readable(ctx, id, false, m.joined)
	if err != nil {
		return err
	}
	if !r.Inquiry.Settled(ctx) {
		return jupyter.ErrKernelBusy
	}
	return ask(r.Inquiry)
}
