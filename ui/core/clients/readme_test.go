package clients_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/ui/core/clients"
)

var update = flag.Bool("update", false, "write README's table of clients anew")

// TestReadmeListsAllClients checks that the table between the markers is up to date.
func TestReadmeListsAllClients(t *testing.T) {
	t.Setenv("HOME", "/home/you")
	if runtime.GOOS == "windows" {
		t.Skip("README.md has the paths of Linux")
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "CODEX_HOME", "COPILOT_HOME", "CLAUDE_CONFIG_DIR", "CONTINUE_GLOBAL_DIR"} {
		t.Setenv(name, "")
	}
	const path, begin, end = "../../../README.md", "<!-- clients -->\n", "<!-- /clients -->"
	readme := read(t, path)
	before, rest, ok := strings.Cut(readme, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("README.md has no marks for the table")
	}
	want := before + begin + readmeTable() + end + after
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	if diff := cmp.Diff(want, readme); diff != "" {
		t.Errorf("scripts/golden writes it anew (-want +got)\n%s", diff)
	}
}

// readmeTable returns the table of the clients, with the paths on Linux.
func readmeTable() string {
	var b strings.Builder
	b.WriteString("| client | where | Easel writes it | checked with |\n|---|---|---|---|\n")
	for _, c := range clients.All {
		if c.Name == "" {
			continue
		}
		where, writes := "`"+clients.Tilde(c.File())+"`", "yes"
		switch c.Format {
		case clients.Command:
			where, writes = "`claude mcp add`", "no: a command to copy"
		case clients.Dialog:
			where, writes = "its settings", "no: text to paste"
		case clients.JSON, clients.TOML, clients.YAML:
		}
		checked := "its documentation"
		if c.Checked != "docs" {
			checked = "version " + c.Checked
		}
		fmt.Fprintf(&b, "| [%s](%s) | %s | %s | %s |\n", c.Name, c.Link, where, writes, checked)
	}
	return b.String()
}
