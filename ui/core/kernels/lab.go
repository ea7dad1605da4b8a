package kernels

import (
	"context"
	"fmt"
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
	if !r.Link.Client.HasPage(ctx, "lab") {
		return "", nil
	}
	sess := r.Session.Stored()
	if sess.Server == catalog.ThisMachine {
		return "", servers.ErrNoServer
	}
	notebook := sess.NotebookPath
	if notebook == "" {
		if notebook, err = m.notebooks.lend(ctx, servers.Host{Name: r.Link.Server, Client: r.Link.Client}, sess); err != nil {
			return "", fmt.Errorf("creating a notebook for the session: %w", err)
		}
	}
	return LabNotebook(ctx, r.Link.Client, notebook)
}

// LabNotebook returns the address of a notebook in JupyterLab. It contains the server's token.
func LabNotebook(ctx context.Context, s *jupyter.Server, notebook string) (string, error) {
	u, err := s.BrowserURL(ctx, append([]string{"lab", "tree"}, strings.Split(notebook, "/")...)...)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}
