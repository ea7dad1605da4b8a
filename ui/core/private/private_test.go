package private_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/ui/core/private"
)

const token = "a-token-that-opens-everything"

// a data directory, and a working folder beside it
func rooms(t *testing.T) (data, root string) {
	t.Helper()
	dir := t.TempDir()
	data, root = filepath.Join(dir, "Data"), filepath.Join(dir, "work")
	for _, d := range []string{filepath.Join(data, "jupyter", "env-1"), filepath.Join(root, "sub")} {
		require.NoError(t, os.MkdirAll(d, 0o700))
	}
	for name, text := range map[string]string{
		filepath.Join(data, "token"): token, filepath.Join(data, "jupyter", "server.json"): `{"token": "x"}`,
		filepath.Join(data, "jupyter", "env-1", "package.py"): "shared = True", filepath.Join(root, "a.csv"): "a,b",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	return data, root
}

func TestEveryWayIntoTheDataDirectoryIsRefused(t *testing.T) {
	data, root := rooms(t)
	hard := filepath.Join(root, "hard.txt")
	require.NoError(t, os.Link(filepath.Join(data, "jupyter", "server.json"), hard))
	require.Link(t, "..", filepath.Join(root, "sub", "up"))
	ways := map[string]string{
		"its own name":                   filepath.Join(data, "token"),
		"the directory":                  data,
		"a file that is not there yet":   filepath.Join(data, "new.ipynb"),
		"dots":                           root + "/sub/../../Data/token",
		"a link to the file":             require.Link(t, filepath.Join(data, "token"), filepath.Join(root, "t.txt")),
		"a relative link":                require.Link(t, "../Data/token", filepath.Join(root, "r.txt")),
		"a link to a link":               require.Link(t, "t.txt", filepath.Join(root, "tt.txt")),
		"a link to the directory":        filepath.Join(require.Link(t, data, filepath.Join(root, "d")), "token"),
		"a link to its parent":           filepath.Join(require.Link(t, filepath.Dir(data), filepath.Join(root, "p")), "Data", "token"),
		"dots behind a link":             root + "/sub/up/../Data/token",
		"a link to what is not there":    require.Link(t, filepath.Join(data, "none.ipynb"), filepath.Join(root, "n.ipynb")),
		"a link to a directory to come":  filepath.Join(require.Link(t, filepath.Join(data, "later"), filepath.Join(root, "l")), "a.ipynb"),
		"a hard link":                    hard,
		"a package of its environment":   filepath.Join(data, "jupyter", "env-1", "package.py"),
		"a new file in a folder through": filepath.Join(root, "d", "sub", "new.csv"),
	}
	if runtime.GOOS == "linux" {
		ways["the root of this process"] = "/proc/self/root" + data + "/token"
		ways["a link to a process"] = require.Link(t, "/proc/self/environ", filepath.Join(root, "env.txt"))
	}
	d := private.New(data, root)
	for name, path := range ways {
		if d.Why(path) == "" {
			t.Errorf("%s: %s is not refused", name, path)
		}
	}
	elsewhere := t.TempDir()
	for _, path := range []string{
		root, filepath.Join(root, "a.csv"), filepath.Join(root, "new", "a.csv"), filepath.Join(root, "up.csv"), elsewhere,
		require.Link(t, elsewhere, filepath.Join(root, "elsewhere")), data + "2", filepath.Dir(data),
	} {
		if why := d.Why(path); why != "" {
			t.Errorf("%s is refused: it %s", path, why)
		}
	}
}

// uv makes the packages that Easel adds to a project's Python, and those of the project, as hard
// links to the same files. There are thousands.
func TestSharedPackagesAreNotPrivate(t *testing.T) {
	data, root := rooms(t)
	for i, dir := range []string{"env-1", "overlays/3.12.1-0123", "layers/4567", "projects/a-0123/checkpoints/.ipynb_checkpoints"} {
		own := filepath.Join(data, "jupyter", filepath.FromSlash(dir), "shared.py")
		project := filepath.Join(root, fmt.Sprint(i)+".py")
		require.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(own), 0o700), os.WriteFile(own, []byte("shared = True # everywhere"), 0o600), os.Link(own, project)))
		d := private.New(data, root)
		if why := d.Why(project); why != "" || d.Why(own) == "" || d.HasCopy([]byte("shared = True # everywhere")) {
			t.Errorf("%s: the project's file is refused: it %s; or Easel's is not", dir, why)
		}
	}
}

func TestAWorkingFolderInTheDataDirectoryIsNotPrivate(t *testing.T) {
	data, _ := rooms(t)
	root := filepath.Join(data, "work")
	require.NoError(t, os.Mkdir(root, 0o700))
	d := private.New(data, root)
	if why := d.Why(filepath.Join(root, "a.csv")); why != "" {
		t.Errorf("the working folder is refused: it %s", why)
	}
	if d.Why(require.Link(t, "../token", filepath.Join(root, "t"))) == "" {
		t.Error("a link from there to the token is not refused")
	}
	if d := private.New(filepath.Join(data, "none"), root); d.Why(filepath.Join(data, "none", "token")) == "" || d.Why(root) != "" {
		t.Error("a data directory that does not exist yet is not refused by its name, or something else is")
	}
}

func TestACopyOfAPrivateFileIsRecognised(t *testing.T) {
	data, root := rooms(t)
	d := private.New(data, root)
	if !d.HasCopy([]byte(token)) || d.HasCopy([]byte(strings.ToUpper(token))) || d.HasCopy([]byte("a,b")) || d.HasCopy(nil) {
		t.Error("a copy of the token is not recognised, or something else is")
	}
	var none *private.Directory
	if none.HasCopy([]byte(token)) || none.Why(data) != "" {
		t.Error("no directory holds something")
	}
}

func TestWhatIsOutsideIsNamed(t *testing.T) {
	_, root := rooms(t)
	there := filepath.Join(t.TempDir(), "data.csv")
	if got := private.Outside(root, require.Link(t, there, filepath.Join(root, "x.csv"))); got != there {
		t.Errorf("a link to %s leads to %q", there, got)
	}
	alias := require.Link(t, root, root+"-alias") // the root itself may be a link
	for _, path := range []string{filepath.Join(alias, "a.csv"), alias, require.Link(t, "a.csv", filepath.Join(root, "b.csv"))} {
		if got := private.Outside(alias, path); got != "" {
			t.Errorf("%s is outside: %q", path, got)
		}
	}
}
