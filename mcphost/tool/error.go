package tool

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"easel/eventbus"
)

// A Code names a kind of failure. Codes are part of the contract: they are added, but
// never changed.
type Code string

// The codes of the contract.
const (
	Validation           Code = "VALIDATION_ERROR"
	Unauthorized         Code = "UNAUTHORIZED"
	Forbidden            Code = "FORBIDDEN"
	ToolNotFound         Code = "TOOL_NOT_FOUND"
	SessionNotFound      Code = "SESSION_NOT_FOUND"
	KernelNotFound       Code = "KERNEL_NOT_FOUND"
	ExecutionNotFound    Code = "EXECUTION_NOT_FOUND"
	ImageNotFound        Code = "IMAGE_NOT_FOUND"
	FileNotFound         Code = "FILE_NOT_FOUND"
	NotebookNotFound     Code = "NOTEBOOK_NOT_FOUND"
	CellNotFound         Code = "CELL_NOT_FOUND"
	VariableNotFound     Code = "VARIABLE_NOT_FOUND"
	ServerNotFound       Code = "SERVER_NOT_FOUND"
	MethodNotAllowed     Code = "METHOD_NOT_ALLOWED"
	PayloadTooLarge      Code = "PAYLOAD_TOO_LARGE"
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
	NotExecutable        Code = "NOT_EXECUTABLE"
	KernelBusy           Code = "KERNEL_BUSY"
	AlreadyExists        Code = "ALREADY_EXISTS"
	InvalidVariableType  Code = "INVALID_VARIABLE_TYPE"
	Denied               Code = "DENIED"
	ApprovalTimeout      Code = "APPROVAL_TIMEOUT"
	Paused               Code = "PAUSED"
	KernelStartFailed    Code = "KERNEL_START_FAILED"
	JupyterUnreachable   Code = "JUPYTER_UNREACHABLE"
	JupyterAuthFailed    Code = "JUPYTER_AUTH_FAILED"
	JupyterStarting      Code = "JUPYTER_STARTING"
	Unsupported          Code = "UNSUPPORTED"
	StorageFull          Code = "STORAGE_FULL"
	Timeout              Code = "TIMEOUT"
	Cancelled            Code = "CANCELLED"
	ShuttingDown         Code = "SHUTTING_DOWN"
	Internal             Code = "INTERNAL_ERROR"
)

// A CodeInfo describes a Code for clients.
type CodeInfo struct {
	Code   Code
	Status int    // HTTP
	Title  string // the problem's title: the same for every occurrence (RFC 9457)
	When   string // a sentence for docs/errors.md and the problem page
}

// Codes lists every code. HTTP statuses, problem pages and docs/errors.md are derived
// from it.
var Codes = []CodeInfo{
	{Validation, http.StatusBadRequest, "Invalid parameters", "A parameter is missing, wrong, too long or misspelt. The message names it and what was expected; for a misspelt name, it gives the right one. Nothing was changed."},
	{Unauthorized, http.StatusUnauthorized, "No or wrong token", "The token is missing or wrong. Send it as `Authorization: Bearer …` or `X-API-Key: …`; it is on the Connect page and in easel.json."},
	{Forbidden, http.StatusForbidden, "Foreign host or origin", "The request's Host is not a loopback name, or its Origin is a page that Easel did not serve."},
	{ToolNotFound, http.StatusNotFound, "No such tool", "GET /tools lists the tools."},
	{SessionNotFound, http.StatusNotFound, "No such session", "session_connect found no session for that notebook or kernel. session_list shows the running ones; session_create starts one."},
	{KernelNotFound, http.StatusNotFound, "No such kernel", "The session is unknown, or its kernel has ended. session_list shows the running ones; session_create starts a new one."},
	{ExecutionNotFound, http.StatusNotFound, "No such execution", "No execution has this ID."},
	{ImageNotFound, http.StatusNotFound, "No such image", "No image has this URI. list_session_images and resources/list show the existing ones."},
	{FileNotFound, http.StatusNotFound, "No such file", "The file or folder does not exist. file_list shows the existing ones."},
	{NotebookNotFound, http.StatusNotFound, "No such notebook", "The notebook does not exist on that server. file_list shows the existing files."},
	{CellNotFound, http.StatusNotFound, "No such cell", "The notebook has no cell with this ID or index. notebook_read lists its cells."},
	{VariableNotFound, http.StatusNotFound, "No such variable", "The kernel has no variable of this name. get_variables lists them."},
	{ServerNotFound, http.StatusNotFound, "No such server", "Easel knows no Jupyter server of this name."},
	{MethodNotAllowed, http.StatusMethodNotAllowed, "Method not allowed", "The address exists, but not for this HTTP method."},
	{PayloadTooLarge, http.StatusRequestEntityTooLarge, "Too large", "The request is over 8 MiB, or the result is larger than clients accept. The message says how to get by with less."},
	{UnsupportedMediaType, http.StatusUnsupportedMediaType, "Unsupported content type", "A POST must be application/json."},
	{NotExecutable, http.StatusConflict, "Cannot be executed now", "The tool cannot run in the current state. The message says why and what to do instead."},
	{KernelBusy, http.StatusConflict, "The kernel is busy", "The call needs an idle kernel. Wait with get_execution, or stop the running code with session_interrupt."},
	{AlreadyExists, http.StatusConflict, "Already exists", "A file of that name exists, and Easel does not overwrite it."},
	{InvalidVariableType, http.StatusUnprocessableEntity, "Wrong type of variable", "The variable exists, but the tool cannot describe a value of its type."},
	{Denied, http.StatusForbidden, "Denied by the user", "The user refused. The message contains the user's reason, if they gave one."},
	{ApprovalTimeout, http.StatusForbidden, "Not approved in time", "The user was asked and did not answer in time. This is not a refusal."},
	{Paused, http.StatusForbidden, "Paused by the user", "The user has paused the AI. Wait until the user resumes it."},
	{KernelStartFailed, http.StatusBadGateway, "The kernel did not start", "The message says which kernel, why, and which kernels exist."},
	{JupyterUnreachable, http.StatusBadGateway, "Jupyter is unreachable", "The Jupyter server does not respond. The message says which server and what to do."},
	{JupyterAuthFailed, http.StatusBadGateway, "Jupyter refuses the token", "The Jupyter server responds, but refuses Easel's token. The message says which server and what to do."},
	{JupyterStarting, http.StatusServiceUnavailable, "Jupyter is starting", "The managed Jupyter is still being installed or started. The message gives the progress; try again in a few seconds."},
	{Unsupported, http.StatusNotImplemented, "Not supported there", "That server or kernel does not support this."},
	{StorageFull, http.StatusInsufficientStorage, "The disk is full", "The library could not write. Nothing saved earlier was lost; the message says what to free."},
	{Timeout, http.StatusGatewayTimeout, "Timeout", "The app did not respond in time."},
	{Cancelled, 499, "Cancelled by the caller", "The caller cancelled before anything started."},
	{ShuttingDown, http.StatusServiceUnavailable, "Easel is shutting down", "Easel accepts no new calls while it quits."},
	{Internal, http.StatusInternalServerError, "Internal error", "A bug in Easel. The message contains an ID that is also in the log."},
}

// Info looks up c in Codes. An unknown code is an internal error.
func (c Code) Info() CodeInfo {
	for _, i := range Codes {
		if i.Code == c {
			return i
		}
	}
	return Internal.Info()
}

// A Field describes one invalid parameter.
type Field struct {
	Pointer string `json:"pointer" jsonschema:"JSON pointer to the parameter, for example #/wait"`
	Detail  string `json:"detail" jsonschema:"what is wrong with it, and what was expected"`
}

// An Error is a failure that the caller may see. Code, Detail, Hint and Fields are sent
// to the client; Err is only logged.
type Error struct {
	Code   Code
	Detail string // what went wrong in this case
	Hint   string // what to do, unless Detail says it
	Fields []Field
	Err    error
}

// Error formats code, detail and cause for the log.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Detail
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Explain returns what a reader should know about an error: what was wrong and what to do, without
// its code and cause, which are for programs and the log.
func Explain(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return strings.TrimSpace(e.Detail + " " + e.Hint)
	}
	return err.Error()
}

// Errorf makes an *Error whose detail the caller may see. The error of a %w verb becomes
// the cause, and its text is part of the detail.
func Errorf(code Code, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Detail: err.Error(), Err: errors.Unwrap(err)}
}

// AsError converts err to an *Error. It returns an *Error unchanged, and maps the errors
// of the bus and of contexts to codes. For an unknown error, the client sees only an id,
// which is also in the log.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, eventbus.ErrClosed):
		return &Error{Code: ShuttingDown, Detail: "Easel is shutting down.", Err: err}
	case errors.Is(err, eventbus.ErrNotExecutable):
		return &Error{Code: NotExecutable, Detail: err.Error(), Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: Timeout, Detail: "Easel did not respond in time.", Err: err}
	case errors.Is(err, context.Canceled):
		return &Error{Code: Cancelled, Detail: "The call was cancelled before it ended.", Err: err}
	}
	var id [6]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	n := hex.EncodeToString(id[:])
	return &Error{
		Code: Internal, Detail: "An internal error occurred in Easel (ID " + n + ").",
		Hint: "The log in the data directory contains this ID and the cause.",
		Err:  fmt.Errorf("id %s: %w", n, err),
	}
}
