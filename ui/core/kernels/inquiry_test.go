package kernels_test

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"easel/internal/require"
	"easel/jupyter/wire"
	"easel/ui/core/kernels/inspect"
)

// TestAQuestionThatCodeHasHit checks what becomes of a question for the variables that the kernel drops because earlier code has
// failed, or that is hit by the interrupt of code that has just ended.
func TestAQuestionThatCodeHasHit(t *testing.T) {
	t.Parallel()
	aborted := wire.ExecuteReply{Status: wire.ReplyAborted}
	interrupted := wire.ExecuteReply{Status: "error", Ename: "KeyboardInterrupt"}
	inside := func(ename string) wire.ExecuteReply {
		return wire.ExecuteReply{Status: wire.ReplyOK, UserExpressions: map[string]wire.ExpressionResult{"easel": {Status: "error", Ename: ename, Evalue: "why"}}}
	}
	none := wire.ExecuteReply{Status: wire.ReplyOK, UserExpressions: map[string]wire.ExpressionResult{
		"easel": {Status: wire.ReplyOK, Data: map[string]json.RawMessage{"application/vnd.easel.answer": json.RawMessage(`"[]"`)}},
	}}
	for name, c := range map[string]struct {
		replies []wire.ExecuteReply // the last one again and again
		want    error
	}{
		"dropped":                     {[]wire.ExecuteReply{aborted, aborted, none}, nil},
		"interrupted":                 {[]wire.ExecuteReply{interrupted, none}, nil},
		"interrupted in the function": {[]wire.ExecuteReply{inside("KeyboardInterrupt"), none}, nil},
		"interrupted again":           {[]wire.ExecuteReply{inside("KeyboardInterrupt")}, inspect.ErrInterrupted},
		"an exception":                {[]wire.ExecuteReply{inside("MemoryError")}, inspect.ErrUnanswered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, srv := newFake(t)
			s := d.session()
			var asked atomic.Int64
			srv.Kernel(s.KernelID).OnEvaluate(func(wire.ExecuteRequest) wire.ExecuteReply {
				return c.replies[min(int(asked.Add(1)), len(c.replies))-1]
			})
			if vs, err := d.Variables(d.context(), s.ID, ""); !errors.Is(err, c.want) || len(vs) != 0 {
				t.Errorf("%v, %v; asked %d times", vs, err, asked.Load())
			}
			require.NoError(t, d.context().Err())
		})
	}
}
