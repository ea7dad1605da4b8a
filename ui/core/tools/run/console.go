package run

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/tools/chain"
)

// consolePatience limits what the user waits for while they type. Code may have begun to run meanwhile. The first completion in
// a kernel may take long, because it reads the sources of modules.
const consolePatience = time.Minute

// registerConsole registers what the line asks in which the user types code.
func (v *variables) registerConsole(c *chain.Chain) {
	chain.Register(c, command.CompleteCode, func(ctx context.Context, in command.CodeAt) (out command.CodeCompletion, err error) {
		err = soon(ctx, func(ctx context.Context) error {
			found, err := kernels.CompleteCode(ctx, v.kernels, in.SessionID, in.Code, in.At)
			out = command.CodeCompletion{Matches: found.Matches, From: found.From, To: found.To}
			return err
		})
		return out, err
	})
	chain.Register(c, command.InspectCode, func(ctx context.Context, in command.CodeAt) (text string, err error) {
		err = soon(ctx, func(ctx context.Context) (err error) {
			text, err = kernels.InspectCode(ctx, v.kernels, in.SessionID, in.Code, in.At)
			return err
		})
		return text, err
	})
}

// soon asks a kernel something that it answers at once if it is idle.
func soon(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, consolePatience, jupyter.ErrKernelBusy)
	defer cancel()
	err := ask(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = jupyter.ErrKernelBusy
	}
	return err
}
