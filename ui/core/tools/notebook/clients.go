package notebook

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/notebooks"
)

// settleTime is how long nobody must have been connected to the kernel of a session that Easel
// did not start until its notebook counts as closed. A page that opens a notebook connects to
// its kernel a moment after it has read the file. The number of connections lags behind, too.
const settleTime = 2 * time.Second

// An openError reports that a notebook was not written because another program has it
// open, or may have.
type openError struct {
	path, session, kernel string
	clients               int   // how many other programs are connected to its kernel; -1 if its server does not say
	found                 error // why no JupyterLab tab can be used
}

// unshown reports whether JupyterLab's tabs have answered that none of them shows the notebook.
func (e *openError) unshown() bool {
	f, ok := errors.AsType[*notebooks.OpenError](e.found)
	return ok && !f.Nobody() && !f.Several() && !f.Unknown()
}

func (e *openError) Error() string {
	switch {
	case e.clients < 0:
		return fmt.Sprintf("%q has a running session that Easel did not start, and its Jupyter server does not say whether anybody is connected to the kernel", e.path)
	case e.clients == 0:
		return fmt.Sprintf("%q has a running session that Easel did not start, and Easel cannot tell whether it is open in JupyterLab (%v)", e.path, e.found)
	case e.unshown():
		return fmt.Sprintf("no JupyterLab tab shows %q, but another program is connected to its kernel and may have it open", e.path)
	default:
		return fmt.Sprintf("%q is open in another program, for example JupyterLab, and one would overwrite the other's changes", e.path)
	}
}

// remedy says what makes it possible to write the notebook.
func (e *openError) remedy() string {
	f, ok := errors.AsType[*notebooks.OpenError](e.found)
	switch {
	case e.found == nil:
		return "ask the user to close it there"
	case !ok:
		return "make JupyterLab reachable (" + e.found.Error() + ")"
	case f.Several() || f.Unknown():
		return f.Reason + "; " + f.Remedy
	case e.clients < 0:
		return "ask the user to open it in JupyterLab, or to shut down its kernel"
	case e.unshown():
		return "ask the user to close it in that program (for example VS Code, or a console), or to open it in JupyterLab"
	case f.Remedy == notebooks.TabRemedy || f.Remedy == notebooks.RoomRemedy:
		return "ask the user to close it there. To write while it is open in JupyterLab: " + f.Remedy
	default:
		return f.Reason + ": ask the user to close it where it is open, or to open or reload it in JupyterLab"
	}
}

// Tool returns the error as a tool's.
func (e *openError) Tool() *tool.Error {
	sibling := strings.TrimSuffix(path.Base(e.path), ".ipynb") + "-easel.ipynb"
	return &tool.Error{
		Code: tool.NotExecutable, Detail: "Nothing was written: " + e.Error() + ".", Err: e,
		Hint: fmt.Sprintf("Run the code in its session with execute_code (session_id %s), or create a notebook of your own with notebook_create (%s). To write into this one: %s.",
			e.session, path.Join(path.Dir(e.path), sibling), e.remedy()),
	}
}

// clients returns why the notebook at a place may be open, or nil if it is closed: it has no
// session, or nobody but Easel is connected to the kernel of its session, and Easel started
// that, or has found it left alone before. sole names the session and its kernel if exactly one
// other client is connected; otherwise it is "".
func (n *opener) clients(ctx context.Context, at place) (open *openError, sole string, err error) {
	sessions, err := n.kernels.Sessions(ctx, at.Host)
	if err != nil {
		return nil, "", err
	}
	matches := 0
	for _, s := range sessions {
		if p, err := jupyter.CleanPath(s.Path); err != nil || p != at.path {
			continue
		}
		started, own := n.kernels.Holds(ctx, s.ID, s.Kernel.ID)
		others := s.Kernel.Connections - own
		switch {
		case s.Kernel.Connections < own: // Easel is connected, and the server does not count it
			others = -1
		case others == 1:
			sole = s.ID + " " + s.Kernel.ID
		}
		if matches++; matches > 1 {
			sole = ""
		}
		if others != 0 {
			n.leave(at, "")
		}
		if open == nil && (others > 0 || !started && (others < 0 || !n.left(at, s.Kernel.ID))) {
			open = &openError{path: at.path, session: s.ID, kernel: s.Kernel.ID, clients: others}
		}
	}
	return open, sole, nil
}

// allow returns a check whether the notebook may be written into its file.
func (n *opener) allow(at place) func(context.Context) error {
	return func(ctx context.Context) error {
		open, _, err := n.clients(ctx, at)
		if open != nil {
			return open
		}
		return err
	}
}

// leave notes that the kernel of a notebook that Easel did not start was left alone; "" means
// that there is none.
func (n *opener) leave(at place, kernel string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if kernel == "" {
		delete(n.alone, at)
	} else {
		n.alone[at] = kernel
	}
}

// left reports whether a kernel has been left alone.
func (n *opener) left(at place, kernel string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.alone[at] == kernel
}

// settle returns nil if the notebook of a session that nobody was connected to is closed: no
// one has connected to its kernel settleTime after began.
func (n *opener) settle(ctx context.Context, at place, open *openError, began time.Time) error {
	wait := time.NewTimer(settleTime - time.Since(began))
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	again, _, err := n.clients(ctx, at)
	switch {
	case err != nil:
		return err
	case again == nil:
		return nil
	case again.clients != 0 || again.kernel != open.kernel:
		return again
	}
	n.leave(at, open.kernel)
	return nil
}
