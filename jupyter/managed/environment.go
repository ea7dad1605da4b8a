package managed

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/jupyter/kernelside"
)

//go:generate go run ./pin --upgrade

var (
	//go:embed requirements.txt
	requirements []byte
	//go:embed python/*.py
	pythonFiles embed.FS
)

// sitePth makes each Python in the environment load the modules for kernels, and wait for
// those that are still being installed.
const sitePth = kernelside.Install + "; import easel_later; easel_later.install()\n"

// Disk space that an installation takes: the environment and the installer's cache.
const (
	needFirst = uint64(350 << 20)
	needRest  = uint64(550 << 20)
)

// requirementsHash identifies the set of pinned packages.
var requirementsHash = sync.OnceValue(func() string {
	sum := sha256.Sum256(requirements)
	return hex.EncodeToString(sum[:])
})

// A stamp marks an environment as usable. It is written last.
type stamp struct {
	Requirements string `json:"requirements"` // requirementsHash
	Path         string `json:"path"`         // of the environment; its scripts contain it
	Base         string `json:"base"`         // the interpreter that it was created from
	Version      [3]int `json:"version"`
	Warm         bool   `json:"warm"`              // bytecode and font cache exist
	Partial      bool   `json:"partial,omitempty"` // it has what the first plot needs; the rest is missing
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
	if s, err := d.readStamp(); err != nil || s.Path != d.env || s.Requirements != requirementsHash() || s.Partial {
		return ""
	}
	return d.python()
}

// Unfinished reports whether the environment in Easel's data directory is usable but some
// of its packages are still to be installed.
func Unfinished(dataDir string) bool {
	s, err := newLayout(dataDir).readStamp()
	return err == nil && (s.Partial || s.Requirements != requirementsHash())
}

// A pointer, in env.json, names the environment in use. An environment is built beside
// it, and replaces it when the pointer is replaced.
type pointer struct {
	Env string `json:"env"` // its directory's name
}

// current returns the environment in use. Before there was a pointer, it was env. If the
// pointer is damaged, current returns the best environment that is usable: making another
// one would lose the packages that the user has installed.
func (d layout) current() string {
	named := d
	named.env = d.file("env")
	var p pointer
	if readJSON(d.file("env.json"), &p) == nil && filepath.Base(p.Env) == p.Env && strings.HasPrefix(p.Env, "env") {
		named.env = d.file(p.Env)
	}
	best := named
	for _, d.env = range system.Glob(d.root, "env-*") {
		if named.worth() == 0 && d.worth() > best.worth() {
			best = d
		}
	}
	return best.env
}

// worth is greater for an environment that needs less work. It is 0 for one that cannot be
// used.
func (d layout) worth() int {
	s, err := d.readStamp()
	switch {
	case err != nil || s.Path != d.env:
		return 0
	case s.Requirements != requirementsHash():
		return 1
	case s.Partial:
		return 2
	}
	return 3
}

// use makes env the environment in use, for servers that start from now on.
func (d layout) use(env string) error {
	return writeJSON(d.file("env.json"), pointer{filepath.Base(env)})
}

// beside returns the layout with a new environment, which does not exist yet.
func (d layout) beside() layout {
	d.env = d.file("env-" + strings.ToLower(rand.Text()[:8]))
	return d
}

// removeUnused removes the environments that are neither in use, here or by the server of a
// project, nor in keep, also those of interrupted builds. What cannot be removed now, for
// example because a program on Windows has a file open, is removed at a later start.
func (d layout) removeUnused(keep ...string) (errs error) {
	keep = append(keep, d.current())
	for _, r := range projectRecords(d) {
		keep = append(keep, r.Env)
	}
	for _, env := range append(system.Glob(d.root, "env-*"), d.file("env")) {
		if st, err := os.Lstat(env); err != nil || !st.IsDir() || slices.Contains(keep, env) {
			continue
		}
		// Without its stamp, what is left of it is never used.
		if err := os.Remove(filepath.Join(env, "easel.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = errors.Join(errs, err)
			continue
		}
		errs = errors.Join(errs, os.RemoveAll(env))
	}
	return errors.Join(errs, d.removeLayers())
}

// removeLayers removes the layers that the servers of projects have left in a crash. Those that
// run, or will start, remove their own.
func (d layout) removeLayers() (errs error) {
	for _, dir := range system.Glob(projectsDir(d), "*") {
		f := serverFiles{root: dir}
		if r, err := f.readRecord(); err == nil && r.alive() {
			continue
		}
		left := f.file("layers-left") // a server may be starting
		errs = errors.Join(errs, os.RemoveAll(left))
		if os.Rename(f.layers(), left) == nil {
			errs = errors.Join(errs, os.RemoveAll(left))
		}
	}
	return errs
}

func (d layout) readStamp() (s stamp, err error) {
	err = readJSON(d.stampFile(), &s)
	return s, err
}

func (d layout) writeStamp(s stamp) error { return writeJSON(d.stampFile(), s) }

// placeFiles writes Easel's own Python files if they have changed: serve.py next to the
// environment, because nothing must import it, and the others into it.
func (d layout) placeFiles() error {
	site, err := d.sitePackages()
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
			file, mode = d.file(f.Name()), 0o600
		}
		if err := replaceFile(file, text, mode); err != nil {
			return err
		}
	}
	for name, text := range kernelside.Modules() {
		if err := replaceFile(filepath.Join(site, name+".py"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	if err := d.placeKernelSpec(); err != nil {
		return err
	}
	return replaceFile(filepath.Join(site, "easel.pth"), []byte(sitePth), 0o644)
}

// kernelSpec returns the file of ipykernel's kernelspec.
func (d layout) kernelSpec() string {
	return filepath.Join(d.env, "share", "jupyter", "kernels", "python3", "kernel.json")
}

// placeKernelSpec writes ipykernel's kernelspec as a file of its own. uv links it into its cache, so whoever
// edits that of another environment would change it here.
func (d layout) placeKernelSpec() error {
	file := d.kernelSpec()
	if _, err := os.Lstat(file); errors.Is(err, os.ErrNotExist) {
		return nil // then Jupyter makes one of the Python that it runs in
	}
	text, err := json.Marshal(KernelSpec{
		Argv:        []string{"python", "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		DisplayName: "Python 3 (ipykernel)", Language: "python", Protocol: "5.5",
		Metadata: map[string]any{"debugger": true, "supported_encryption": []string{"curve"}},
	})
	if err != nil {
		return err
	}
	return replaceFile(file, text, 0o644)
}

func (d layout) sitePackages() (string, error) {
	for _, pattern := range []string{"lib/python3*/site-packages", "Lib/site-packages"} {
		if found := system.Glob(d.env, pattern); len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("no site-packages in %s", d.env)
}

// warmImports lists, for each stage, what processes import once after the installation, at
// the same time. Then its bytecode exists, and the first plot need not wait while
// matplotlib scans every font of the machine.
var warmImports = map[stage][]string{
	first: {"import ipykernel.kernelapp, matplotlib.pyplot, matplotlib.font_manager, matplotlib_inline.backend_inline"},
	rest: {
		"import pandas, seaborn, scipy.stats, plotly.express",
		"import sys; sys.modules['rfc3987_syntax'] = None; import jupyterlab.labapp, jupyter_server_terminals, jupyter_lsp, nbclient, debugpy, jedi", // as in serve.py
	},
}

// warm creates bytecode and font cache. The server, which may start at the same time,
// creates its own. A failure only costs time later.
func (j *Jupyter) warm(ctx context.Context, d layout, what stage) {
	var wg sync.WaitGroup
	for _, code := range warmImports[what] {
		wg.Go(func() {
			c := command{argv: []string{d.python(), "-c", code}, env: serverEnv(j.cfg, d), dir: d.root, low: what == rest}
			if err := c.run(ctx); err != nil && ctx.Err() == nil {
				j.cfg.Log.WarnContext(ctx, "warming up failed", "err", err)
			}
		})
	}
	wg.Wait()
}

func readJSON(path string, into any) error {
	text, err := system.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// writeJSON writes a file for the user only.
func writeJSON(path string, from any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return replaceFile(path, text, 0o600)
}

// replaceFile writes a file atomically, unless it already has that content.
func replaceFile(path string, data []byte, mode os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(data) {
		return nil
	}
	return atomicfile.Write(path, data, mode)
}
