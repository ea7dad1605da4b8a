package jupyter

import (
	"context"

	"easel/jupyter/wire"
)

// A Completion is how code can go on.
type Completion struct {
	Matches  []string
	From, To int // what a match replaces, in code points of the code
}

// CompleteCode asks how code can go on at a place, in code points. It waits for the kernel's main shell; if the
// kernel runs code, the error is ErrKernelBusy. Other errors: those of Evaluate.
func (k *Kernel) CompleteCode(ctx context.Context, code string, at int) (Completion, error) {
	var r wire.CompleteReply
	if err := k.consult(ctx, "complete_request", wire.CompleteRequest{Code: code, CursorPos: at}, &r); err != nil {
		return Completion{}, err
	}
	if err := problem(r.Reply); err != nil {
		return Completion{}, err
	}
	n := len([]rune(code))
	from := min(max(r.CursorStart, 0), n)
	return Completion{r.Matches, from, min(max(r.CursorEnd, from), n)}, nil
}

// InspectCode asks what is at a place in code, in code points. The text is that of a terminal, with its colours; it is empty if
// the kernel knows nothing. Otherwise, it is like CompleteCode.
func (k *Kernel) InspectCode(ctx context.Context, code string, at int) (text string, err error) {
	var r wire.InspectReply
	if err := k.consult(ctx, "inspect_request", wire.InspectRequest{Code: code, CursorPos: at}, &r); err != nil {
		return "", err
	}
	if err := problem(r.Reply); err != nil || !r.Found {
		return "", err
	}
	return wire.Text(r.Data["text/plain"])
}

// consult sends a request to the main shell of an idle kernel, and decodes its reply.
func (k *Kernel) consult(ctx context.Context, kind string, content, into any) error {
	if k.isBusy(ctx) {
		return ErrKernelBusy
	}
	reply, err := k.roundTrip(ctx, k.message(k.ids.next(true), wire.Shell, kind, content))
	if err != nil {
		return err
	}
	return reply.Decode(into)
}

// problem returns the error that a reply says.
func problem(r wire.Reply) error {
	switch r.Status {
	case wire.ReplyOK:
		return nil
	case wire.ReplyAborted:
		return ErrAborted
	default:
		return &EvaluationError{r.Ename, r.Evalue, r.Traceback}
	}
}
