package record

import (
	"context"
	"encoding/base32"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// newID returns an id that sorts by time: the 48 bits of milliseconds and 40 of the random
// bits of a UUID version 7 (RFC 9562), in base 32. Models read ids in every result; this
// one costs them half as many tokens as the UUID.
func newID() string {
	id := uuid.Must(uuid.NewV7())
	return idEncoding.EncodeToString(slices.Concat(id[:6], id[11:]))
}

// idEncoding is Crockford's base 32, which has no characters that look alike. It uses lower
// case because some file systems ignore case.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// A Request is code to run.
type Request struct {
	SessionID string
	Code      string
	Timeout   time.Duration // 0 for the default
	Cell      string        // id of the notebook's cell that it runs; empty if none
	Outputs   bool          // keep its outputs for a notebook; see execution.Cell
	Caller    tool.Caller   // who requests it; whether that allows it is decided when it is sent, see Config.Gate

	// Begun, if not nil, is called on a goroutine of its own when the kernel has started
	// the code.
	Begun func(ctx context.Context)

	// Send, if not nil, makes another client send the code to the kernel, and returns
	// when that client has run it or cannot run it. It is called on a goroutine of its
	// own when the kernel is free. If it fails before the kernel has reported the code,
	// the execution ends with its error. It must call may right before it sends the code, and
	// return may's error, if there is one, instead of sending it.
	Send func(ctx context.Context, code string, may func() error) error

	// Recall means that Send takes the code back when its context ends. The context ends when the execution is
	// interrupted or cancelled before the kernel has reported the code.
	Recall bool
}

// ErrEnded reports that a session has just ended.
var ErrEnded = errors.New("the session has just ended")

// Execute adds code to the queue and returns immediately. The execution continues after ctx ends.
func (r *Recorder) Execute(ctx context.Context, q Request) (*execution.Execution, error) {
	if err := r.Link.tokenRefused(ctx); err != nil {
		return nil, err
	}
	if q.Send == nil && r.Link.Info().CellsOnly {
		return nil, inspect.ErrCellsOnly
	}
	sess := r.Session.Stored()
	x := execution.NewSent(r.env.Library, library.Execution{
		ID: newID(), SessionID: sess.ID, KernelID: sess.KernelID, Generation: sess.Generation,
		Code: q.Code, Client: q.Caller.Name, ClientVersion: q.Caller.Version, Assistant: q.Caller.Assistant,
		Transport: string(q.Caller.Transport), Status: catalog.StatusQueued, Own: true, Cell: q.Cell, Timeout: q.Timeout,
		CreatedAt: time.Now().UTC(),
	}, q.Outputs)
	u := &queuedExecution{
		x: x, own: true, asked: sessionuse.ActorBy(q.Caller), timeout: q.Timeout, cell: q.Outputs, send: q.Send, recalls: q.Recall,
		begun: q.Begun, by: oversight.SenderOf(q.Caller, sess.ID, sess.Project), asks: r.env.Asker != nil,
	}
	u.risky = func() []catalog.Risk { return r.risks.of(u) }
	r.env.Executions.Add(x)
	var err error
	if !r.mail.call(func() { err = r.dispatch.accept(u) }) {
		err = ErrEnded
	}
	if err != nil {
		r.env.Executions.Remove(x)
		return nil, err
	}
	return x, nil
}
