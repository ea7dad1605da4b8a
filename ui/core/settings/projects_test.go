package settings

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestProjectsOnTheCommandLine checks that the flag adds to the variable, and that the app and
// its bridge get the same directories.
func TestProjectsOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	away := "ssh://ann@gpu:22/b c"
	list := "/a" + string(filepath.ListSeparator) + away + string(filepath.ListSeparator) + string(filepath.ListSeparator) + "/b b"
	o, err := Parse([]string{"--project", "sub", "--project", "/c", "--project", "", "--project", "ssh://gpu/~/d"}, func(name string) string {
		return map[string]string{"EASEL_PROJECTS": list, "EASEL_DATA_DIR": dir}[name]
	})
	want := []string{"/a", away, "/b b", filepath.Join(dir, "sub"), "/c", "ssh://gpu/~/d"}
	if got := SplitProjects(o.Projects); err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
	again, err := Parse(o.Args(), func(string) string { return "" })
	if err != nil || again.Projects != o.Projects {
		t.Errorf("from its own arguments: %q, %v", again.Projects, err)
	}
	for _, two := range []string{"/a:/b", "ssh://gpu/a:/b"} {
		if _, err := Parse([]string{"--project", two}, func(string) string { return "" }); err == nil {
			t.Errorf("%s: two directories in one flag", two)
		}
	}
}
