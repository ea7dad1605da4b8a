package projects

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/mcphost/tool"
	"easel/ui/core/command"
)

// kernel makes sure that a project's server has a kernelspec for an environment, and returns its
// name: python3 for the project's own, and a name of its own for each other.
func (p *Projects) kernel(ctx context.Context, o *openProject, env project.Environment) (string, error) {
	report := func(string) {}
	if progress := tool.CallerFrom(ctx).Progress; progress != nil {
		report = func(step string) { progress(tool.Progress{Message: step}) }
	}
	k, err := p.prepare(ctx, o.root, env.Python, report)
	if err != nil {
		if e, ok := errors.AsType[*Error](explained(ctx, o.root, err)); ok {
			return "", e
		}
		return "", &Error{Problem: NoKernel, Detail: err.Error(), Remedy: Repair(o.root), Err: err}
	}
	env.Version = cmp.Or(k.Version, env.Version)
	own, _ := p.choose(ctx, o.project(), o.root, tool.Workspace{})
	p.running.mu.Lock()
	i := 0
	if own.Python == env.Python {
		o.pythons[0] = env
	} else if i = slices.IndexFunc(o.pythons, func(e project.Environment) bool { return e.Python == env.Python }); i < 1 {
		i = len(o.pythons)
		o.pythons = append(o.pythons, env)
	}
	p.running.mu.Unlock()
	name := kernelName(i, env)
	return name, o.host.SetKernel(name, managed.KernelSpec{
		Argv: k.Argv, Env: k.Env, Language: "python", DisplayName: fmt.Sprintf("Python %s (%s)", env.Version, env.Label), InterruptMode: "signal",
		Metadata: map[string]any{managed.KeepsOutput: true},
	})
}

// Repair says what to do if no kernel starts in the environment of the project with a root.
func Repair(root string) string {
	return fmt.Sprintf("Ask the user to repair the project's Python environment, or to choose another one below the project's name in Easel's window (`easel env list` shows them). session_create with directory=%q and name=%q uses Easel's own Python there.", root, managed.EaselKernel)
}

// An attempt is how the kernelspec of a project's own Python was last made.
type attempt struct {
	python string
	err    error // nil if it has one
	ended  time.Time
}

// kernelSince is kernel. It does not try again what failed after began, when the server was started
// for the same call: without a network, or if the interpreter hangs, each try takes long.
func (p *Projects) kernelSince(ctx context.Context, o *openProject, env project.Environment, began time.Time) (string, error) {
	p.running.mu.Lock()
	last := o.tried
	p.running.mu.Unlock()
	if last.err != nil && last.python == env.Python && last.ended.After(began) {
		return "", last.err
	}
	return p.kernel(ctx, o, env)
}

// Renew writes a kernelspec of a project's server again, as its interpreter is now, and returns
// what Environment says then. For python3, the user may have chosen another interpreter. It returns
// "" if it does not know the kernelspec.
func (p *Projects) Renew(ctx context.Context, server, kernel string) (environment string, err error) {
	var of *openProject
	var env project.Environment
	p.running.mu.Lock()
	for _, o := range p.running.open {
		for i, e := range o.pythons {
			if o.name == server && kernelName(i, e) == kernel && e.Python != "" {
				of, env = o, e
			}
		}
	}
	p.running.mu.Unlock()
	if of == nil {
		return "", nil
	}
	if own, _ := p.choose(ctx, of.project(), of.root, tool.Workspace{}); kernel == pythonKernel && own.Python != "" {
		env = own
	}
	if _, err = p.kernel(ctx, of, env); err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			e.Remedy = "The kernel runs on as it is. Make its environment again, or start another session."
		}
		return "", err
	}
	return p.Environment(server, kernel), nil
}

// pythonKernel is the name of the kernelspec that notebooks and callers mean by default.
const pythonKernel = "python3"

// kernelName returns the name of the kernelspec of the i-th interpreter. Those after the first have the
// same name in each run, whatever their order is, because notebooks keep it.
func kernelName(i int, e project.Environment) string {
	if i == 0 {
		return pythonKernel
	}
	sum := sha256.Sum256([]byte(e.Python))
	return fmt.Sprintf("%s-%x", pythonKernel, sum[:4])
}

// Environment says which Python a kernelspec of a project's server is, for people and models:
// "proj/.venv, Python 3.12.1, uv". It returns "" for any other.
func (p *Projects) Environment(server, kernel string) string {
	p.running.mu.Lock()
	defer p.running.mu.Unlock()
	for _, o := range p.running.open {
		for i, e := range o.pythons {
			if o.name == server && kernelName(i, e) == kernel {
				return Describe(e)
			}
		}
	}
	return ""
}

// ownKernel sets the kernel that a project's notebooks start. If it cannot run, it says so when
// it is started.
func (p *Projects) ownKernel(ctx context.Context, o *openProject) {
	env, _ := p.choose(ctx, o.project(), o.root, tool.Workspace{})
	var err error
	if env.Python == "" { // Easel's own Python
		err = o.host.RemoveKernel(pythonKernel)
	} else if err = p.tryKernel(ctx, o, env); err != nil && ctx.Err() == nil {
		err = errors.Join(err, o.host.SetKernel(pythonKernel, managed.KernelSpec{
			Argv:     []string{env.Python, "-c", "import sys; sys.exit(sys.argv[1])", err.Error(), "{connection_file}"},
			Language: "python", DisplayName: fmt.Sprintf("Python %s (%s)", env.Version, env.Label),
		}))
	}
	if err != nil && ctx.Err() == nil {
		p.c.Log.WarnContext(ctx, "the Python of a project cannot run a kernel", "root", o.root, "python", env.Python, "err", err)
	}
}

// tryKernel is kernel that notes how it ended.
func (p *Projects) tryKernel(ctx context.Context, o *openProject, env project.Environment) error {
	_, err := p.kernel(ctx, o, env)
	p.running.mu.Lock()
	defer p.running.mu.Unlock()
	o.tried = attempt{python: env.Python, err: err, ended: time.Now()}
	return err
}

// Pythons returns the environments of the project with a root, and whether it has a .env file.
func (p *Projects) Pythons(ctx context.Context, root string) (out command.ProjectPythonsOut) {
	found, _ := p.there.environments(ctx, project.Project{Root: root, Name: filepath.Base(root)}, root, tool.Workspace{})
	for _, e := range found {
		out.Found = append(out.Found, python(e))
	}
	if filepath.IsAbs(root) { // Easel reads none on another machine
		info, err := os.Stat(filepath.Join(root, ".env"))
		out.EnvFile = err == nil && info.Mode().IsRegular() // an environment may be called so, too
	}
	return out
}
