package record

import (
	"time"

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
		Directory: v.Directory, Environment: v.Environment,
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

// Owners of a kernel.
const (
	OwnerEasel = "easel"
	OwnerOther = "other"
)
