package projects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"easel/internal/system"
	"easel/mcphost/tool"
)

// Astray says why the relative paths of a caller do not begin in the folder in which it was started, although it is,
// or was, that of a project: it is gone, or not allowed. remedy is what to do. Both are "" for any other caller.
func (p *Projects) Astray(ctx context.Context) (why, remedy string) {
	start := tool.CallerFrom(ctx).Workspace.Directory
	if start == "" || p.c.Host == nil {
		return "", ""
	}
	if root, _ := p.Of(ctx); root != "" || p.Last(ctx) != "" {
		return "", ""
	}
	pr, _, err := p.find(ctx, start)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "your folder " + start + " is not there any more", "Call session_create with the project's folder as directory."
	case err != nil || pr.Root == "" || p.Allows(pr.Root):
		return "", ""
	}
	return "the user has not allowed your project " + pr.Root, p.HowToAllow(ctx, pr.Root)
}

// HowToAllow says what a client does to work in a project that is not allowed; "" stands for any folder.
func (p *Projects) HowToAllow(ctx context.Context, root string) string {
	switch headless := !p.c.Store.Snapshot().CanAsk(tool.CallerFrom(ctx), true); {
	case root == "" && headless:
		return "To work in another folder, ask the user to start Easel with --project and that folder, or to answer in `easel questions` or in Easel's window."
	case root == "":
		return "To work in another folder, call session_create with it as directory: Easel asks the user."
	case headless:
		return fmt.Sprintf("Ask the user to start Easel with --project %s, or to answer in `easel questions` or in Easel's window.", system.ShellQuote(root))
	}
	return fmt.Sprintf("Call session_create with directory=%q: Easel asks the user.", root)
}

// TellAstray returns what Astray says, in a sentence, to each caller once, with the folder where it works instead.
func (p *Projects) TellAstray(ctx context.Context) string {
	why, remedy := p.Astray(ctx)
	if why == "" || !p.callers.tellFirst(ctx) {
		return ""
	}
	return fmt.Sprintf("This is Easel's own folder %s, because %s. %s", p.c.WorkDir, why, remedy)
}
