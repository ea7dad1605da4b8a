package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/coretest"
	"easel/ui/core/picture"
)

// TestWindowShowsAFolderOfTheCommandLine starts Easel with a folder, and again with others while it runs:
// relative, in the home directory, a picture, one that is not there, and without a display.
func TestWindowShowsAFolderOfTheCommandLine(t *testing.T) {
	if os.Getenv("DISPLAY") == "" {
		t.Skip("there is no display; make test makes one")
	}
	base, home := t.TempDir(), t.TempDir()
	png, err := picture.EncodeThumb(coretest.Plot(1, 40, 30))
	require.NoError(t, err)
	for _, name := range []string{"photos/a.png", "photos/2026/b.png", "photos/2026/c.png"} {
		path := filepath.Join(home, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, png, 0o600))
	}
	photos := filepath.Join(home, "photos")
	o := options{base: base, window: true, shown: photos}
	e := launch(t, o)
	shows := func(dir string, matching float64) {
		t.Helper()
		eventually(t, dir, func() bool {
			got := e.call(t, "get_current_folder", nil)
			view, _ := got["view"].(map[string]any)
			return got["folder"] == dir && view["matching"] == matching
		})
	}
	shows(photos, 1)
	again := func(arg string, env ...string) (code int, said string) {
		p := prepare(append(append(o.env(t), "HOME="+home), env...), binary(t), arg)
		p.Dir = photos
		p.begin(t)
		code = p.end(t)
		return code, p.out.String()
	}
	for _, x := range []struct {
		arg, dir string
		matching float64
		env      []string
	}{
		{"2026", filepath.Join(photos, "2026"), 2, nil},
		{"~/photos", photos, 1, nil},
		{filepath.Join("2026", "c.png"), filepath.Join(photos, "2026"), 2, nil},
		{".", photos, 1, []string{"DISPLAY=", "WAYLAND_DISPLAY="}},
	} {
		if code, said := again(x.arg, x.env...); code != 0 || !strings.Contains(said, "already runs") {
			t.Errorf("%s: exit code %d:\n%s", x.arg, code, said)
		}
		shows(x.dir, x.matching)
		if x.arg != filepath.Join("2026", "c.png") {
			continue
		}
		files, _ := e.call(t, "get_selected_files", nil)["files"].([]any)
		if len(files) != 1 || files[0].(map[string]any)["name"] != "c.png" {
			t.Errorf("selected %v", files)
		}
	}
	if code, said := again("nowhere"); code != 2 || !strings.Contains(said, "no such folder or picture") {
		t.Errorf("a folder that is not there: exit code %d:\n%s", code, said)
	}
	quit(t, e)
}
