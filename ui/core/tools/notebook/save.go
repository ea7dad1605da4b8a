package notebook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
	"easel/ui/core/tools/past"
	"easel/ui/core/tools/paths"
)

// A saver saves what a session has run as a notebook.
type saver struct {
	paths   *paths.Finder
	kernels *kernels.Manager
	library *library.Library
	files   *notebooks.Files
}

func (n *saver) saveAs(ctx context.Context, in command.SaveAsNotebookIn) (command.SaveAsNotebookOut, error) {
	var out command.SaveAsNotebookOut
	sess, err := n.library.Sessions.Get(ctx, in.SessionID)
	if errors.Is(err, library.ErrNotFound) {
		return out, &tool.Error{Code: tool.KernelNotFound, Detail: fmt.Sprintf("There is no session %q.", in.SessionID), Err: err}
	}
	if err != nil {
		return out, err
	}
	hosts, err := n.kernels.Servers.Hosts(ctx, sess.Server)
	if err != nil {
		if hosts, err = n.kernels.Servers.Hosts(ctx, ""); err != nil { // its server no longer exists
			return out, err
		}
	}
	at := place{Host: hosts[0]}
	if at.path, err = n.savePath(ctx, at, in.Path, sess); err != nil {
		return out, codes.Notebook(in.Path, err)
	}
	history, err := n.sessionHistory(ctx, sess, in)
	if err != nil {
		return out, err
	}
	if len(history.Runs) == 0 {
		return out, tool.Errorf(tool.NotExecutable, "The session has run nothing that could be saved.")
	}
	history.Kernel, history.Server = kernelOf(ctx, at, sess.KernelName), at.Name
	if err := n.files.Create(ctx, at.Client, at.path, notebooks.FromHistory(history)); err != nil {
		return out, codes.Notebook(at.path, err)
	}
	return command.SaveAsNotebookOut{
		Path: at.path, Server: at.Name, URL: at.Client.URL().String(), Cells: len(history.Runs), LeftOut: history.LeftOut,
	}, nil
}

var unusual = regexp.MustCompile(`[^\pL\pN._-]+`)

// savePath returns the path for the saved notebook: the requested path, or an unused name
// in the folder of the session's notebook.
func (n *saver) savePath(ctx context.Context, at place, asked string, sess library.Session) (string, error) {
	if asked != "" {
		if p, err := jupyter.CleanPath(asked); err == nil && p != "" && !strings.HasSuffix(p, ".ipynb") {
			asked += ".ipynb"
		}
		clean, _, err := n.paths.Resolve(ctx, at.Name, "path", asked, jupyter.NotebookPath)
		return clean, err
	}
	name := sess.Name
	if name == "" && sess.NotebookPath != "" {
		name = strings.TrimSuffix(path.Base(sess.NotebookPath), ".ipynb")
	}
	if name = strings.Trim(unusual.ReplaceAllString(name, "-"), "-."); name == "" {
		name = "session"
	}
	p := path.Join(path.Dir(sess.NotebookPath), fmt.Sprintf("%s-easel-%s.ipynb", name, time.Now().Format("20060102-1504")))
	return n.files.Free(ctx, at.Client, strings.TrimPrefix(p, "./"))
}

// sessionHistory reads what a session ran since its kernel last restarted. Earlier code is
// left out, because the user has usually run it again. If nothing was run since the
// restart, it reads what ran before it.
func (n *saver) sessionHistory(ctx context.Context, sess library.Session, in command.SaveAsNotebookIn) (notebooks.History, error) {
	h := notebooks.History{Title: sess.Name, Session: sess.ID, Saved: time.Now()}
	h.Title = cmp.Or(h.Title, "Session of "+sess.CreatedAt.Local().Format("2006-01-02 15:04"))
	all, err := past.Executions(ctx, n.library, sess.ID)
	if err != nil {
		return h, err
	}
	wanted := func(x library.Execution) bool {
		ok := x.Status == catalog.StatusOK || in.Failed && x.Status == catalog.StatusError
		return ok && (x.Own || in.Everyone) && strings.TrimSpace(x.Code) != ""
	}
	life := -1
	for _, x := range all {
		if wanted(x) {
			life = max(life, x.Generation)
		}
	}
	pictures := past.MostPictures
	for _, x := range all {
		if x.Generation != life || !wanted(x) {
			h.LeftOut++
			continue
		}
		run, err := past.Run(ctx, n.library, x, &pictures)
		if err != nil {
			return h, err
		}
		h.Runs = append(h.Runs, run)
	}
	return h, nil
}

// kernelOf describes a kernel of the server for the metadata of a notebook. An empty name
// means the default kernel.
func kernelOf(ctx context.Context, at place, name string) notebooks.Kernel {
	specs, err := at.Client.KernelSpecs(ctx)
	if name == "" {
		name = specs.Default
	}
	s, ok := specs.Specs[name]
	if err != nil || !ok {
		name = cmp.Or(name, "python3")
		return notebooks.Kernel{Name: name, DisplayName: name}
	}
	return notebooks.Kernel{Name: name, DisplayName: s.DisplayName, Language: strings.ToLower(s.Language)}
}
