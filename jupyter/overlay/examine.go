package overlay

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/internal/system"
	"easel/jupyter/sandbox"
)

//go:embed python/probe.py
var probe string

// An interpreter is what the probe says about a Python.
type interpreter struct {
	path     string
	confined bool // it runs only in a sandbox

	Version   [3]int            `json:"version"`
	Prefix    string            `json:"prefix"`
	Venv      bool              `json:"venv"`
	Scripts   string            `json:"scripts"`   // where its programs are
	Installed map[string]string `json:"installed"` // versions by normalized name
	Pip       bool              `json:"pip"`
	Platform  []string          `json:"platform"` // what a wheel with compiled code depends on
}

const (
	oldestMinor = 8                // of Python 3, that ipykernel and Easel's modules support
	probeLimit  = 20 * time.Second // an interpreter on a cold network disk takes seconds
	killGrace   = 3 * time.Second
)

// wanted is the oldest ipykernel that is looked for, and fallback the oldest that is
// accepted where nothing newer is possible.
const wanted, fallback = "6.29", "6.4"

// examine runs the probe, in a sandbox that reads a folder if that is not "".
func (m *Maker) examine(ctx context.Context, python, folder string) (interpreter, error) {
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return interpreter{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("it did not answer within %v", probeLimit))
	defer cancel()
	argv, environ := []string{python, "-c", probe}, pythonEnv(os.Environ())
	if folder != "" {
		scratch, err := os.MkdirTemp(m.Dir, scratchPrefix)
		if err != nil {
			return interpreter{}, err
		}
		defer func() { _ = os.RemoveAll(scratch) }()
		if argv, environ, err = sandbox.Reading(folder, scratch).Command(argv, environ); err != nil {
			return interpreter{}, err
		}
	}
	out, err := m.run(limited, environ, nil, argv...)
	if ctx.Err() != nil {
		return interpreter{}, context.Cause(ctx)
	}
	py := interpreter{path: python, confined: folder != ""}
	if err == nil {
		_, answer, _ := bytes.Cut(out, []byte("\neasel-probe "))
		answer, _, _ = bytes.Cut(answer, []byte("\n"))
		if err = json.Unmarshal(answer, &py); err != nil {
			err = fmt.Errorf("it printed %.100q", out)
		}
	}
	if err != nil {
		return py, &Error{Python: python, Reason: "it does not run (" + firstLine(err.Error()) + ")", Err: err}
	}
	if py.Version[0] != 3 || py.Version[1] < oldestMinor {
		return py, &Error{Python: python, Reason: fmt.Sprintf("Python %s is too old, 3.%d or later is needed", py.release(), oldestMinor)}
	}
	return py, nil
}

// run runs a program in a process group of its own and returns its output. The error of a
// failed run is what it wrote to stderr.
func (m *Maker) run(ctx context.Context, environ []string, stdin []byte, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // the user's interpreter, or uv
	cmd.Env, cmd.Dir, cmd.Stdin = environ, m.Dir, bytes.NewReader(stdin)
	system.OwnSession(cmd)
	cmd.Cancel = func() error { return system.KillGroup(cmd.Process.Pid) }
	cmd.WaitDelay = killGrace
	var stdout, stderr boundedOutput
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if stdout.full || stderr.full {
		return nil, fmt.Errorf("it printed more than %d bytes", mostOutput)
	}
	if said := strings.TrimSpace(string(stderr.said)); err != nil && said != "" {
		return nil, fmt.Errorf("%s", said)
	}
	return stdout.said, err
}

// boundedOutput is an output of a limited size. A program that writes more gets a broken pipe.
type boundedOutput struct {
	said []byte
	full bool
}

// mostOutput is the size of a boundedOutput, in bytes.
const mostOutput = 4 << 20

func (b *boundedOutput) Write(p []byte) (int, error) {
	if b.full = len(b.said)+len(p) > mostOutput; b.full {
		return 0, io.ErrShortWrite
	}
	b.said = append(b.said, p...)
	return len(p), nil
}

// pythonEnv returns environ without what would make a Python find other packages.
func pythonEnv(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "VIRTUAL_ENV", "CONDA_PREFIX", "__PYVENV_LAUNCHER__":
			return true
		}
		return strings.HasPrefix(name, "PYTHON")
	})
}

func (p interpreter) release() string {
	return fmt.Sprintf("%d.%d.%d", p.Version[0], p.Version[1], p.Version[2])
}

// hasKernel reports whether the environment's own ipykernel is used. An overlay cannot have
// a newer one, because what the environment has wins.
func (p interpreter) hasKernel() bool {
	v, ok := p.Installed["ipykernel"]
	return ok && !older(v, fallback)
}

// needs are the packages of an overlay, as requirements.
func (p interpreter) needs(floor string) []string {
	needs := []string{"ipykernel>=" + floor}
	if v, ok := p.Installed["matplotlib"]; ok && older(v, "3.7") && p.Installed["matplotlib-inline"] == "" {
		needs = append(needs, "matplotlib-inline<0.2") // a newer one fails at the first figure
	}
	return needs
}

// parts are the packages that some version of ipykernel needs. An overlay depends on those
// that the environment has.
var parts = strings.Fields(`appnope argcomplete asttokens backcall colorama comm decorator entrypoints exceptiongroup
	executing importlib-metadata ipykernel ipython ipython-genutils ipython-pygments-lexers jupyter-client jupyter-core
	matplotlib matplotlib-inline nest-asyncio nest-asyncio2 packaging parso pexpect pickleshare platformdirs
	prompt-toolkit psutil ptyprocess pure-eval pygments python-dateutil pyzmq setuptools six stack-data tornado
	traitlets typing-extensions tzdata wcwidth zipp anyio sniffio idna`)

// key names the overlay of an environment.
func (p interpreter) key() string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(p.Platform) // a hash takes everything
	for _, name := range parts {
		if v, ok := p.Installed[name]; ok {
			_, _ = fmt.Fprintf(h, "%s==%s\n", name, v)
		}
	}
	return p.release() + "-" + hex.EncodeToString(h.Sum(nil))[:16]
}

// constraints are the versions that the environment has, as a requirements file.
func (p interpreter) constraints() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(p.Installed)) {
		if v := p.Installed[name]; plainVersion(v) {
			fmt.Fprintf(&b, "%s==%s\n", name, v)
		}
	}
	return b.Bytes()
}

// plainVersion reports whether an index may have a version. Directory names of an
// installation have "_" where a version has "-" or "+".
func plainVersion(v string) bool {
	return v != "" && !strings.ContainsFunc(v, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && r != '.'
	})
}

// older compares the first two numbers of versions.
func older(version, than string) bool {
	return slices.Compare(numbers(version), numbers(than)) < 0
}

func numbers(version string) []int {
	n := make([]int, 2)
	for i, part := range strings.SplitN(version, ".", 3) {
		if i < len(n) {
			n[i], _ = strconv.Atoi(part)
		}
	}
	return n
}

// versionIn returns the version of the ipykernel in an overlay; "" if there is no overlay.
func versionIn(overlay string) string {
	for _, found := range system.Glob(overlay, "ipykernel-*.dist-info") {
		return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(found), "ipykernel-"), ".dist-info")
	}
	return ""
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
