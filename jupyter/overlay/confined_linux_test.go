package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// An interpreter that a kernel has replaced runs in the sandbox only.
func TestAProjectsInterpreterRunsInTheSandbox(t *testing.T) {
	outside, project := t.TempDir(), t.TempDir()
	python := filepath.Join(project, "bin", "python")
	require.NoError(t, os.Mkdir(filepath.Dir(python), 0o700))
	real := jupytertest.Python(t)
	require.NoError(t, os.WriteFile(python, []byte("#!/bin/sh\ntouch "+outside+"/escaped\nexec /usr/bin/python3 \"$@\"\n"), 0o700))
	m := &Maker{Dir: t.TempDir()}
	for _, folder := range []string{project, ""} {
		py, err := m.examine(t.Context(), python, folder)
		if err != nil || py.Prefix == "" || py.confined != (folder != "") {
			t.Errorf("%+v, %v", py, err)
		}
		if _, err := os.Stat(filepath.Join(outside, "escaped")); (err == nil) != (folder == "") {
			t.Errorf("in %q: %v", folder, err)
		}
	}
	if py, err := m.examine(t.Context(), real, project); err != nil || !py.Venv {
		t.Errorf("a virtual environment elsewhere: %+v, %v", py, err)
	}
}
