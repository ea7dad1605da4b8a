package project

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
)

// venv makes the files of an environment. Its interpreter is a script that can run nowhere.
func venv(t *testing.T, prefix, version string, lines ...string) {
	t.Helper()
	write(t, filepath.Join(prefix, "pyvenv.cfg"), "home = "+filepath.Dir(prefix)+"\nversion = "+version+"\n"+strings.Join(lines, "\n"))
	python(t, prefix)
}

func python(t *testing.T, prefix string) {
	t.Helper()
	path := filepath.Join(prefix, filepath.FromSlash(executables[0]))
	write(t, path, "#!/nowhere\n")
	require.NoError(t, os.Chmod(path, 0o755))
}

// conda makes the files of an environment of conda.
func conda(t *testing.T, prefix, version string) {
	t.Helper()
	write(t, filepath.Join(prefix, "conda-meta", "history"), "")
	write(t, filepath.Join(prefix, "conda-meta", "python-"+version+"-h1234_0_cpython.json"), "{}")
	python(t, prefix)
}

// look returns what is found for a directory, as "label kind version".
func look(t *testing.T, dir string, s Surroundings) (found []Environment, told []string) {
	t.Helper()
	p, err := Of(dir)
	require.NoError(t, err)
	found = Environments(t.Context(), p, s, dir)
	for _, e := range found {
		told = append(told, e.Label+" "+e.Kind+" "+e.Version)
	}
	return found, told
}

func check(t *testing.T, told []string, want ...string) {
	t.Helper()
	if !slices.Equal(told, want) {
		t.Errorf("got  %q\nwant %q", told, want)
	}
}

func TestEnvironmentsInTheFolders(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "プロジェクト 1")
	write(t, filepath.Join(root, ".git", "HEAD"), "")
	write(t, filepath.Join(root, "part", "pyproject.toml"), "")
	venv(t, filepath.Join(root, ".venv"), "3.12.1", "uv = 0.9.0")
	venv(t, filepath.Join(root, "part", "venv"), "3.9.2")
	venv(t, filepath.Join(root, "part", "mine"), "3.10.4")
	venv(t, filepath.Join(h, ".venv"), "3.8.1") // not of the repository
	found, told := look(t, filepath.Join(root, "part"), Surroundings{})
	check(t, told, "part/venv venv 3.9.2", "プロジェクト 1/.venv uv 3.12.1", "part/mine venv 3.10.4")
	if want := filepath.Join(root, "part", "venv", filepath.FromSlash(executables[0])); found[0].Python != want || !found[0].Works() {
		t.Errorf("%+v; want %s", found[0], want)
	}
	for _, e := range found {
		if e.Why == (Reason{}) || strings.HasSuffix(e.Why.String(), ".") {
			t.Errorf("%+v", e)
		}
	}
}

// Without a repository, the folders above count as long as they belong to a project.
func TestAWorkspaceWithoutARepository(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "mono")
	write(t, filepath.Join(root, "uv.lock"), "")
	write(t, filepath.Join(root, "packages", "core", "pyproject.toml"), "")
	venv(t, filepath.Join(root, ".venv"), "3.13.0", "uv = 0.9.0")
	_, told := look(t, filepath.Join(root, "packages", "core"), Surroundings{})
	check(t, told, "mono/.venv uv 3.13.0")
}

func TestTheActiveEnvironmentIsFirst(t *testing.T) {
	h := home(t)
	root, other := filepath.Join(h, "proj"), filepath.Join(h, "other", ".venv")
	venv(t, filepath.Join(root, ".venv"), "3.12.1")
	venv(t, other, "3.11.0")
	conda(t, filepath.Join(h, "miniconda3"), "3.13.0")
	write(t, filepath.Join(h, "miniconda3", "condabin", "conda"), "")
	conda(t, filepath.Join(h, "miniconda3", "envs", "work"), "3.10.1")
	shared := filepath.Join(h, "envs", "science")
	venv(t, shared, "3.11.4")
	venv(t, filepath.Join(root, "parts", "old"), "3.8.1") // not where Easel looks
	tool := filepath.Join(h, ".local", "share", "uv", "tools", "aider")
	venv(t, tool, "3.12.9")
	inProject := Surroundings{Directory: root}
	for name, x := range map[string]struct {
		s    Surroundings
		want []string
	}{
		"none":                  {Surroundings{}, []string{"proj/.venv venv 3.12.1"}},
		"VIRTUAL_ENV":           {Surroundings{VirtualEnv: shared}, []string{"science venv 3.11.4", "proj/.venv venv 3.12.1"}},
		"another project's":     {Surroundings{Directory: root, VirtualEnv: other}, []string{"proj/.venv venv 3.12.1", "other/.venv venv 3.11.0"}},
		"the project's own":     {Surroundings{VirtualEnv: filepath.Join(root, ".venv")}, []string{"proj/.venv venv 3.12.1"}},
		"CONDA_PREFIX":          {Surroundings{Directory: root, CondaPrefix: filepath.Join(h, "miniconda3", "envs", "work")}, []string{"work conda 3.10.1", "proj/.venv venv 3.12.1"}},
		"conda's base":          {Surroundings{CondaPrefix: filepath.Join(h, "miniconda3")}, []string{"proj/.venv venv 3.12.1", "miniconda3 conda 3.13.0"}},
		"PATH":                  {Surroundings{Python: filepath.Join(shared, filepath.FromSlash(executables[0]))}, []string{"proj/.venv venv 3.12.1", "science venv 3.11.4"}},
		"PATH, in the project":  {Surroundings{Directory: root, Python: filepath.Join(root, "parts", "old", filepath.FromSlash(executables[0]))}, []string{"proj/parts/old venv 3.8.1", "proj/.venv venv 3.12.1"}},
		"the system's Python":   {Surroundings{Python: filepath.Join(h, "bin", "python")}, []string{"proj/.venv venv 3.12.1"}},
		"a tool's":              {Surroundings{Python: filepath.Join(tool, filepath.FromSlash(executables[0]))}, []string{"proj/.venv venv 3.12.1"}},
		"gone":                  {Surroundings{VirtualEnv: filepath.Join(h, "gone")}, []string{"proj/.venv venv 3.12.1"}},
		"of another directory":  {Surroundings{Directory: filepath.Join(h, "other"), VirtualEnv: other}, []string{"proj/.venv venv 3.12.1", "other/.venv venv 3.11.0"}},
		"a relative path":       {Surroundings{Directory: inProject.Directory, VirtualEnv: ".venv"}, []string{"proj/.venv venv 3.12.1"}},
		"a directory that ends": {Surroundings{Directory: filepath.Join(h, "gone"), VirtualEnv: other}, []string{"proj/.venv venv 3.12.1", "other/.venv venv 3.11.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, told := look(t, root, x.s)
			check(t, told, x.want...)
		})
	}
}

func TestAFileNamesTheEnvironment(t *testing.T) {
	h := home(t)
	root := filepath.Join(h, "proj")
	venv(t, filepath.Join(h, "envs", "proj-1"), "3.12.1")
	write(t, filepath.Join(root, ".venv"), "../envs/proj-1\n")
	write(t, filepath.Join(root, "pyproject.toml"), "")
	_, told := look(t, root, Surroundings{})
	check(t, told, "proj-1 venv 3.12.1")
}

func TestBrokenEnvironments(t *testing.T) {
	h := home(t)
	if runtime.GOOS == "windows" {
		t.Skip("modes and links")
	}
	for name, x := range map[string]struct {
		change func(prefix string) error
		want   string
	}{
		"fine":           {func(string) error { return nil }, ""},
		"no interpreter": {func(p string) error { return os.Remove(filepath.Join(p, "bin", "python")) }, "It has no Python"},
		"a dead link": {func(p string) error {
			return errors.Join(os.Remove(filepath.Join(p, "bin", "python")), os.Symlink("python3", filepath.Join(p, "bin", "python")), os.Symlink("/gone/python3.12", filepath.Join(p, "bin", "python3")))
		}, "Its Python no longer exists (/gone/python3.12)"},
		"no base": {func(p string) error {
			write(t, filepath.Join(p, "pyvenv.cfg"), "home = /gone/bin\nversion = 3.12.1")
			return nil
		}, "Its Python no longer exists (/gone/bin)"},
		"not executable": {func(p string) error { return os.Chmod(filepath.Join(p, "bin", "python"), 0o600) }, "Its Python is not executable"},
		"too old": {func(p string) error {
			write(t, filepath.Join(p, "pyvenv.cfg"), "version_info = 3.7.16.final.0")
			return nil
		}, "Python 3.7.16 is too old: Easel needs 3.8 or newer"},
		"two": {func(p string) error { write(t, filepath.Join(p, "pyvenv.cfg"), "version = 2.7.18"); return nil }, "too old"},
		"became another": {func(p string) error {
			return errors.Join(os.Rename(filepath.Join(p, "bin", "python"), filepath.Join(p, "bin", "python3.13")), os.Symlink("python3.13", filepath.Join(p, "bin", "python")))
		}, "It was made for another version of Python (3.12 → 3.13)"},
		"Windows": {func(p string) error {
			write(t, filepath.Join(p, "Scripts", "python.exe"), "MZ")
			return os.RemoveAll(filepath.Join(p, "bin"))
		}, "It was made on Windows"},
		"another processor": {func(p string) error { write(t, filepath.Join(p, "bin", "python"), elfFor("\xf3\x00")); return nil }, ""}, // RISC-V: Go has a name that we do not list
		"another of ours":   {func(p string) error { write(t, filepath.Join(p, "bin", "python"), elfFor(foreign())); return nil }, "Its Python is for "},
		"a Mac's":           {func(p string) error { write(t, filepath.Join(p, "bin", "python"), machO); return nil }, "It was made on another system: its Python is for macOS"},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(h, name)
			venv(t, filepath.Join(root, ".venv"), "3.12.1")
			require.NoError(t, x.change(filepath.Join(root, ".venv")))
			found, _ := look(t, root, Surroundings{})
			if len(found) != 1 || x.want == "" && !found[0].Works() || !strings.Contains(found[0].Broken.String(), x.want) {
				t.Errorf("%+v; want %q", found, x.want)
			}
			if _, ok := Best(found); ok != (x.want == "") {
				t.Errorf("the best: %v", ok)
			}
		})
	}
}

// elfFor is a program for the processor with this number. Only its header is real.
func elfFor(machine string) string {
	return "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00" + machine + "\x01\x00\x00\x00" + strings.Repeat("\x00", 24) + "\x00\x00\x00\x00\x40\x00\x38\x00\x00\x00\x40\x00\x00\x00\x00\x00"
}

// foreign is the number of a processor that this machine does not have.
func foreign() string {
	if runtime.GOARCH == "arm64" {
		return "\x28\x00" // 32 bits
	}
	return "\xb7\x00" // arm64
}

// machO is the header of a program for macOS on arm64.
const machO = "\xcf\xfa\xed\xfe\x0c\x00\x00\x01\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func TestTheLabelOfAnEnvironmentElsewhere(t *testing.T) {
	f := &finder{project: Project{Root: "/w/repo/part"}, folders: []string{"/w/repo/part", "/w/repo"}}
	for prefix, want := range map[string]string{
		"/w/repo/part/.venv": "part/.venv", "/w/repo/.venv": "repo/.venv", "/o/envs/work": "work", "/o/other/.venv": "other/.venv", "/o/x/default": "x/default",
	} {
		if got := f.label(prefix); got != want {
			t.Errorf("%s: %s, want %s", prefix, got, want)
		}
	}
}

// TestLiveEnvironments makes real ones.
func TestLiveEnvironments(t *testing.T) {
	interpreter := jupytertest.Python(t)
	path := os.Getenv("PATH")
	h := home(t)
	t.Setenv("PATH", path)
	root := filepath.Join(h, "分析 1")
	write(t, filepath.Join(root, "pyproject.toml"), "")
	uv := filepath.Join(filepath.Dir(interpreter), "uv")
	for _, command := range [][]string{
		{interpreter, "-m", "venv", "--without-pip", filepath.Join(root, ".venv")},
		{uv, "venv", "--quiet", "--offline", "--no-project", "--python", interpreter, filepath.Join(root, "venv")},
		{interpreter, "-m", "venv", "--without-pip", "--copies", filepath.Join(root, "env")},
	} {
		if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", command, err, out)
		}
	}
	found, _ := look(t, root, Surroundings{})
	if len(found) != 3 {
		t.Fatalf("%+v", found)
	}
	for i, kind := range []string{Venv, UV, Venv} {
		out, err := exec.CommandContext(t.Context(), found[i].Python, "-c", "import platform; print(platform.python_version())").Output()
		if v := strings.TrimSpace(string(out)); err != nil || found[i].Kind != kind || found[i].Version != v || !found[i].Works() {
			t.Errorf("%+v; want %s %s, %v", found[i], kind, v, err)
		}
	}
}
