package record

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/oversight"
)

// An Inquiry asks a kernel for something, beside the code that it runs. It is an [inspect.Kernel],
// and its methods may be called on any goroutine.
type Inquiry struct {
	link       *Link
	session    *Session
	executions *execution.Registry
}

var _ inspect.Kernel = (*Inquiry)(nil)

// Ask asks in a shell that is free. It asks again if the kernel restarts before it answers: who asks learns of the restart
// from the result. So it does if the kernel drops the question because code that came before has failed, and once if an
// interrupt, which was meant for such code, has hit the question.
func (q *Inquiry) Ask(ctx context.Context, why oversight.Exemption, ask inspect.Question, into any) error {
	for interrupted := false; ; {
		err := q.Evaluate(ctx, why, ask, q.session.busy(), into)
		switch {
		case ctx.Err() != nil:
			return err
		case errors.Is(err, jupyter.ErrKernelRestarted), errors.Is(err, jupyter.ErrAborted):
		case errors.Is(err, inspect.ErrInterrupted) && !interrupted:
			interrupted = true
		default:
			return err
		}
	}
}

// Evaluate is Ask that says whether to ask beside what the main shell runs.
func (q *Inquiry) Evaluate(ctx context.Context, why oversight.Exemption, ask inspect.Question, subshell bool, into any) error {
	return inspect.Evaluate(ctx, q.link.conn, why, ask, subshell, into)
}

// CompleteCode asks an idle kernel how code can go on; see [jupyter.Kernel.CompleteCode].
func (q *Inquiry) CompleteCode(ctx context.Context, code string, at int) (jupyter.Completion, error) {
	return q.link.conn.CompleteCode(ctx, code, at)
}

// InspectCode asks an idle kernel what is at a place in code.
func (q *Inquiry) InspectCode(ctx context.Context, code string, at int) (string, error) {
	return q.link.conn.InspectCode(ctx, code, at)
}

const (
	// settleTime is how long after the end of an execution its kernel may be busy.
	settleTime = 500 * time.Millisecond
	settlePoll = 10 * time.Millisecond
)

// runs reports whether the kernel executes code that has not ended.
func (q *Inquiry) runs() bool {
	shown := q.session.running()
	if shown == nil {
		return false
	}
	x := q.executions.Find(shown.ExecutionID)
	if x == nil {
		return true
	}
	return !catalog.Ended(x.Record().Status)
}

// Settled reports whether the kernel is idle. An execution ends with the kernel's reply, and
// the message that the kernel is idle follows. So if no code runs, Settled waits for it.
func (q *Inquiry) Settled(ctx context.Context) bool {
	for until := time.Now().Add(settleTime); ; {
		switch {
		case !q.session.busy():
			return true
		case q.runs() || time.Now().After(until):
			return false
		}
		select {
		case <-time.After(settlePoll):
		case <-ctx.Done():
			return false
		}
	}
}
