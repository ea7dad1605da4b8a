package record

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
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
	Death    string    // how its process died, as catalog.Death says it; "" if nobody knows, or it did not
	Gone     bool      // it is no longer live

	// OwnPython says which Python of Easel's the kernel is, such as "Easel's own, Python 3.12.3"; ""
	// if it is none.
	OwnPython string
	Sandboxed bool   // the kernel runs in a sandbox
	R         string // which R the kernel is, such as "R 4.2.2, renv"; "" if it is of another language
}

// Interpreter says in what the kernel runs, for clients; "" if it is not known.
func (v SessionView) Interpreter() string {
	said := cmp.Or(v.Environment, v.OwnPython, v.R)
	if v.Sandboxed {
		return strings.TrimPrefix(said+", in a sandbox", ", ")
	}
	return said
}

// Catalog returns the session as clients see it.
func (v SessionView) Catalog(images int) catalog.Session {
	c := catalog.Session{
		SessionID: v.ID, KernelID: v.KernelID, KernelName: v.KernelName, Status: v.Status,
		CreatedAt: v.CreatedAt.UTC(), LastActivity: v.CreatedAt.UTC(), Title: cmp.Or(v.Name, v.Title), NotebookPath: v.NotebookPath,
		Directory: v.Directory, Environment: v.Interpreter(),
		Server: v.Server, Owner: v.Owner, Generation: v.Generation, Images: images, Death: v.Death, Clients: sessionuse.Names(v.Clients),
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

// OwnPython says that a kernel is Easel's own Python, and of which version, if that is known; "" if it
// is none. On a project's server, python3 is the project's Python.
func OwnPython(managedServer bool, s library.Session, version string) string {
	if !managedServer || s.Environment != "" || s.KernelName != managed.EaselKernel && (s.KernelName != defaultKernel || s.Project != "") {
		return ""
	}
	if version == "" {
		return "Easel's own Python"
	}
	return "Easel's own, Python " + version
}

// ofR says which R a kernel is, and whether renv keeps the packages of its project. R reads only the .Rprofile
// in the directory in which it starts, which activates renv.
func ofR(info jupyter.KernelInfo, s library.Session) string {
	if !strings.EqualFold(info.Language, "R") {
		return ""
	}
	said := strings.TrimSpace("R " + info.LanguageVersion)
	switch _, err := os.Stat(filepath.Join(s.Directory, "renv", "activate.R")); {
	case s.Directory == "" || s.Away():
		return said
	case err == nil:
		return said + ", renv"
	}
	return said + ", no renv"
}

// defaultKernel is the kernelspec of Easel's own Python on its main server.
const defaultKernel = "python3"

// Owners of a kernel.
const (
	OwnerEasel = "easel"
	OwnerOther = "other"
)
