package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

// TestLiveHostileNamesInAPDF prints plots whose session, environment, folder and title have hostile names. Every
// name ends where it is written: what follows it, such as the number of the page, reads as usual.
func TestLiveHostileNamesInAPDF(t *testing.T) {
	printer := printing(t)
	dir := t.TempDir()
	if kept := os.Getenv("EASEL_TEST_PICTURES"); kept != "" {
		dir = kept
	}
	for i, name := range hostileNames {
		x := exports(t, printer)
		require.NoError(t, x.lib.Sessions.Put(t.Context(), library.Session{ID: "s1", KernelID: "k1", KernelName: "python3", Name: name, Directory: "/home/ann/" + name, Environment: name + "/.venv, Python 3.12"}))
		id, _ := x.add(1, name, "plt.plot(x)")
		env := catalog.Environment{
			Name: name + "/.venv", Language: "Python", Version: "3.12.1", Directory: "/home/ann/" + name, Commit: name,
			Packages: []catalog.Package{{Name: "mine", Version: name, Used: true}, {Name: "pandas", Version: "3.1.1", Used: true}},
		}
		require.NoError(t, x.lib.Executions.SetEnvironment(t.Context(), "x1", env))
		to := filepath.Join(dir, "hostile"+strconv.Itoa(i)+".pdf")
		_, err := command.Export.Ask(t.Context(), x.bus, command.ExportIn{Kind: command.ExportPDF, Title: name, IDs: []string{id}, Code: true, Notes: true, Timings: true, To: to})
		if err != nil {
			t.Errorf("%.40q: %v", name, err)
			continue
		}
		saw := x.look(to)
		for n, page := range saw.Pages {
			if want := fmt.Sprintf("%d/%d", n+1, len(saw.Pages)); !strings.Contains(squeezed(page), want) {
				t.Errorf("%.40q: page %d has no number: %.2000q", name, n+1, page)
			}
		}
		text := strings.Join(saw.Pages, "\n")
		for _, want := range []string{"pandas 3.1.1, commit", "Drawn 2", "ran for 1.2s · Session", "plt.plot(x)"} {
			if !strings.Contains(squeezed(text), squeezed(want)) {
				t.Errorf("%.40q: the text lacks %q: %.2000q", name, want, text)
			}
		}
		if strings.ContainsAny(saw.Title+strings.Join(saw.Outline, "")+text, "\x1b\u202e") {
			t.Errorf("%.40q: title %q, outline %q, text %.2000q", name, saw.Title, saw.Outline, text)
		}
	}
}
