package record

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
)

func TestAdvice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, kind, message, want string }{ // want "" is none
		{"python", "ModuleNotFoundError", "No module named 'cv2'", "%pip install opencv-python-headless"},
		{"python", "ModuleNotFoundError", "No module named 'sklearn'", "%pip install scikit-learn"},
		{"", "ModuleNotFoundError", "No module named 'PIL'", "%pip install pillow"},
		{"python", "ModuleNotFoundError", "No module named 'dateutil'", "%pip install python-dateutil"},
		{"python", "ModuleNotFoundError", "No module named 'Crypto'", "%pip install pycryptodome"},
		{"python", "ModuleNotFoundError", "No module named 'great_tables'", "%pip install great-tables"},
		{"python", "ModuleNotFoundError", "No module named 'mpl_toolkits.basemap'", "%pip install basemap"},
		{"python", "ModuleNotFoundError", "No module named 'distutils'", "%pip install setuptools"},
		{"python", "ModuleNotFoundError", "No module named 'scipy.nothing'", ""},
		{"python", "ModuleNotFoundError", "No module named 'analysis.x'; 'analysis' is not a package", ""},
		{"python", "ModuleNotFoundError", "No module named '_sqlite3'", ""},
		{"python", "ModuleNotFoundError", "No module named 'utils'", "sys.path"},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: 'raw/q3.csv'", "directory, /home/ada/work."},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: '/mnt/q3.csv'", ""},
		{"python", "FileNotFoundError", "[Errno 2] No such file or directory: '~/q3.csv'", "expanduser"},
		{"python", "FileNotFoundError", "q3.parquet does not exist.", "/home/ada/work"},
		{"python", "KeyError", "'q3'", ""},
		{"julia", "ModuleNotFoundError", "No module named 'cv2'", ""},
		{"r", "ERROR", "Error in library(sf): there is no package called ‘sf’\n", `install.packages("sf")`},
		{"r", "ERROR", "Error: 'q3.csv' does not exist in current working directory ('/x').", "list.files()"},
		{"r", "ERROR", "Error in file(file, \"rt\"): cannot open the connection", "/home/ada/work"},
		{"r", "ERROR", "Error: object 'q3' not found", ""},
	} {
		got := failedRun{
			Error:    &catalog.ExecutionError{Code: catalog.CodeExecution, Type: c.kind, Message: c.message},
			language: c.language, folder: func() string { return "/home/ada/work" },
		}.advice()
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.message, got, c.want)
		}
	}
	program := failedRun{
		Error: &catalog.ExecutionError{
			Code: catalog.CodeExecution, Type: "FileNotFoundError", Message: "[Errno 2] No such file or directory: 'uv'",
			Traceback: "File subprocess.py:1950, in Popen._execute_child(self, args, executable, …)",
		},
		language: "python", folder: func() string { return "/home/ada/work" },
	}.advice()
	if !strings.Contains(program, "no program uv") {
		t.Errorf("for a missing program: %q", program)
	}
	root := t.TempDir()
	for name, text := range map[string]string{"uv.lock": "", ".env": "# x\nexport DB_URL='postgres://secret'\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for name, want := range map[string]bool{"DB_URL": true, "URL": false, "DB_": false} {
		got := failedRun{
			Error: &catalog.ExecutionError{
				Code: catalog.CodeExecution, Type: "KeyError", Message: "'" + name + "'",
				Traceback: "File <frozen os>:679, in _Environ.__getitem__(self, key)",
			},
			language: "python", directory: root,
		}.advice()
		if strings.Contains(got, ".env file names "+name) != want || strings.Contains(got, "secret") {
			t.Errorf("for the variable %s: %q", name, got)
		}
	}
	unknown := failedRun{
		Error:    &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "FileNotFoundError", Message: "[Errno 2] No such file or directory: 'x'"},
		language: "python", folder: func() string { return "" },
	}.advice()
	if unknown != adviseWhere {
		t.Errorf("in an unknown place: %q", unknown)
	}
	if got := (failedRun{}).advice(); got != "" {
		t.Errorf("without an error: %q", got)
	}
}

// TestAdviceSaysWhichPython checks the advice for a project, and for the working folder.
func TestAdviceSaysWhichPython(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for file, dir := range map[string]string{"uv.lock": "uv", "poetry.lock": "poetry", "pixi.lock": "pixi", "pyproject.toml": "plain"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir, ".git"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, dir, file), nil, 0o600))
	}
	in := func(kind string) failedRun {
		return failedRun{environment: kind + "/.venv, Python 3.12.1, " + kind, directory: filepath.Join(root, kind)}
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "uv", "src", "mypkg"), 0o700))
	for _, file := range []string{"mypkg/__init__.py", "helpers.py"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "uv", "src", file), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "uv", "uv.lock"), []byte("[[package]]\nname = \"other-package\"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "uv", "pyproject.toml"), []byte("[build-system]\n"), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "uv", "work", "deep"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "uv", "work", "deep", "cleaning.py"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "plain", "setup.py"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "plain", "numbers_of_us.py"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "plain", "requirements.txt"), []byte("some_thing>=2\n"), 0o600))
	away := in("uv")
	away.away = true
	plain, conda, own := in("venv"), in("conda"), failedRun{own: true}
	plain.directory, conda.directory = filepath.Join(root, "plain"), filepath.Join(root, "uv")
	elsewhere, shared, short := in("uv"), in("uv"), in("uv")
	short.environment = "uv/.venv, Python 3.12.1"
	elsewhere.environment, shared.environment = "tools, Python 3.11.7, venv", "Python 3.13.0, pyenv"
	const module, file = "No module named 'six'", "[Errno 2] No such file or directory: 'data/a.csv'"
	for name, c := range map[string]struct {
		run        failedRun
		kind, says string
		want       []string
	}{
		"uv":             {in("uv"), moduleNotFound, module, []string{"uv/.venv, Python 3.12.1, uv", "`uv add six`", filepath.Join(root, "uv")}},
		"a package":      {in("uv"), moduleNotFound, "No module named 'yaml'", []string{"`uv add PyYAML`"}},
		"poetry":         {in("poetry"), moduleNotFound, module, []string{"`poetry add six`"}},
		"pixi":           {in("pixi"), moduleNotFound, module, []string{"`pixi add six`"}},
		"without a lock": {plain, moduleNotFound, module, []string{"venv/.venv, Python 3.12.1, venv", "%pip install six", plain.directory}},
		"a plain venv":   {short, moduleNotFound, module, []string{"`uv add six`"}},
		// uv would install it in another environment.
		"uv, elsewhere":       {elsewhere, moduleNotFound, module, []string{"tools, Python 3.11.7, venv", "%pip install six"}},
		"pyenv's own":         {shared, moduleNotFound, module, []string{"%pip install six", "for all projects", "python -m venv .venv"}},
		"its package":         {in("uv"), moduleNotFound, "No module named 'mypkg'", []string{"is a file of the project", filepath.Join(root, "uv", "src")}},
		"its module":          {in("uv"), moduleNotFound, "No module named 'helpers'", []string{"is a file of the project", "sys.path.insert"}},
		"its package, uv":     {in("uv"), moduleNotFound, "No module named 'mypkg'", []string{"`uv sync` installs it", filepath.Join(root, "uv", "src")}},
		"its package, pip":    {plain, moduleNotFound, "No module named 'numbers_of_us'", []string{"%pip install -e " + plain.directory}},
		"a file elsewhere":    {in("uv"), moduleNotFound, "No module named 'cleaning'", []string{"is a file of the project", filepath.Join(root, "uv", "work", "deep")}},
		"nearly its package":  {in("uv"), moduleNotFound, "No module named 'my_pkg'", []string{"The project has mypkg", filepath.Join(root, "uv", "src")}},
		"nearly a file":       {in("uv"), moduleNotFound, "No module named 'cleanning'", []string{"The project has cleaning"}},
		"in the lock file":    {in("uv"), moduleNotFound, "No module named 'other_package'", []string{"uv.lock", "`uv sync`"}},
		"in requirements.txt": {plain, moduleNotFound, "No module named 'some_thing'", []string{"requirements.txt", "%pip install some-thing"}},
		"nobody's":            {in("uv"), moduleNotFound, "No module named 'of_nobody'", []string{"uv/.venv, Python 3.12.1, uv", filepath.Join(root, "uv"), "No module", "`uv add`", "stranger's"}},
		"nearly pandas":       {own, moduleNotFound, "No module named 'pandsa'", []string{"Is pandas meant?"}},
		"nearly sklearn":      {plain, moduleNotFound, "No module named 'skleran'", []string{"Is sklearn meant?"}},
		"away":                {away, moduleNotFound, "No module named 'mypkg'", []string{"No module"}},
		"another tool's":      {conda, moduleNotFound, module, []string{"%pip install six"}},
		"a file":              {in("uv"), moduleNotFound, "No module named 'utils'", []string{"sys.path", filepath.Join(root, "uv")}},
		"own":                 {own, moduleNotFound, module, []string{"%pip install six", "session_create with directory"}},
		"own, a file":         {own, moduleNotFound, "No module named 'utils'", []string{"session_create with directory"}},
		"own, a path":         {own, "FileNotFoundError", file, []string{"/home/ada/work.", "session_create with directory"}},
		"a path, moved":       {in("uv"), "FileNotFoundError", "[Errno 2] No such file or directory: 'src/helpers.py'", []string{"/home/ada/work.", strconv.Quote(filepath.Join(root, "uv", "src", "helpers.py"))}},
		"a path":              {in("uv"), "FileNotFoundError", file, []string{"/home/ada/work.", "file_list"}},
	} {
		c.run.Error = &catalog.ExecutionError{Code: catalog.CodeExecution, Type: c.kind, Message: c.says}
		c.run.language, c.run.folder = "python", func() string { return "/home/ada/work" }
		got := c.run.advice()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		for _, module := range []string{"my-pkg", "cleanning", "of-nobody", "of_nobody", "pandsa", "skleran", "mypkg"} {
			if strings.Contains(got, "add "+module) || strings.Contains(got, "install "+module) {
				t.Errorf("%s: a stranger's package: %q", name, got)
			}
		}
	}
}
