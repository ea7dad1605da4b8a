package inspect

import (
	"context"
	_ "embed"
	"strconv"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
)

// maxVariables is the largest number of variables that Variables returns.
const maxVariables = 2000

// Variables describes the user's variables in a kernel whose name or type contains filter. If the
// kernel supports subshells, it works while code runs. Otherwise, the error for a busy kernel is
// jupyter.ErrKernelBusy. For kernels of other languages, it is ErrNotPython.
func Variables(ctx context.Context, k Kernel, filter string) ([]catalog.Variable, error) {
	call := "variables(ns, " + Quote(filter) + ", " + strconv.Itoa(maxVariables) + ")"
	vs := []catalog.Variable{}
	err := k.Ask(ctx, oversight.ReadVariables, Expression(call), &vs)
	return vs, err
}
