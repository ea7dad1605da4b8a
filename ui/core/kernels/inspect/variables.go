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
// jupyter.ErrKernelBusy. For kernels of some languages, it is ErrLanguage.
func Variables(ctx context.Context, k Kernel, filter string) ([]catalog.Variable, error) {
	vs := []catalog.Variable{}
	err := k.Ask(ctx, oversight.ReadVariables, Question{
		Task:     "list the variables",
		Python:   Expression("variables(ns, " + Quote(filter) + ", " + strconv.Itoa(maxVariables) + ")"),
		Function: "variables", Args: []any{filter, maxVariables},
	}, &vs)
	return vs, err
}
