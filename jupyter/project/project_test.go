package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"easel/internal/require"
)

// home makes a home directory for a test, and forgets the user's settings.
func home(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir = filepath.Join(dir, "home")
	write(t, filepath.Join(dir, ".profile"), "")
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	t.Setenv("PATH", "")
	for _, name := range []string{
		"APPDATA", "LOCALAPPDATA", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "WORKON_HOME", "PYENV_ROOT", "POETRY_CACHE_DIR", "POETRY_CONFIG_DIR",
		"POETRY_VIRTUALENVS_PATH", "HATCH_DATA_DIR", "HATCH_CONFIG", "HATCH_ENV_TYPE_VIRTUAL_PATH", "CONDA_ENVS_PATH", "CONDA_ENVS_DIRS", "CONDA_EXE", "MAMBA_ROOT_PREFIX",
	} {
		t.Setenv(name, "")
	}
	return dir
}

// write writes a file, and makes the directories above it.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestOf(t *testing.T) {
	h := home(t)
	for _, file := range []string{
		".git/HEAD", // dotfiles
		"proj/pyproject.toml", "proj/src/pkg/__init__.py", "proj/docs/requirements.txt",
		"repo/.git/HEAD", "repo/services/api/main.py", "repo/services/api/requirements.txt", "repo/services/web/.venv/pyvenv.cfg", "repo/services/web/app/x.py",
		"mono/uv.lock", "mono/pyproject.toml", "mono/packages/core/pyproject.toml", "mono/packages/core/src/x.py",
		"worktree/.git", "worktree/src/x.py",
		"weak/requirements.txt", "weak/src/x.py",
		"R/analysis.Rproj", "R/data/x.csv", "R2/renv.lock", "R2/data/x.csv", "R3/renv/activate.R", "R3/data/x.csv",
		"bare/data/x.csv", "名前 のある/プロジェクト [1]/pixi.toml", "名前 のある/プロジェクト [1]/データ/x.csv",
		".codex/worktrees/1a/proj/.git", ".dotfiles/.git/HEAD", ".config/app/x",
	} {
		write(t, filepath.Join(h, file), "")
	}
	for dir, want := range map[string]string{
		"proj": "proj", "proj/src/pkg": "proj", "proj/docs": "proj",
		"repo/services/api": "repo", "repo/services/web/app": "repo/services/web",
		"mono": "mono", "mono/packages/core/src": "mono/packages/core", "mono/packages": "mono",
		"worktree/src": "worktree", "weak/src": "weak", "R/data": "R", "R2/data": "R2", "R3/data": "R3",
		"bare/data": "bare/data", "名前 のある/プロジェクト [1]/データ": "名前 のある/プロジェクト [1]",
		".codex/worktrees/1a/proj": ".codex/worktrees/1a/proj", ".dotfiles": ".dotfiles",
	} {
		p, err := Of(filepath.Join(h, dir))
		if want := filepath.Join(h, want); err != nil || p.Root != want || p.Name != filepath.Base(want) {
			t.Errorf("%s: %+v, %v; want %s", dir, p, err, want)
		}
	}
	t.Chdir(filepath.Join(h, "proj", "src"))
	for _, dir := range []string{".", "..", "~/proj"} {
		if p, err := Of(dir); err != nil || p.Name != "proj" {
			t.Errorf("%s: %+v, %v", dir, p, err)
		}
	}
}

func TestOfALink(t *testing.T) {
	h := home(t)
	write(t, filepath.Join(h, "disk", "proj", "pyproject.toml"), "")
	link := require.Link(t, filepath.Join(h, "disk", "proj"), filepath.Join(h, "link"))
	if p, err := Of(link); err != nil || p.Root != filepath.Join(h, "disk", "proj") {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := Of(require.Link(t, h, filepath.Join(h, "disk", "me"))); err == nil {
		t.Errorf("a link to the home directory: %+v", p)
	}
}

func TestOfWhatIsNoProject(t *testing.T) {
	h := home(t)
	for _, file := range []string{
		".git/HEAD", "proj/data.csv", ".vscode-server/bin/1a2b/server.js", "Library/Preferences/x",
		"VSCode-linux-x64/chrome_100_percent.pak", "VSCode-linux-x64/resources/app/package.json",
		"Tool.app/Contents/Info.plist", "Tool.app/Contents/MacOS/tool", ".local/share/easel/library/x", "own/.git/HEAD", "own/x/y",
	} {
		write(t, filepath.Join(h, file), "")
	}
	own := filepath.Join(h, "own")
	dirs := map[string]string{
		h: "is your home directory", filepath.Dir(h): "has the home directories", os.TempDir(): "temporary files",
		own: "belongs to Easel", filepath.Join(own, "x"): "belongs to Easel",
		filepath.Join(h, "proj", "data.csv"): "is a file. Give its folder: " + filepath.Join(h, "proj"),
		filepath.Join(h, "gone"):             "does not exist", "": "The directory is empty",
	}
	for dir, want := range map[string]string{
		".vscode-server/bin/1a2b": "folder for programs", "Library/Preferences": "folder for programs", ".local/share/easel/library": "folder for programs",
		"VSCode-linux-x64": "the folder of a program", "VSCode-linux-x64/resources/app": "the folder of a program", "Tool.app/Contents/MacOS": "the folder of a program",
	} {
		dirs[filepath.Join(h, dir)] = want
	}
	if runtime.GOOS != "windows" {
		for dir, want := range map[string]string{"/": "the whole disk", "/usr": "belongs to the system", "/usr/share": "which belongs to the system", "/etc": "belongs to the system", "/opt": "belongs to the system"} {
			if exists(dir) {
				dirs[dir] = want
			}
		}
	}
	for dir, want := range dirs {
		p, err := Of(dir, own)
		e, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(err.Error(), want) || e.Remedy == "" || !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%q: %+v, %v; want an error with %q", dir, p, err, want)
		}
	}
	if _, err := Of(filepath.Join(h, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing directory: %v", err)
	}
}

func TestWithin(t *testing.T) {
	for _, x := range []struct {
		path, folder string
		want         bool
	}{{"/a/b", "/a", true}, {"/a", "/a", true}, {"/ab", "/a", false}, {"/a", "/a/b", false}, {"/a", "/", true}} {
		if got := within(filepath.FromSlash(x.path), filepath.FromSlash(x.folder)); got != x.want {
			t.Errorf("%s in %s: %v", x.path, x.folder, got)
		}
	}
}

// TestAPathWithAControlCharacter is refused: the user could not be shown what they allow, and the permission
// would not be found again. A folder below the project may have such a name.
func TestAPathWithAControlCharacter(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	base := home(t)
	for _, name := range []string{"sales\nallowed", "sales\t", "\x1b[2J", "sales\u0085"} {
		dir := filepath.Join(base, name)
		write(t, filepath.Join(dir, "pyproject.toml"), "")
		_, err := Of(dir)
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Reason.Kind != "control" || e.Remedy == "" || strings.ContainsAny(err.Error(), "\n\t\x1b\u0085") {
			t.Errorf("%q: %v", name, err)
		}
		outer := filepath.Join(base, "outer")
		write(t, filepath.Join(outer, "pyproject.toml"), "")
		write(t, filepath.Join(outer, name, "a.csv"), "")
		if p, err := Of(filepath.Join(outer, name)); err != nil || p.Root != outer {
			t.Errorf("%q below a project: %+v, %v", name, p, err)
		}
	}
}
