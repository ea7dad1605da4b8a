package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
)

// hostileNames are names that a repository, a folder or an environment may have.
var hostileNames = []string{
	`a"b'c`, "<script>alert(1)</script>", "</title><img src=x onerror=alert(1)>", "x|y`touch owned`$(touch owned);&", "new\nline\r# not a heading\x1b[31mred",
	"rtl\u202egnp", "売上🎉", "{{.}} %s %n **b** [l](http://e/x) ![i](http://e/x)", "]]>-->", strings.Repeat("y", 4000),
}

// TestHostileNamesStayInTheirPlace exports plots whose project, environment, session and title have hostile names.
func TestHostileNamesStayInTheirPlace(t *testing.T) {
	for _, name := range hostileNames {
		x := exports(t, nil)
		require.NoError(t, x.lib.Sessions.Put(t.Context(), library.Session{ID: "s1", KernelName: "python3", Name: name, Directory: "/home/ann/" + name, Environment: name + "/.venv, Python 3.12"}))
		id, _ := x.add(1, name, "plt.plot(x) # "+strings.ReplaceAll(name, "\n", " "))
		env := catalog.Environment{
			Name: name + "/.venv", Language: "Python", Version: "3.12.1", Executable: "/home/ann/" + name, Directory: "/home/ann/" + name,
			Packages: []catalog.Package{{Name: "pandas", Version: "3.1.1", Used: true}, {Name: "mine", Version: name, Used: true}, {Name: "there", Source: "file:///" + name, Used: true}},
			LockFile: "/home/ann/" + name, Commit: name,
		}
		require.NoError(t, x.lib.Executions.SetEnvironment(t.Context(), "x1", env))
		dir := t.TempDir()
		write := func(kind command.ExportKind, file string) []byte {
			t.Helper()
			to := filepath.Join(dir, file)
			if _, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: kind, Title: name, IDs: []string{id}, Code: true, Notes: true, To: to}); err != nil {
				t.Fatalf("%.40q: %v", name, err)
			}
			if kind == command.ExportFolder {
				to = filepath.Join(to, "manifest.json")
			}
			raw, err := os.ReadFile(to)
			require.NoError(t, err)
			return raw
		}
		inertPage(t, name, write(command.ExportHTML, "report.html"))
		inertBook(t, name, write(command.ExportNotebook, "a.ipynb"))
		var manifest struct {
			Environments map[string]catalog.Environment
			Plots        []struct{ Title, Environment string }
		}
		require.NoError(t, json.Unmarshal(write(command.ExportFolder, "folder"), &manifest))
		if len(manifest.Plots) != 1 || manifest.Environments[manifest.Plots[0].Environment].Name != env.Name {
			t.Errorf("%.40q: the manifest has %+v", name, manifest)
		}
		table, err := os.ReadFile(filepath.Join(dir, "folder", "index.csv"))
		require.NoError(t, err)
		if rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(table, []byte("\ufeff")))).ReadAll(); err != nil || len(rows) != 2 {
			t.Errorf("%.40q: %d rows, %v", name, len(rows), err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 3 {
			t.Errorf("%.40q: %v, %v", name, files, err)
		}
	}
}

// inertPage checks that a report has no element and attribute that came from a name.
func inertPage(t *testing.T, name string, page []byte) {
	t.Helper()
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			for _, a := range tag.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" && !strings.HasPrefix(a.Val, "data:") || a.Key == "href" && strings.HasPrefix(a.Val, "http://e/") {
					t.Errorf("%.40q: <%s %s=%.60q>", name, tag.Data, a.Key, a.Val)
				}
			}
		case html.TextToken, html.EndTagToken, html.CommentToken, html.DoctypeToken:
		}
	}
}

// live matches a link or picture in Markdown.
var live = regexp.MustCompile(`(?:^|[^\\])\]\(`)

// inertBook checks that a name is no code, no heading, no picture and no link in a notebook.
func inertBook(t *testing.T, name string, raw []byte) {
	t.Helper()
	var book struct {
		Cells []struct {
			CellType string          `json:"cell_type"`
			Source   json.RawMessage `json:"source"`
		}
	}
	require.NoError(t, json.Unmarshal(raw, &book))
	for i, c := range book.Cells {
		var lines []string
		if json.Unmarshal(c.Source, &lines) != nil {
			var text string
			require.NoError(t, json.Unmarshal(c.Source, &text))
			lines = strings.SplitAfter(text, "\n")
		}
		for _, line := range lines {
			switch {
			case c.CellType == "markdown" && (strings.ContainsAny(line, "<\x1b\u202e") || live.MatchString(line) || strings.HasPrefix(line, "# not")):
				t.Errorf("%.40q: Markdown %.80q", name, line)
			case c.CellType == "code" && i == 1 && (!strings.HasPrefix(line, "#") || strings.ContainsAny(line, "\r\x1b\u202e")):
				t.Errorf("%.40q: code %.80q", name, line)
			case strings.HasPrefix(line, "# %pip install") && strings.Contains(line, "owned"):
				t.Errorf("%.40q: %s", name, line)
			}
		}
	}
}
