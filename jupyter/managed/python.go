package managed

import (
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
}

// String returns the version in the usual form.
func (p Interpreter) String() string {
	return fmt.Sprintf("Python %d.%d.%d", p.Version[0], p.Version[1], p.Version[2])
}

// A Refusal is an interpreter that cannot be used, and why.
type Refusal struct {
	Path, Reason string
}

// probe is the program that each candidate runs. It must run on any Python 3, and print
// "old" on any other.
const probe = `
import sys
if sys.version_info[0] < 3:
    sys.stdout.write('{"version": [%d, %d, %d], "name": "cpython"}' % sys.version_info[:3]); sys.exit()
import importlib.util, json
has = lambda name: importlib.util.find_spec(name) is not None
print(json.dumps({
    "executable": getattr(sys, "_base_executable", None) or sys.executable,
    "version": list(sys.version_info[:3]), "name": sys.implementation.name,
    "pip": has("pip"), "venv": has("venv"), "ensurepip": has("ensurepip"),
}))
`

// FindPython finds the interpreter for the environment: explicit if it is not empty,
// otherwise $EASEL_PYTHON if that is set. Otherwise it searches PATH and the usual
// system directories for the first suitable one of python3.13 to python3.10, python3,
// python3.14 and python. refused says why earlier candidates were not suitable. The
// error is an [*Error] with ErrNoPython.
func FindPython(ctx context.Context, explicit string) (found Interpreter, refused []Refusal, err error) {
	if explicit == "" {
		explicit = os.Getenv("EASEL_PYTHON")
	}
	if explicit != "" {
		path, lookErr := exec.LookPath(explicit)
		if lookErr != nil {
			path = explicit
		}
		return chosen(ctx, path)
	}
	anyUV := findUV(ctx) != ""
	seen := map[string]bool{}
	for _, path := range candidates() {
		p, err := ask(ctx, path)
		if ctx.Err() != nil {
			return Interpreter{}, refused, ctx.Err()
		}
		if err == nil {
			if seen[p.Executable] {
				continue
			}
			seen[p.Executable] = true
			err = p.suits(anyUV)
		}
		if err == nil {
			return p, refused, nil
		}
		refused = append(refused, Refusal{path, err.Error()})
	}
	return Interpreter{}, refused, noPython(refused, thisDistribution())
}

// chosen is FindPython for an interpreter that the user named, without alternatives.
func chosen(ctx context.Context, path string) (Interpreter, []Refusal, error) {
	p, err := ask(ctx, path)
	if ctx.Err() != nil {
		return Interpreter{}, nil, ctx.Err()
	}
	if err == nil {
		err = p.suits(findUV(ctx) != "")
	}
	if err == nil {
		return p, nil, nil
	}
	r := Refusal{path, err.Error()}
	e := noPython([]Refusal{r}, thisDistribution())
	e.Remedy += "\nThis interpreter was set by name ($EASEL_PYTHON or a setting). Without that, Easel looks for one itself."
	return Interpreter{}, []Refusal{r}, e
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
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
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
	if p.Executable == "" {
		p.Executable = path
	}
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
	if len(refused) == 0 {
		return &Error{
			Remedy: "Easel needs Python " + oldest + " or later. " + here.installPython(),
			Err:    fmt.Errorf("%w: there is no python3 on this machine", ErrNoPython),
		}
	}
	remedy := "Easel needs Python " + oldest + " or later. " + here.installPython() +
		"\nIf you have one elsewhere, set EASEL_PYTHON to its path."
	var lines []string
	for _, r := range refused {
		lines = append(lines, "  "+r.Path+" "+r.Reason)
		if strings.Contains(r.Reason, "ensurepip") {
			remedy = "Python is installed, but lacks what it needs to create an environment. " + here.installPython()
		}
	}
	return &Error{Remedy: remedy, Err: fmt.Errorf("%w:\n%s", ErrNoPython, strings.Join(lines, "\n"))}
}
