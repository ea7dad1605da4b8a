package tools

import (
	"errors"
	"fmt"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/kernels"
	"easel/ui/library"
	"easel/ui/oversight"
)

// code puts err into the contract's words. It is the one place where the errors
// of jupyter, kernels and library become codes.
func code(err error) error {
	if err == nil {
		return nil
	}
	if _, done := errors.AsType[*tool.Error](err); done {
		return err
	}
	if e, ok := errors.AsType[*kernels.NotReadyError](err); ok {
		return notReady(e)
	}
	if e, ok := errors.AsType[*kernels.UnusedError](err); ok {
		return endedUnused(tool.KernelNotFound, e)
	}
	if e, ok := errors.AsType[*oversight.DeniedError](err); ok {
		return &tool.Error{Code: tool.Denied, Detail: "It was not run: " + e.Error() + ".", Hint: "Ask the user what they want instead.", Err: err}
	}
	if e, ok := errors.AsType[*jupyter.NoSuchKernelSpecError](err); ok {
		return &tool.Error{
			Code: tool.KernelStartFailed, Err: err,
			Detail: fmt.Sprintf("There is no kernel named %q on this server.", e.Name),
			Hint:   fmt.Sprintf("There are: %q. Give one of them as name.", e.Known),
		}
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			return &tool.Error{Code: c.code, Detail: c.detail + detailOf(err, c.is), Hint: c.hint, Err: err}
		}
	}
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && e.Status >= 500 {
		return &tool.Error{
			Code: tool.JupyterUnreachable, Err: err,
			Detail: "The Jupyter server failed at what it was asked" + detailOf(e, nil),
			Hint:   "Its own log has the cause.",
		}
	}
	return err
}

// newToken is what to do about a token that is refused. It must not pass through
// the model.
const newToken = "Ask the user to give Easel a new token of that server, in its window under Settings › Jupyter servers with the same name and address " +
	"(without a window in servers.json; for the server that Easel was started with also JUPYTER_TOKEN or --jupyter-token). The kernels there go on meanwhile."

// codes maps an error that is to what the caller is told.
var codes = []struct {
	is     error
	code   tool.Code
	detail string
	hint   string
}{
	{oversight.ErrPaused, tool.Paused, "The user has paused the AI, so nothing was done", "Wait until they resume it. Tools that only read still work."},
	{oversight.ErrReadOnly, tool.Denied, "The user allows the AI only to read, so nothing was done", "Ask them to change this in Easel's settings."},
	{oversight.ErrUnanswered, tool.ApprovalTimeout, "The user was asked and did not answer in time, so nothing was run. This is not a refusal", "Ask them in the chat, then call again."},
	{oversight.ErrUnknownApproval, tool.NotExecutable, "This question is no longer open", ""},
	{kernels.ErrSessionNotFound, tool.KernelNotFound, "No running session has this ID", "session_list shows what runs; session_create starts a new one."},
	{kernels.ErrExecutionNotFound, tool.ExecutionNotFound, "No execution has this ID", "easel://history lists the executions."},
	{kernels.ErrServerNotFound, tool.ServerNotFound, "Easel knows no Jupyter server of this name", "session_list names the servers."},
	{kernels.ErrNotOurs, tool.NotExecutable, "The kernel was not started by Easel, so it is not restarted", "Ask the user, then call again with force."},
	{kernels.ErrForeignRun, tool.NotExecutable, "What runs there now may not have been started through Easel, so it is not interrupted", "The user can interrupt it in Easel's window or in JupyterLab."},
	{kernels.ErrNotPython, tool.Unsupported, "This is only known for Python kernels", "Run code that prints what you need."},
	{kernels.ErrNoVariable, tool.VariableNotFound, "The session has no variable of this name", "get_variables lists them."},
	{kernels.ErrNoFrame, tool.InvalidVariableType, "Only a pandas or polars DataFrame can be described", "A Series becomes one by to_frame(); look at other values with execute_code."},
	{kernels.ErrUnlisted, tool.Unsupported, "This server does not list its kernels (a gateway without list_kernels), so none can be joined that Easel did not start", "session_create starts one there."},
	{kernels.ErrNoContents, tool.Unsupported, "This server keeps no notebooks or files (a gateway only runs kernels)", "session_create without notebook_path starts a kernel there."},
	{kernels.ErrClosed, tool.ShuttingDown, "Easel is shutting down", ""},
	{kernels.ErrBadCursor, tool.Validation, "after is not the 'next' of an earlier answer", "Leave it out to read from the start."},
	{jupyter.ErrKernelBusy, tool.KernelBusy, "The kernel is busy and has no subshell to answer beside it", "Wait with get_execution, or interrupt it."},
	{jupyter.ErrBadPath, tool.Validation, "The path cannot be used", "Give it relative to the server's root, for example notebooks/a.ipynb."},
	{jupyter.ErrKernelStart, tool.KernelStartFailed, "The kernel did not start", "The log of the Jupyter server has the details; another kernel name may work."},
	{jupyter.ErrKernelRestarted, tool.KernelBusy, "The kernel restarted before it answered", "Try again."},
	{jupyter.ErrUnauthorized, tool.JupyterAuthFailed, "The Jupyter server refuses Easel's token", newToken},
	{jupyter.ErrUnreachable, tool.JupyterUnreachable, "The Jupyter server does not answer", "Is it running? Without --jupyter-url Easel starts one of its own."},
	{jupyter.ErrDisconnected, tool.JupyterUnreachable, "The connection to the kernel is lost and being made again", "Try again in a moment."},
	{jupyter.ErrRequestTooLarge, tool.Validation, "The code is too large for a Jupyter server", "Write it to a file and run that."},
	{jupyter.ErrNotFound, tool.KernelNotFound, "The kernel has ended", "session_list shows what runs; session_create starts a new one."},
	{library.ErrFull, tool.StorageFull, "The library cannot write; what was kept before is safe", "Free disk space, or delete images in the window."},
	{library.ErrInvalid, tool.Validation, "A parameter cannot be kept as it is", "Tags and titles are short texts without control characters."},
	{library.ErrBadCursor, tool.Validation, "cursor is not the next_cursor of an earlier answer", "Leave it out to read from the start."},
}

// detailOf is what err says beside what is, the error that it stands for, whose meaning has
// been told: mostly the value that was wrong.
func detailOf(err, is error) string {
	text := err.Error()
	if is != nil {
		text = strings.Replace(text, is.Error(), "", 1)
		text = strings.Trim(strings.ReplaceAll(text, ": : ", ": "), ": ")
	}
	if text == "" {
		return "."
	}
	return ": " + text + "."
}

func notReady(e *kernels.NotReadyError) error {
	h := e.Health
	switch h.State {
	case kernels.ServerStarting, kernels.ServerInstalling:
		return &tool.Error{
			Code:   tool.JupyterStarting,
			Detail: fmt.Sprintf("The Jupyter server %q is %s: %s.", h.Name, h.State, h.Message),
			Hint:   "Call again in some seconds; the first installation takes a minute or two.", Err: e,
		}
	case kernels.ServerUnauthorized:
		return &tool.Error{
			Code:   tool.JupyterAuthFailed,
			Detail: fmt.Sprintf("The Jupyter server %q at %s cannot be used: %s.", h.Name, h.URL, h.Message),
			Hint:   newToken, Err: e,
		}
	default:
		return &tool.Error{Code: tool.JupyterUnreachable, Detail: fmt.Sprintf("The Jupyter server %q is %s: %s.", h.Name, h.State, h.Message), Hint: "Easel's window and `easel doctor` say what to do about it.", Err: e}
	}
}

// sessionNotFound is code for session_connect, which has a code of its own for
// what it does not find.
func sessionNotFound(in catalog.SessionConnectIn, err error) error {
	if !errors.Is(err, kernels.ErrSessionNotFound) && !errors.Is(err, jupyter.ErrNotFound) {
		return pathError("notebook_path", err)
	}
	if e, ok := errors.AsType[*kernels.UnusedError](err); ok {
		return endedUnused(tool.SessionNotFound, e)
	}
	what := fmt.Sprintf("has the notebook %q", in.NotebookPath)
	if in.NotebookPath == "" {
		what = fmt.Sprintf("or kernel has the ID %q", in.KernelID)
	}
	if in.Server != "" {
		what += fmt.Sprintf(" on the server %q", in.Server)
	}
	return &tool.Error{
		Code: tool.SessionNotFound, Detail: "No running session " + what + ".",
		Hint: "session_list shows what runs; session_create with notebook_path starts one.", Err: err,
	}
}

// imageNotFound is what an unknown image is.
func imageNotFound(uri string, err error) error {
	if errors.Is(err, library.ErrNotFound) {
		return &tool.Error{Code: tool.ImageNotFound, Detail: fmt.Sprintf("There is no image %q.", uri), Hint: "list_session_images and resources/list show what there is.", Err: err}
	}
	return err
}
