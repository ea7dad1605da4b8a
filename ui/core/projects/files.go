package projects

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"easel/jupyter/project"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
)

// At returns the server of the allowed project that a path on the disk is in, or "" if it is in
// none. It starts the server if it does not run.
func (p *Projects) At(ctx context.Context, path string) (server string, err error) {
	if tunnel.IsAddress(path) {
		server, _, err = p.There(ctx, path)
		return server, err
	}
	if p.c.Host == nil || !filepath.IsAbs(path) {
		return "", nil
	}
	dir := path
	for { // the folder in which a new file would be
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		if filepath.Dir(dir) == dir {
			return "", nil
		}
		dir = filepath.Dir(dir)
	}
	pr, _, err := p.find(ctx, dir)
	if err != nil || pr.Root == "" || !p.Allows(pr.Root) {
		return "", nil //nolint:nilerr // then it is in no project
	}
	o, err := p.serve(ctx, pr)
	if err != nil {
		return "", err
	}
	return o.name, nil
}

// Of returns the root of the project that the caller works in, and its directory there. They are
// "" if it works in none that is allowed.
func (p *Projects) Of(ctx context.Context) (root, directory string) {
	if root, directory = p.around(ctx); root == "" || !p.Allows(root) {
		return "", ""
	}
	return root, directory
}

// Withdrawn returns the root of the project that the caller works in, if its server still runs although
// the user has stopped allowing it; otherwise "".
func (p *Projects) Withdrawn(ctx context.Context) string {
	if root, _ := p.around(ctx); root != "" && !p.Allows(root) {
		return root
	}
	return ""
}

// around is Of without the permission. The project in which the caller was started counts more than that
// of its last session, unless it may not work there.
func (p *Projects) around(ctx context.Context) (root, directory string) {
	start := tool.CallerFrom(ctx).Workspace.Directory
	for _, at := range []string{start, p.callers.root(ctx)} {
		found := p.rootOf(ctx, at)
		if found == "" || !p.Allows(found) && !p.running.has(found) {
			continue
		}
		directory = found
		if dir := real(start); !tunnel.IsAddress(found) && below(found, dir) {
			directory = dir
		}
		return found, directory
	}
	return "", ""
}

// Last returns the root of the project of the caller's last session, if it is allowed; "" if none.
func (p *Projects) Last(ctx context.Context) string {
	if root := p.rootOf(ctx, p.callers.root(ctx)); root != "" && p.Allows(root) {
		return root
	}
	return ""
}

// rootOf returns the root of the project that a directory is in, or "".
func (p *Projects) rootOf(ctx context.Context, directory string) string {
	if directory == "" || p.c.Host == nil {
		return ""
	}
	if tunnel.IsAddress(directory) { // as ForSession has found it
		return directory
	}
	pr, _, err := p.find(ctx, directory)
	if err != nil {
		return ""
	}
	return pr.Root
}

// Ensure starts the server of an allowed project that has rested, by its name. For any other
// name it does nothing.
func (p *Projects) Ensure(ctx context.Context, server string) error {
	known := func(h catalog.ServerHealth) bool { return h.Name == server }
	if server == "" || slices.ContainsFunc(p.c.Servers.Health(), known) {
		return nil
	}
	if tunnel.IsAddress(server) {
		_, err := p.At(ctx, server)
		return err
	}
	p.running.mu.Lock()
	roots := make(map[string]string)
	for root, name := range p.running.names {
		roots[name] = root
	}
	p.running.mu.Unlock()
	if roots[server] == "" {
		return nil
	}
	_, err := p.At(ctx, roots[server])
	return err
}

// Permit returns nil if the caller may begin to work on a server, by its name. If that is the server of
// a project that the user has stopped allowing while it runs, it asks.
func (p *Projects) Permit(ctx context.Context, server string) error {
	if root := p.Root(server); root != "" {
		return p.permit(ctx, root)
	}
	return nil
}

// PermitRestart is Permit for a session that already runs on a server.
func (p *Projects) PermitRestart(ctx context.Context, server string) error {
	if root := p.Root(server); root != "" {
		return p.Readmit(ctx, root)
	}
	return nil
}

// Readmit asks the user about a project, by its root, whose sessions still run although the user has
// stopped allowing it. The error is an *Error if they say no.
func (p *Projects) Readmit(ctx context.Context, root string) error {
	err := p.permit(ctx, root)
	if denied, ok := errors.AsType[*oversight.DeniedError](err); ok {
		return &Error{
			Problem: NotAllowed, Detail: fmt.Sprintf("the user no longer allows the project %s: %s", root, denied),
			Remedy: "Do not ask again unless the user wants it. What the session has stays.", Err: err,
		}
	}
	return err
}

// permit asks the user about a project, by its root, unless they allow it.
func (p *Projects) permit(ctx context.Context, root string) error {
	if p.Allows(root) {
		return nil
	}
	if tunnel.IsAddress(root) {
		return p.authorize(ctx, project.Project{Root: root, Name: nameOf(root)}, project.Environment{})
	}
	pr, dir, err := p.find(ctx, root)
	if err != nil {
		return err
	}
	if pr.Root == "" || !below(pr.Root, root) { // the working folder has become one above it, for example
		pr, dir = project.Project{Root: root, Name: nameOf(root)}, root
	}
	env, _ := p.choose(ctx, pr, dir, tool.CallerFrom(ctx).Workspace)
	return p.authorize(ctx, pr, env)
}

// Works remembers the project that the caller works in from now on, by its root: its relative paths
// mean files there.
func (p *Projects) Works(ctx context.Context, root string) { p.callers.works(ctx, root) }
