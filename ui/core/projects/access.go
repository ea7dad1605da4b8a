package projects

import (
	"context"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// access is which directories assistants may work in.
type access struct {
	store       *state.Store // has what the user has allowed
	commandLine []string     // directories that are allowed by it
	// links returns the addresses that the user may have allowed and that lead to a directory.
	links       func(directory string) []string
	tasks       *tasks.Group
	permissions oversight.Permissions
	permit      func(ctx context.Context, p catalog.Project) error // see Projects.AskBy
}

// allows reports whether the user has allowed a project, or a folder above it.
func (a *access) allows(root string) bool {
	return a.lists(root) || slices.ContainsFunc(a.links(root), a.lists)
}

// lists reports whether a directory or one above it is among those that the user has allowed.
func (a *access) lists(root string) bool { return len(a.above(root)) > 0 }

// above returns the directories and addresses that the user has allowed and that are root or above it.
func (a *access) above(root string) (allowed []string) {
	for _, dir := range a.commandLine {
		if below(dir, root) {
			allowed = append(allowed, dir)
		}
	}
	for _, x := range a.store.Snapshot().Settings.Projects.All() {
		if below(x.Root, root) {
			allowed = append(allowed, x.Root)
		}
	}
	return allowed
}

// onCommandLine reports whether a project is allowed by the command line.
func (a *access) onCommandLine(root string) bool {
	return slices.ContainsFunc(a.commandLine, func(dir string) bool { return below(dir, root) })
}

// give allows a project because of what the user has just done, which also answers a question
// about it.
func (a *access) give(root string) {
	a.permissions.Given(root)
	a.allow(root)
}

// allow remembers that assistants may work in a project.
func (a *access) allow(root string) {
	a.store.Update(func(n *state.Snapshot) {
		if _, ok := n.Settings.Projects.Find(root); !ok {
			n.Settings.Projects = n.Settings.Projects.With(state.Project{Root: root})
		}
	})
}

// ask asks the user, unless they are being asked, and waits for the answer. The error is an
// *oversight.DeniedError if they say no.
func (a *access) ask(ctx context.Context, question catalog.Project) error {
	asked := a.permissions.Question(ctx, a.tasks, question.Root, func(ctx context.Context) error {
		if err := a.permit(ctx, question); err != nil {
			return err
		}
		a.allow(question.Root)
		return nil
	})
	if asked == nil {
		return context.Canceled
	}
	return a.permissions.Answer(ctx, asked)
}
