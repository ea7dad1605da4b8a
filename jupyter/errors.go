package jupyter

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers distinguish with [errors.Is].
var (
	// ErrUnreachable means that the server does not answer, or that a proxy says so.
	ErrUnreachable = errors.New("the Jupyter server cannot be reached")
	// ErrUnauthorized means that the server rejects the token or redirects to a login
	// page.
	ErrUnauthorized = errors.New("the Jupyter server refuses the token")
	// ErrDenied means that the server may not read or write a file.
	ErrDenied = errors.New("the Jupyter server may not use the file")
	// ErrNotFound means that the kernel, session or file does not exist.
	ErrNotFound = errors.New("not found on the Jupyter server")
	// ErrKernelStart means that the server could not start the kernel.
	ErrKernelStart = errors.New("the kernel could not be started")
	// ErrBadPath means that the path is outside the server's root or invalid.
	ErrBadPath = errors.New("not a path on the Jupyter server")

	// ErrDisconnected means that the kernel's websocket is currently down. The request
	// was not sent, or its reply is lost.
	ErrDisconnected = errors.New("the connection to the kernel is down")
	// ErrKernelRestarted means that the kernel restarted or died before it replied.
	ErrKernelRestarted = errors.New("the kernel restarted")
	// ErrKernelBusy means that the kernel is busy and has no subshells.
	ErrKernelBusy = errors.New("the kernel is busy")
	// ErrAborted means that the kernel dropped the request because an earlier one
	// failed.
	ErrAborted = errors.New("the kernel dropped the request after an earlier error")
	// ErrClosed means that the Kernel was closed.
	ErrClosed = errors.New("closed")
	// ErrMessageTooLarge means that the kernel sent a message over the read limit. The
	// message has its headers but no content. The connection stays open.
	ErrMessageTooLarge = errors.New("the message is too large")
	// ErrAnswerTooLarge means that the server's answer is larger than Easel reads.
	ErrAnswerTooLarge = errors.New("the answer is too large")
	// ErrRequestTooLarge means that the request is larger than a Jupyter server accepts.
	// Sending it would break the connection.
	ErrRequestTooLarge = errors.New("the request is too large for a Jupyter server")
)

// A StatusError is a response with an unexpected status.
type StatusError struct {
	Method  string
	Path    string // as sent: escaped and without the query
	Status  int    // HTTP
	Message string // the server's message, or ours if it has none
	Err     error  // one of this package's errors, or nil
}

// Error formats the request, the status and the server's message.
func (e *StatusError) Error() string {
	var b strings.Builder
	if e.Err != nil {
		fmt.Fprintf(&b, "%v: ", e.Err)
	}
	fmt.Fprintf(&b, "%s %s: %d", e.Method, e.Path, e.Status)
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	return b.String()
}

// Unwrap returns e.Err.
func (e *StatusError) Unwrap() error { return e.Err }

// NoSuchKernelSpecError means that a server has no kernelspec with that name.
type NoSuchKernelSpecError struct {
	Name  string
	Known []string // sorted
}

// Error gives the name and the known names.
func (e *NoSuchKernelSpecError) Error() string {
	return fmt.Sprintf("no kernel named %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// An EvaluationError is the exception that the code of an [Evaluation] raised.
type EvaluationError struct {
	Ename     string
	Evalue    string
	Traceback []string
}

// Error formats the exception as Python does.
func (e *EvaluationError) Error() string { return e.Ename + ": " + e.Evalue }
