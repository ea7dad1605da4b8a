package record

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/oversight"
)

// The recorder is an [inspect.Kernel].
var _ inspect.Kernel = (*Recorder)(nil)

// Ask evaluates an expression in a shell that is free. It asks again if the kernel restarts
// before it answers: who asks learns of the restart from the result.
func (r *Recorder) Ask(ctx context.Context, why oversight.Exemption, expr string, into any) error {
	for {
		err := r.Evaluate(ctx, why, expr, r.Session.busy(), into)
		if !errors.Is(err, jupyter.ErrKernelRestarted) || ctx.Err() != nil {
			return err
		}
	}
}

// Evaluate is Ask that says whether to evaluate beside what the main shell runs.
func (r *Recorder) Evaluate(ctx context.Context, why oversight.Exemption, expr string, subshell bool, into any) error {
	return inspect.Evaluate(ctx, r.Link.conn, why, expr, subshell, into)
}

const (
	// settleTime is how long after the end of an execution its kernel may be busy.
	settleTime = 500 * time.Millisecond
	settlePoll = 10 * time.Millisecond
)

// runs reports whether the kernel executes code that has not ended.
func (r *Recorder) runs() bool {
	shown := r.Session.running()
	if shown == nil {
		return false
	}
	x := r.env.Executions.Find(shown.ExecutionID)
	if x == nil {
		return true
	}
	return !catalog.Ended(x.Record().Status)
}

// Settled reports whether the kernel is idle. An execution ends with the kernel's reply, and
// the message that the kernel is idle follows. So if no code runs, Settled waits for it.
func (r *Recorder) Settled(ctx context.Context) bool {
	for until := time.Now().Add(settleTime); ; {
		switch {
		case !r.Session.busy():
			return true
		case r.runs() || time.Now().After(until):
			return false
		}
		select {
		case <-time.After(settlePoll):
		case <-ctx.Done():
			return false
		}
	}
}

// KeepFiguresAnew has the kernel keep its figures, whatever it is thought to do. It returns false if
// it is not to keep them.
func (r *Recorder) KeepFiguresAnew() bool {
	if r.env.Figures.Wanted == nil || !r.env.Figures.Wanted(r.managed) {
		return false
	}
	r.figures.Doubt()
	r.KeepFigures()
	return true
}

// FiguresKept reports whether the kernel keeps its figures.
func (r *Recorder) FiguresKept() bool { return r.figures.On() }

// KeepFigures has the kernel keep its figures or stop, unless it does so already. It does
// not wait for the kernel.
func (r *Recorder) KeepFigures() {
	keeper := r.env.Figures
	if keeper.Wanted == nil || !r.Link.python() {
		return
	}
	r.env.Tasks.Go(func() {
		if err := r.figures.Apply(r.env.Tasks.Context(), r, keeper, r.managed); err != nil && r.env.Tasks.Context().Err() == nil {
			r.log.Info("telling a kernel whether to keep figures", "err", err)
		}
	})
}

// glyphHint returns a hint with a font that has the characters that matplotlib drew as
// boxes in u, or "" if none were missing. It asks the kernel for the font, only for code
// that Easel ran, after its end.
func (r *Recorder) glyphHint(u *run) string {
	if !u.own || !r.Link.python() {
		return ""
	}
	r.outputs.flushText()
	missing := inspect.MissingGlyphs(u.x.Sent("stderr"))
	if len(missing) == 0 {
		return ""
	}
	hint, err := inspect.FindFont(r.env.Tasks.Context(), r, missing, r.env.Fonts, r.env.Timing.Fonts)
	if err != nil {
		r.log.Info("asking for a font", "err", err)
	}
	return hint
}
