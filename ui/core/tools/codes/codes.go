// Package codes turns the errors of Jupyter, the kernels and the library into the codes of the
// contract, with a detail and a hint for the caller. No other package does.
//
// # Goroutines
//
// It has no state, and its functions may be called from any goroutine.
package codes

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"easel/internal/system"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/projects"
	"easel/ui/core/redraw"
	"easel/ui/core/reproduce"
	"easel/ui/core/userinput"
)

// Of converts err to a tool.Error. Only this function maps the errors of jupyter, kernels
// and library to codes. It returns err if it knows no code.
func Of(err error) error {
	if err == nil {
		return nil
	}
	if _, done := errors.AsType[*tool.Error](err); done {
		return err
	}
	if e, ok := errors.AsType[*redraw.Error](err); ok {
		return notRedrawn(e)
	}
	if e, ok := errors.AsType[*library.AmbiguousError](err); ok {
		return severalImages(e)
	}
	if e, ok := errors.AsType[*servers.NotReadyError](err); ok {
		return notReady(e)
	}
	if e, ok := errors.AsType[*kernels.UnusedError](err); ok {
		return endedUnused(tool.KernelNotFound, e)
	}
	if e, ok := errors.AsType[*servers.UnavailableError](err); ok {
		return &tool.Error{Code: tool.JupyterUnreachable, Detail: "Easel cannot use this kernel: " + e.Reason + ".", Hint: "session_list shows the running sessions; session_create starts one.", Err: err}
	}
	if e := cmp.Or(ofProject(err), ofUser(err)); e != nil {
		return e
	}
	if e, ok := errors.AsType[*oversight.DeniedError](err); ok {
		hint := "Ask the user what they want instead."
		if !e.Earlier.IsZero() {
			hint += " If they want this code after all, call again: Easel then asks them."
		}
		return &tool.Error{Code: tool.Denied, Detail: "The code was not run: " + e.Error() + ".", Hint: hint, Err: err}
	}
	if e, ok := errors.AsType[*reproduce.StoppedError](err); ok {
		return stopped(e)
	}
	if e, ok := errors.AsType[*record.TooManyError](err); ok {
		return tooMany(e)
	}
	if e, ok := errors.AsType[*jupyter.NoSuchKernelSpecError](err); ok {
		return noSuchKernel(e)
	}
	for _, c := range codes {
		if errors.Is(err, c.is) {
			hint := c.hint
			if errors.Is(c.is, jupyter.ErrKernelStart) {
				hint = cmp.Or(startHint(err.Error()), hint)
			}
			return &tool.Error{Code: c.code, Detail: c.detail + about(err, c.is), Hint: hint, Err: err}
		}
	}
	if e, ok := errors.AsType[*jupyter.StatusError](err); ok && e.Status >= 500 {
		return &tool.Error{
			Code: tool.JupyterUnreachable, Err: err,
			Detail: "The Jupyter server reported an error" + about(e, nil),
			Hint:   "Its log contains the cause.",
		}
	}
	return err
}

func tooMany(e *record.TooManyError) error {
	return &tool.Error{
		Code: tool.KernelBusy, Detail: fmt.Sprintf("%d executions already wait in this session, which is the most; nothing was run.", e.Waiting),
		Hint: "Wait for them with get_execution, or end the running one with session_interrupt. Send one longer piece of code instead of many short ones.", Err: e,
	}
}

// notInProject is the error of a session that cannot start in a project.
func notInProject(e *projects.Error) error {
	code := tool.Validation
	switch e.Problem {
	case projects.NotAllowed:
		code = tool.Denied
	case projects.NoKernel, projects.NoSandbox:
		code = tool.KernelStartFailed
	case projects.Unreachable:
		code = tool.JupyterUnreachable
	case projects.Preparing:
		code = tool.JupyterStarting
	case projects.Invalid:
	}
	return &tool.Error{Code: code, Detail: Sentence(e.Detail), Hint: e.Remedy, Err: e}
}

// ofProject returns the error of a project, or nil if err is none.
func ofProject(err error) error {
	if e, ok := errors.AsType[*projects.Error](err); ok {
		return notInProject(e)
	}
	if e, ok := errors.AsType[*oversight.WithdrawnError](err); ok {
		return noLongerAllowed(e)
	}
	return nil
}

// noLongerAllowed is the error of code in a session of a project that the user has stopped allowing.
func noLongerAllowed(e *oversight.WithdrawnError) error {
	return &tool.Error{
		Code: tool.Denied, Detail: fmt.Sprintf("The user no longer allows the project %s; nothing was run.", e.Root),
		Hint: fmt.Sprintf("Ask the user to start Easel with --project %s, or to allow the project in Easel's window.", system.ShellQuote(e.Root)), Err: e,
	}
}

// Sentence returns text with a capital letter at its beginning, unless that is a path, an address or
// the name of a host, and a period at its end.
func Sentence(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(first, "/~:@.") {
		return strings.TrimSuffix(text, ".") + "."
	}
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}

// noSuchKernel is the error for an unknown name of a kernel. Some callers take the parameter for
// the name of the session or of its notebook.
func noSuchKernel(e *jupyter.NoSuchKernelSpecError) error {
	known := "the server has none"
	if len(e.Known) > 0 {
		quoted := make([]string, len(e.Known))
		for i, name := range e.Known {
			quoted[i] = strconv.Quote(name)
		}
		known = strings.Join(quoted, ", ")
	}
	return &tool.Error{
		Code: tool.KernelStartFailed, Err: e,
		Detail: fmt.Sprintf("The server has no kernel named %q. name is the name of a kernel, not of the session; there are: %s.", e.Name, known),
		Hint:   "Omit name for Python. To name a notebook for the session, pass notebook_path, for example \"analysis.ipynb\".",
	}
}

// startHint says what to do about a kernel that did not start, if its last words show the
// cause.
func startHint(said string) string {
	switch {
	case strings.Contains(said, "the sandbox cannot be made"):
		return "The project's sandbox does not work on this computer, so no kernel of the project starts. " +
			"Ask the user to change it or turn it off in Easel: Sandbox, in the project's menu."
	case strings.Contains(said, "No module named ipykernel"), strings.Contains(said, "No module named 'ipykernel"):
		return "Its Python has no ipykernel. Add ipykernel to that environment, or use another kernel; session_create without name uses Easel's choice."
	case strings.Contains(said, "there is no package called") && strings.Contains(said, "IRkernel"):
		return `R has no IRkernel in this folder. If renv manages its packages, ask the user to run renv::install("IRkernel") in R, in that folder; otherwise install.packages("IRkernel").`
	case strings.Contains(said, "No such file or directory: "), strings.Contains(said, "program may be missing"), strings.Contains(said,
		"[WinError 2]"):
		return "The environment may have been moved or deleted. Make it again, or use another kernel; session_create without name uses Easel's choice."
	}
	return ""
}

// InProject returns the error of a kernel in a project. What to do there about one that does not
// start is something else than for Easel's own Python.
func InProject(root string, err error) error {
	e, ok := errors.AsType[*tool.Error](Of(err))
	if !ok || e.Code != tool.KernelStartFailed {
		return err
	}
	other := fmt.Sprintf("session_create with directory=%q and name=\"easel\" uses Easel's own Python there.", root)
	const own = "session_create without name uses Easel's choice."
	changed := *e
	switch {
	case strings.Contains(e.Hint, own):
		changed.Hint = strings.Replace(e.Hint, own, other, 1)
	case e.Hint == startFailed:
		changed.Hint = projects.Repair(root)
	}
	return &changed
}

// newToken is the hint for a refused token. It asks the user, because the token must not
// pass through the model.
const newToken = "Ask the user to enter a new token for that server in Easel's window under Settings › Jupyter servers, with the same name and address " +
	"(without a window, in servers.json; for the server given at startup, also with JUPYTER_TOKEN or --jupyter-token). Its kernels keep running."

// startFailed is the hint if nothing is known about why a kernel has not started.
const startFailed = "The log of the Jupyter server contains the details; another kernel name may work. If Easel's own environment was deleted, the user can quit and start Easel: it creates it again."

// codes maps errors, compared by errors.Is, to codes and messages. The first match wins.
var codes = []struct {
	is     error
	code   tool.Code
	detail string
	hint   string
}{
	{oversight.ErrPaused, tool.Paused, "The user has paused the AI; nothing was done", "Wait until the user resumes it; reading is still allowed."},
	{oversight.ErrReadOnly, tool.Denied, "The user allows the AI only to read; nothing was done", "Ask the user to change this in Easel's settings."},
	{oversight.ErrForgotten, tool.Denied, "The user has forgotten this client; nothing was done", "Ask the user to connect it again in Easel's window, under Connect."},
	{oversight.ErrUnasked, tool.Denied, "This code needs the user's approval, and Easel cannot ask for it; nothing was done", "Ask the user to run `easel questions` in a terminal, then call again; or to run it in Easel's window."},
	{oversight.ErrNoGate, tool.Denied, "Easel does not know what the user allows; nothing was done", ""},
	{oversight.ErrUnanswered, tool.ApprovalTimeout, "The user did not answer the approval request in time; nothing was run. This is not a refusal", "Ask the user in the chat, then call again."},
	{oversight.ErrUnknownApproval, tool.NotExecutable, "This approval request is no longer open", ""},
	{userinput.ErrUnknown, tool.NotExecutable, "The code no longer waits for this answer", ""},
	{kernels.ErrSessionNotFound, tool.KernelNotFound, "No running session has this ID", "session_list shows the running sessions; session_create starts a new one."},
	{kernels.ErrExecutionNotFound, tool.ExecutionNotFound, "No execution has this ID", "Use the execution_id from an earlier result."},
	{servers.ErrNotFound, tool.ServerNotFound, "No Jupyter server has this name", "Omit server to use the default one."},
	{kernels.ErrNotOurs, tool.NotExecutable, "The user started this kernel, so Easel does not restart it", "Ask the user, then call again with force."},
	{servers.ErrNoServer, tool.Unsupported, "No Jupyter server runs this kernel, so Easel starts, restarts and ends none there", "The user can do that in the program that runs it; session_delete without force only disconnects."},
	{oversight.ErrNotYetPermitted, tool.ApprovalTimeout, "The user has not yet answered whether you may use this kernel or project. This is not a refusal", "The question stays open, in Easel's window and for `easel questions` in a terminal. Ask the user in the chat, then call again."},
	{oversight.ErrClientEnded, tool.Cancelled, "The client has ended before the user answered; nothing was done", ""},
	{record.ErrForeignRun, tool.NotExecutable, "The running code may not have been started through Easel, so Easel does not interrupt it", "The user can interrupt it in Easel's window, or in the program that runs it."},
	{inspect.ErrLanguage, tool.Unsupported, "Easel does not know the language of this kernel well enough", "Print what you need with execute_code; output, errors and plots arrive as usual."},
	{inspect.ErrCellsOnly, tool.NotExecutable, "This is the kernel of a notebook in the user's editor, in which only cells of the notebook run", "notebook_add_cell with run=true adds a cell and runs it; print there what you need."},
	{inspect.ErrInterrupted, tool.NotExecutable, "The kernel was interrupted while it answered; nothing was changed", "Call again."},
	{inspect.ErrUnanswered, tool.NotExecutable, "The kernel could not answer", "Call again; if that does not help, print what you need with execute_code."},
	{inspect.ErrNoVariable, tool.VariableNotFound, "The session has no such variable", "get_variables lists the variables."},
	{inspect.ErrNoFrame, tool.InvalidVariableType, "The variable is not a table of pandas, polars, pyarrow or R", "Collect the first rows of a LazyFrame with head(5).collect(), make a data frame of a matrix of R with as.data.frame(), and print other values with execute_code."},
	{inspect.ErrNoTable, tool.InvalidVariableType, "The variable is not a table", "Tables are frames and series, arrays, lists and dicts; print other values with execute_code."},
	{survey.ErrUnlisted, tool.Unsupported, "This server does not list its kernels (a gateway without list_kernels), so you can only use kernels that Easel started", "session_create starts one there."},
	{kernels.ErrNoContents, tool.Unsupported, "This server has no notebooks or files (a gateway only runs kernels)", "session_create without notebook_path starts a kernel there."},
	{reproduce.ErrRunning, tool.NotExecutable, "The code of this plot is still running", "Wait with get_execution, then check again."},
	{reproduce.ErrNoHistory, tool.NotExecutable, "Easel does not have the code of this picture", "Only plots that were drawn in a session can be checked."},
	{tasks.ErrClosed, tool.ShuttingDown, "Easel is shutting down", ""},
	{execution.ErrBadCursor, tool.Validation, "after is not the next value of an earlier result", "Omit it to read from the start."},
	{jupyter.ErrKernelBusy, tool.KernelBusy, "The kernel is busy", "Wait with get_execution, or stop the running code with session_interrupt."},
	{jupyter.ErrBadPath, tool.Validation, "The path is not valid", "Give it relative to the server's root, for example notebooks/a.ipynb."},
	{jupyter.ErrKernelStart, tool.KernelStartFailed, "The kernel did not start", startFailed},
	{jupyter.ErrKernelRestarted, tool.KernelBusy, "The kernel restarted before it responded", "Try again."},
	{jupyter.ErrDenied, tool.NotExecutable, "The system does not permit the Jupyter server to do this", "Ask the user whether the file or its folder is read-only."},
	{jupyter.ErrUnauthorized, tool.JupyterAuthFailed, "The Jupyter server refuses Easel's token", newToken},
	{jupyter.ErrUnreachable, tool.JupyterUnreachable, "The Jupyter server does not respond", "Ask the user whether it is running. Without --jupyter-url, Easel starts its own."},
	{jupyter.ErrDisconnected, tool.JupyterUnreachable, "The connection to the kernel was lost and is being restored", "Try again in a moment."},
	{jupyter.ErrAnswerTooLarge, tool.Unsupported, "The Jupyter server's answer is larger than Easel reads", "Read a part of the file with execute_code. If it is not about a file, the server is broken: ask the user to restart it."},
	{jupyter.ErrRequestTooLarge, tool.Validation, "The code is too large for a Jupyter server", "Write it to a file and run the file."},
	{jupyter.ErrNotFound, tool.KernelNotFound, "The kernel has ended", "session_list shows the running sessions; session_create starts a new one."},
	{library.ErrFull, tool.StorageFull, "The library cannot write; what was saved before is safe", "Free disk space, or delete images in the window."},
	{library.ErrInvalid, tool.Validation, "A text cannot be saved as it is", "Tags and titles are short texts without control characters."},
	{library.ErrBadCursor, tool.Validation, "cursor is not the next_cursor of an earlier result", "Omit it to read from the start."},
}

// about returns what err says apart from the text of is, for example the wrong name or
// value, as the end of a sentence. The detail in codes replaces the text of is.
func about(err, is error) string {
	text := err.Error()
	if is != nil {
		before, after, found := strings.Cut(text, is.Error())
		if found {
			text = strings.Trim(strings.Trim(before, ": ")+": "+strings.Trim(after, ":; "), ": ")
		}
	}
	if text == "" {
		return "."
	}
	return ": " + strings.TrimSuffix(text, ".") + "."
}

func notReady(e *servers.NotReadyError) error {
	h := e.Health
	switch h.State {
	case servers.StateStarting, servers.StateInstalling:
		return &tool.Error{
			Code:   tool.JupyterStarting,
			Detail: fmt.Sprintf("The Jupyter server %q is %s: %s.", h.Name, h.State, h.Message),
			Hint:   "Call again in a few seconds; the first installation takes a minute or two.", Err: e,
		}
	case servers.StateUnauthorized:
		return &tool.Error{
			Code:   tool.JupyterAuthFailed,
			Detail: fmt.Sprintf("The Jupyter server %q at %s cannot be used: %s.", h.Name, h.URL, h.Message),
			Hint:   newToken, Err: e,
		}
	default:
		return &tool.Error{
			Code:   tool.JupyterUnreachable,
			Detail: fmt.Sprintf("The Jupyter server %q is %s: %s.", h.Name, h.State, strings.TrimRight(h.Message, ".")),
			Hint:   "Easel's window and `easel doctor` say what to do.", Err: e,
		}
	}
}

// SessionNotFound converts an error of session_connect, which uses the code SessionNotFound
// instead of KernelNotFound.
func SessionNotFound(in catalog.SessionConnectIn, err error) error {
	if !errors.Is(err, kernels.ErrSessionNotFound) && !errors.Is(err, jupyter.ErrNotFound) {
		return Path("notebook_path", err)
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
		Hint: "session_list shows the running sessions; session_create with notebook_path starts one.", Err: err,
	}
}

// ImageNotFound converts library.ErrNotFound for the image uri, and returns other errors
// unchanged.
func ImageNotFound(uri string, err error) error {
	if errors.Is(err, library.ErrNotFound) {
		return &tool.Error{Code: tool.ImageNotFound, Detail: fmt.Sprintf("There is no image %q.", uri), Hint: "list_session_images lists the images of a session.", Err: err}
	}
	return err
}

// severalImages returns the error for the end of an id that several images have.
func severalImages(e *library.AmbiguousError) error {
	which := make([]string, len(e.Candidates))
	for i, im := range e.Candidates {
		which[i] = im.ImageID
		if im.Title != "" {
			which[i] += fmt.Sprintf(" (%.80s)", im.Title)
		}
	}
	return &tool.Error{
		Code: tool.Validation, Detail: fmt.Sprintf("Several images have an id that ends in %q: %s.", e.End, strings.Join(which, ", ")),
		Hint: "Name one by more of its id.", Err: e,
	}
}

// stopped returns the error for a check that the user's mode has stopped.
func stopped(e *reproduce.StoppedError) error {
	code, hint := tool.Denied, "Ask the user to change this in Easel's settings."
	if errors.Is(e, oversight.ErrPaused) {
		code, hint = tool.Paused, "Call check_reproducibility again when the user has resumed it. The check then runs from its first cell."
	}
	return &tool.Error{Code: code, Detail: fmt.Sprintf("The check was stopped after %d cells: %v.", e.Cells, e.Why), Hint: hint, Err: e}
}
