// Package projects opens the projects that assistants work in: it says which project a call is
// about, asks the user for permission once, chooses the project's Python, and runs a Jupyter
// server of Easel's for it, whose root is the project's folder (ADR 38). So everything that works
// with a server works in a project: notebooks, files, JupyterLab and kernels.
//
// # Goroutines
//
// All methods may be called on any goroutine. Each open project has a goroutine that starts its
// server and ends it when nobody has used it for a while. Close ends all of them.
package projects

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/jupyter/remote"
	"easel/jupyter/sandbox"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/private"
	"easel/ui/core/state"
)

// A Host is the Jupyter server of one project.
type Host interface {
	Start(ctx context.Context) (*jupyter.Server, error)
	Server() *jupyter.Server // nil while it does not run
	Stop(ctx context.Context) error
	SetKernel(name string, spec managed.KernelSpec) error
	RemoveKernel(name string) error
}

// Config is what Projects get from the other parts.
type Config struct {
	Store   *state.Store
	Servers *servers.List
	Log     *slog.Logger
	Allowed []string // directories in which projects need no question; from the command line
	// EnvFiles makes kernels in these projects have the variables in their .env files.
	EnvFiles bool
	// Available says which sandbox there is; nil is sandbox.Check.
	Available func(p sandbox.Policy) (sandbox.Backend, error)
	Sandbox   bool   // kernels in these projects run in a sandbox
	WorkDir   string // the working folder, which is no project
	Private   *private.Directory
	DataDir   string
	// Host makes the server of a project. It is nil if Easel runs no Jupyter of its own.
	Host func(p managed.ProjectServer, report func(managed.Status)) Host
	// Health converts the status of a server.
	Health func(name string, s managed.Status) catalog.ServerHealth
	// Prepare says how to start a kernel in an interpreter. If confined is not "", the interpreter runs in a sandbox that
	// reads that folder.
	Prepare func(ctx context.Context, python, confined string, report func(step string)) (overlay.Kernel, error)
	// Machine returns the connection to another machine, which is not opened yet. It may be nil.
	Machine func(address tunnel.Address) *remote.Machine
	// Restore joins the kernels that an earlier run of Easel had joined on a server.
	Restore func(ctx context.Context, server string) error
	// Rest is how long a server without kernels runs; 0 means ten minutes.
	Rest time.Duration
}

// defaultRest is Config.Rest.
const defaultRest = 10 * time.Minute

// unusedFor is how long Easel keeps its files about a project whose folder is gone. It may be on a
// drive that is not connected.
const unusedFor = 30 * 24 * time.Hour

// Projects are the projects that are open, each with its server.
type Projects struct {
	c       Config
	tasks   *tasks.Group
	access  access
	boxes   boxes
	callers callers
	there   elsewhere
	running roster

	publishing sync.Mutex // locked before the roster
}

// New returns Projects of which none is open. Close them after use.
func New(c Config) *Projects {
	if c.Available == nil {
		c.Available = sandbox.Check
	}
	if c.Rest == 0 {
		c.Rest = defaultRest
	}
	p := &Projects{
		c: c, tasks: tasks.New(), running: roster{open: make(map[string]*openProject), names: make(map[string]string)},
	}
	p.there.open, p.there.log, p.there.file = c.Machine, c.Log, filepath.Join(c.DataDir, "elsewhere.json")
	p.access = access{store: c.Store, commandLine: slices.Clone(c.Allowed), links: p.there.allowed, tasks: p.tasks}
	for i, dir := range p.access.commandLine {
		if filepath.IsAbs(dir) { // a link that replaces the folder later is not what the user has allowed
			p.access.commandLine[i] = private.Real(dir)
		}
	}
	p.boxes = boxes{store: c.Store, access: &p.access, byDefault: c.Sandbox, available: c.Available}
	p.there.confined = p.boxes.confined
	for _, known := range managed.KnownProjects(c.DataDir) {
		p.running.names[known.Root] = known.Name
	}
	return p
}

// AskBy sets the function that asks the user whether the caller may work in a project. Its error
// is an *oversight.DeniedError if not. Call it before the first use.
func (p *Projects) AskBy(ask func(ctx context.Context, p catalog.Project) error) {
	p.access.permit = ask
}

// Close ends the servers, with their kernels, and waits for that until ctx ends.
func (p *Projects) Close(ctx context.Context) error {
	err := p.tasks.Close(ctx) // first, so that no other server is started
	p.running.mu.Lock()
	all := slices.Collect(maps.Values(p.running.open))
	p.running.mu.Unlock()
	errs := make([]error, len(all))
	var stopped sync.WaitGroup
	for i, o := range all {
		stopped.Go(func() { errs[i] = o.host.Stop(ctx) })
	}
	stopped.Wait()
	p.there.close()
	p.there.leaveBehind(all, errs)
	if err = errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("projects: %w", err)
	}
	return nil
}

// Adopt takes over the servers that an earlier run of Easel has left, and joins their kernels.
func (p *Projects) Adopt() {
	if p.c.Host == nil {
		return
	}
	if err := managed.ForgetProjects(p.c.DataDir, time.Now().Add(-unusedFor)); err != nil {
		p.c.Log.Warn("the files of a project that is gone cannot be removed", "err", err)
	}
	for _, left := range managed.RunningProjects(p.c.DataDir) {
		p.running.mu.Lock()
		if p.running.open[left.Root] == nil {
			p.begin(left)
		}
		p.running.mu.Unlock()
	}
	p.rejoin()
}
