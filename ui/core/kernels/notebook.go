package kernels

import (
	"context"
	"errors"
	"strings"

	"easel/jupyter"
	"easel/ui/core/notebooks"
)

// Notebooks returns the Files through which all notebooks are read and written, so that
// reads and writes of a notebook wait for each other.
func (m *Manager) Notebooks() *notebooks.Files { return &m.notebooks }

// ensureNotebook creates an empty notebook at path if nothing exists there. If a file
// exists, it must be a notebook, which is not changed.
func (m *Manager) ensureNotebook(ctx context.Context, jup *jupyter.Server, path, kernelName string) error {
	_, err := m.notebooks.Read(ctx, jup, path)
	if !errors.Is(err, notebooks.ErrNotFound) {
		return err
	}
	k := notebooks.Kernel{Name: kernelName, DisplayName: kernelName}
	if specs, err := jup.KernelSpecs(ctx); err == nil {
		if s, ok := specs.Specs[kernelName]; ok {
			k.DisplayName, k.Language = s.DisplayName, strings.ToLower(s.Language)
		}
	}
	return m.notebooks.Create(ctx, jup, path, notebooks.New(k))
}
