package notebooks

import (
	"encoding/json"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

func TestANotebookSaysWhatToInstall(t *testing.T) {
	n := FromHistory(History{About: "# About", Kernel: Kernel{Name: "python3", Language: "python"}, Runs: []HistoryRun{{Code: "x"}}})
	n.SetEnvironment(catalog.Environment{
		Name: "sales/.venv", Language: "Python", Version: "3.12.1", Executable: "/home/ann/python", Directory: "/home/ann", LockFile: "/home/ann/uv.lock", LockHash: "12",
		Packages: []catalog.Package{
			{Name: "pandas", Version: "3.1.1", Used: true},
			{Name: "mypkg", Version: "1", Used: true, Source: "file:///home/ann/sales"},
			{Name: "lib", Version: "2", Source: "git+https://example.com/lib@abc"},
			{Name: "numpy", Version: "2.5.5"},
			{Name: "odd", Version: "1\nimport os"},
			{Name: "ipykernel", Version: "7"},
		},
	})
	want := `# Drawn with: sales/.venv, Python 3.12.1, pandas 3.1.1, mypkg 1
# Also mypkg 1, which was installed from a folder
# /// script
# requires-python = ">=3.12"
# dependencies = [
#     "pandas==3.1.1",
#     "lib @ git+https://example.com/lib@abc",
#     "numpy==2.5.5",
#     "odd",
# ]
# ///
# To install them in this kernel, run this line without #; in a project, use uv add:
# %pip install "pandas==3.1.1" "lib @ git+https://example.com/lib@abc" "numpy==2.5.5" "odd"`
	if got := n.Cells[1].Source(); got != want {
		t.Errorf("got %s", got)
	}
	raw, err := json.Marshal(n)
	require.NoError(t, err)
	if text := string(raw); strings.Contains(text, "/home/ann") || !strings.Contains(text, `"lock_file":"uv.lock"`) {
		t.Errorf("got %s", text)
	}
	if len(n.Cells) != 3 || n.Cells[2].Source() != "x" {
		t.Errorf("%d cells", len(n.Cells))
	}
	r := FromHistory(History{Runs: []HistoryRun{{Code: "x"}}})
	r.SetEnvironment(catalog.Environment{Language: "R", Version: "4.3.1"})
	if len(r.Cells) != 2 {
		t.Errorf("%d cells", len(r.Cells))
	}
}

// TestANotebookOfSeveralEnvironments installs what each of its sessions imported, for one kernel: its packages may have changed.
func TestANotebookOfSeveralEnvironments(t *testing.T) {
	n := FromHistory(History{Kernel: Kernel{Name: "python3", Language: "python"}, Runs: []HistoryRun{{Code: "x"}}, Environments: []catalog.Environment{
		{Name: "sales/.venv", Language: "Python", Version: "3.12.1", Packages: []catalog.Package{{Name: "pandas", Version: "3.1.1", Used: true}}},
		{Name: "old/.venv", Language: "Python", Version: "3.11.2", Packages: []catalog.Package{{Name: "pandas", Version: "2.1.4", Used: true}, {Name: "polars", Version: "1.2", Used: true}}},
	}})
	got := n.Cells[1].Source()
	for _, want := range []string{"sales/.venv, Python 3.12.1, pandas 3.1.1\n", "old/.venv, Python 3.11.2, pandas 2.1.4, polars 1.2\n", ">=3.12", "\n# %pip install \"pandas==3.1.1\" \"polars==1.2\""} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}

// TestHostileRequirements checks that the command in a notebook installs what an index has, and runs
// nothing that a package's name, version or URL contains.
func TestHostileRequirements(t *testing.T) {
	text := requirements(catalog.Environment{Language: "Python", Version: "3.14.0rc1+\"", Packages: []catalog.Package{
		{Name: "torch", Version: "2.3.0+cpu"},
		{Name: "epoch", Version: "1!2.0.post1"},
		{Name: "unknown"},
		{Name: "x$(touch owned)", Version: "1"},
		{Name: "y", Version: "1$(touch owned)"},
		{Name: "z", Source: "git+https://example.com/`touch owned`"},
		{Name: "w", Version: "1", Source: "https://example.com/w$(touch owned)"},
		{Name: "v", Source: "file:///$(touch owned)"},
	}})
	_, command, _ := strings.Cut(text, "\n# %pip install ")
	if want := `"torch==2.3.0" "epoch==1!2.0.post1" "unknown" "y" "z" "w"`; command != want {
		t.Errorf("got %s, want %s", command, want)
	}
	if !strings.Contains(text, "\n# requires-python = \">=3.14\"\n") {
		t.Errorf("got %s", text)
	}
}

// TestRequirementsAreReadAsTheyAre checks that an address with & is the same in the command, and that a hostile name
// stays in its comment and leaves the code readable for Python.
func TestRequirementsAreReadAsTheyAre(t *testing.T) {
	text := requirements(catalog.Environment{
		Name: "売上 \x00\u202e\u2028</b>\r\nimport os", Language: "Python", Version: "3.12.1",
		Packages: []catalog.Package{{Name: "lib", Version: "1", Source: "git+https://example.com/lib@abc#egg=lib&subdirectory=py", Used: true}},
	})
	first, _, _ := strings.Cut(text, "\n")
	if first != "# Drawn with: 売上 </b> import os, Python 3.12.1, lib 1" {
		t.Errorf("got %q", first)
	}
	if need := `"lib @ git+https://example.com/lib@abc#egg=lib&subdirectory=py"`; strings.Count(text, need) != 2 {
		t.Errorf("got %s", text)
	}
}
