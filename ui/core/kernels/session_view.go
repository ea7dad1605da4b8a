package kernels

import (
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
)

// A SessionView is the state of a live session at one time.
type SessionView struct {
	library.Session
	Status   string // starting, idle, busy, restarting, dead, disconnected
	Running  *execution.RunningCode
	Queued   int
	Awaiting int       // executions that wait for approval
	Used     time.Time // time of last use
	Died     string    // why it ended or died; "" while it is live
	Crashed  time.Time // when the kernel died and was restarted; zero if it was restarted otherwise since
	Gone     bool      // it is no longer live
}

// Catalog returns the session as clients see it.
func (v SessionView) Catalog(images int) catalog.Session {
	c := catalog.Session{
		SessionID: v.ID, KernelID: v.KernelID, KernelName: v.KernelName, Status: v.Status,
		CreatedAt: v.CreatedAt.UTC(), LastActivity: v.CreatedAt.UTC(), NotebookPath: v.NotebookPath,
		Server: v.Server, Owner: v.Owner, Generation: v.Generation, Images: images, Clients: sessionuse.Names(v.Clients),
	}
	if x := v.Running; x != nil {
		c.Running = &catalog.RunningCode{
			ExecutionID: x.ExecutionID, Since: x.Since.UTC(), Client: x.Client, Code: catalog.FirstLine(x.Code),
		}
		if !x.Since.IsZero() {
			c.Running.Seconds = int(time.Since(x.Since).Seconds())
		}
	}
	if v.Running != nil && v.Running.Since.After(c.LastActivity) {
		c.LastActivity = v.Running.Since
	}
	return c
}

// processOf returns what is known about the process of a kernel that no server runs.
func processOf(k jupyter.KernelModel) *catalog.KernelProcess {
	if k.Process == nil {
		return nil
	}
	return &catalog.KernelProcess{
		PID: k.Process.PID, Program: k.Process.Program, Directory: k.Process.Dir, User: k.Process.User,
		StartedAt: k.Process.Started, ConnectionFile: k.Process.File, Problem: k.Process.Problem,
	}
}

// statusOf converts the execution state that a server reports to the status of a session.
// Provisioners may use states of their own, which become "unknown".
func statusOf(state string) string {
	switch state {
	case wire.StateStarting, wire.StateIdle, wire.StateBusy, wire.StateRestarting, wire.StateDead:
		return state
	case wire.StateAutoRestarting:
		return wire.StateRestarting
	default:
		return "unknown"
	}
}
