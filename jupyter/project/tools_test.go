package project

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"easel/internal/require"
)

// linux skips a test whose layouts are those of Linux, where they were checked.
func linux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the directories are those of Linux")
	}
}

// The names and hashes are what Poetry and Hatch have made of these paths.
func TestNameHash(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/envtools/home/作業 1/Demo Proj": "FvF8RGLE",
		"/tmp/envtools/home/h":              "68DHYG7v",
		"/tmp/envtools/home/np":             "j55nYttE",
	} {
		if got := nameHash(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestPoetry(t *testing.T) {
	linux(t)
	h := home(t)
	root := filepath.Join(h, "作業 1", "Demo Proj")
	write(t, filepath.Join(root, "pyproject.toml"), "[project]\nname = \"demo\"")
	name := "demo-" + nameHash(root)
	cache := filepath.Join(h, ".cache", "pypoetry", "virtualenvs")
	venv(t, filepath.Join(cache, name+"-py3.9"), "3.9.1")
	venv(t, filepath.Join(cache, name+"-py3.12"), "3.12.1")
	venv(t, filepath.Join(cache, "demo-AAAAAAAA-py3.12"), "3.12.1") // another project's
	_, told := look(t, root, Surroundings{})
	check(t, told, name+"-py3.12 poetry 3.12.1", name+"-py3.9 poetry 3.9.1")
	write(t, filepath.Join(cache, "envs.toml"), "["+name+"]\nminor = \"3.9\"\npatch = \"3.9.1\"\n")
	_, told = look(t, root, Surroundings{})
	check(t, told, name+"-py3.9 poetry 3.9.1", name+"-py3.12 poetry 3.12.1")

	for _, x := range []struct{ name, file, text, dir string }{
		{"the user's settings", filepath.Join(h, ".config", "pypoetry", "config.toml"), "cache-dir = \"~/pc\"", filepath.Join(h, "pc", "virtualenvs")},
		{"the project's", filepath.Join(root, "poetry.toml"), "[virtualenvs]\npath = \"some envs\"", filepath.Join(root, "some envs")},
		{"within the cache", filepath.Join(root, "poetry.toml"), "[virtualenvs]\npath = \"{cache-dir}/other\"", filepath.Join(h, "pc", "other")},
	} {
		write(t, x.file, x.text)
		if got := poetryDir(root); got != x.dir {
			t.Errorf("%s: %s, want %s", x.name, got, x.dir)
		}
	}
	t.Setenv("POETRY_VIRTUALENVS_PATH", filepath.Join(h, "by variable"))
	if got := poetryDir(root); got != filepath.Join(h, "by variable") {
		t.Errorf("by a variable: %s", got)
	}
}

func TestHatch(t *testing.T) {
	linux(t)
	h := home(t)
	root := filepath.Join(h, "proj")
	write(t, filepath.Join(root, "pyproject.toml"), "[project]\nname = \"My_Hatch.proj\"")
	kept := filepath.Join(h, ".local", "share", "hatch", "env", "virtual", "my-hatch-proj", nameHash(root))
	for _, name := range []string{"a", "my-hatch-proj", "hatch-test.py3.12", "my-hatch-proj-build"} {
		venv(t, filepath.Join(kept, name), "3.12.1")
	}
	_, told := look(t, root, Surroundings{})
	check(t, told, "my-hatch-proj hatch 3.12.1", "a hatch 3.12.1")

	config := filepath.Join(h, ".config", "hatch", "config.toml")
	write(t, config, "[dirs.env]\nvirtual = \"~/.virtualenvs\"")
	venv(t, filepath.Join(h, ".virtualenvs", "my-hatch-proj"), "3.11.1")
	venv(t, filepath.Join(h, ".virtualenvs", "another"), "3.11.1") // of any project
	_, told = look(t, root, Surroundings{})
	check(t, told, "my-hatch-proj hatch 3.11.1")

	write(t, config, "[dirs.env]\nvirtual = \".hatch\"")
	venv(t, filepath.Join(root, ".hatch", "my-hatch-proj"), "3.10.1")
	venv(t, filepath.Join(root, ".hatch", "dev"), "3.10.1")
	_, told = look(t, root, Surroundings{})
	check(t, told, "proj/.hatch/my-hatch-proj hatch 3.10.1", "proj/.hatch/dev hatch 3.10.1")
}

func TestPipenv(t *testing.T) {
	linux(t)
	h := home(t)
	root := filepath.Join(h, "proj")
	write(t, filepath.Join(root, "Pipfile"), "")
	for dir, of := range map[string]string{".local/share/virtualenvs/proj-AJ8KWTHh": root, ".local/share/virtualenvs/x-AAAAAAAA": filepath.Join(h, "x"), "work/mine": root} {
		venv(t, filepath.Join(h, dir), "3.12.1")
		write(t, filepath.Join(h, dir, ".project"), of)
	}
	_, told := look(t, root, Surroundings{})
	check(t, told, "proj-AJ8KWTHh pipenv 3.12.1")
	t.Setenv("WORKON_HOME", filepath.Join(h, "work"))
	_, told = look(t, root, Surroundings{})
	check(t, told, "mine pipenv 3.12.1")
}

// A tool is asked only if no file decides, and never one that is in the project.
func TestAskingATool(t *testing.T) {
	linux(t)
	h := home(t)
	root := filepath.Join(h, "proj")
	write(t, filepath.Join(root, "pyproject.toml"), "[tool.poetry]\n")
	venv(t, filepath.Join(h, "elsewhere"), "3.12.1")
	script := func(path, text string) {
		write(t, path, "#!/bin/sh\n"+text)
		require.NoError(t, os.Chmod(path, 0o755))
	}
	asked := filepath.Join(h, "asked")
	answer := "echo x >>'" + asked + "'\necho " + filepath.Join(h, "elsewhere")
	script(filepath.Join(root, "bin", "poetry"), answer)
	t.Setenv("PATH", filepath.Join(root, "bin"))
	if _, told := look(t, root, Surroundings{}); len(told) > 0 || exists(asked) {
		t.Errorf("the project's own tool was asked: %q", told)
	}
	script(filepath.Join(h, ".local", "bin", "poetry"), answer)
	t.Setenv("PATH", "")
	_, told := look(t, root, Surroundings{})
	check(t, told, "elsewhere poetry 3.12.1")
	require.NoError(t, os.Remove(asked))
	script(filepath.Join(h, ".local", "bin", "poetry"), "echo x >>'"+asked+"'; exit 1")
	if _, told := look(t, root, Surroundings{}); len(told) > 0 || !exists(asked) {
		t.Errorf("a tool that fails: %q", told)
	}
	require.NoError(t, os.Remove(asked))
	write(t, filepath.Join(h, ".cache", "pypoetry", "virtualenvs", "envs.toml"), "")
	if _, told := look(t, root, Surroundings{}); len(told) > 0 || exists(asked) {
		t.Errorf("it was asked although its files decide: %q", told)
	}
}
