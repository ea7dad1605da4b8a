package notebook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/tools/codes"
)

// rangeOf returns the ids of the code cells to run: the cell at index i and, with through,
// those after it up to that index.
func rangeOf(book *notebooks.Notebook, i int, through *int) ([]string, error) {
	if through == nil {
		return []string{book.Cells[i].ID()}, nil
	}
	last := *through
	if last < 0 || last >= len(book.Cells) {
		last = len(book.Cells) - 1
	}
	if last < i {
		return nil, codes.BadValue("through", fmt.Sprintf("is %d, before the first cell to run (%d)", last, i))
	}
	var ids []string
	for _, c := range book.Cells[i : last+1] {
		if c.Type() == notebooks.Code && strings.TrimSpace(c.Source()) != "" {
			ids = append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil, &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("There is no code in the cells %d to %d.", i, last)}
	}
	return ids, nil
}

// follow starts the cell after a run that has succeeded. It returns nil if there is none, or
// if it cannot be started; then run.reason says why. Cells that were deleted meanwhile are left
// out.
func (n *cellRunner) follow(ctx context.Context, at place, caller tool.Caller, run *cellRun, timeout time.Duration) *cellRun {
	if len(run.left) == 0 {
		return nil
	}
	v, err := run.x.View(ctx, "")
	if err != nil {
		run.reason = "the outcome of the last cell is unknown: " + err.Error()
		return nil
	}
	if v.Status != catalog.StatusOK {
		if run.reason = whyEnded(v); run.x.Refused() != nil {
			run.reason = run.x.Refused().Error()
		}
		return nil
	}
	for left := run.left; len(left) > 0; left = left[1:] {
		next, err := n.next(ctx, at, caller, left, timeout)
		if err == nil {
			return next
		}
		if !errors.Is(err, notebooks.ErrCellNotFound) {
			n.log.WarnContext(ctx, "running the next cell", "notebook", at.path, "cell", left[0], "err", err)
			run.reason = "the next cell could not be run: " + strings.TrimRight(tool.AsError(codes.Of(err)).Detail, ".")
			return nil
		}
	}
	run.reason = "the other cells were deleted"
	return nil
}

// next starts the first of the cells, wherever the notebook can be written now.
func (n *cellRunner) next(ctx context.Context, at place, caller tool.Caller, cells []string, timeout time.Duration) (*cellRun, error) {
	d, err := n.open.documentNow(ctx, &at)
	if err != nil {
		return nil, n.open.documentError(ctx, at, err)
	}
	return n.start(ctx, at, d, caller, cells, timeout)
}

// whyEnded says why a range of cells ended with v.
func whyEnded(v catalog.Execution) string {
	switch v.Status {
	case catalog.StatusError:
		return "the last cell failed"
	case catalog.StatusInterrupted:
		if record.Uninterrupted(v) {
			return "the last cell ended with KeyboardInterrupt"
		}
		return "the last cell was interrupted, or its kernel was restarted"
	case catalog.StatusTimeout:
		return "the last cell reached its timeout"
	case catalog.StatusCancelled:
		return "the last cell was cancelled"
	case catalog.StatusKernelDied:
		return "the kernel died or was restarted"
	default:
		return "it is unknown whether the last cell ran to its end"
	}
}

// whyLeft returns why the cells in r.left do not run now, or "" if they do after r.
func (r *cellRun) whyLeft(ctx context.Context) string {
	switch {
	case len(r.left) == 0:
		return ""
	case r.hasEnded():
		return r.reason
	}
	select {
	case <-r.x.Done():
	default:
		return ""
	}
	if v, err := r.x.View(context.WithoutCancel(ctx), ""); err == nil && v.Status != catalog.StatusOK {
		return whyEnded(v)
	}
	return "the outputs of the last cell are not saved yet; the others run after that"
}

func (n *cellRunner) ranCell(ctx context.Context, r *cellRun) catalog.RanCell {
	c := catalog.RanCell{Index: r.index, CellID: r.cell, ExecutionID: r.x.ID(), Unsaved: r.hasEnded() && r.saved != nil}
	if v, err := r.x.View(context.WithoutCancel(ctx), ""); err == nil {
		c.Status, c.Images = v.Status, len(v.Images)
	}
	return c
}

// addPictures adds what the earlier cells of a range drew to its result, which contains the first
// pictures of all of them.
func (n *cellRunner) addPictures(ctx context.Context, out *catalog.CellChanged, earlier []*cellRun) {
	for _, r := range earlier {
		v, err := r.x.View(context.WithoutCancel(ctx), "")
		if err != nil {
			continue // get_execution says why
		}
		for _, im := range v.Images {
			im.Cell = &catalog.PlotCell{CellID: r.cell, Index: new(r.index), Count: v.ExecutionCount}
			out.Images = append(out.Images, im)
		}
	}
	n.runner.Results.Complete(ctx, out.Images)
	x, mode := out.Execution, oversight.DeliveryTo(n.runner.Store.Snapshot(), tool.CallerFrom(ctx), "").Mode
	x.Inline = oversight.Inline(mode, slices.Concat(out.Images, x.Images))
}

// addOutputs adds what the earlier cells of a range displayed to its result: each cell's share of what a
// result has.
func (n *cellRunner) addOutputs(ctx context.Context, out *catalog.CellChanged, earlier []*cellRun) {
	const least = 400
	caller := tool.CallerFrom(ctx)
	final := caller.Transport == tool.MCP
	left := n.runner.Store.Snapshot().OutputKB(caller) * 1000
	for i, r := range earlier[:min(len(earlier), len(out.Ran))] {
		share := max(least, left/(len(earlier)-i))
		v, err := r.x.Read(context.WithoutCancel(ctx), execution.ReadOptions{Limit: share, Final: final})
		if err != nil || left <= 0 {
			out.Ran[i].Cut = true
			continue
		}
		for _, o := range v.Outputs {
			if len(o.Text) > share {
				o.Text, out.Ran[i].Cut = truncate.Middle(o.Text, share), true
			}
			left -= len(o.Text)
			out.Ran[i].Outputs = append(out.Ran[i].Outputs, o)
		}
		out.Ran[i].Cut = out.Ran[i].Cut || len(v.Truncated) > 0
	}
}

// latest are the latest runs of cells, so that get_execution can say what became of them after
// their call has returned. The zero value is ready to use.
type latest struct {
	mu   sync.Mutex
	runs []*cellRun // oldest first
}

// maxLatest is the largest number of runs that are remembered.
const maxLatest = 256

func (l *latest) add(run *cellRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs = append(l.runs, run)
	l.runs = slices.Delete(l.runs, 0, max(0, len(l.runs)-maxLatest))
}

// of returns the run of a cell, or nil.
func (l *latest) of(execution string) *cellRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, run := range slices.Backward(l.runs) {
		if run.x.ID() == execution {
			return run
		}
	}
	return nil
}

// hintCell says what became of a cell that has run: whether its outputs are in the notebook, and how
// its range goes on; "" if there is nothing to say. If the cell has just ended, and wait is set, it
// waits until that is known.
func (n *cellRunner) hintCell(ctx context.Context, x *execution.Execution, wait bool) string {
	run := n.ran.of(x.ID())
	if run == nil {
		return ""
	}
	select {
	case <-x.Done():
	default:
		return ""
	}
	if known := run.hasEnded() || wait && run.settled(ctx); !known {
		if why := run.whyLeft(ctx); why != "" {
			return fmt.Sprintf("Cells left: %d; %s.", len(run.left), why)
		}
		return "Its outputs are not in the notebook yet."
	}
	var said []string
	if run.saved != nil && !errors.Is(run.saved, errNeverRan) {
		said = append(said, fmt.Sprintf("Its outputs were not saved into the notebook: %v.", run.saved))
	}
	switch {
	case run.next != nil:
		which := "the last cell"
		if n := len(run.next.left); n > 0 {
			which = fmt.Sprintf("the next cell (%d more after it)", n)
		}
		said = append(said, fmt.Sprintf("The range goes on: get_execution with execution_id %s follows %s, at index %d.", run.next.x.ID(), which, run.next.index))
	case len(run.left) > 0:
		said = append(said, fmt.Sprintf("The range ended here: %s. Cells that were not run: %d.", run.reason, len(run.left)))
	}
	return strings.Join(said, " ")
}
