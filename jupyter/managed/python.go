package managed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"easel/internal/system"
)

// The Pythons that the pinned requirements support.
const (
	oldest      = "3.10"
	oldestMinor = 10
	newestMinor = 14 // later ones may lack prebuilt packages, and compiling fails on most machines
)

// probeLimit is long, because an interpreter on a cold network disk takes seconds.
const probeLimit = 20 * time.Second

// An Interpreter is a Python that has answered the probe.
type Interpreter struct {
	Path       string `json:"-"`          // as found
	Executable string `json:"executable"` // of the installation itself, even if Path is in an environment
	Version    [3]int `json:"version"`
	Name       string `json:"name"`      // "cpython"
	Pip        bool   `json:"pip"`       // has pip
	Venv       bool   `json:"venv"`      // has venv
	EnsurePip  bool   `json:"ensurepip"` // has the pip that venv installs; Debian packages it separately
	Platform   string `json:"platform"`  // as sysconfig.get_platform: linux-x86_64, macosx-11.0-arm64, win-amd64
	Libc       string `json:"libc"`      // on Linux: glibc or musl
	// SystemVersion is the version of macOS, or of the C library on Linux.
	SystemVersion [2]int `json:"system_version"`
}

// String returns the version in the usual form.
func (p Interpreter) String() string { return "Python " + p.release() }

// release returns the version as pip takes it: 3.11.2.
func (p Interpreter) release() string {
	return fmt.Sprintf("%d.%d.%d", p.Version[0], p.Version[1], p.Version[2])
}

// A Refusal is an interpreter that cannot be used, and why.
type Refusal struct {
	Path, Reason string

	python Interpreter // zero if it does not run
}

// probe is the program that each candidate runs. It must run on any Python 3, and print
// "old" on any other.
const probe = `
import sys
if sys.version_info[0] < 3:
    sys.stdout.write('{"version": [%d, %d, %d], "name": "cpython"}' % sys.version_info[:3]); sys.exit()
import importlib.util, json, os, platform, re, sysconfig
has = lambda name: importlib.util.find_spec(name) is not None
libc, version = "", ""
if sys.platform == "darwin":
    version = platform.mac_ver()[0]
elif sys.platform == "linux":
    try:
        libc, version = os.confstr("CS_GNU_LIBC_VERSION").split()
    except (AttributeError, ValueError, OSError):
        libc, version = "musl", "1.2"
numbers = [int(n) for n in re.findall("[0-9]+", version)] + [0, 0]
print(json.dumps({
    "executable": getattr(sys, "_base_executable", None) or sys.executable,
    "version": list(sys.version_info[:3]), "name": sys.implementation.name,
    "pip": has("pip"), "venv": has("venv"), "ensurepip": has("ensurepip"),
    "platform": sysconfig.get_platform(), "libc": libc, "system_version": numbers[:2],
}))
`

// FindPython finds the interpreter for the environment: cfg.Python if it is not empty,
// otherwise $EASEL_PYTHON if that is set. Otherwise it searches PATH and the usual
// system directories for the first suitable one of python3.13 to python3.10, python3,
// python3.14 and python, and then those that uv has downloaded to the data directory.
// refused says why earlier candidates were not suitable. The error is an [*Error] with
// ErrNoPython.
func FindPython(ctx context.Context, cfg Config) (found Interpreter, refused []Refusal, err error) {
	d := newLayout(cfg.DataDir)
	return search{explicit: cfg.Python, uv: d.anyUV(ctx) != "", also: d.downloadedPythons()}.find(ctx)
}

// Downloads reports whether an installation on a machine without a suitable Python would
// download one.
func Downloads(ctx context.Context, cfg Config) bool {
	j := New(cfg)
	return j.wantedPython() == "" && j.dir.anyUV(ctx) != ""
}

// A search is a search for an interpreter.
type search struct {
	explicit string   // as in Config
	uv       bool     // uv is available, so the interpreter needs neither pip nor ensurepip
	also     []string // further candidates
	minor    int      // only Python 3.minor; 0 for any that Easel supports
}

func (s search) find(ctx context.Context) (found Interpreter, refused []Refusal, err error) {
	if s.explicit == "" {
		s.explicit = os.Getenv("EASEL_PYTHON")
	}
	paths := append(candidates(), s.also...)
	if s.explicit != "" {
		path, lookErr := exec.LookPath(s.explicit)
		if lookErr != nil {
			path = s.explicit
		}
		paths = []string{path}
	}
	seen := map[string]bool{}
	for _, path := range paths {
		p, err := ask(ctx, path)
		if ctx.Err() != nil {
			return Interpreter{}, refused, ctx.Err()
		}
		if err == nil {
			if seen[p.Executable] {
				continue
			}
			seen[p.Executable] = true
			err = p.suits(s.uv)
		}
		if err == nil && s.minor != 0 && p.Version[1] != s.minor {
			err = fmt.Errorf("is %v, not 3.%d", p, s.minor)
		}
		if err == nil {
			return p, refused, nil
		}
		refused = append(refused, Refusal{path, err.Error(), p})
	}
	e := noPython(refused, thisDistribution())
	if s.explicit != "" {
		e.Remedy += "\nThis interpreter was set by name ($EASEL_PYTHON or a setting). Without that, Easel looks for one itself."
	}
	return Interpreter{}, refused, e
}

// candidates returns the paths to try, best first.
func candidates() (paths []string) {
	names := []string{"python3.13", "python3.12", "python3.11", "python3.10", "python3", "python3.14", "python"}
	dirs := searchPath()
	for _, name := range names {
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		for _, dir := range dirs {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// systemDirs are where systems install programs. Tests empty it.
var systemDirs = installDirs()

// searchPath returns PATH and the usual directories that are not on the PATH of a
// program started from a desktop.
func searchPath() (dirs []string) {
	all := filepath.SplitList(os.Getenv("PATH"))
	all = append(all, systemDirs...)
	if runtime.GOOS != "windows" {
		if home, err := os.UserHomeDir(); err == nil {
			all = append(all, filepath.Join(home, ".local", "bin"))
		}
	}
	seen := map[string]bool{}
	for _, dir := range all {
		if filepath.IsAbs(dir) && !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// ask runs the probe.
func ask(ctx context.Context, path string) (Interpreter, error) {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-I", "-c", probe) //nolint:gosec // what the user has on PATH
	cmd.Env = installEnv(os.Environ())
	system.OwnSession(cmd)
	cmd.Cancel = func() error { return system.KillGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace
	out, err := cmd.Output()
	if err != nil {
		if said := complaint(err); said != "" {
			return Interpreter{}, fmt.Errorf("does not run: %s", said)
		}
		return Interpreter{}, fmt.Errorf("does not run: %w", err)
	}
	p := Interpreter{Path: path}
	if err := json.Unmarshal(out, &p); err != nil {
		return Interpreter{}, errors.New("does not answer as a Python does")
	}
	p.Executable = cmp.Or(p.Executable, path)
	return p, nil
}

// complaint returns the first line that a failed program wrote to stderr.
func complaint(err error) string {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
	return line
}

// suits returns why p cannot be used, or nil.
func (p Interpreter) suits(anyUV bool) error {
	switch {
	case p.Name != "cpython":
		return fmt.Errorf("is %s, not CPython", p.Name)
	case p.Version[0] != 3 || p.Version[1] < oldestMinor:
		return fmt.Errorf("is %v, too old: %s or later is needed", p, oldest)
	case p.Version[1] > newestMinor:
		return fmt.Errorf("is %v, too new: Easel's packages are tried up to 3.%d", p, newestMinor)
	case anyUV || p.Pip || p.Venv && p.EnsurePip:
		return nil
	}
	return errors.New("has neither pip nor the parts of venv that bring it (ensurepip)")
}

// noPython returns the error of a search that found nothing, with a remedy that depends
// on what it did find.
func noPython(refused []Refusal, here distribution) *Error {
	e := &Error{Kind: KindNoPython, Command: here.command()}
	if len(refused) == 0 {
		e.Remedy = "Easel needs Python " + oldest + " or later. " + here.installPython()
		e.Err = fmt.Errorf("%w: there is no python3 on this machine", ErrNoPython)
		return e
	}
	old, incomplete := false, false
	var lines []string
	for _, r := range refused {
		lines = append(lines, "  "+r.Path+" "+r.Reason)
		old = old || strings.Contains(r.Reason, "too old")
		incomplete = incomplete || strings.Contains(r.Reason, "ensurepip")
	}
	e.Err = fmt.Errorf("%w:\n%s", ErrNoPython, strings.Join(lines, "\n"))
	switch {
	case incomplete:
		e.Remedy = "Python is installed, but lacks what it needs to create an environment. " + here.installPython()
		return e
	case old:
		e.Command = here.newerPython()
		e.Remedy = "Easel needs Python " + oldest + " or later, and what is installed is older. "
		if e.Command != "" {
			e.Remedy += "Install it with: " + e.Command
		} else {
			e.Remedy += "Install a newer one, or install uv, with which Easel gets one itself."
		}
	default:
		e.Remedy = "Easel needs Python " + oldest + " or later. " + here.installPython()
	}
	e.Remedy += "\nIf you have one elsewhere, set EASEL_PYTHON to its path."
	return e
}

// getVersion is the Python that uv installs if the machine has none.
const getVersion = "3.13"

// findPython finds the interpreter for an installation. If the machine has none that is
// suitable, uv downloads one.
func (i *installation) findPython(ctx context.Context) (Interpreter, error) {
	s := search{explicit: i.cfg.Python, uv: i.uv != "", also: i.dir.downloadedPythons()}
	if i.house != nil {
		s.minor = i.house.minor
	}
	py, refused, err := s.find(ctx)
	for _, r := range refused {
		i.cfg.Log.DebugContext(ctx, "python refused", "path", r.Path, "reason", r.Reason)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return py, err
	case i.house != nil:
		return py, i.house.wrongPython(refused, err)
	case i.wantedPython() != "":
		return py, err
	}
	got, getErr := i.downloadPython(ctx, refused)
	if getErr == nil || ctx.Err() != nil {
		return got, getErr
	}
	e, ok := errors.AsType[*Error](err)
	if ok && !errors.Is(getErr, errNoUV) {
		e.Err = fmt.Errorf("%w\nuv cannot get one either: %w", e.Err, getErr)
		if errors.Is(getErr, ErrNoNetwork) {
			e.Remedy += "\nOr connect to the network and try again: uv then downloads Python."
		}
	}
	return py, err
}

// downloadedPythons returns the interpreters that uv has downloaded.
func (d layout) downloadedPythons() (paths []string) {
	for _, name := range []string{"bin/python3", "python.exe"} {
		paths = append(paths, system.Glob(d.file("python"), "cpython-3*/"+name)...)
	}
	return paths
}

// downloadPython downloads a Python with uv. If there is no uv, the pip of any Python,
// even an unsuitable one, gets it. The error is errNoUV if that is not possible.
func (i *installation) downloadPython(ctx context.Context, refused []Refusal) (Interpreter, error) {
	for _, r := range refused {
		if p := r.python; i.uv == "" && p.Version[0] == 3 && p.Version[1] >= 8 && (p.Pip || p.Venv && p.EnsurePip) {
			uv, err := i.fetchUV(ctx, p)
			if err != nil && (ctx.Err() != nil || !errors.Is(err, errNoUV)) {
				return Interpreter{}, err
			}
			i.uv = uv
		}
	}
	if i.uv == "" {
		return Interpreter{}, errNoUV
	}
	i.tell(Progress{Step: FetchingPython})
	env := append(without(installEnv(os.Environ()), func(name string) bool { return name == "UV_PYTHON_DOWNLOADS" }),
		"UV_PYTHON_INSTALL_DIR="+i.dir.file("python"), "UV_PYTHON_INSTALL_BIN=0")
	if err := i.run(ctx, nil, env, i.uv, "python", "install", getVersion); err != nil {
		return Interpreter{}, err
	}
	py, _, err := search{uv: true, also: i.dir.downloadedPythons()}.find(ctx)
	return py, err
}
