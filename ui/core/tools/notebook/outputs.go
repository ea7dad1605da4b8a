package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/notebooks"
)

// save writes the outputs of an ended run to its cell. If the run updated displays of
// earlier runs, save writes the outputs of those to their cells, too.
func (n *cellRunner) save(ctx context.Context, at place, caller tool.Caller, run *cellRun) error {
	if v, err := run.x.View(ctx, ""); err == nil && v.StartedAt == nil {
		return errNeverRan
	}
	n.followRename(ctx, &at, run)
	if run.tab != nil {
		// What nobody shows any more is saved in the file.
		if err := n.saveTab(ctx, at, run); !errors.Is(err, errTabClosed) {
			run.x.Cell().Forget()
			return err
		}
	}
	if run.shared != nil {
		select {
		case <-run.shown: // otherwise, it could remove the outputs again
		case <-ctx.Done():
		}
	}
	n.mu.Lock()
	runs := append([]*cellRun{run}, n.earlier[at]...)
	n.mu.Unlock()
	var stale []*cellRun
	var versions []int
	var rans []notebooks.Ran
	for _, r := range runs {
		outputs, v := r.x.Cell().Outputs()
		if r != run && v == r.version {
			continue
		}
		ran, err := n.ranOf(ctx, r, outputs)
		if err != nil {
			return err
		}
		stale, versions, rans = append(stale, r), append(versions, v), append(rans, ran)
	}
	edit, saved := notebooks.SaveRuns(rans)
	d, err := n.open.documentNow(ctx, &at)
	if err == nil {
		err = d.Edit(ctx, edit)
	}
	if err == nil && !saved(run.cell) {
		err = fmt.Errorf("%w: the cell was removed or changed", notebooks.ErrChanged)
	}
	if err != nil {
		n.log.WarnContext(ctx, "saving the outputs of a cell", "notebook", at.path, "cell", run.cell, "err", err)
		run.x.Cell().Forget()
		if run.shared != nil {
			_ = run.shared.Stop(ctx, run.cell) // the cell may be gone
		}
		return err
	}
	n.known.seen.By(caller.Process(), at.Client, at.path).Did(edit)
	n.mu.Lock()
	defer n.mu.Unlock()
	for i, r := range stale {
		r.version = versions[i]
	}
	n.keepEarlier(at, run)
	return nil
}

// maxEarlier is the largest number of runs of one notebook that are kept for updates of
// their displays.
const maxEarlier = 16

// keepEarlier adds a run whose displays may be updated to n.earlier. It removes earlier runs
// of the same cell and those of other sessions. The caller holds n.mu.
func (n *cellRunner) keepEarlier(at place, run *cellRun) {
	var kept []*cellRun
	for _, r := range n.earlier[at] {
		if r.cell == run.cell || r.session != run.session {
			r.x.Cell().Forget()
		} else {
			kept = append(kept, r)
		}
	}
	if run.x.Cell().Updatable() {
		kept = append(kept, run)
	} else {
		run.x.Cell().Forget()
	}
	for len(kept) > maxEarlier {
		kept[0].x.Cell().Forget()
		kept = kept[1:]
	}
	if len(kept) == 0 {
		delete(n.earlier, at)
		return
	}
	n.earlier[at] = kept
}

// ranOf returns what a run writes to its cell.
func (n *cellRunner) ranOf(ctx context.Context, r *cellRun, outputs []json.RawMessage) (notebooks.Ran, error) {
	v, err := r.x.View(ctx, "")
	if err != nil {
		return notebooks.Ran{}, err
	}
	ran := notebooks.Ran{CellID: r.cell, Asked: r.asked, Code: v.Code, Count: v.ExecutionCount, Outputs: outputs}
	if strings.TrimSpace(v.Code) == "" {
		ran.Count = 0 // kernels do not count empty cells
	}
	if v.Error != nil && v.Error.Code != catalog.CodeExecution && !hasError(outputs) {
		// The kernel did not send this error, for example a timeout. Without an error
		// output, the cell would look as if it had succeeded.
		raw, err := json.Marshal(map[string]any{
			"output_type": "error", "ename": v.Error.Code, "evalue": v.Error.Message, "traceback": []string{v.Error.Code + ": " + v.Error.Message},
		})
		if err != nil {
			return ran, err
		}
		ran.Outputs = append(ran.Outputs, raw)
	}
	info, err := n.kernels.Info(ctx, r.session)
	if err != nil && !errors.Is(err, kernels.ErrSessionNotFound) && !errors.Is(err, jupyter.ErrUnreachable) {
		return ran, err
	}
	ran.Language, ran.Version = info.Language, info.LanguageVersion
	return ran, nil
}

func hasError(outputs []json.RawMessage) bool {
	for _, raw := range outputs {
		var o struct {
			OutputType string `json:"output_type"`
		}
		if json.Unmarshal(raw, &o) == nil && o.OutputType == "error" {
			return true
		}
	}
	return false
}
