package managed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"easel/internal/system"
)

// uvVersion is the version that is downloaded if no uv is found. uv itself needs no
// Python.
const uvVersion = "0.13.8"

// uvOldest is the oldest version of the user's uv that is used, as {major, minor}.
var uvOldest = []int{0, 5}

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// findUV returns the user's uv, or "" if there is none that is new enough.
func findUV(ctx context.Context) string {
	dirs := searchPath()
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".cargo", "bin"))
	}
	for _, dir := range dirs {
		path, err := exec.LookPath(filepath.Join(dir, exe("uv")))
		if err == nil && uvWorks(ctx, path) {
			return path
		}
	}
	return ""
}

var uvSays = regexp.MustCompile(`^uv (\d+)\.(\d+)`)

// uvWorks reports whether path is a uv that runs here and is new enough.
func uvWorks(ctx context.Context, path string) bool {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	system.HideWindow(cmd)
	out, err := cmd.Output()
	if err != nil {
		return false
	}
	m := uvSays.FindStringSubmatch(string(out))
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return slices.Compare([]int{major, minor}, uvOldest) >= 0
}

// errNoUV means that the installation continues without uv.
var errNoUV = errors.New("uv is not available here")

// getUV returns a uv: the user's, the one that was downloaded before, or one that pip
// downloads now. The error is errNoUV if pip may still do the whole installation. It is
// another error if pip could not do that either, for example without network or disk
// space.
func (j *Jupyter) getUV(ctx context.Context, py Interpreter) (string, error) {
	if uv := findUV(ctx); uv != "" {
		return uv, nil
	}
	own := filepath.Join(j.dir.uv, exe("uv"))
	if uvWorks(ctx, own) {
		return own, nil
	}
	j.report(Status{Phase: Installing, Detail: "Fetching the installer (uv)", Fraction: 0.02})
	scratch, err := os.MkdirTemp(j.dir.root, "uv-*")
	if err != nil {
		return "", explain(err, "")
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := j.pipInstallUV(ctx, py, scratch); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if _, known := errors.AsType[*Error](err); known {
			return "", err
		}
		j.cfg.Log.WarnContext(ctx, "no uv, pip does the work", "err", err)
		return "", errNoUV
	}
	got, _ := filepath.Glob(filepath.Join(scratch, "*", exe("uv")))
	if len(got) == 0 || !uvWorks(ctx, got[0]) {
		j.cfg.Log.WarnContext(ctx, "the uv that pip fetched does not run here, pip does the work")
		return "", errNoUV
	}
	if err := os.RemoveAll(j.dir.uv); err != nil {
		return "", explain(err, "")
	}
	if err := os.MkdirAll(j.dir.uv, 0o700); err != nil {
		return "", explain(err, "")
	}
	return own, explain(system.Rename(got[0], own), "")
}

// pipInstallUV installs uv in scratch, with py's pip or the one in its venv.
func (j *Jupyter) pipInstallUV(ctx context.Context, py Interpreter, scratch string) error {
	pip := []string{py.Executable, "-m", "pip", "install"}
	where := []string{"--target", scratch}
	if !py.Pip {
		if !py.Venv || !py.EnsurePip {
			return errNoUV
		}
		venv := command{argv: []string{py.Executable, "-m", "venv", scratch}, dir: j.dir.root, pid: j.dir.file("install.json")}
		if err := venv.run(ctx); err != nil {
			return err
		}
		pip[0], where = venvPython(scratch), nil
	}
	return command{
		argv: slices.Concat(pip, []string{"--quiet", "--no-input", "--only-binary", ":all:"}, where, []string{"uv==" + uvVersion}),
		dir:  j.dir.root,
		pid:  j.dir.file("install.json"),
	}.run(ctx)
}

// uvEnv returns the environment of uv. uv uses pip's mirror and certificates, and trusts
// the authorities that the system trusts.
func uvEnv(ctx context.Context, environ []string, py Interpreter) []string {
	env := installEnv(environ)
	set := func(name, value string) {
		if value != "" && !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			env = append(env, name+"="+value)
		}
	}
	pip := pipConfig(ctx, py)
	set("UV_DEFAULT_INDEX", pip["index-url"])
	set("UV_INDEX", pip["extra-index-url"])
	set("SSL_CERT_FILE", pip["cert"])
	if systemTrusts() {
		set("UV_SYSTEM_CERTS", "true")
	}
	return env
}

// systemTrusts reports whether the system has a list of trusted authorities. A minimal
// container has none; then uv's own list is used.
func systemTrusts() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	for _, f := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"} {
		if _, err := os.Stat(f); err == nil {
			return true
		}
	}
	return false
}

var pipSetting = regexp.MustCompile(`^(?:global|install|:env:)\.([a-z-]+)='(.*)'$`)

// pipConfig returns pip's configuration, from its files and the environment.
func pipConfig(ctx context.Context, py Interpreter) map[string]string {
	if !py.Pip {
		return nil
	}
	settings := map[string]string{}
	// Without an answer from pip, nothing is set.
	_ = command{argv: []string{py.Executable, "-m", "pip", "config", "list"}, line: func(line string) {
		if m := pipSetting.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			settings[m[1]] = strings.ReplaceAll(m[2], `\n`, " ")
		}
	}}.run(ctx)
	return settings
}

// A meter converts the output of uv and pip to a fraction and a line for the user.
type meter struct {
	total   int                // number of packages, if known
	sizes   map[string]float64 // bytes of the large packages that are being downloaded
	fetched map[string]bool
	seen    int // packages that pip has collected
}

var (
	uvResolved  = regexp.MustCompile(`^(?:Resolved|Prepared|Installed|Audited|Checked) (\d+) packages?`)
	uvFetching  = regexp.MustCompile(`^Downloading (\S+) \(([\d.]+)\s*([KMG]?i?B)\)`)
	uvFetched   = regexp.MustCompile(`^\s*Downloaded (\S+)`)
	pipCollects = regexp.MustCompile(`^Collecting ([A-Za-z0-9._-]+)`)
)

var units = map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1e3, "MB": 1e6, "GB": 1e9}

// read reads one line of output. ok reports whether there is something new to show.
// Fractions are between those of the steps before and after the installation.
func (m *meter) read(line string) (detail string, fraction float64, ok bool) {
	switch {
	case strings.HasPrefix(line, "Resolved"):
		if s := uvResolved.FindStringSubmatch(line); s != nil {
			m.total, _ = strconv.Atoi(s[1])
		}
		return fmt.Sprintf("Fetching %d Python packages", m.total), 0.12, true
	case strings.HasPrefix(line, "Prepared"):
		return fmt.Sprintf("Installing %d Python packages", m.total), 0.7, true
	case strings.HasPrefix(line, "Installing collected"): // pip, which takes long for this
		return fmt.Sprintf("Installing %d Python packages", m.seen), 0.7, true
	case strings.HasPrefix(line, "Installed"):
		return "Python packages are installed", 0.8, true
	}
	if s := uvFetching.FindStringSubmatch(line); s != nil {
		if m.sizes == nil {
			m.sizes, m.fetched = map[string]float64{}, map[string]bool{}
		}
		n, _ := strconv.ParseFloat(s[2], 64)
		m.sizes[s[1]] = n * units[s[3]]
		return m.fetching()
	}
	if s := uvFetched.FindStringSubmatch(line); s != nil && m.sizes[s[1]] > 0 {
		m.fetched[s[1]] = true
		return m.fetching()
	}
	if s := pipCollects.FindStringSubmatch(line); s != nil {
		m.seen++
		return "Fetching " + s[1], 0.12 + 0.55*min(1, float64(m.seen)/pinned()), true
	}
	return "", 0, false
}

func (m *meter) fetching() (string, float64, bool) {
	var all, done float64
	var waiting []string
	for name, size := range m.sizes {
		all += size
		if m.fetched[name] {
			done += size
		} else {
			waiting = append(waiting, name)
		}
	}
	if len(waiting) == 0 {
		return "Python packages are fetched", 0.68, true
	}
	slices.SortFunc(waiting, func(a, b string) int { return int(m.sizes[b] - m.sizes[a]) })
	return fmt.Sprintf("Fetching Python packages: %s (%.0f of %.0f MB)", waiting[0], done/1e6, all/1e6),
		0.12 + 0.56*done/all, true
}
