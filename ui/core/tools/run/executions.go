package run

import (
	"context"
	"strings"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels/record"
)

func (e *executions) executeCode(ctx context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
	caller := tool.CallerFrom(ctx)
	x, err := e.Kernels.Execute(ctx, record.Request{
		SessionID: in.SessionID, Code: in.Code, Timeout: Seconds(in.Timeout), Caller: caller,
	})
	if err != nil {
		return catalog.Execution{}, err
	}
	Started(caller, x)
	wait := DefaultWait
	if in.Wait != nil {
		wait = Seconds(*in.Wait)
	}
	e.Await(ctx, x, wait, true)
	if err := x.Refused(); err != nil {
		e.Approvals.Told(x.ID())
		return catalog.Execution{}, err
	}
	return e.Result(ctx, x, "", in.Images)
}

func (e *executions) getExecution(ctx context.Context, in catalog.GetExecutionIn) (catalog.Execution, error) {
	x, err := e.Kernels.Execution(ctx, in.ExecutionID)
	if err != nil {
		return catalog.Execution{}, err
	}
	if err = e.Kernels.MayRead(ctx, x); err != nil {
		return catalog.Execution{}, err
	}
	if in.Wait > 0 {
		e.Approvals.Returned(x.ID(), false)
	}
	e.Await(ctx, x, Seconds(in.Wait), false)
	cell := e.hintCell(ctx, x, in.Wait > 0)
	out, err := e.Result(ctx, x, in.After, "")
	out.Hint = strings.TrimSpace(out.Hint + " " + cell)
	return out, err
}

func (e *executions) cancelRun(ctx context.Context, id string) (struct{}, error) {
	x, err := e.Kernels.Execution(ctx, id)
	if err == nil {
		e.Kernels.Cancel(x)
	}
	return struct{}{}, err
}
