// Package remote opens projects on other machines. Easel brings itself: it copies its program
// without a window there, once per version, and starts it through ssh. That program, an [Agent],
// finds the project's Python and runs a Jupyter server for it with the same code as on this
// machine. So nothing but sshd and, where there is no network, a Python has to be there.
//
// A [Machine] is the connection to an agent, over the standard input and output of ssh: requests
// and their answers, in lines of JSON. A [Host] is the server of one project there. Requests to
// that server go through a [tunnel.Tunnel] of its own.
//
// The agent ends with its input, or when it hears nothing for a while. The servers do not: each has
// a lease, within which the next agent takes it over with its kernels. So neither a network that
// breaks nor an Easel that is killed ends what runs there.
//
// # Goroutines
//
// The first request of a [Machine] starts one that owns the connection, until Close. Each
// connection has two more, which read its answers and check that it is alive. An agent has one
// for each request that it works on. Close waits for all of them.
package remote

import (
	"encoding/json"
	"time"
)

// Command is the command of Easel that runs an agent. It is not for people.
const Command = "serve-projects"

// protocol is what both sides must have in common.
const protocol = 1

// Lease is how long a project's server runs without an agent: a night, and a laptop's sleep.
const Lease = 24 * time.Hour

// A request is what an agent is asked.
type request struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// A reply is an answer to a request or, if it has a Step, how far that is. The first line of an
// agent is one with ID 0.
type reply struct {
	ID     int             `json:"id"`
	Step   *Step           `json:"step,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// A Step is what an agent is doing.
type Step struct {
	Text     string  `json:"text"`
	Fraction float64 `json:"fraction,omitempty"`
}

// hello is the result with ID 0.
type hello struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// A Kind is the kind of an Error.
type Kind string

// The kinds.
const (
	NotAProject Kind = "project"   // the directory is none
	NoKernel    Kind = "kernel"    // the environment cannot run a kernel
	NoNetwork   Kind = "network"   // the machine cannot reach the package index
	NoProgram   Kind = "program"   // Easel's program for that machine is missing here
	Displaced   Kind = "displaced" // another connection of this Easel has taken this one's place
	Failed      Kind = "failed"
)

// An Error says what is not possible on another machine.
type Error struct {
	Kind   Kind   `json:"kind"`
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
	Folder string `json:"folder,omitempty"` // there; ends the remedy
}

// Error returns the text.
func (e *Error) Error() string { return e.Text }
