package kernels

import (
	"context"
	"errors"
	"path"
	"strings"

	"easel/jupyter"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
)

// notebookSessions opens the Jupyter sessions of notebooks.
type notebookSessions struct {
	files notebooks.Files
	list  func(ctx context.Context, h servers.Host) ([]jupyter.SessionModel, error)
}

// ensure creates an empty notebook at path if nothing exists there, and reports whether it has. If a file
// exists, it must be a notebook, which is not changed.
func (n *notebookSessions) ensure(ctx context.Context, jup *jupyter.Server, path, kernelName string) (created bool, err error) {
	_, err = n.files.Read(ctx, jup, path)
	if !errors.Is(err, notebooks.ErrNotFound) {
		return false, err
	}
	k := notebooks.Kernel{Name: kernelName, DisplayName: kernelName}
	if specs, err := jup.KernelSpecs(ctx); err == nil {
		if s, ok := specs.Specs[kernelName]; ok {
			k.DisplayName, k.Language = s.DisplayName, strings.ToLower(s.Language)
		}
	}
	err = n.files.Create(ctx, jup, path, notebooks.New(k))
	return err == nil, err
}

// An openedNotebook is the session of a notebook.
type openedNotebook struct {
	model   jupyter.SessionModel
	existed bool // the session had been there
	created bool // the notebook had not
}

// open finds or creates the session of a notebook, and creates the notebook if it
// does not exist. It calls may before it creates anything, and returns its error. It compares clean paths, because the server
// would create a second session for another spelling of the path.
func (n *notebookSessions) open(ctx context.Context, h servers.Host, path, kernelName string, may func() error,
) (o openedNotebook, err error) {
	jup := h.Client
	path, err = jupyter.NotebookPath(path)
	if err != nil {
		return o, err
	}
	if _, err := jup.Contents(ctx, "", jupyter.ContentsQuery{}); errors.Is(err, jupyter.ErrNotFound) {
		return o, ErrNoContents
	}
	sessions, err := n.list(ctx, h)
	if err != nil {
		return o, err
	}
	if o.model, o.existed = sessionAt(sessions, path); o.existed {
		return o, nil
	}
	if err := may(); err != nil {
		return o, err
	}
	if o.created, err = n.ensure(ctx, jup, path, kernelName); err != nil {
		return o, err
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	o.model, err = jup.CreateSession(ctx, jupyter.CreateSessionRequest{Path: path, Name: name, Type: "notebook", KernelName: kernelName})
	return o, err
}

func sessionAt(sessions []jupyter.SessionModel, path string) (jupyter.SessionModel, bool) {
	for _, s := range sessions {
		if p, err := jupyter.CleanPath(s.Path); err == nil && p == path {
			return s, true
		}
	}
	return jupyter.SessionModel{}, false
}

// lend creates a notebook with a Jupyter session for the kernel of a session without
// one, and returns its path. If the kernel already has such a notebook, it returns that.
func (n *notebookSessions) lend(ctx context.Context, h servers.Host, sess library.Session) (string, error) {
	sessions, err := n.list(ctx, h)
	if err != nil {
		return "", err
	}
	for _, s := range sessions {
		if s.Kernel.ID == sess.KernelID && s.Type == "notebook" {
			return jupyter.CleanPath(s.Path)
		}
	}
	name := "easel-" + sess.KernelID[:8] + ".ipynb"
	if _, err := n.ensure(ctx, h.Client, name, sess.KernelName); err != nil {
		return "", err
	}
	_, err = h.Client.CreateSession(ctx, jupyter.CreateSessionRequest{
		Path: name, Name: path.Base(name), Type: "notebook", KernelName: sess.KernelName, KernelID: sess.KernelID,
	})
	return name, err
}
