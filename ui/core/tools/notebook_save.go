package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/codes"
)

// Limits of a session's outputs in a saved notebook, in bytes.
const (
	savedText     = 1 << 20  // for each stream of an execution
	savedPictures = 64 << 20 // for all pictures together
)

func (n *notebookBodies) saveAs(ctx context.Context, in catalog.SaveAsNotebookIn) (catalog.SaveAsNotebookOut, error) {
	var out catalog.SaveAsNotebookOut
	sess, err := n.Library.Session(ctx, in.SessionID)
	if errors.Is(err, library.ErrNotFound) {
		return out, &tool.Error{Code: tool.KernelNotFound, Detail: fmt.Sprintf("There is no session %q.", in.SessionID), Err: err}
	}
	if err != nil {
		return out, err
	}
	hosts, err := n.Kernels.Servers.Hosts(ctx, sess.Server)
	if err != nil {
		if hosts, err = n.Kernels.Servers.Hosts(ctx, ""); err != nil { // its server no longer exists
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
	history.Kernel, history.Server = n.kernelOf(ctx, at, sess.KernelName), at.Name
	if err := n.files.Create(ctx, at.Client, at.path, notebooks.FromHistory(history)); err != nil {
		return out, codes.Notebook(at.path, err)
	}
	return catalog.SaveAsNotebookOut{
		Path: at.path, Server: at.Name, URL: at.Client.URL().String(), Cells: len(history.Runs), LeftOut: history.LeftOut,
	}, nil
}

var unusual = regexp.MustCompile(`[^\pL\pN._-]+`)

// savePath returns the path for the saved notebook: the requested path, or an unused name
// in the folder of the session's notebook.
func (n *notebookBodies) savePath(ctx context.Context, at place, asked string, sess library.Session) (string, error) {
	if asked != "" {
		if p, err := jupyter.CleanPath(asked); err == nil && p != "" && !strings.HasSuffix(p, ".ipynb") {
			asked += ".ipynb"
		}
		clean, _, err := n.resolve(ctx, at.Name, "path", asked, jupyter.NotebookPath)
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
func (n *notebookBodies) sessionHistory(ctx context.Context, sess library.Session, in catalog.SaveAsNotebookIn) (notebooks.History, error) {
	h := notebooks.History{Title: sess.Name, Session: sess.ID, Saved: time.Now()}
	if h.Title == "" {
		h.Title = "Session of " + sess.CreatedAt.Local().Format("2006-01-02 15:04")
	}
	all, err := executions(ctx, n.Library, sess.ID)
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
	pictures := savedPictures
	for _, x := range all {
		if x.Generation != life || !wanted(x) {
			h.LeftOut++
			continue
		}
		run, err := historyRun(ctx, n.Library, x, &pictures)
		if err != nil {
			return h, err
		}
		h.Runs = append(h.Runs, run)
	}
	return h, nil
}

// A HistoryLibrary is the part of the library that notebooks are made of.
type HistoryLibrary interface {
	Executions(ctx context.Context, q library.ExecutionQuery) ([]library.Execution, error)
	ReadOutput(ctx context.Context, execID, stream string, from int64, limit int) (text []byte, total int64, err error)
	ExecutionImages(ctx context.Context, id string) ([]library.Image, error)
	ReadForm(ctx context.Context, im library.Image, mime string) ([]byte, error)
}

// executions returns all executions of a session in the order in which they started.
func executions(ctx context.Context, lib HistoryLibrary, session string) ([]library.Execution, error) {
	const page = 500
	var all []library.Execution
	seen := make(map[string]bool)
	q := library.ExecutionQuery{SessionID: session, Limit: page}
	for {
		xs, err := lib.Executions(ctx, q)
		if err != nil {
			return nil, err
		}
		fresh := 0
		for _, x := range xs {
			if !seen[x.ID] {
				seen[x.ID] = true
				all = append(all, x)
				fresh++
			}
		}
		if len(xs) < page || fresh == 0 {
			break
		}
		q.Before = xs[len(xs)-1].CreatedAt.Add(time.Nanosecond) // repeat executions of the same time rather than miss one
	}
	slices.SortStableFunc(all, func(a, b library.Execution) int { return a.StartedAt.Compare(b.StartedAt) })
	return all, nil
}

// historyRun reads the outputs of an execution. It subtracts the bytes of its pictures from
// *pictures, and leaves out those that do not fit.
func historyRun(ctx context.Context, lib HistoryLibrary, x library.Execution, pictures *int) (notebooks.HistoryRun, error) {
	run := notebooks.HistoryRun{Code: x.Code, Client: x.Client, Failed: x.Status != catalog.StatusOK, Result: x.Result}
	for stream, to := range map[string]*string{"stdout": &run.Stdout, "stderr": &run.Stderr} {
		text, total, err := lib.ReadOutput(ctx, x.ID, stream, 0, savedText)
		if err != nil {
			continue // save the rest if an old output is lost
		}
		*to = strings.ToValidUTF8(string(text), "\ufffd")
		if total > int64(len(text)) {
			*to += fmt.Sprintf("\n… %d bytes left out …\n", total-int64(len(text)))
		}
	}
	if x.Error != nil {
		run.Ename, run.Evalue, run.Traceback = x.Error.Type, x.Error.Message, x.Error.Traceback
	}
	images, err := lib.ExecutionImages(ctx, x.ID)
	if err != nil {
		return run, err
	}
	for _, i := range images {
		forms := make(map[string][]byte)
		for _, f := range i.Forms {
			if int(f.Bytes) > *pictures {
				continue
			}
			if data, err := lib.ReadForm(ctx, i, f.MIME); err == nil {
				forms[f.MIME] = data
				*pictures -= len(data)
			}
		}
		if len(forms) > 0 {
			run.Pictures = append(run.Pictures, forms)
		}
	}
	return run, nil
}
