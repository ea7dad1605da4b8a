package jupyter

import (
	"errors"
	"fmt"
	"strings"
)

// Errors that callers tell apart with [errors.Is].
var (
	// ErrUnreachable: nobody answers there, or only a proxy that says so.
	ErrUnreachable = errors.New("the Jupyter server cannot be reached")
	// ErrUnauthorized: the server refuses the token, or wants a login page.
	ErrUnauthorized = errors.New("the Jupyter server refuses the token")
	// ErrNotFound: there is no such kernel, session or file.
	ErrNotFound = errors.New("not found on the Jupyter server")
	// ErrKernelStart: the server could not start the kernel.
	ErrKernelStart = errors.New("the kernel could not be started")
	// ErrBadPath: the path leaves the server's root or is none.
	ErrBadPath = errors.New("not a path on the Jupyter server")

	// ErrDisconnected: the kernel's websocket is down at the moment. What was
	// asked was not sent, or its answer is lost.
	ErrDisconnected = errors.New("the connection to the kernel is down")
	// ErrKernelRestarted: the kernel restarted or died before it answered.
	ErrKernelRestarted = errors.New("the kernel restarted")
	// ErrKernelBusy: the kernel is at work and has no subshell to ask beside it.
	ErrKernelBusy = errors.New("the kernel is busy")
	// ErrAborted: the kernel dropped the request, as something before it failed.
	ErrAborted = errors.New("the kernel dropped the request after an earlier error")
	// ErrClosed: the Kernel was closed.
	ErrClosed = errors.New("closed")
	// ErrMessageTooLarge: the kernel sent a message over the read limit. Its
	// headers are there, its content is lost; the connection goes on.
	ErrMessageTooLarge = errors.New("the message is too large")
	// ErrRequestTooLarge: the request is larger than what a Jupyter server
	// takes. Sent, it would cost the connection.
	ErrRequestTooLarge = errors.New("the request is too large for a Jupyter server")
)

// A StatusError is an answer of the server that is not what was asked for.
type StatusError struct {
	Method  string
	Path    string // as the server sees it, escaped, without the query
	Status  int    // HTTP
	Message string // what the server said, or what we make of it
	Err     error  // one of this package's, or nil
}

// Error tells the request, the status and the server's message.
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

// Unwrap is e.Err.
func (e *StatusError) Unwrap() error { return e.Err }

// NoSuchKernelSpecError tells that a server has no kernel of that name.
type NoSuchKernelSpecError struct {
	Name  string
	Known []string // sorted
}

// Error tells the name and what there is instead.
func (e *NoSuchKernelSpecError) Error() string {
	return fmt.Sprintf("no kernel named %q; there are: %s", e.Name, strings.Join(e.Known, ", "))
}

// An EvaluationError is the exception that the code of an [Evaluation] raised.
type EvaluationError struct {
	Ename     string
	Evalue    string
	Traceback []string
}

// Error tells the exception as Python would.
func (e *EvaluationError) Error() string { return e.Ename + ": " + e.Evalue }
