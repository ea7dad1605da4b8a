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
	list := "/a" + string(filepath.ListSeparator) + string(filepath.ListSeparator) + "/b b"
	o, err := Parse([]string{"--project", "sub", "--project", "/c", "--project", ""}, func(name string) string {
		return map[string]string{"EASEL_PROJECTS": list, "EASEL_DATA_DIR": dir}[name]
	})
	want := []string{"/a", "/b b", filepath.Join(dir, "sub"), "/c"}
	if got := filepath.SplitList(o.Projects); err != nil || !slices.Equal(got, want) {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
	again, err := Parse(o.Args(), func(string) string { return "" })
	if err != nil || again.Projects != o.Projects {
		t.Errorf("from its own arguments: %q, %v", again.Projects, err)
	}
	if _, err := Parse([]string{"--project", "/a:/b"}, func(string) string { return "" }); err == nil {
		t.Error("two directories in one flag")
	}
}
