package run

import (
	"context"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
)

// permitKernel asks the user whether a caller may connect to a kernel that no Jupyter server
// runs. A tool that only reads would connect to it, too, so what the user allows for
// session_connect is checked here.
func (a *answers) permitKernel(ctx context.Context, kernel catalog.Session) error {
	caller, s := tool.CallerFrom(ctx), a.store.Snapshot()
	if v := oversight.Admit(s, caller, catalog.SessionConnect.Spec(), nil); v.Decision == oversight.Refuse || v.Decision == oversight.Hold {
		return v.Err
	}
	if !s.CanAsk(caller, true) {
		return &tool.Error{
			Code: tool.NotExecutable, Detail: "Only the user can let Easel connect to this kernel, in Easel's window, and this Easel runs without one.",
			Hint: "Ask the user to run `easel questions` in a terminal and try again, or to start Easel on a desktop, which opens the window of this one; or use session_create.",
		}
	}
	err := a.permit(ctx, catalog.Approval{SessionID: kernel.SessionID, Kernel: &kernel})
	if e, ok := err.(*oversight.DeniedError); ok { //nolint:errorlint // Ask returns it as it is
		return &tool.Error{
			Code: tool.Denied, Detail: "Easel has not connected to the kernel: " + e.Error() + ".",
			Hint: "Do not ask again unless the user wants it; session_create starts a kernel of Easel's own.", Err: err,
		}
	}
	return err
}

// permitProject asks the user whether a caller may work in a project.
func (a *answers) permitProject(ctx context.Context, p catalog.Project) error {
	return a.permit(ctx, catalog.Approval{Project: &p})
}

// permit asks the user a question about what a caller may use, and waits for the answer.
func (a *answers) permit(ctx context.Context, q catalog.Approval) error {
	id, began := uuid.NewString(), time.Now()
	q.ApprovalID, q.Client, q.Assistant = id, tool.CallerFrom(ctx).String(), tool.CallerFrom(ctx).Assistant
	_, err := a.approvals.Ask(ctx, q)
	if time.Since(began) < oversight.PermitPatience && oversight.Attended(ctx) {
		a.approvals.Told(id)
	}
	return err
}
