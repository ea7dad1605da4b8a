package pool

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/oversight"
)

// Environment returns what the kernel runs in. It is for a kernel that runs no code now.
func (h *HiddenKernel) Environment(ctx context.Context) (catalog.Environment, error) {
	if info := h.Info(); !info.Python() {
		return catalog.Environment{Language: info.Language, Version: info.LanguageVersion}, nil
	}
	said, err := inspect.DescribeEnvironment(ctx, func(ctx context.Context, why oversight.Exemption, expr string, into any) error {
		return inspect.Evaluate(ctx, h.Kernel, why, expr, false, into)
	}, inspect.Environment{})
	if err != nil {
		return said.Environment, err
	}
	inspect.WorkTree{}.Now(ctx, said).Complete(&said.Environment)
	return said.Environment, nil
}
