package run

import (
	"context"
	"time"

	"github.com/google/uuid"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// permitKernel asks the user whether a caller may connect to a kernel that no Jupyter server
// runs. A tool that only reads would connect to it, too, so what the user allows for
// session_connect is checked here.
func (a *answers) permitKernel(ctx context.Context, kernel catalog.Session) (struct{}, error) {
	var none struct{}
	caller, s := tool.CallerFrom(ctx), a.store.Snapshot()
	if err := oversight.Admit(s, caller, catalog.SessionConnect.Spec()); err != nil {
		return none, err
	}
	if s.Window == state.WindowNone {
		return none, &tool.Error{
			Code: tool.NotExecutable, Detail: "Only the user can let Easel connect to this kernel, in Easel's window, and this Easel runs without one.",
			Hint: "Ask the user to start Easel on a desktop, which opens the window of this one; or use session_create.",
		}
	}
	id, began := uuid.NewString(), time.Now()
	returned := time.AfterFunc(kernels.PermitPatience, func() { a.approvals.Returned(id, true) })
	defer returned.Stop()
	_, err := a.approvals.Ask(ctx, catalog.Approval{
		ApprovalID: id, SessionID: kernel.SessionID, Client: caller.String(), Kernel: &kernel,
	}, Seconds(s.Settings.AskFor))
	if time.Since(began) < kernels.PermitPatience {
		a.approvals.Told(id)
	}
	if e, ok := err.(*oversight.DeniedError); ok { //nolint:errorlint // Ask returns it as it is
		return none, &tool.Error{
			Code: tool.Denied, Detail: "Easel has not connected to the kernel: " + e.Error() + ".",
			Hint: "Do not ask again unless the user wants it; session_create starts a kernel of Easel's own.", Err: err,
		}
	}
	return none, err
}
