package export_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// TestExportsSayWhatPlotsWereDrawnIn exports a plot whose environment is known and one whose is not, in each
// form. Paths of this machine stay here.
func TestExportsSayWhatPlotsWereDrawnIn(t *testing.T) {
	x := exports(t, nil)
	require.NoError(t, x.lib.Sessions.Put(t.Context(), library.Session{ID: "s1", KernelName: "python3"}))
	known, _ := x.add(1, "Known", "plt.plot(x)")
	unknown, _ := x.add(2, "Unknown", "plt.plot(y)")
	env := catalog.Environment{
		Name: "sales/.venv", Language: "Python", Version: "3.12.1", Executable: "/home/ann/sales/.venv/bin/python", Directory: "/home/ann/sales",
		Packages: []catalog.Package{{Name: "pandas", Version: "3.1.1", Used: true}}, LockFile: "/home/ann/sales/uv.lock", LockHash: "247a", Commit: "b94dae05c8",
	}
	require.NoError(t, x.lib.Executions.SetEnvironment(t.Context(), "x1", env))
	dir := t.TempDir()
	write := func(kind command.ExportKind, name string, code bool) string {
		t.Helper()
		to := filepath.Join(dir, name)
		if _, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: kind, Title: "All", IDs: []string{known, unknown}, Code: code, To: to}); err != nil {
			t.Fatal(err)
		}
		if kind == command.ExportFolder {
			to = filepath.Join(to, "manifest.json")
		}
		raw, err := os.ReadFile(to)
		require.NoError(t, err)
		if strings.Contains(string(raw), "/home/ann") {
			t.Errorf("%s has paths of this machine: %s", name, raw)
		}
		return string(raw)
	}

	var manifest struct {
		Environments map[string]catalog.Environment
		Plots        []struct{ Environment string }
	}
	require.NoError(t, json.Unmarshal([]byte(write(command.ExportFolder, "folder", true)), &manifest))
	if got := manifest.Environments[manifest.Plots[0].Environment]; len(manifest.Environments) != 1 || got.String() != env.String() || got.LockFile != "uv.lock" || manifest.Plots[1].Environment != "" {
		t.Errorf("got %+v", manifest)
	}
	const line = "Environment: sales/.venv, Python 3.12.1, pandas 3.1.1, commit b94dae0"
	if got := write(command.ExportHTML, "report.html", true); strings.Count(got, line) != 1 {
		t.Errorf("the report does not say %q once", line)
	}
	if got := write(command.ExportHTML, "without.html", false); strings.Contains(got, line) {
		t.Error("a report without code says it")
	}
	if got := write(command.ExportNotebook, "a.ipynb", true); !strings.Contains(got, `#     \"pandas==3.1.1\",`) || !strings.Contains(got, `"easel"`) {
		t.Errorf("the notebook does not say it: %s", got)
	}
}
