package notebook

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/past"
)

// nameError is the exception that Python raises for an undefined name.
const nameError = "NameError"

// hintAbove returns a hint for the cell at index, which failed with a NameError: the code
// cells above it that this kernel has not run. It returns "" if there are none, or if the
// kernel has also run code that Easel does not know.
func (n *cellRunner) hintAbove(ctx context.Context, v catalog.Execution, d notebooks.Document, index int) string {
	if v.Error == nil || v.Error.Type != nameError {
		return ""
	}
	this, err := n.library.Executions.Get(ctx, v.ExecutionID)
	if err != nil {
		return "" // the hint is optional
	}
	all, err := past.Executions(ctx, n.library, this.SessionID)
	if err != nil {
		return ""
	}
	ran, counted := make(map[string]bool), 0
	for _, x := range all {
		if x.KernelID == this.KernelID && x.Generation == this.Generation && x.Count > 0 {
			ran[x.Code], counted = true, counted+1
		}
	}
	if this.Count > counted {
		return ""
	}
	book, err := d.Read(ctx)
	if err != nil {
		return ""
	}
	var missing []int
	for i, c := range book.Cells[:min(index, len(book.Cells))] {
		if c.Type() == notebooks.Code && strings.TrimSpace(c.Source()) != "" && !ran[c.Source()] {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("This kernel has not run the code cells above this one with index %s: call notebook_run_cell for each of them, in order, and then for this cell.", enumerate(missing))
}

// manyCells is the largest number of cells that are listed one by one.
const manyCells = 12

// enumerate lists numbers, for example "0, 1 and 4", or "0 to 20" if there are many.
func enumerate(ns []int) string {
	if len(ns) > manyCells {
		return fmt.Sprintf("%d to %d", ns[0], ns[len(ns)-1])
	}
	words := make([]string, len(ns))
	for i, n := range ns {
		words[i] = strconv.Itoa(n)
	}
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
