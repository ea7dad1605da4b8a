package projects

import (
	"context"
	"errors"
	"strings"

	"easel/jupyter/project"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// What only the user does with projects, in the window.

// Open allows the project of a directory, because the user has chosen it.
func (p *Projects) Open(ctx context.Context, directory string) (command.OpenProjectOut, error) {
	pr, _, err := p.find(ctx, directory)
	if e, ok := errors.AsType[*project.Error](err); ok {
		return command.OpenProjectOut{Project: command.Project{Root: directory}, Refused: reason(e.Reason)}, nil
	}
	if err != nil {
		return command.OpenProjectOut{}, err
	}
	if pr.Root == "" {
		return command.OpenProjectOut{Project: command.Project{Root: directory}, Refused: catalog.Reason{Text: "is Easel's own folder, in which sessions without a project work", Kind: "working"}}, nil
	}
	p.access.give(pr.Root)
	return command.OpenProjectOut{Project: p.describe(ctx, pr)}, nil
}

// Choose sets the Python of a project: an interpreter, state.EaselPython, or "" for the best that
// is found. Its new sessions and notebooks get it.
func (p *Projects) Choose(ctx context.Context, root, interpreter string) {
	p.c.Store.Update(func(n *state.Snapshot) {
		n.Settings.Projects = n.Settings.Projects.With(state.Project{Root: root, Python: interpreter})
	})
	p.running.mu.Lock()
	o := p.running.open[root]
	p.running.mu.Unlock()
	if o == nil {
		return
	}
	p.examine(ctx, o)
	p.ownKernel(ctx, o)
}

// ReadEnvFile sets whether kernels of a project that start from now on have the variables in its
// .env file.
func (p *Projects) ReadEnvFile(root string, read bool) error {
	p.c.Store.Update(func(n *state.Snapshot) {
		if read {
			n.Settings.EnvFiles = n.Settings.EnvFiles.With(state.Project{Root: root})
		} else {
			n.Settings.EnvFiles = n.Settings.EnvFiles.Without(root)
		}
	})
	p.running.mu.Lock()
	o := p.running.open[root]
	p.running.mu.Unlock()
	if o == nil {
		return nil
	}
	return p.envFile(o)
}

// envFile tells the server of a project whether it reads the .env file. Those on other machines do not.
func (p *Projects) envFile(o *openProject) error {
	host, ok := o.host.(interface{ ReadEnvFile(read bool) error })
	if !ok {
		return nil
	}
	_, chosen := p.c.Store.Snapshot().Settings.EnvFiles.Find(o.root)
	return host.ReadEnvFile(chosen || p.c.EnvFiles && p.access.onCommandLine(o.root))
}

// Lab returns the address of JupyterLab in the project with a root, which is started if it does
// not run; "" if there is none. It contains a token.
func (p *Projects) Lab(ctx context.Context, root, notebook string) (string, error) {
	o, err := p.serve(ctx, project.Project{Root: root, Name: nameOf(root)})
	if err != nil {
		return "", err
	}
	client := o.host.Server()
	if client == nil || !client.HasPage(ctx, "lab") {
		return "", nil
	}
	parts := []string{"lab"}
	if notebook != "" {
		parts = append(append(parts, "tree"), strings.Split(notebook, "/")...)
	}
	u, err := client.BrowserURL(ctx, parts...)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// Root returns the root of the open project with a server, or "".
func (p *Projects) Root(server string) string { return p.running.root(server) }
