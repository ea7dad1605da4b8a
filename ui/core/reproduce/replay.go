package reproduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/mimebundle"
	"easel/ui/core/oversight"
)

// An outcome is what a replay found about one plot.
type outcome struct {
	check    catalog.Check
	fresh    *library.Form
	findings []catalog.CheckFinding
}

// A replay runs the cells of one kernel for one or more jobs.
type replay struct {
	c        *Checker
	jobs     []*Job // that are open
	cells    []Cell
	session  library.Session
	kernel   Kernel
	catcher  *catcher
	process  string // session id in the headers of the kernel's process
	ran      int
	findings []catalog.CheckFinding
}

// errDied means that the kernel died.
var errDied = errors.New("the kernel died")

// mostFailure bounds the code and the texts of an error in a result, in bytes.
const mostFailure = 4000

// run starts the kernel, runs the cells and ends the kernel. It finishes all jobs.
func (r *replay) run(ctx context.Context) {
	k, err := r.c.cfg.Start(ctx, r.session, r.session.NotebookDir())
	if err != nil {
		r.fail(ctx, nil, r.reason(ctx, err, catalog.CheckNoKernel), err.Error())
		return
	}
	defer k.End()
	r.kernel = k
	r.catcher = newCatcher(r.c.cfg.DrawText != nil && r.c.cfg.DrawText())
	for i := range r.cells {
		cell := &r.cells[i]
		if !r.mayRun() {
			return
		}
		r.tell(i)
		failure, err := r.cell(ctx, cell)
		if err != nil {
			r.fail(ctx, &catalog.CheckedCell{Number: cell.Number, Code: truncate.Excerpt(cell.Code, mostFailure)},
				r.reason(ctx, err, catalog.CheckKernelDied), err.Error())
			return
		}
		r.ran = i + 1
		if failure != nil && cell.Status == catalog.StatusOK {
			r.fail(ctx, &catalog.CheckedCell{Number: cell.Number, Code: truncate.Excerpt(cell.Code, mostFailure), Error: failure},
				catalog.CheckCellFailed, "")
			return
		}
		if failure == nil && cell.Status == catalog.StatusError {
			r.found(catalog.FoundRepaired, cell)
		}
		r.compareOutput(ctx, cell)
		r.judge(ctx, cell)
		if len(r.jobs) == 0 {
			return
		}
	}
}

// A StoppedError reports that a check ended before its end, because of what the user allows.
type StoppedError struct {
	Cells int // that it has run
	Why   error
}

// Error returns the reason and how many cells have run.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("the check was stopped after %d cells: %v", e.Cells, e.Why)
}

// Unwrap returns the reason.
func (e *StoppedError) Unwrap() error { return e.Why }

// mayRun reports whether the next cell may be sent now, for at least one of the jobs. If not, the
// jobs end, or start again once the user has approved them.
func (r *replay) mayRun() bool {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	if slices.ContainsFunc(r.jobs, func(j *Job) bool { return r.c.verdict(j).Decision == oversight.Send }) {
		return true
	}
	for _, j := range r.jobs {
		switch v := r.c.verdict(j); {
		case !slices.Contains(r.c.open, j): // cancelled
		case v.Decision == oversight.Ask:
			r.c.question(j)
		default:
			r.c.end(j, catalog.Check{}, &StoppedError{r.ran, v.Err})
		}
	}
	r.jobs = nil
	r.c.changed()
	return false
}

// reason returns why a check ends early.
func (r *replay) reason(ctx context.Context, err error, otherwise string) string {
	switch {
	case errors.Is(context.Cause(ctx), errCancelled):
		return catalog.CheckCancelled
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return catalog.CheckTooLong
	case errors.Is(err, errDied):
		return catalog.CheckKernelDied
	default:
		return otherwise
	}
}

// fail finishes all jobs as not replayable. If Easel quits, it leaves them to Run.
func (r *replay) fail(ctx context.Context, cell *catalog.CheckedCell, reason, detail string) {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errCancelled) && !errors.Is(cause, context.DeadlineExceeded) {
		return
	}
	if reason == catalog.CheckTooLong || reason == catalog.CheckCancelled || reason == catalog.CheckKernelDied {
		detail = ""
	}
	for _, j := range r.jobs {
		r.c.finish(ctx, j, outcome{
			check: catalog.Check{
				Status: catalog.CheckNotReplayable, Reason: reason, Detail: truncate.Excerpt(detail, mostFailure),
				Cell: cell, Cells: r.ran,
			},
			findings: r.findings,
		})
	}
	r.jobs = nil
}

// tell publishes that the cell with this index runs.
func (r *replay) tell(i int) {
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	for _, j := range r.jobs {
		j.cell = min(i, j.cells)
	}
	r.c.changed()
}

func (r *replay) found(kind string, cell *Cell) {
	if len(r.findings) < mostFindings {
		r.findings = append(r.findings, catalog.CheckFinding{Kind: kind, Cell: cell.Number})
	}
}

// cell runs a cell. A cell that had been interrupted is interrupted after the same time.
func (r *replay) cell(ctx context.Context, cell *Cell) (failure *catalog.ExecutionError, err error) {
	r.catcher.begin(cell.ID)
	if cell.Status == catalog.StatusInterrupted || cell.Status == catalog.StatusTimeout {
		r.found(catalog.FoundInterrupted, cell)
		stop := r.interruptAfter(ctx, max(cell.EndedAt.Sub(cell.StartedAt), 100*time.Millisecond))
		defer stop()
	}
	id, err := r.kernel.Execute(ctx, jupyter.ExecuteRequest{Code: cell.Code})
	if err != nil {
		return nil, err
	}
	for idle, replied := false, false; !idle || !replied; {
		in, err := r.next(ctx, replied)
		switch {
		case errors.Is(err, errQuiet):
			return failure, nil
		case err != nil:
			return nil, err
		}
		if in.Event == jupyter.KernelGone {
			return nil, errDied
		}
		m := in.Message
		if m == nil {
			continue
		}
		if r.died(m) {
			return nil, errDied
		}
		if m.ParentID() != id {
			if isOutput(m) { // of a thread that an earlier cell started
				r.catcher.output(m)
			}
			continue
		}
		switch m.Type() {
		case "status":
			var s wire.Status
			idle = idle || m.Decode(&s) == nil && s.ExecutionState == wire.StateIdle
		case "execute_reply":
			replied = true
			var reply wire.ExecuteReply
			if m.Decode(&reply) == nil && reply.Status == wire.ReplyError && failure == nil {
				failure = executionError(reply.Ename, reply.Evalue, reply.Traceback)
			}
		case "error":
			var e wire.ErrorContent
			if m.Decode(&e) == nil {
				failure = executionError(e.Ename, e.Evalue, e.Traceback)
			}
		default:
			r.catcher.output(m)
		}
	}
	return failure, nil
}

// errQuiet means that a kernel that has replied says no more. A server can lose the message that says it is idle.
var errQuiet = errors.New("the kernel is quiet")

// quiet is how long a kernel that has replied may be silent before its cell counts as run. nbclient waits for four seconds.
const quiet = 20 * time.Second

// next returns the next message of the kernel.
func (r *replay) next(ctx context.Context, replied bool) (jupyter.Delivery, error) {
	if !replied {
		return r.kernel.Next(ctx)
	}
	wait, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	in, err := r.kernel.Next(wait)
	if err != nil && ctx.Err() == nil && wait.Err() != nil {
		return in, errQuiet
	}
	return in, err
}

// interruptAfter interrupts the kernel after a time, unless it is stopped before.
func (r *replay) interruptAfter(ctx context.Context, after time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { // ends with ctx, or when the kernel was interrupted
		defer close(ended)
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
			_ = r.kernel.Interrupt(ctx) // if it fails, the time limit of the check ends it
		case <-ctx.Done():
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// died reports whether a message says that the kernel's process has ended: the server
// restarts it, or another process answers.
func (r *replay) died(m *wire.Message) bool {
	if m.Type() != "status" {
		return false
	}
	var s wire.Status
	_ = m.Decode(&s)
	if m.Parent.MsgID == "" {
		return s.ExecutionState == wire.StateRestarting || s.ExecutionState == wire.StateAutoRestarting || s.ExecutionState == wire.StateDead
	}
	if m.Header.Session == "" || m.Header.Session == m.Parent.Session {
		return false
	}
	r.process = cmp.Or(r.process, m.Header.Session)
	return r.process != m.Header.Session
}

func isOutput(m *wire.Message) bool {
	switch m.Type() {
	case "stream", "display_data", "execute_result", "update_display_data", "clear_output":
		return true
	default:
		return false
	}
}

func executionError(name, value string, traceback []string) *catalog.ExecutionError {
	return &catalog.ExecutionError{
		Code: catalog.CodeExecution, Type: name, Message: truncate.Excerpt(mimebundle.Plain(value), mostFailure),
		Traceback: truncate.Excerpt(mimebundle.Plain(strings.Join(traceback, "\n")), mostFailure),
	}
}

// compareOutput adds a finding if a cell printed something else than before.
func (r *replay) compareOutput(ctx context.Context, cell *Cell) {
	if cell.installs {
		return
	}
	fresh := r.catcher.cell.text
	stored, total, err := r.c.cfg.Library.Output.Read(ctx, cell.ID, "stdout", 0, mostText)
	if err != nil {
		return
	}
	if total > mostText || len(fresh) >= mostText {
		n := min(len(stored), len(fresh))
		stored, fresh = stored[:n], fresh[:n]
	}
	if masked(string(stored)) != masked(string(fresh)) || masked(cell.Result) != masked(r.catcher.cell.result) {
		r.found(catalog.FoundOutput, cell)
	}
}

// environmentChanges returns what differs from the environment in which a cell drew its plots, and
// a finding if that was not recorded. It returns nothing if the cell has drawn none that is checked.
func (r *replay) environmentChanges(ctx context.Context, cell *Cell) ([]catalog.EnvironmentChange, []catalog.CheckFinding) {
	if !slices.ContainsFunc(r.jobs, func(j *Job) bool { return j.history.Image.ExecutionID == cell.ID }) {
		return nil, nil
	}
	x, err := r.c.cfg.Library.Executions.Get(ctx, cell.ID) // it may have been recorded after the check began
	if err != nil {
		return nil, nil
	}
	was, err := r.c.cfg.Library.Executions.Environment(ctx, x)
	if errors.Is(err, library.ErrNotFound) {
		return nil, []catalog.CheckFinding{{Kind: catalog.FoundUnrecorded, Cell: cell.Number}}
	}
	if err != nil {
		return nil, nil
	}
	now, err := r.kernel.Environment(ctx)
	if err != nil {
		r.c.cfg.Log.InfoContext(ctx, "asking the kernel of a check for its environment", "err", err)
		return nil, nil
	}
	return was.ChangesTo(now), nil
}

// judge compares the plots of a cell, and finishes their jobs.
func (r *replay) judge(ctx context.Context, cell *Cell) {
	var rest []*Job
	changes, unrecorded := r.environmentChanges(ctx, cell)
	for _, j := range r.jobs {
		if j.history.Image.ExecutionID != cell.ID {
			rest = append(rest, j)
			continue
		}
		select {
		case <-j.done: // cancelled
			continue
		default:
		}
		found, err := r.c.compare(ctx, j.history.Image, r.catcher.cell.figures())
		if err != nil {
			found.check = catalog.Check{
				Status: catalog.CheckNotReplayable, Reason: catalog.CheckUnreadable,
				Detail: truncate.Excerpt(fmt.Sprint(err), mostFailure),
			}
		}
		found.check.Cells, found.findings, found.check.Environment = r.ran, slices.Concat(r.findings, unrecorded), changes
		r.c.finish(ctx, j, found)
	}
	r.jobs = rest
}
