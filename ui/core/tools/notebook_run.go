package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/notebooks"
)

func notCode(cellType string) error {
	return &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("Only code cells can be run; this is a %s cell.", cellType)}
}

func (n *notebookBodies) runCell(ctx context.Context, in catalog.NotebookRunCellIn) (catalog.CellChanged, error) {
	out := catalog.CellChanged{Result: catalog.OK}
	short, cancel := patience(ctx)
	defer cancel()
	at, err := n.notebook(short, in.Path)
	if err != nil {
		return out, err
	}
	book, err := n.files.Read(short, at.Client, at.path)
	if err != nil {
		return out, notebookError(at.path, err)
	}
	i, err := book.Find(ref(in.CellRef))
	if err != nil {
		return out, notebookError(at.path, err)
	}
	if err := n.allow(at)(short); err != nil {
		return out, notebookError(at.path, err)
	}
	out.Path, out.CellID, out.Index = at.path, book.Cells[i].ID(), i
	wait := defaultWait
	if in.Wait != nil {
		wait = seconds(*in.Wait)
	}
	return n.run(ctx, at, out, seconds(in.Timeout), wait)
}

// A cellRun is the run of a notebook's cell.
type cellRun struct {
	x       *kernels.Execution
	cell    string // id
	asked   string // the source of the cell when it was run
	session string
	version int // of the outputs that were saved; see kernels.Execution.CellOutputs
}

// run runs a code cell and waits up to wait for its end. When the cell ends, even after run
// has returned, its outputs are saved. The caller has checked that the notebook may be
// written.
func (n *notebookBodies) run(ctx context.Context, at place, out catalog.CellChanged, timeout, wait time.Duration) (catalog.CellChanged, error) {
	began := time.Now()
	short, cancel := patience(ctx)
	defer cancel()
	book, err := n.files.Read(short, at.Client, at.path)
	if err != nil {
		return out, notebookError(at.path, err)
	}
	i, err := book.Find(notebooks.Ref{ID: out.CellID})
	if err != nil {
		return out, notebookError(at.path, err)
	}
	cell := book.Cells[i]
	if cell.Type() != notebooks.Code {
		return out, notCode(cell.Type())
	}
	caller := tool.CallerFrom(ctx)
	session, err := n.Kernels.Create(short, at.Name, n.kernelFor(short, at, book.Kernel()), at.path, caller.Name)
	if err != nil {
		return out, err
	}
	x, err := n.Kernels.Execute(short, kernels.Request{
		SessionID: session.ID, Code: cell.Source(), Timeout: timeout, Cell: true,
		Transport: string(caller.Transport), Client: caller.Name, Version: caller.Version,
		Approve: n.approver(caller),
	})
	if err != nil {
		return out, err
	}
	started(caller, x)
	run := &cellRun{x: x, cell: cell.ID(), asked: cell.Source(), session: session.ID}
	saved := make(chan error, 1)
	n.Kernels.WhenEnded(x, func(ctx context.Context) { saved <- n.save(ctx, at, run) })
	n.await(ctx, x, wait-time.Since(began), true)
	if err := x.Refused(); err != nil {
		return out, err
	}
	out, err = n.ran(ctx, out, x, saved)
	if v := out.Execution; err == nil && v.Hint == "" {
		v.Hint = n.hintAbove(ctx, *v, book, i)
	}
	return out, err
}

// savePatience is how long a result waits for the outputs to be saved.
const savePatience = 10 * time.Second

// errNeverRan reports that there are no outputs to save.
var errNeverRan = errors.New("the cell did not run and is unchanged")

// ran returns the result of a run, which may still be running. If it has ended, ran waits
// up to savePatience for saved.
func (n *notebookBodies) ran(ctx context.Context, out catalog.CellChanged, x *kernels.Execution, saved <-chan error) (catalog.CellChanged, error) {
	late := time.NewTimer(savePatience)
	defer late.Stop()
	select {
	case <-x.Done():
		select {
		case err := <-saved:
			yes := err == nil
			out.Saved = &yes
			if err != nil {
				out.Note = "The outputs were not saved into the notebook: " + err.Error()
			}
		case <-late.C:
		case <-ctx.Done():
		}
	default:
	}
	v, err := n.shown(ctx, x, "", "")
	if err != nil {
		return out, err
	}
	out.Execution, out.Result = &v, v.Result
	return out, nil
}

// kernelFor returns the name of the kernelspec to run a notebook with: the one that it
// names or, if the server does not have that one, one of the same language.
func (n *notebookBodies) kernelFor(ctx context.Context, at place, k notebooks.Kernel) string {
	specs, err := at.Client.KernelSpecs(ctx)
	if err != nil {
		return k.Name // starting the kernel reports the error
	}
	if _, ok := specs.Specs[k.Name]; ok {
		return k.Name
	}
	of := func(s jupyter.KernelSpec) bool {
		return k.Language == "" && k.Name == "" || k.Language != "" && strings.EqualFold(s.Language, k.Language)
	}
	if of(specs.Specs[specs.Default]) {
		return specs.Default
	}
	for name, s := range specs.Specs {
		if of(s) {
			return name
		}
	}
	return k.Name
}

// save writes the outputs of an ended run to its cell. If the run updated displays of
// earlier runs, save writes the outputs of those to their cells, too.
func (n *notebookBodies) save(ctx context.Context, at place, run *cellRun) error {
	if v, err := run.x.View(ctx, ""); err == nil && v.StartedAt == nil {
		return errNeverRan
	}
	n.mu.Lock()
	runs := append([]*cellRun{run}, n.earlier[at]...)
	n.mu.Unlock()
	var stale []*cellRun
	var versions []int
	var rans []notebooks.Ran
	for _, r := range runs {
		outputs, v := r.x.CellOutputs()
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
	err := n.files.Edit(ctx, at.Client, at.path, n.allow(at), edit.Apply)
	if err == nil && !saved(run.cell) {
		err = fmt.Errorf("%w: the cell was removed or changed", notebooks.ErrChanged)
	}
	if err != nil {
		n.Log.WarnContext(ctx, "saving the outputs of a cell", "notebook", at.path, "cell", run.cell, "err", err)
		run.x.Forget()
		return err
	}
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
func (n *notebookBodies) keepEarlier(at place, run *cellRun) {
	var kept []*cellRun
	for _, r := range n.earlier[at] {
		if r.cell == run.cell || r.session != run.session {
			r.x.Forget()
		} else {
			kept = append(kept, r)
		}
	}
	if run.x.Updatable() {
		kept = append(kept, run)
	} else {
		run.x.Forget()
	}
	for len(kept) > maxEarlier {
		kept[0].x.Forget()
		kept = kept[1:]
	}
	if len(kept) == 0 {
		delete(n.earlier, at)
		return
	}
	n.earlier[at] = kept
}

// ranOf returns what a run writes to its cell.
func (n *notebookBodies) ranOf(ctx context.Context, r *cellRun, outputs []json.RawMessage) (notebooks.Ran, error) {
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
	info, err := n.Kernels.Info(ctx, r.session)
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
