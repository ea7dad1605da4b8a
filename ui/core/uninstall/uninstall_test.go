package uninstall

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/instance"
)

// installed returns a data directory with one of everything, a file of somebody else's,
// and a file outside it.
func installed(t *testing.T) (dir string, outside Outside) {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // for the clients
	dir = filepath.Join(t.TempDir(), "data")
	for _, e := range entries {
		name := filepath.Join(dir, strings.ReplaceAll(e.pattern, "*", "1"))
		if slices.Contains([]string{"library", "jupyter", "logs", "fonts", "opened"}, e.pattern) {
			name = filepath.Join(name, "deep", "file")
		}
		write(t, name)
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "opened", "deep"), 0o500))
	write(t, filepath.Join(dir, "mine.txt"))
	outside = Outside{Path: filepath.Join(t.TempDir(), "fyne"), What: "icon"}
	write(t, filepath.Join(outside.Path, "icon.png"))
	return dir, outside
}

func write(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, make([]byte, 1500), 0o600)))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestRun(t *testing.T) {
	const nothing, some, everything = 0, 1, 2
	for name, x := range map[string]struct {
		answers string
		set     func(*Config)
		deleted int
	}{
		"no answer":          {"", nil, nothing},
		"no":                 {"n\n", nil, nothing},
		"something else":     {"why?\n", nil, nothing},
		"yes, then nothing":  {"y\n", nil, some},
		"yes, no":            {"y\nn\n", nil, some},
		"yes, yes":           {"y\nyes\n", nil, everything},
		"keep":               {"y\ny\n", func(c *Config) { c.Keep = true }, some},
		"--yes":              {"", func(c *Config) { c.Yes = true }, some},
		"--yes --all":        {"", func(c *Config) { c.Yes, c.All = true, true }, everything},
		"--all, and says no": {"n\n", func(c *Config) { c.All = true }, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := installed(t)
			removed := false
			c := Config{DataDir: dir, Outside: []Outside{outside, {What: "start at login", Remove: func() error { removed = true; return nil }}}}
			if x.set != nil {
				x.set(&c)
			}
			var out bytes.Buffer
			c.In, c.Out = strings.NewReader(x.answers), &out
			require.NoError(t, Run(t.Context(), c))
			for _, e := range entries {
				path := filepath.Join(dir, strings.ReplaceAll(e.pattern, "*", "1"))
				want := x.deleted == nothing || x.deleted == some && e.kind == yours
				if exists(path) != want {
					t.Errorf("%s exists: %t", e.pattern, !want)
				}
			}
			if exists(outside.Path) != (x.deleted == nothing) || removed != (x.deleted != nothing) {
				t.Errorf("outside: %t, %t", exists(outside.Path), removed)
			}
			if !exists(filepath.Join(dir, "mine.txt")) {
				t.Error("a file that is not Easel's was deleted")
			}
			for _, want := range []string{filepath.Join(dir, "library") + "  (plots", "2 kB", "not from Easel", "start at login"} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s", want, out.String())
				}
			}
		})
	}
}

// TestADirectoryThatIsNotEaselsIsNotTouched covers a wrong --data-dir: it contains a
// library, too.
func TestADirectoryThatIsNotEaselsIsNotTouched(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "library", "book.pdf"))
	var out bytes.Buffer
	require.NoError(t, Run(t.Context(), Config{DataDir: dir, Yes: true, All: true, In: strings.NewReader(""), Out: &out}))
	if !exists(filepath.Join(dir, "library", "book.pdf")) || !strings.Contains(out.String(), "no files") {
		t.Errorf("it says\n%s", out.String())
	}
}

// TestAllIsDeletedBehindALink covers a data directory that is a link to another disk.
func TestAllIsDeletedBehindALink(t *testing.T) {
	dir, _ := installed(t)
	require.NoError(t, os.Remove(filepath.Join(dir, "mine.txt")))
	link := require.Link(t, dir, filepath.Join(t.TempDir(), "link"))
	for _, path := range []string{link, dir} {
		var out bytes.Buffer
		require.NoError(t, Run(t.Context(), Config{DataDir: path, Yes: true, All: true, In: strings.NewReader(""), Out: &out}))
		if names, _ := os.ReadDir(dir); len(names) > 0 || strings.Contains(out.String(), "other files") {
			t.Errorf("%v are left, and it says\n%s", names, out.String())
		}
		write(t, filepath.Join(dir, "easel.lock"))
	}
}

func TestNothingIsDeletedWhileEaselOrItsJupyterRuns(t *testing.T) {
	dir, outside := installed(t)
	run := func(ctx context.Context, busy bool) error {
		return Run(ctx, Config{
			DataDir: dir, Outside: []Outside{outside}, Busy: func() bool { return busy },
			Yes: true, All: true, In: strings.NewReader(""), Out: &bytes.Buffer{},
		})
	}
	if err := run(t.Context(), true); !errors.Is(err, errBusy) {
		t.Errorf("got %v", err)
	}
	mine, err := instance.Lock(t.Context(), dir)
	require.NoError(t, err)
	if err := run(t.Context(), false); !errors.Is(err, errRunning) {
		t.Errorf("got %v", err)
	}
	if !exists(filepath.Join(dir, "jupyter")) || !exists(outside.Path) {
		t.Error("something was deleted")
	}
	require.NoError(t, mine.Close())
	if err := run(t.Context(), false); err != nil || exists(filepath.Join(dir, "jupyter")) {
		t.Errorf("got %v", err)
	}
}

// TestTheDocumentHasTheSameFiles compares the table of docs/files.md with entries.
func TestTheDocumentHasTheSameFiles(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "files.md"))
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "| file | contents | kept |")
	table, _, _ = strings.Cut(table, "\n\n")
	documented := make(map[string]bool)
	for line := range strings.Lines(table) {
		cell := strings.SplitN(line, "|", 3)
		if len(cell) < 3 {
			continue
		}
		dir := "" // if the first name is in one, so are the others
		for i, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell[1], -1) {
			name, _, nested := strings.Cut(strings.ReplaceAll(m[1], "…", "*"), "/")
			if nested && i == 0 {
				dir = name
			}
			documented[cmp.Or(dir, name)] = true
		}
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.pattern, ".broken-*"); !documented[name] {
			t.Errorf("docs/files.md does not name %s", e.pattern)
		}
	}
	for name := range documented {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.pattern == name }) {
			t.Errorf("docs/files.md names %s, which is not in entries", name)
		}
	}
}
