package kernels

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"easel/jupyter"
)

// ensureNotebook makes an empty notebook (nbformat 4.5) at path if there is
// nothing, with the folders above it.
func ensureNotebook(ctx context.Context, jup *jupyter.Server, path, kernelName string) error {
	_, err := jup.Contents(ctx, path, jupyter.ContentsQuery{})
	if err == nil || !errors.Is(err, jupyter.ErrNotFound) {
		return err
	}
	for i, c := range path {
		if c != '/' {
			continue
		}
		dir := path[:i]
		if _, err := jup.Contents(ctx, dir, jupyter.ContentsQuery{}); errors.Is(err, jupyter.ErrNotFound) {
			if _, err := jup.PutContents(ctx, dir, jupyter.ContentsModel{Type: "directory"}); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	spec := map[string]any{"name": kernelName, "display_name": kernelName}
	if specs, err := jup.KernelSpecs(ctx); err == nil {
		if s, ok := specs.Specs[kernelName]; ok {
			spec["display_name"], spec["language"] = s.DisplayName, strings.ToLower(s.Language)
		}
	}
	content, err := json.Marshal(map[string]any{
		"cells": []any{}, "metadata": map[string]any{"kernelspec": spec},
		"nbformat": 4, "nbformat_minor": 5,
	})
	if err != nil {
		return err
	}
	_, err = jup.PutContents(ctx, path, jupyter.ContentsModel{Type: "notebook", Format: "json", Content: content})
	return err
}
