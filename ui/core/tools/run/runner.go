package run

import (
	"context"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
	"easel/ui/core/tools/plots"
)

// A Runner follows executions for the calls that start them.
type Runner struct {
	Kernels   *kernels.Manager
	Store     *state.Store
	Approvals *oversight.Approvals
	Output    OutputFiles
	Results   *plots.Results
	Usage     *usage.Meter // may be nil

	pressure pressureNews
}

// OutputFiles are the files that the output of executions is kept in.
type OutputFiles interface {
	File(execID, stream string) string
}

// hintTerminal says where the user can answer without a window.
const hintTerminal = "Easel runs without a window: the user can answer in a terminal, with `easel questions`."

// DefaultWait is how long execute_code waits by default. Some clients time out after a
// minute.
const DefaultWait = 45 * time.Second

// Started reports the id of the execution that a call has started to the host.
func Started(caller tool.Caller, x *execution.Execution) {
	if caller.Started != nil {
		caller.Started(x.ID())
	}
}

// Result returns the execution as the caller gets it: its output from after on, within the
// caller's limit, and its images in the form that the client accepts.
func (r *Runner) Result(ctx context.Context, x *execution.Execution, after, images string) (catalog.Execution, error) {
	caller, s := tool.CallerFrom(ctx), r.Store.Snapshot()
	limit := s.OutputKB(caller)
	v, err := x.Read(context.WithoutCancel(ctx), execution.ReadOptions{After: after, Limit: limit * 1000, Final: caller.Transport == tool.MCP})
	if err != nil {
		return v, err
	}
	if v.Status == catalog.StatusAwaiting {
		r.Approvals.Returned(x.ID(), true)
		if s.Window == state.WindowNone {
			v.Hint = strings.TrimSpace(v.Hint + " " + hintTerminal)
		}
	} else {
		r.Approvals.Told(x.ID())
	}
	if v.AwaitingInput != nil {
		x.ToldInput(caller.Identity())
	}
	for i, t := range v.Truncated {
		if t.After != "" {
			v.Truncated[i].Path = r.Output.File(x.ID(), t.Stream)
			v.Truncated[i].Reason += ", the file at path has all of it"
		}
	}
	r.Results.Complete(ctx, v.Images)
	delivery := oversight.DeliveryTo(s, caller, images)
	v.Inline = oversight.Inline(delivery.Mode, v.Images)
	v.Unlinked, v.Blind = delivery.Mode == catalog.ImagesNone, delivery.Blind
	v.CodeKnown = x.KnownTo(string(caller.Transport), caller.Name)
	v.Hint = strings.TrimSpace(v.Hint + " " + r.pressure.next(s, v.SessionID, caller))
	if v.Status == catalog.StatusRunning {
		v.Usage = usageOf{r.Usage}.session(ctx, r.Store.Snapshot(), v.SessionID)
	}
	return v, nil
}

// Await waits until x ends or asks the user for input, wait has passed or the caller has left. Meanwhile it reports
// progress to the caller. If own is set and the caller cancels the call, Await cancels x. A
// lost connection does not cancel x.
func (r *Runner) Await(ctx context.Context, x *execution.Execution, wait time.Duration, own bool) {
	if wait <= 0 {
		return
	}
	caller := tool.CallerFrom(ctx)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	var tick <-chan time.Time
	if caller.Progress != nil {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		tick = t.C
	}
	report := reporter{began: time.Now()}
	long := time.NewTimer(longWait)
	defer long.Stop()
	for {
		select {
		case <-long.C:
			usageOf{r.Usage}.session(ctx, r.Store.Snapshot(), x.Record().SessionID)
		case <-x.Done():
			awaitDrawings(ctx, caller, x)
			return
		case <-x.Asks(caller.Identity()): // the caller should know at once
			return
		case <-timer.C:
			if caller.Asking == nil || !caller.Asking() {
				return
			}
			timer.Reset(wait) // the user has the question in front of them
		case now := <-tick:
			report.tell(ctx, caller, x, now)
		case <-caller.Cancelled:
			if own {
				r.Kernels.Cancel(x)
			}
			return
		case <-ctx.Done():
			if own {
				r.Kernels.CancelIf(x, caller.Cancelled)
			}
			return
		}
	}
}

// drawingPatience is how long a result of ended code waits for the pictures of its figures.
// Pictures that are drawn later appear in the gallery only.
const drawingPatience = 2 * time.Second

// awaitDrawings waits up to drawingPatience for the pictures of the figures of x.
func awaitDrawings(ctx context.Context, caller tool.Caller, x *execution.Execution) {
	ctx, cancel := context.WithTimeout(ctx, drawingPatience)
	defer cancel()
	x.AwaitDrawings(ctx, caller.Cancelled)
}

// A reporter sends new output to a waiting caller as progress.
type reporter struct {
	began, last time.Time
	seen        string
}

// quiet is the longest time between two progress reports. Some clients time out without
// them.
const quiet = 5 * time.Second

func (r *reporter) tell(ctx context.Context, caller tool.Caller, x *execution.Execution, now time.Time) {
	v, err := x.View(ctx, r.seen)
	if err != nil {
		return
	}
	news := v.Next != r.seen
	if !news && len(v.Images) == 0 && now.Sub(r.last) < quiet {
		return
	}
	r.seen, r.last = v.Next, now
	message := v.Status
	if v.Doubtful {
		message = v.Hint
	}
	if line := x.LastLine(120); line != "" && news {
		message = line
	}
	caller.Progress(tool.Progress{Done: now.Sub(r.began).Seconds(), Message: message})
}

// Seconds returns s seconds.
func Seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
