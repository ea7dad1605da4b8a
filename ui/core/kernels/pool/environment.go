package pool

import (
	"context"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/oversight"
)

// Inquiry returns what asks the kernel Easel's questions. Nothing else may run in it.
func (h *HiddenKernel) Inquiry() inspect.Kernel { return inquiry{h.Kernel} }

// An inquiry is that of a hidden kernel.
type inquiry struct{ conn *jupyter.Kernel }

// Ask asks a question.
func (q inquiry) Ask(ctx context.Context, why oversight.Exemption, ask inspect.Question, into any) error {
	return inspect.Evaluate(ctx, q.conn, why, ask, false, into)
}

// Evaluate asks a question.
func (q inquiry) Evaluate(ctx context.Context, why oversight.Exemption, ask inspect.Question, subshell bool, into any) error {
	return inspect.Evaluate(ctx, q.conn, why, ask, subshell, into)
}

// Settled reports that no code runs.
func (q inquiry) Settled(context.Context) bool { return true }

// Environment returns what the kernel runs in. It is for a kernel that runs no code now.
func (h *HiddenKernel) Environment(ctx context.Context) (catalog.Environment, error) {
	if info := h.Info(); !info.Python() {
		return catalog.Environment{Language: info.Language, Version: info.LanguageVersion}, nil
	}
	said, err := inspect.DescribeEnvironment(ctx, func(ctx context.Context, why oversight.Exemption, ask inspect.Question, into any) error {
		return inspect.Evaluate(ctx, h.Kernel, why, ask, false, into)
	}, inspect.Environment{})
	if err != nil {
		return said.Environment, err
	}
	inspect.WorkTree{}.Now(ctx, said, h.notebook).Complete(&said.Environment)
	return said.Environment, nil
}
