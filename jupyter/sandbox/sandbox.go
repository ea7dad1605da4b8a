// Package sandbox starts kernels that can do little else than compute: they read the system's
// programs, their Python and the project, write the project and a scratch directory, and have no
// network unless the user allows it. See ADR 50.
//
// Easel's program is the launcher: a kernelspec's command is started as "easel kernel-sandbox --
// COMMAND", with a [Start] in the variable [Variable], which the kernel does not get. There are two
// [Backend]s: bubblewrap, and Landlock with seccomp. Where neither works, nothing starts.
//
// # Goroutines
//
// The launcher has those of its signals. The other functions start none, and may be called on any goroutine.
package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Command is the hidden command of Easel's program that is the launcher.
const Command = "kernel-sandbox"

// Variable is the environment variable that has the Start, as JSON.
const Variable = "EASEL_SANDBOX_START"

// MarkVariable is in the environment of a sandboxed kernel, with the name of the backend.
const MarkVariable = "EASEL_SANDBOXED"

// A Backend is what enforces a Policy.
type Backend string

// The backends. Any is the best one that works here.
const (
	Any        Backend = ""
	Bubblewrap Backend = "bubblewrap"
	Landlock   Backend = "landlock"
)

// A Policy says what the kernels of a project may do.
type Policy struct {
	Root    string   `json:"root"`              // the project's folder, which they write
	Home    string   `json:"home"`              // their home directory, which they write
	Read    []string `json:"read,omitempty"`    // other folders and files that they read
	Write   []string `json:"write,omitempty"`   // other folders that they write
	Network bool     `json:"network,omitempty"` // they have the network
	Backend Backend  `json:"backend,omitempty"`
}

// A Start is one kernel, or another program, that is started in a sandbox.
type Start struct {
	Policy
	Own    []string `json:"own,omitempty"`    // what only this kernel writes: its sockets, its layer
	Temp   string   `json:"temp"`             // its directory for temporary files
	Given  []string `json:"given,omitempty"`  // files and folders that it reads: its connection file
	Keep   []string `json:"keep,omitempty"`   // environment variables that it gets beside the usual ones
	Folder string   `json:"folder,omitempty"` // its working directory; "" is that of the launcher

	// The launcher fills these.
	Argv  []string `json:"argv,omitempty"`
	Group int      `json:"group,omitempty"` // the launcher's process group
}

// Reading is for a program that reads a folder, and writes only a scratch directory.
func Reading(folder, scratch string) Start {
	return Start{Policy: Policy{Root: scratch, Home: scratch, Read: []string{folder}}, Temp: scratch, Folder: scratch}
}

// Command returns the command and the environment that start a program in the sandbox, if this process is Easel.
func (s Start) Command(argv, environ []string) (launcher, extended []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(s)
	return append([]string{self, Command, "--"}, argv...), append(slices.Clone(environ), Variable+"="+string(text)), err
}

// An UnavailableError says why there is no sandbox here, and what to do.
type UnavailableError struct{ Why, Remedy string }

func (e *UnavailableError) Error() string { return e.Why }

// read returns the Start of this process, and removes it from the environment.
func read() (s Start, err error) {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		return s, errors.New(Command + " is only for Easel itself")
	}
	if err := os.Unsetenv(Variable); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("%s: %w", Variable, err)
	}
	if s.Root == "" || s.Home == "" || s.Temp == "" {
		return s, fmt.Errorf("%s names no folders", Variable)
	}
	return s, nil
}
