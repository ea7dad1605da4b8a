package projects

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/tunnel"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// outside says why a session has an environment that is not in its project, and what else there is; "" if it is in
// the project. Nobody has chosen it: it is what the client has active.
func (p *Projects) outside(ctx context.Context, pr project.Project, env project.Environment, found []project.Environment) string {
	var why string
	switch {
	case tunnel.IsAddress(pr.Root) || below(pr.Root, env.Prefix):
		return ""
	case env.Why.Kind == "active":
		why = strings.TrimPrefix(env.Why.Detail, "$") + " of the client names it"
	case env.Why.Kind == "on_path":
		why = "its python is the first on the client's PATH"
	default: // a tool or a file of the project has named it
		return ""
	}
	said := fmt.Sprintf("This is %s, outside of %s: %s.", Describe(env), pr.Name, why)
	own := slices.IndexFunc(found, func(e project.Environment) bool {
		return e.Works() && e.Python != env.Python && e.Why.Kind != "active" && e.Why.Kind != "on_path" && e.Kind != project.Pyenv
	})
	if own >= 0 {
		return said + fmt.Sprintf(" The project has %s. If that is meant, the user can choose it below the project's name in Easel's window.", Describe(found[own]))
	}
	if advice, ok := p.missing(ctx, pr); ok {
		return said + fmt.Sprintf(" %s. Ask the user whether to run %q in %s.", advice.Why, advice.Command, advice.Directory)
	}
	if env.Kind == project.Conda { // conda keeps them elsewhere
		return ""
	}
	return said
}

// MadeSince says that an environment was made in the project of a session that has Easel's own Python, after
// it had started; "" if none was. A restart does not change which Python a session has.
func (p *Projects) MadeSince(ctx context.Context, of library.Session) string {
	chosen, _ := p.c.Store.Snapshot().Settings.Projects.Find(of.Project)
	if of.KernelName != managed.EaselKernel || of.Project == "" || tunnel.IsAddress(of.Project) || chosen.Python == state.EaselPython {
		return ""
	}
	pr := project.Project{Root: of.Project, Name: filepath.Base(of.Project)}
	env, _ := p.choose(ctx, pr, of.Directory, tool.Workspace{})
	if env.Python == "" {
		return ""
	}
	for _, file := range []string{"pyvenv.cfg", filepath.Join("conda-meta", "history")} {
		if info, err := os.Stat(filepath.Join(env.Prefix, file)); err == nil && info.ModTime().After(of.CreatedAt) {
			return fmt.Sprintf("This is still Easel's own Python. The project has %s by now: a new session uses it (session_create with directory=%q).", Describe(env), of.Directory)
		}
	}
	return ""
}
