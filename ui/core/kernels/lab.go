package kernels

import (
	"context"
	"fmt"
	"path"
	"strings"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
)

// LabURL returns the address of the session's notebook in JupyterLab, or "" if its server
// has no JupyterLab, for example because Easel is still installing it. If the session has
// no notebook, LabURL creates one. The address contains the server's token, so pass it to the
// user's browser only.
func (m *Manager) LabURL(ctx context.Context, id string) (string, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return "", err
	}
	if !r.client.HasPage(ctx, "lab") {
		return "", nil
	}
	sess := r.session()
	if sess.Server == catalog.ThisMachine {
		return "", servers.ErrNoServer
	}
	notebook := sess.NotebookPath
	if notebook == "" {
		if notebook, err = r.lendNotebook(ctx); err != nil {
			return "", fmt.Errorf("creating a notebook for the session: %w", err)
		}
	}
	return LabNotebook(ctx, r.client, notebook)
}

// LabNotebook returns the address of a notebook in JupyterLab. It contains the server's token.
func LabNotebook(ctx context.Context, s *jupyter.Server, notebook string) (string, error) {
	u, err := s.BrowserURL(ctx, append([]string{"lab", "tree"}, strings.Split(notebook, "/")...)...)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

// lendNotebook creates a notebook with a Jupyter session for the kernel of a session without
// one, and returns its path. If the kernel already has such a notebook, it returns that.
func (r *recorder) lendNotebook(ctx context.Context) (string, error) {
	sess := r.session()
	sessions, err := r.m.Sessions(ctx, servers.Host{Name: r.server, Client: r.client})
	if err != nil {
		return "", err
	}
	for _, s := range sessions {
		if s.Kernel.ID == sess.KernelID && s.Type == "notebook" {
			return jupyter.CleanPath(s.Path)
		}
	}
	name := "easel-" + sess.KernelID[:8] + ".ipynb"
	if err := r.m.ensureNotebook(ctx, r.client, name, sess.KernelName); err != nil {
		return "", err
	}
	_, err = r.client.CreateSession(ctx, jupyter.CreateSessionRequest{
		Path: name, Name: path.Base(name), Type: "notebook", KernelName: sess.KernelName, KernelID: sess.KernelID,
	})
	return name, err
}
