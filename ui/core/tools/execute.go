package tools

import (
	"context"
	"slices"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// defaultWait is how long execute_code waits by default. Some clients time out after a
// minute.
const defaultWait = 45 * time.Second

func (b *bodies) executeCode(ctx context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
	caller := tool.CallerFrom(ctx)
	x, err := b.Kernels.Execute(ctx, kernels.Request{
		SessionID: in.SessionID, Code: in.Code, Timeout: seconds(in.Timeout),
		Transport: string(caller.Transport), Client: caller.Name, Version: caller.Version,
		By: oversight.SenderOf(caller, in.SessionID), Approve: b.approver(caller),
	})
	if err != nil {
		return catalog.Execution{}, err
	}
	started(caller, x)
	wait := defaultWait
	if in.Wait != nil {
		wait = seconds(*in.Wait)
	}
	b.await(ctx, x, wait, true)
	if err := x.Refused(); err != nil {
		b.approvals.Told(x.ID())
		return catalog.Execution{}, err
	}
	return b.shown(ctx, x, "", in.Images)
}

// started reports the id of the execution that a call has started to the host.
func started(caller tool.Caller, x *kernels.Execution) {
	if caller.Started != nil {
		caller.Started(x.ID())
	}
}

// approver returns the function that asks the user before the code of a caller runs. Whether
// the user is asked is decided when the code is sent, by the mode at that time.
func (b *bodies) approver(caller tool.Caller) func(context.Context, catalog.Execution) (oversight.Consent, error) {
	return func(ctx context.Context, x catalog.Execution) (oversight.Consent, error) {
		return b.approvals.Ask(ctx, catalog.Approval{
			ApprovalID: x.ExecutionID, ExecutionID: x.ExecutionID, SessionID: x.SessionID,
			Client: caller.String(), Holder: caller.Holder, Code: x.Code,
		}, seconds(b.Store.Snapshot().Settings.AskFor))
	}
}

// announceAnswers answers catalog.AnnounceAnswers.
func (b *bodies) announceAnswers(ctx context.Context, _ struct{}) ([]catalog.LateAnswer, error) {
	caller := tool.CallerFrom(ctx)
	if caller.Transport != tool.MCP || !b.approvals.Pending() {
		return nil, nil
	}
	clients, err := catalog.ConnectedClients.Ask(ctx, b.Bus, struct{}{})
	if err != nil {
		return nil, err
	}
	live, now := b.Kernels.Live(), time.Now()
	return b.approvals.Late(func(q catalog.Approval) bool {
		return q.Client == caller.String() && concerns(caller, q.SessionID, live, func(user string) bool { return clients[user].Holds(now) })
	}), nil
}

func (b *bodies) distrust(_ context.Context, in command.DistrustIn) (struct{}, error) {
	b.approvals.Distrust(in.SessionID)
	return struct{}{}, nil
}

// answered returns the parameters of an approval answer for the log of calls. They include
// the code in question, but not the id of the approval.
func (b *bodies) answered(in command.ApprovalAnswer) any {
	code, client := in.Code, ""
	s := b.Store.Snapshot()
	for _, q := range slices.Concat(s.Approvals, s.Expired) {
		if q.ApprovalID == in.ApprovalID {
			client = q.Client
			if code == "" {
				code = q.Code
			}
		}
	}
	said := map[string]any{"approve": in.Approve, "client": client, "code": code, "words": in.Words, "session": in.Session}
	if in.Dismiss {
		said["dismiss"] = true
	}
	return said
}

func (b *bodies) answerApproval(_ context.Context, a command.ApprovalAnswer) (struct{}, error) {
	return struct{}{}, b.approvals.Answer(a)
}

func (b *bodies) getExecution(ctx context.Context, in catalog.GetExecutionIn) (catalog.Execution, error) {
	x, err := b.Kernels.Execution(ctx, in.ExecutionID)
	if err != nil {
		return catalog.Execution{}, err
	}
	if in.Wait > 0 {
		b.approvals.Returned(x.ID(), false)
	}
	b.await(ctx, x, seconds(in.Wait), false)
	cell := b.hintCell(ctx, x, in.Wait > 0)
	out, err := b.shown(ctx, x, in.After, "")
	out.Hint = strings.TrimSpace(out.Hint + " " + cell)
	return out, err
}

// shown returns the execution as the caller gets it: its output from after on, within the
// caller's limit, and its images in the form that the client accepts.
func (b *bodies) shown(ctx context.Context, x *kernels.Execution, after, images string) (catalog.Execution, error) {
	caller, s := tool.CallerFrom(ctx), b.Store.Snapshot()
	limit := state.MostOutputKB
	if caller.Transport == tool.MCP {
		limit = s.Settings.OutputKB
	}
	v, err := x.Read(context.WithoutCancel(ctx), kernels.ReadOptions{After: after, Limit: limit * 1000, Final: caller.Transport == tool.MCP})
	if err != nil {
		return v, err
	}
	if v.Status == catalog.StatusAwaiting {
		b.approvals.Returned(x.ID(), true)
	} else {
		b.approvals.Told(x.ID())
	}
	for i, t := range v.Truncated {
		if t.After != "" {
			v.Truncated[i].Path = b.Library.OutputFile(x.ID(), t.Stream)
			v.Truncated[i].Reason += ", the file at path has all of it"
		}
	}
	b.results.Complete(ctx, v.Images)
	delivery := oversight.DeliveryTo(s, caller, images)
	v.Inline = oversight.Inline(delivery.Mode, v.Images)
	v.Unlinked, v.Blind = delivery.Mode == catalog.ImagesNone, delivery.Blind
	v.CodeKnown = x.KnownTo(string(caller.Transport), caller.Name)
	return v, nil
}

// await waits until x ends, wait has passed or the caller has left. Meanwhile it reports
// progress to the caller. If own is set and the caller cancels the call, await cancels x. A
// lost connection does not cancel x.
func (b *bodies) await(ctx context.Context, x *kernels.Execution, wait time.Duration, own bool) {
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
	for {
		select {
		case <-x.Done():
			awaitDrawings(ctx, caller, x)
			return
		case <-timer.C:
			return
		case now := <-tick:
			report.tell(ctx, caller, x, now)
		case <-caller.Cancelled:
			if own {
				b.Kernels.Cancel(x)
			}
			return
		case <-ctx.Done():
			if own {
				b.Kernels.CancelIf(x, caller.Cancelled)
			}
			return
		}
	}
}

// drawingPatience is how long a result of ended code waits for the pictures of its figures.
// Pictures that are drawn later appear in the gallery only.
const drawingPatience = 2 * time.Second

// awaitDrawings waits up to drawingPatience for the pictures of the figures of x.
func awaitDrawings(ctx context.Context, caller tool.Caller, x *kernels.Execution) {
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

func (r *reporter) tell(ctx context.Context, caller tool.Caller, x *kernels.Execution, now time.Time) {
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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
