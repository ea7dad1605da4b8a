package managed

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"easel/internal/atomicfile"
)

//go:generate uv pip compile requirements.in --quiet --universal --python-version 3.10 --upgrade --annotation-style line --custom-compile-command "go generate ./jupyter/managed" --output-file requirements.txt

var (
	//go:embed requirements.txt
	requirements []byte
	//go:embed python/*.py
	pythonFiles embed.FS
)

var (
	//go:embed python/easel_figures.py
	easelFigures string
	//go:embed python/easel_axes.py
	easelAxes string
)

// FigureKeeper returns the sources of the modules, by name, which keep the figures that a
// kernel displays and describe their axes. Kernels of the environment have these modules.
func FigureKeeper() map[string]string {
	return map[string]string{"easel_figures": easelFigures, "easel_axes": easelAxes}
}

// sitePth makes each Python in the environment load the fallback fonts and report the
// titles of figures. In a kernel, it also keeps the displayed figures and output that nobody
// has read yet, and makes flushing an empty stream immediate.
const sitePth = "import easel_fonts, easel_titles, easel_figures, easel_iopub, easel_flush; " +
	"easel_fonts.install(); easel_titles.install(); easel_figures.install(); easel_iopub.install(); easel_flush.install()\n"

// needBytes is the disk space that a new environment takes.
const needBytes = uint64(800 << 20)

// requirementsHash identifies the set of pinned packages.
var requirementsHash = sync.OnceValue(func() string {
	sum := sha256.Sum256(requirements)
	return hex.EncodeToString(sum[:])
})

// pinned returns the approximate number of packages.
func pinned() float64 { return float64(strings.Count(string(requirements), "==")) }

// A stamp marks the environment as complete. It is written last.
type stamp struct {
	Requirements string `json:"requirements"` // requirementsHash
	Path         string `json:"path"`         // of the environment; its scripts contain it
	Base         string `json:"base"`         // the interpreter that it was created from
	Version      [3]int `json:"version"`
	Warm         bool   `json:"warm"` // bytecode and font cache exist
}

func (d layout) stampFile() string { return filepath.Join(d.env, "easel.json") }
func (d layout) python() string    { return venvPython(d.env) }

func venvPython(env string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(env, "Scripts", "python.exe")
	}
	return filepath.Join(env, "bin", "python")
}

// Python is the interpreter of the environment in Easel's data directory; "" while there is
// none that is complete and has the packages that this Easel wants.
func Python(dataDir string) string {
	d := newLayout(dataDir)
	if s, err := d.readStamp(); err != nil || s.Path != d.env || s.Requirements != requirementsHash() {
		return ""
	}
	return d.python()
}

func (d layout) readStamp() (s stamp, err error) {
	text, err := os.ReadFile(d.stampFile())
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

func (d layout) writeStamp(s stamp) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(d.stampFile(), text, 0o600)
}

// What has to be done with the environment.
type work int

const (
	none    work = iota // it is complete
	upgrade             // it works, but Easel's requirements have changed
	rebuild             // it is missing, incomplete or moved, or its Python is gone
)

// inspect returns what the environment needs, and why, for the log.
func (j *Jupyter) inspect(ctx context.Context) (work, string) {
	s, err := j.dir.readStamp()
	if err != nil {
		return rebuild, "not complete"
	}
	if s.Path != j.dir.env {
		return rebuild, "moved from " + s.Path
	}
	want := j.cfg.Python
	if want == "" {
		want = os.Getenv("EASEL_PYTHON")
	}
	if want != "" {
		if p, err := ask(ctx, want); err == nil && p.Executable != s.Base {
			return rebuild, "another Python is asked for"
		}
	}
	p, err := ask(ctx, j.dir.python())
	if err != nil || p.Version[:2][1] != s.Version[1] || !p.Pip {
		return rebuild, "its Python does not work any more"
	}
	if s.Requirements != requirementsHash() {
		return upgrade, "made for other requirements"
	}
	return none, ""
}

// prepare completes the environment. If it was created anew, warm prepares it for a fast
// first start; warm may run while the server starts.
func (j *Jupyter) prepare(ctx context.Context) (warm func() error, err error) {
	endInstaller(ctx, j.dir.file("install.json"))
	todo, why := j.inspect(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if todo != none {
		j.cfg.Log.InfoContext(ctx, "the environment has to be made", "why", why)
		if err := j.build(ctx, todo); err != nil {
			return nil, err
		}
	}
	if err := j.placeFiles(); err != nil {
		return nil, explain(err, "")
	}
	s, err := j.dir.readStamp()
	if err != nil || s.Warm {
		return func() error { return nil }, err
	}
	return func() error { return j.warm(ctx, s) }, nil
}

// build installs the requirements. If an upgrade fails, the old environment remains in
// use, because uv downloads everything before it changes anything.
func (j *Jupyter) build(ctx context.Context, todo work) error {
	j.report(Status{Phase: Searching, Detail: "Looking for Python"})
	old, _ := j.dir.readStamp()
	py, refused, err := FindPython(ctx, j.cfg.Python)
	for _, r := range refused {
		j.cfg.Log.DebugContext(ctx, "python refused", "path", r.Path, "reason", r.Reason)
	}
	if err == nil {
		j.report(Status{Phase: Installing, Detail: "Creating an environment with " + py.String(), Fraction: 0.01})
		err = j.install(ctx, py, todo)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return ctx.Err()
	case todo == upgrade && (errors.Is(err, ErrNoNetwork) || errors.Is(err, ErrNoPython)):
		j.cfg.Log.WarnContext(ctx, "the environment stays as it is: it cannot be upgraded now", "err", err)
		return j.dir.writeStamp(old)
	default:
		if _, known := errors.AsType[*Error](err); known {
			return err
		}
		return &Error{
			Remedy: "Try again. If it fails again, delete " + j.dir.env + " and report the lines above.",
			Err:    fmt.Errorf("%w: %w", ErrInstall, err),
		}
	}
	j.report(Status{Phase: Installing, Detail: "Python packages are installed", Fraction: 0.8})
	return j.dir.writeStamp(stamp{
		Requirements: requirementsHash(), Path: j.dir.env, Base: py.Executable, Version: py.Version,
	})
}

// install fills the environment with uv, or with pip if uv is not available.
func (j *Jupyter) install(ctx context.Context, py Interpreter, todo work) error {
	if todo == rebuild {
		if free, err := freeBytes(j.dir.root); err == nil && free < needBytes {
			return explain(fmt.Errorf("%d MB are free at %s, about %d are needed", free>>20, j.dir.root, needBytes>>20),
				"no space left on device")
		}
	}
	uv, err := j.getUV(ctx, py)
	if err != nil && !errors.Is(err, errNoUV) {
		return err
	}
	list := j.dir.file("requirements.txt")
	if err := replaceFile(list, requirements, 0o600); err != nil {
		return explain(err, "")
	}
	// From here on the environment is incomplete.
	if err := os.Remove(j.dir.stampFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return explain(err, "")
	}
	if todo == rebuild {
		if err := os.RemoveAll(j.dir.env); err != nil {
			return explain(err, "")
		}
	}
	var m meter
	line := func(text string) {
		j.cfg.Log.DebugContext(ctx, "installing", "line", text)
		if detail, fraction, ok := m.read(text); ok {
			j.report(Status{Phase: Installing, Detail: detail, Fraction: fraction})
		}
	}
	run := func(env []string, argv ...string) error {
		return command{argv: argv, env: env, dir: j.dir.root, line: line, pid: j.dir.file("install.json")}.run(ctx)
	}
	if uv != "" {
		env := uvEnv(ctx, os.Environ(), py)
		if todo == rebuild {
			if err := run(env, uv, "venv", "--quiet", "--python", py.Executable, j.dir.env); err != nil {
				return err
			}
		}
		return run(env, uv, "pip", "install", "--python", j.dir.python(), "-r", list)
	}
	if todo == rebuild {
		if err := run(nil, py.Executable, "-m", "venv", j.dir.env); err != nil {
			return explainVenv(err)
		}
	}
	return run(nil, j.dir.python(), "-m", "pip", "install", "--no-input", "-r", list)
}

// explainVenv adds the remedy for Pythons without ensurepip.
func explainVenv(err error) error {
	if _, known := errors.AsType[*Error](err); known || !strings.Contains(err.Error(), "ensurepip") {
		return err
	}
	return &Error{Remedy: thisDistribution().installPython(), Err: fmt.Errorf("%w: %w", ErrNoPython, err)}
}

// placeFiles writes Easel's own Python files if they have changed: serve.py next to the
// environment, because nothing must import it, and the others into it.
func (j *Jupyter) placeFiles() error {
	site, err := j.sitePackages()
	if err != nil {
		return err
	}
	files, err := pythonFiles.ReadDir("python")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := pythonFiles.ReadFile("python/" + f.Name())
		if err != nil {
			return err
		}
		file, mode := filepath.Join(site, f.Name()), os.FileMode(0o644)
		if f.Name() == "serve.py" {
			file, mode = j.dir.file(f.Name()), 0o600
		}
		if err := replaceFile(file, text, mode); err != nil {
			return err
		}
	}
	return replaceFile(filepath.Join(site, "easel.pth"), []byte(sitePth), 0o644)
}

func (j *Jupyter) sitePackages() (string, error) {
	for _, pattern := range []string{"lib/python3*/site-packages", "Lib/site-packages"} {
		if found, _ := filepath.Glob(filepath.Join(j.dir.env, filepath.FromSlash(pattern))); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("no site-packages in %s", j.dir.env)
}

// warmImports lists what two processes import once after the installation, at the same
// time. Then its bytecode exists, and the first plot need not wait while matplotlib
// scans every font of the machine.
var warmImports = []string{
	"import ipykernel.kernelapp, matplotlib.pyplot, matplotlib.font_manager, matplotlib_inline.backend_inline, pandas, seaborn, scipy.stats",
	"import jupyter_server_terminals, jupyter_lsp, nbclient, debugpy, jedi, plotly.express",
}

// warm creates bytecode and font cache. The server, which starts at the same time,
// creates its own. A failure only costs time later.
func (j *Jupyter) warm(ctx context.Context, s stamp) error {
	var wg sync.WaitGroup
	for _, code := range warmImports {
		wg.Go(func() {
			argv := []string{j.dir.python(), "-c", code}
			if err := (command{argv: argv, env: j.serverEnv(), dir: j.dir.root}).run(ctx); err != nil && ctx.Err() == nil {
				j.cfg.Log.WarnContext(ctx, "warming up failed", "err", err)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	s.Warm = true
	return j.dir.writeStamp(s)
}

// replaceFile writes a file atomically, unless it already has that content.
func replaceFile(path string, data []byte, mode os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	return atomicfile.Write(path, data, mode)
}
