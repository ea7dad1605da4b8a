package kernels

import (
	"context"
	"errors"
	"strings"

	"easel/jupyter"
	"easel/ui/core/notebooks"
)

// Notebooks is what reads and writes the notebooks of all servers: who writes one and
// who reads it must wait for each other.
func (m *Manager) Notebooks() *notebooks.Files { return &m.notebooks }

// ensureNotebook makes an empty notebook at path if there is nothing. What is there
// must be a notebook: it is left as it is.
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
