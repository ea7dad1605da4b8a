package projects

import (
	"encoding/json"
	"errors"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/remote"
	"easel/jupyter/tunnel"
	"easel/ui/core/kernels/tasks"
)

// What runs on other machines outlives an Easel that is killed. The next one learns from a file
// where that is.

// changed remembers the projects whose servers run on other machines, after that of o has changed.
func (e *elsewhere) changed(o *openProject, running *roster, t *tasks.Group) {
	if tunnel.IsAddress(o.root) && t.Context().Err() == nil {
		e.remember(running.elsewhere())
	}
}

// remember writes the open projects on other machines for the next run of Easel.
func (e *elsewhere) remember(list []managed.ProjectServer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, err := json.Marshal(list)
	if err == nil && (len(list) > 0 || e.remembered) {
		e.remembered = true
		err = atomicfile.Write(e.file, text, 0o600)
	}
	if err != nil {
		e.log.Warn("another run of Easel will not find its kernels on other machines", "err", err)
	}
}

// leaveBehind remembers the servers on machines that cannot be reached now, and clears their errors:
// the next run of Easel looks after them.
func (e *elsewhere) leaveBehind(all []*openProject, errs []error) {
	var left []managed.ProjectServer
	for i, o := range all {
		if _, away := errors.AsType[*tunnel.Error](errs[i]); away {
			e.log.Warn("a project's server on another machine runs on", "root", o.root, "err", errs[i])
			left, errs[i] = append(left, managed.ProjectServer{Root: o.root, Name: o.name}), nil
		}
	}
	e.remember(left)
}

// rejoin takes over the servers on other machines that an earlier run of Easel has left.
func (p *Projects) rejoin() {
	var list []managed.ProjectServer
	text, err := system.ReadFile(p.there.file)
	if err != nil || json.Unmarshal(text, &list) != nil || p.there.open == nil {
		return
	}
	for _, left := range list {
		if tunnel.IsAddress(left.Root) && p.Allows(left.Root) {
			p.tasks.Go(func() { p.retry(project.Project{Root: left.Root, Name: left.Name}) })
		}
	}
}

// retry starts the server of a project on another machine, which may be off or out of reach, until
// its lease has ended.
func (p *Projects) retry(pr project.Project) {
	ctx, began := p.tasks.Context(), time.Now()
	for pause := 10 * time.Second; time.Since(began) < remote.Lease; pause = min(2*pause, 10*time.Minute) {
		_, err := p.serve(ctx, pr)
		if _, away := errors.AsType[*tunnel.Error](err); !away {
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}
