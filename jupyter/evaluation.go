package jupyter

import (
	"context"
	"errors"

	"easel/jupyter/wire"
)

// An Evaluation requests the values of expressions.
type Evaluation struct {
	Beside      string            // runs first, silently, in a subshell only; may be ""
	Code        string            // runs next, silently; may be ""
	Expressions map[string]string // by names that the caller chooses
	Page        string            // the name of a value: what Code asks to show in a pager; "" if it asks for nothing
	// Subshell evaluates while other code runs in the main shell. A kernel without
	// subshells answers only while it is idle; while it is busy, the error is
	// ErrKernelBusy.
	Subshell bool
	// Quiet says that neither Code nor Expressions print or display anything. What comes meanwhile
	// is then late output of threads, which Next returns.
	Quiet bool
}

// An ExpressionResult is the value of an expression or the exception that it raised.
type ExpressionResult = wire.ExpressionResult

// Evaluate runs code and evaluates expressions without side effects: no count, no
// history, no messages from Next. It waits for the reply. Errors: *[EvaluationError] if
// Code raised an exception, ErrKernelBusy, ErrKernelRestarted, ErrAborted,
// ErrDisconnected, ErrClosed.
func (k *Kernel) Evaluate(ctx context.Context, e Evaluation) (map[string]ExpressionResult, error) {
	if !e.Subshell {
		return k.evaluate(ctx, e, "")
	}
	if !k.info.Subshells {
		if k.isBusy(ctx) {
			return nil, ErrKernelBusy
		}
		return k.evaluate(ctx, e, "")
	}
	for again := false; ; again = true {
		id, err := k.subshell.id(ctx, k)
		if err != nil {
			return nil, err
		}
		values, err := k.evaluate(ctx, e, id)
		if x, ok := errors.AsType[*EvaluationError](err); !again && ok && x.Ename == "UnknownSubshellError" {
			k.subshell.forget() // another client deleted it
			continue
		}
		return values, err
	}
}

// evaluate is Evaluate in the given subshell; "" is the main shell.
func (k *Kernel) evaluate(ctx context.Context, e Evaluation, subshell string) (map[string]ExpressionResult, error) {
	expressions := e.Expressions
	if expressions == nil {
		expressions = map[string]string{}
	}
	code := e.Code
	if subshell != "" {
		code = e.Beside + code
	}
	m := k.executeRequest(k.ids.next(true), wire.ExecuteRequest{
		Code: code, Silent: true, UserExpressions: expressions, AllowStdin: subshell != "" && k.shell.mayAsk(k.ids.isOurs),
	})
	m.Header.SubshellID = subshell
	if e.Quiet {
		k.late.hush(m.Header.MsgID)
	}
	reply, err := k.roundTrip(ctx, m)
	if err != nil {
		return nil, err
	}
	var r wire.ExecuteReply
	if err := reply.Decode(&r); err != nil {
		return nil, err
	}
	switch r.Status {
	case wire.ReplyOK:
		return e.withPage(r), nil
	case wire.ReplyAborted:
		return nil, ErrAborted
	default:
		return nil, &EvaluationError{r.Ename, r.Evalue, r.Traceback}
	}
}

// withPage returns the values of a reply, with its page.
func (e Evaluation) withPage(r wire.ExecuteReply) map[string]ExpressionResult {
	for _, payload := range r.Payload {
		if data, ok := wire.Page(payload); ok && e.Page != "" {
			return map[string]ExpressionResult{e.Page: {Status: wire.ReplyOK, Data: data}}
		}
	}
	return r.UserExpressions
}
