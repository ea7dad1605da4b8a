package oversight

import (
	"context"
	"fmt"

	"easel/internal/system"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Projects says in which projects assistants may work. A session runs on when the user takes the
// permission for its project back, but its code needs the permission again.
type Projects interface {
	// Allows reports whether the user allows a project, by its root.
	Allows(root string) bool
	// Readmit asks the user whether the caller may work in the project again. With a context of [Waiting], it waits for the answer.
	Readmit(ctx context.Context, root string) error
}

// UseProjects makes the gate hold back the code of projects that the user no longer allows. Call it
// before the first use.
func (g *Gate) UseProjects(p Projects) { g.projects = p }

// A WithdrawnError means that the user no longer allows a project, and cannot be asked.
type WithdrawnError struct{ Root string }

// Error says what the user can do.
func (e *WithdrawnError) Error() string {
	return fmt.Sprintf("the user no longer allows the project %s, and Easel runs without a window in which they could; they can start Easel with --project %s",
		e.Root, system.ShellQuote(e.Root))
}

// ExecutionCode returns the error code of the execution that was refused.
func (*WithdrawnError) ExecutionCode() string { return catalog.CodeDenied }

// withdrawn reports whether the code is an assistant's in a project that the user does not allow now.
func (g *Gate) withdrawn(by Sender) bool {
	return g != nil && g.projects != nil && !by.User && by.Project != "" && !g.projects.Allows(by.Project)
}

// Read says whether the caller may read what a session of a project has. If the user has stopped allowing
// the project, it asks them as for code, if asks is set. Easel itself reads everything.
func (g *Gate) Read(ctx context.Context, project string, asks bool) error {
	caller := tool.CallerFrom(ctx)
	if caller.Transport == "" || !g.withdrawn(SenderOf(caller, "", project)) {
		return nil
	}
	if v := g.askForProject(SenderOf(caller, "", project), asks); v.Decision != Ask {
		return v.Err
	}
	return g.projects.Readmit(ctx, project)
}

// askForProject is the verdict on code of a project that the user does not allow now.
func (g *Gate) askForProject(by Sender, asks bool) Verdict {
	if !asks || !g.store.Snapshot().CanAsk(callerOf(by), true) {
		return Verdict{Decision: Refuse, Err: &WithdrawnError{by.Project}}
	}
	return Verdict{Decision: Ask}
}

// Consent asks the user for what code needs that Check has said to ask about: the permission for its
// project, then, if the code needs an approval, that, by ask. It waits for the answers. text is the code itself;
// code.Risks may be called on this goroutine.
func (g *Gate) Consent(
	ctx context.Context, by Sender, text string, code Code, ask func(context.Context) (Consent, error),
) (Consent, error) {
	if g.withdrawn(by) {
		if err := g.projects.Readmit(Waiting(tool.WithCaller(ctx, callerOf(by))), by.Project); err != nil {
			return Consent{}, err
		}
		if g.Check(by, code).Decision != Ask {
			return Consent{text, true}, nil
		}
	}
	return ask(ctx)
}

// callerOf returns what is known of the caller of a sender.
func callerOf(by Sender) tool.Caller {
	return tool.Caller{
		Transport: tool.MCP, Name: by.Trust.Client, Holder: by.Trust.Holder, Assistant: by.Assistant, Call: by.Call, Forms: by.Forms,
	}
}
