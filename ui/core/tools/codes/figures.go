package codes

import (
	"easel/mcphost/tool"
	"easel/ui/core/redraw"
)

// notRedrawn puts the error of a redrawing into the contract's words.
func notRedrawn(e *redraw.Error) error {
	code := tool.NotExecutable
	switch e.Reason {
	case redraw.Busy:
		code = tool.KernelBusy
	case redraw.Invalid, redraw.TooLarge:
		code = tool.Validation
	case redraw.Language, redraw.Format, redraw.Theme, redraw.Engine:
		code = tool.Unsupported
	default:
	}
	return &tool.Error{Code: code, Detail: Sentence(e.Error()), Hint: e.Remedy(), Err: e}
}
