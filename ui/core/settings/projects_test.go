package settings

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// TestProjectsOnTheCommandLine checks that the flag adds to the variable, and that the app and
// its bridge get the same directories.
func TestProjectsOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	away := "ssh://ann@gpu:22/b c"
	abs := func(path string) string { // with a drive, on Windows
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		return path
	}
	separator := string(filepath.ListSeparator)
	list := strings.Join([]string{"/a", away, "", "/b b"}, separator)
	o, err := Parse([]string{"--project", "sub", "--project", "/c", "--project", "", "--project", "ssh://gpu/~/d"}, func(name string) string {
		return map[string]string{"EASEL_PROJECTS": list, "EASEL_DATA_DIR": dir}[name]
	})
	want := []string{abs("/a"), away, abs("/b b"), filepath.Join(dir, "sub"), abs("/c"), "ssh://gpu/~/d"}
	if got := SplitProjects(o.Projects); err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
	again, err := Parse(o.Args(), func(string) string { return "" })
	if err != nil || again.Projects != o.Projects {
		t.Errorf("from its own arguments: %q, %v", again.Projects, err)
	}
	for _, two := range []string{"/a" + separator + "/b", "ssh://gpu/a" + separator + "/b"} {
		if _, err := Parse([]string{"--project", two}, func(string) string { return "" }); err == nil {
			t.Errorf("%s: two directories in one flag", two)
		}
	}
}
