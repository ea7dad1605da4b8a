package notebook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/cells"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/run"
)

// notCode returns the error of a call that would run a cell that is not code. done says what the
// call has done.
func notCode(cellType, done string) error {
	hint := "Call again without run, or with a code cell."
	if done == nothingRan {
		hint = "Give a code cell, or with through a range that has some."
	}
	return &tool.Error{Code: tool.NotExecutable, Detail: fmt.Sprintf("Only code cells can be run; this is a %s cell, and %s.", cellType, done), Hint: hint}
}

const nothingRan = "nothing was run"

// A cellRunner runs cells and saves their outputs.
type cellRunner struct {
	paths   *paths.Finder
	kernels *kernels.Manager
	library *library.Library
	cells   *cells.Cells
	log     *slog.Logger
	runner  *run.Runner
	find    *finder
	open    *opener
	known   *readers
	ran     latest

	mu      sync.Mutex
	earlier map[place][]*cellRun // ended runs whose displays a later cell may still update
}

func (n *cellRunner) runCell(ctx context.Context, in catalog.NotebookRunCellIn) (catalog.CellChanged, error) {
	out := catalog.CellChanged{Result: catalog.OK}
	short, cancel := paths.Patience(ctx)
	defer cancel()
	at, err := n.find.notebook(short, in.Server, in.Path)
	if err != nil {
		return out, err
	}
	d, err := n.open.document(short, at)
	if err != nil {
		return out, n.open.refusal(short, at, err, func(book *notebooks.Notebook) error {
			_, err := cellsToRun(book, in)
			return err
		})
	}
	read := func(ctx context.Context) (*notebooks.Notebook, error) { return d.Glance(ctx, ref(in.CellRef)) }
	if in.Through != nil {
		read = d.Read
	}
	book, err := read(short)
	if err != nil {
		return out, n.open.documentError(short, at, err)
	}
	knows := n.known.caller(ctx, at)
	if err := knows.Check(book, ref(in.CellRef)); err != nil {
		return out, n.open.editError(short, at, knows, err)
	}
	n.open.greet(short, at, d)
	cells, err := cellsToRun(book, in)
	if err != nil {
		return out, codes.Notebook(at.path, err)
	}
	wait := run.DefaultWait
	if in.Wait != nil {
		wait = run.Seconds(*in.Wait)
	}
	out, err = n.run(ctx, at, d, cells, run.Seconds(in.Timeout), wait)
	if err == nil && in.Through != nil && *in.Through >= len(book.Cells) {
		addNote(&out, fmt.Sprintf("through %d is beyond the end, so the range ends with the last cell", *in.Through))
	}
	return out, err
}

// cellsToRun returns the ids of the code cells that a call is to run.
func cellsToRun(book *notebooks.Notebook, in catalog.NotebookRunCellIn) ([]string, error) {
	i, err := book.Find(ref(in.CellRef))
	if err != nil {
		return nil, err
	}
	if c := book.Cells[i]; in.Through == nil && c.Type() != notebooks.Code {
		return nil, notCode(c.Type(), nothingRan)
	}
	return rangeOf(book, i, in.Through)
}

// A cellRun is the run of a notebook's cell.
type cellRun struct {
	x        *execution.Execution
	document notebooks.Document
	index    int    // of the cell when it was run
	cell     string // id
	asked    string // the source of the cell when it was run
	session  string
	version  int // of the outputs that were saved; see execution.Cell

	editor *notebooks.Editor       // that runs the cell; nil if Easel or a tab does
	filed  bool                    // the editor has saved the outputs; valid after shown
	tab    *notebooks.Tab          // that runs the cell; nil if Easel or an editor does
	shared *notebooks.RoomDocument // that the outputs are written to; nil if another document
	shown  chan struct{}           // closed when the tab shows the outputs, or the document that the cell runs

	left  []string      // ids of the cells to run next
	ended chan struct{} // closed when the outputs have been saved and the next cell has been started
	saved error         // why the outputs were not saved; valid after ended
	next  *cellRun      // nil if there is none; valid after ended
	// reason is why the cells in left do not run; "" if they do. It is valid after ended.
	reason string
}

// run runs code cells, one after the other until one fails, and waits up to wait for their
// end. When a cell ends, even after run has returned, its outputs are saved and the next is
// started. d is where the notebook can be written.
func (n *cellRunner) run(ctx context.Context, at place, d notebooks.Document, cells []string, timeout,
	wait time.Duration,
) (catalog.CellChanged, error) {
	began := time.Now()
	short, cancel := paths.Patience(ctx)
	defer cancel()
	caller := tool.CallerFrom(ctx)
	cur, err := n.start(short, at, d, caller, cells, timeout)
	if err != nil {
		return catalog.CellChanged{}, err
	}
	var ran []catalog.RanCell
	var earlier []*cellRun
	for {
		run.Started(caller, cur.x)
		n.runner.Await(ctx, cur.x, wait-time.Since(began), true)
		if !cur.settled(ctx) {
			break
		}
		if len(cells) > 1 {
			ran = append(ran, n.ranCell(ctx, cur))
		}
		if cur.next == nil {
			break
		}
		earlier = append(earlier, cur)
		cur = cur.next
	}
	if err := cur.x.Refused(); err != nil && len(ran) <= 1 {
		n.runner.Approvals.Told(cur.x.ID())
		return catalog.CellChanged{}, err
	}
	out, err := n.result(ctx, at, cur)
	out.Ran, out.Left, out.Reason = ran, len(cur.left), cur.whyLeft(ctx)
	if err == nil && len(earlier) > 0 {
		n.addPictures(ctx, &out, earlier)
		n.addOutputs(ctx, &out, earlier)
	}
	if v := out.Execution; err == nil && v.Hint == "" {
		v.Hint = n.hintAbove(ctx, *v, cur.document, cur.index)
	}
	return out, err
}

// start starts the first of the cells. The others follow when it has succeeded.
func (n *cellRunner) start(ctx context.Context, at place, d notebooks.Document, caller tool.Caller, cells []string,
	timeout time.Duration,
) (*cellRun, error) {
	r := notebooks.Ref{ID: cells[0]}
	book, err := d.Glance(ctx, r)
	if err != nil {
		return nil, codes.Notebook(at.path, err)
	}
	i, err := book.Find(r)
	if err != nil {
		return nil, codes.Notebook(at.path, err)
	}
	cell := book.Cells[i]
	if cell.Type() != notebooks.Code {
		return nil, notCode(cell.Type(), nothingRan)
	}
	session, err := n.session(ctx, at, d, book, caller)
	if err != nil {
		return nil, err
	}
	run := &cellRun{
		document: d, index: i, cell: cell.ID(), asked: cell.Source(), session: session.ID,
		left: cells[1:], ended: make(chan struct{}),
	}
	run.editor, _ = d.(*notebooks.Editor)
	run.tab, _ = d.(*notebooks.Tab)
	run.shared, _ = d.(*notebooks.RoomDocument)
	request := record.Request{
		SessionID: session.ID, Code: run.asked, Timeout: timeout, Cell: run.cell, Outputs: true,
		Caller: caller,
	}
	switch run.shown = make(chan struct{}); {
	case run.editor != nil:
		request.Send, request.Recall = n.sendInEditor(run), true
	case run.tab != nil:
		request.Send = run.inTab
	case run.shared != nil:
		request.Begun = run.showRunning
	}
	if run.x, err = n.kernels.Execute(ctx, request); err != nil {
		return nil, err
	}
	n.ran.add(run)
	n.kernels.WhenEnded(run.x, func(ctx context.Context) {
		run.saved = n.kept(ctx, at, caller, run)
		n.cells.Edited()
	}, func(ctx context.Context) {
		defer close(run.ended)
		run.next = n.follow(ctx, at, caller, run, timeout)
	})
	return run, nil
}

// savePatience is how long a result waits for the outputs to be saved.
const savePatience = 10 * time.Second

// errNeverRan reports that there are no outputs to save.
var errNeverRan = errors.New("the cell did not run and is unchanged")

// settled waits up to savePatience until the outputs of an ended run have been saved, and
// reports whether they have. It returns false at once if the run has not ended.
func (r *cellRun) settled(ctx context.Context) bool {
	select {
	case <-r.x.Done():
	default:
		return false
	}
	late := time.NewTimer(savePatience)
	defer late.Stop()
	select {
	case <-r.ended:
		return true
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// hasEnded reports whether the outputs of the run have been saved and the next cell has been
// started.
func (r *cellRun) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// result returns the result of a run, which may still be running.
func (n *cellRunner) result(ctx context.Context, at place, r *cellRun) (catalog.CellChanged, error) {
	out := catalog.CellChanged{
		Result: catalog.OK, AtServer: n.paths.At(at.Name), Path: at.own(), CellID: r.cell, Index: r.index,
		Via: r.document.Via(),
	}
	if r.hasEnded() {
		yes := r.saved == nil
		out.Saved = &yes
		if r.saved != nil {
			out.Note = "The outputs were not saved into the notebook: " + r.saved.Error()
		}
	}
	v, err := n.runner.Result(ctx, r.x, "", "")
	if err != nil {
		return out, err
	}
	out.Execution, out.Result = &v, v.Result
	return out, nil
}

// kernelFor returns the name of the kernelspec to run a notebook with: the one that it
// names or, if the server does not have that one, one of the same language.
func kernelFor(ctx context.Context, at place, k notebooks.Kernel) string {
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
