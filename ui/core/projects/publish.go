package projects

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/jupyter/project"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// publish puts the open projects into the state. The roster is not held.
func (p *Projects) publish() {
	p.publishing.Lock() // so that an older list does not replace a newer one
	defer p.publishing.Unlock()
	p.running.mu.Lock()
	list := make([]command.Project, 0, len(p.running.open))
	for _, o := range p.running.open {
		list = append(list, o.about)
	}
	p.running.mu.Unlock()
	slices.SortFunc(list, func(a, b command.Project) int { return strings.Compare(a.Root, b.Root) })
	p.c.Store.Update(func(s *state.Snapshot) { s.Projects = list })
}

// examine looks at the files of an open project, and publishes what has changed.
func (p *Projects) examine(ctx context.Context, o *openProject) {
	o.examining.Lock()
	defer o.examining.Unlock()
	about := p.describe(ctx, o.project())
	about.Server = o.name
	if ctx.Err() != nil {
		return
	}
	p.running.mu.Lock()
	o.about = about
	p.running.mu.Unlock()
	p.publish()
}

// look publishes the notebooks of an open project, if they have changed.
func (p *Projects) look(ctx context.Context, o *openProject) {
	found := Notebooks(ctx, o.root)
	if ctx.Err() != nil {
		return
	}
	p.running.mu.Lock()
	changed := !slices.Equal(o.about.Notebooks, found)
	o.about.Notebooks = found
	p.running.mu.Unlock()
	if changed {
		p.publish()
	}
}

// describe returns what the window shows of a project.
func (p *Projects) describe(ctx context.Context, pr project.Project) command.Project {
	env, found := p.choose(ctx, pr, pr.Root, tool.Workspace{})
	about := command.Project{Root: pr.Root, Notebooks: Notebooks(ctx, pr.Root)}
	if env.Python != "" {
		about.Python = python(env)
	}
	if len(found) > 0 && !found[0].Works() && found[0].Python != env.Python {
		about.Unusable = python(found[0])
	}
	chosen, _ := p.c.Store.Snapshot().Settings.Projects.Find(pr.Root)
	if env.Python == "" && chosen.Python != state.EaselPython {
		if advice, ok := p.missing(ctx, pr); ok {
			about.Missing, about.Command = reason(advice.Why), advice.Command
		}
	}
	return about
}

// python returns an environment as the window has it.
func python(e project.Environment) command.ProjectPython {
	return command.ProjectPython{Python: e.Python, Label: Describe(e), Why: reason(e.Why), Broken: reason(e.Broken)}
}

// reason returns a reason as other parts have it; the zero Reason for none.
func reason(r project.Reason) catalog.Reason {
	return catalog.Reason{Text: r.String(), Kind: r.Kind, Detail: r.Detail}
}

// Limits for the search for notebooks: a project may have a folder with a million files.
const (
	mostNotebooks = 30
	mostFiles     = 20_000
	deepest       = 5 // folders below the root
)

// Notebooks returns the notebooks in a project, relative to its root, the last changed first: at most
// 30, and at most five folders deep.
func Notebooks(ctx context.Context, root string) []string {
	type notebook struct {
		path    string
		changed time.Time
	}
	var found []notebook
	seen := 0
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		seen++
		switch {
		case seen > mostFiles || ctx.Err() != nil:
			return filepath.SkipAll
		case err != nil:
			return nil //nolint:nilerr // what cannot be read has none
		case d.IsDir() && path != root && (skipped(path, d.Name()) || strings.Count(path[len(root):], string(filepath.Separator)) > deepest):
			return filepath.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".ipynb"):
			rel, errRel := filepath.Rel(root, path)
			info, errInfo := d.Info()
			if errRel == nil && errInfo == nil {
				found = append(found, notebook{filepath.ToSlash(rel), info.ModTime()})
			}
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b notebook) int { return b.changed.Compare(a.changed) })
	var paths []string
	for _, n := range found[:min(len(found), mostNotebooks)] {
		paths = append(paths, n.path)
	}
	return paths
}

// skipped reports whether a folder has no notebooks of the user's: it is hidden, an environment,
// or what a tool has downloaded.
func skipped(path, name string) bool {
	if strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__" || name == "site-packages" {
		return true
	}
	for _, marker := range []string{"pyvenv.cfg", "conda-meta"} {
		if _, err := os.Stat(filepath.Join(path, marker)); err == nil {
			return true
		}
	}
	return false
}
