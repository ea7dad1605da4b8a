package remote

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/jupyter/project"
)

// A method is what an agent can do.
type method func(ctx context.Context, a *Agent, r request) (any, error)

// methods are the methods by their names.
var methods = map[string]method{
	methodPing:         taking((*Agent).ping),
	methodFind:         taking((*Agent).find),
	methodEnvironments: taking((*Agent).environments),
	methodPrepare:      taking((*Agent).prepare),
	methodStart:        taking((*Agent).start),
	methodStop:         taking((*Agent).stop),
	methodSetKernel:    taking((*Agent).setKernel),
	methodRemoveKernel: taking((*Agent).removeKernel),
	methodLacks:        taking((*Agent).lacks),
	methodCarried:      taking((*Agent).carried),
}

// The names of the methods.
const (
	methodPing         = "ping"
	methodFind         = "find"
	methodEnvironments = "environments"
	methodPrepare      = "prepare"
	methodStart        = "start"
	methodStop         = "stop"
	methodSetKernel    = "set_kernel"
	methodRemoveKernel = "remove_kernel"
	methodLacks        = "lacks"
	methodCarried      = "carried"
)

// taking makes a method of a function.
func taking[In, Out any](do func(*Agent, context.Context, int, In) (Out, error)) method {
	return func(ctx context.Context, a *Agent, r request) (any, error) {
		var in In
		if err := json.Unmarshal(r.Params, &in); err != nil {
			return nil, err
		}
		return do(a, ctx, r.ID, in)
	}
}

// none is a result or parameter without content.
type none struct{}

func (a *Agent) ping(context.Context, int, none) (none, error) { return none{}, nil }

// A Location is the project that a directory belongs to.
type Location struct {
	Project   project.Project `json:"project"`
	Directory string          `json:"directory"` // without links
}

func (a *Agent) find(_ context.Context, _ int, dir string) (Location, error) {
	dir, err := project.Resolve(dir)
	var p project.Project
	if err == nil {
		p, err = project.Of(dir, a.cfg.DataDir)
	}
	if e, ok := errors.AsType[*project.Error](err); ok {
		problem := &Error{Kind: NotAProject, Text: strings.TrimSuffix(strings.TrimSuffix(e.Error(), e.Remedy), ". "), Remedy: e.Remedy}
		if e.Reason.Kind == "file" {
			problem.Remedy, problem.Folder = "Give its folder:", filepath.Dir(e.Directory)
		}
		return Location{}, problem
	}
	return Location{p, dir}, err
}

// search says where an agent looks for environments.
type search struct {
	Project   project.Project `json:"project"`
	Directory string          `json:"directory"`
}

// Environments are those of a project.
type Environments struct {
	All    []project.Environment // best first
	Advice *project.Advice       // nil if no environment is missing
}

// A reason is a [project.Reason] in all its parts. As JSON, that is only a sentence.
type reason project.Reason

// An environmentList has what Environments lose as JSON.
type environmentList struct {
	All    []project.Environment `json:"all"`
	Why    []reason              `json:"why"`
	Broken []reason              `json:"broken"`
	Advice *project.Advice       `json:"advice,omitempty"`
	Lacks  reason                `json:"lacks"`
}

func (a *Agent) environments(ctx context.Context, _ int, in search) (found environmentList, err error) {
	found.All = project.Environments(ctx, in.Project, project.Surroundings{}, in.Directory)
	for i := range found.All {
		e := &found.All[i]
		found.Why, found.Broken = append(found.Why, reason(e.Why)), append(found.Broken, reason(e.Broken))
		e.Why, e.Broken = project.Reason{}, project.Reason{}
	}
	if advice, ok := project.Missing(ctx, in.Project); ok {
		found.Lacks = reason(advice.Why)
		advice.Why = project.Reason{}
		found.Advice = &advice
	}
	return found, nil
}

// whole returns the environments with their reasons.
func (x environmentList) whole() Environments {
	for i := range x.All {
		x.All[i].Why, x.All[i].Broken = project.Reason(x.Why[i]), project.Reason(x.Broken[i])
	}
	if x.Advice != nil {
		x.Advice.Why = project.Reason(x.Lacks)
	}
	return Environments{x.All, x.Advice}
}

func (a *Agent) prepare(ctx context.Context, id int, python string) (overlay.Kernel, error) {
	if err := a.environment(ctx, id); err != nil { // the overlay is made from it
		return overlay.Kernel{}, err
	}
	return a.overlays.Prepare(ctx, python, func(text string) { a.send(reply{ID: id, Step: &Step{Text: text}}) })
}

// runtimeOf says where the runtime file of a server is.
type runtimeOf struct {
	RuntimeDir string `json:"runtime_dir"`
}

// packageTarget is the Python whose packages have to be carried to a machine without a network.
type packageTarget struct {
	Python managed.Interpreter `json:"python"`
	Dir    string              `json:"dir"` // for the file
}

// lacks chooses the Python of Easel's environment: that of the project's environment, if possible.
func (a *Agent) lacks(ctx context.Context, _ int, of managed.ProjectServer) (x packageTarget, err error) {
	best, _ := project.Best(project.Environments(ctx, project.Project{Root: of.Root, Name: of.Name}, project.Surroundings{}, of.Root))
	x.Python, err = managed.Carried(ctx, a.managed, best.Python)
	x.Dir = a.dir
	return x, err
}

// packages is a file with packages that has been copied here, and the Python that it is for.
type packages struct {
	File       string `json:"file"`
	Executable string `json:"executable"`
}

func (a *Agent) carried(_ context.Context, _ int, in packages) (none, error) {
	a.installing.Lock()
	defer a.installing.Unlock()
	if a.installed {
		return none{}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.house, a.managed.Python = in.File, in.Executable
	a.jupyter = managed.New(a.managed)
	clear(a.projects) // they belong to the former one, and none was started
	return none{}, nil
}

func (a *Agent) start(ctx context.Context, id int, of managed.ProjectServer) (runtimeOf, error) {
	if err := a.environment(ctx, id); err != nil {
		return runtimeOf{}, err
	}
	p := a.project(of)
	a.send(reply{ID: id, Step: &Step{Text: "Starting Jupyter", Fraction: 0.9}})
	_, err := p.Start(ctx)
	if errors.Is(err, managed.ErrStarted) && p.Server() != nil {
		err = nil
	}
	return runtimeOf{p.RuntimeDir()}, err
}

// project returns the server of a project, started or not.
func (a *Agent) project(of managed.ProjectServer) *managed.Project {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.projects[of.Root]
	if p == nil {
		p = a.jupyter.ForProject(of, nil)
		a.projects[of.Root] = p
	}
	return p
}

// stopLimit is how long a server may take to end.
const stopLimit = 15 * time.Second

func (a *Agent) stop(ctx context.Context, _ int, of managed.ProjectServer) (none, error) {
	ctx, cancel := context.WithTimeout(ctx, stopLimit)
	defer cancel()
	p := a.project(of)
	if p.Server() == nil && slices.Contains(managed.RunningProjects(a.dir), of) { // an earlier agent has started it
		if _, err := p.Start(ctx); err != nil {
			return none{}, err
		}
	}
	return none{}, p.Stop(ctx)
}

// kernelOf is a kernelspec of a project's server.
type kernelOf struct {
	Of   managed.ProjectServer `json:"of"`
	Name string                `json:"name"`
	Spec managed.KernelSpec    `json:"spec"`
}

func (a *Agent) setKernel(_ context.Context, _ int, in kernelOf) (none, error) {
	return none{}, a.project(in.Of).SetKernel(in.Name, in.Spec)
}

func (a *Agent) removeKernel(_ context.Context, _ int, in kernelOf) (none, error) {
	return none{}, a.project(in.Of).RemoveKernel(in.Name)
}
