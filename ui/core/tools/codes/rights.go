package codes

import (
	"errors"
	"fmt"
	"math"

	"easel/mcphost/tool"
	"easel/ui/core/oversight"
)

// ofUser returns the error of what the user does not allow an assistant, or nil if err is none.
func ofUser(err error) error {
	const elsewhere = "Ask the user. They can change it in Easel's window under Settings › Each assistant."
	if e, ok := errors.AsType[*oversight.ForbiddenError](err); ok {
		return &tool.Error{Code: tool.Denied, Detail: Sentence("Nothing was done: " + e.Error()), Hint: elsewhere, Err: err}
	}
	if e, ok := errors.AsType[*oversight.LimitError](err); ok {
		hint := "End a session that is no longer needed with session_delete. The user can change the limit in Easel's window under Settings › Each assistant."
		if e.Retry > 0 {
			hint = fmt.Sprintf("Call again in %.0f seconds. The user can change the limit in Easel's window under Settings › Each assistant.", math.Ceil(e.Retry.Seconds()))
		}
		return &tool.Error{Code: tool.NotExecutable, Detail: Sentence("Nothing was done: " + e.Error()), Hint: hint, Err: err}
	}
	action, ok := errors.AsType[*oversight.ActionError](err)
	if !ok {
		return nil
	}
	denied, isDenied := errors.AsType[*oversight.DeniedError](err)
	switch {
	case isDenied:
		return &tool.Error{
			Code: tool.Denied, Detail: Sentence("It was not done: " + denied.Error()), Hint: "Ask the user what they want instead.", Err: err,
		}
	case errors.Is(err, oversight.ErrNotYetPermitted):
		return &tool.Error{
			Code: tool.ApprovalTimeout, Detail: "The user was asked and has not yet answered; nothing was done. This is not a refusal.",
			Hint: "The question stays open, in Easel's window and for `easel questions` in a terminal. Ask the user in the chat, then make the same call again.", Err: err,
		}
	case errors.Is(err, oversight.ErrUsed):
		return &tool.Error{
			Code: tool.NotExecutable, Detail: "The user has approved this call once, and another call like it was made since; nothing was done.",
			Hint: "If it is to be done again, call again: Easel then asks the user.", Err: err,
		}
	case errors.Is(err, oversight.ErrUnasked):
		return &tool.Error{
			Code: tool.Denied, Detail: "This needs the user's approval, and there is no window, terminal or chat that could show them the whole question; nothing was done.",
			Hint: "Ask the user to run `easel questions` in a terminal, then call again; or to start Easel on a desktop.", Err: err,
		}
	default:
		return Of(action.Why)
	}
}
