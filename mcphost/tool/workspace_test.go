package tool_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/tool"
)

// absolute returns a path that is absolute on this system, also on Windows.
func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	return abs
}

func TestAWorkspaceArrivesAsItWasSent(t *testing.T) {
	t.Parallel()
	project := absolute(t, "/home/x/売上 2026")
	sent := tool.Workspace{Directory: project, VirtualEnv: filepath.Join(project, ".venv"), Python: absolute(t, "/usr/bin/python3")}
	h := http.Header{}
	sent.SetHeader(h)
	if len(h) != 1 {
		t.Fatalf("headers: %v", h)
	}
	if got := tool.WorkspaceFrom(h); got != sent {
		t.Errorf("got %+v", got)
	}
	tool.Workspace{}.SetHeader(h)
	if got := tool.WorkspaceFrom(h); got != sent {
		t.Errorf("an empty one replaced it: %+v", got)
	}
}

func TestAWorkspaceThatCannotBeIsNone(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "%", "x", `"a"`, `{"directory":"relative"}`, `{"directory":3}`, `%7B%22directory%22%3A%22%2Fa%5Cu0000%22%7D`, strings.Repeat("x", 20_000)} {
		h := http.Header{"Easel-Workspace": {value}}
		if got := tool.WorkspaceFrom(h); got != (tool.Workspace{}) {
			t.Errorf("%.40q: got %+v", value, got)
		}
	}
}

func TestWhereAProcessWorks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	bin, python := filepath.Join(dir, ".venv", "bin"), "python"
	if runtime.GOOS == "windows" {
		python = "python.exe"
	}
	require.NoError(t, os.MkdirAll(bin, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(bin, python), []byte("#!/bin/sh\n"), 0o700))
	for _, name := range []string{"CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS", "EASEL_PROJECT_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("VIRTUAL_ENV", filepath.Join(dir, ".venv"))
	t.Setenv("CONDA_PREFIX", "")
	t.Setenv("PATH", bin)
	want := tool.Workspace{Directory: dir, VirtualEnv: filepath.Join(dir, ".venv"), Python: filepath.Join(bin, python)}
	if got, named := tool.Here(); got != want || named {
		t.Errorf("got %+v (named: %t), want %+v", got, named, want)
	}
	first, claude := absolute(t, "/first"), absolute(t, "/claude")
	t.Setenv("WORKSPACE_FOLDER_PATHS", first+","+absolute(t, "/second"))
	if got, named := tool.Here(); got.Directory != first || !named {
		t.Errorf("in Cursor: %+v", got)
	}
	t.Setenv("CLAUDE_PROJECT_DIR", claude+string(filepath.Separator))
	if got, named := tool.Here(); got.Directory != claude || !named {
		t.Errorf("in Claude Code: %+v", got)
	}
}
