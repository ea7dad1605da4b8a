package managed

import (
	"cmp"
	"context"
	"errors"
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

// uvVersion returns the version that is downloaded if no uv is found. uv itself needs no
// Python.
func uvVersion() string { return locked().installer.version }

// uvWheel returns the wheel of uv that fits the interpreter.
func uvWheel(py Interpreter) wheel {
	w, _ := py.choose(locked().installer.wheels)
	return w
}

// uvOldest is the oldest version of the user's uv that is used, as {major, minor}.
var uvOldest = []int{0, 5}

// uvName is the file name of uv.
func uvName() string {
	if runtime.GOOS == "windows" {
		return "uv.exe"
	}
	return "uv"
}

// findUV returns the user's uv, or "" if there is none that is new enough.
func findUV(ctx context.Context) string {
	dirs := searchPath()
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".cargo", "bin"))
	}
	for _, dir := range dirs {
		path, err := exec.LookPath(filepath.Join(dir, uvName()))
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

// ownUV is the path of the uv that was downloaded before.
func (d layout) ownUV() string { return filepath.Join(d.uv, uvName()) }

// anyUV returns the user's uv, or the one that was downloaded before, or "".
func (d layout) anyUV(ctx context.Context) string {
	if uv := findUV(ctx); uv != "" {
		return uv
	}
	if own := d.ownUV(); uvWorks(ctx, own) {
		return own
	}
	return ""
}

// haveUV returns a uv that is on this machine: the user's, the one that was downloaded
// before, or the one in the wheelhouse. It returns "" if there is none.
func (i *installation) haveUV(ctx context.Context) (string, error) {
	if uv := i.dir.anyUV(ctx); uv != "" {
		return uv, nil
	}
	if i.house == nil || !i.house.hasUV() {
		return "", nil
	}
	own := i.dir.ownUV()
	if err := i.house.unpackUV(own); err != nil {
		return "", explain(err, "")
	}
	if !uvWorks(ctx, own) {
		return "", nil // made for another system, perhaps
	}
	return own, nil
}

// DownloadSize returns how many bytes an installation for an interpreter in Easel's data
// directory downloads before the first plot, and later.
func DownloadSize(ctx context.Context, dataDir string, py Interpreter) (now, later int64) {
	now, later = locked().download(py, first), locked().download(py, rest)
	if newLayout(dataDir).anyUV(ctx) == "" {
		now += uvWheel(py).Bytes
	}
	return now, later
}

// fetchUV downloads uv with the pip of any Python. The error is errNoUV if pip may still
// do the whole installation. It is another error if pip could not do that either, for
// example without network or disk space.
func (i *installation) fetchUV(ctx context.Context, py Interpreter) (string, error) {
	j, own := i.Jupyter, i.dir.ownUV()
	i.fetched = uvWheel(py).Bytes
	p := Progress{Step: FetchingInstaller, Total: i.fetched}
	if py.suits(true) == nil && !i.low {
		p.Total, p.After = i.fetched+locked().download(py, first), locked().download(py, rest)
	}
	i.tell(p)
	scratch, err := os.MkdirTemp(j.dir.root, "uv-*")
	if err != nil {
		return "", explain(err, "")
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	if err := i.pipInstallUV(ctx, py, scratch); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if _, known := errors.AsType[*Error](err); known {
			return "", err
		}
		j.cfg.Log.WarnContext(ctx, "no uv, pip does the work", "err", err)
		return "", errNoUV
	}
	got := system.Glob(scratch, "*/"+uvName())
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
func (i *installation) pipInstallUV(ctx context.Context, py Interpreter, scratch string) error {
	pip := []string{py.Executable, "-m", "pip", "install"}
	where := []string{"--target", scratch}
	if !py.Pip {
		if !py.Venv || !py.EnsurePip {
			return errNoUV
		}
		venv := command{argv: []string{py.Executable, "-m", "venv", scratch}, dir: i.dir.root, pid: i.dir.file("install.json")}
		if err := venv.run(ctx); err != nil {
			return err
		}
		pip[0], where = venvPython(scratch), nil
	}
	return command{
		argv: slices.Concat(pip, []string{"--quiet", "--no-input", "--no-deps", "--no-compile", "--only-binary", ":all:"}, where,
			[]string{"uv==" + uvVersion()}),
		dir: i.dir.root,
		pid: i.dir.file("install.json"),
	}.run(ctx)
}

// uvEnv returns the environment of uv. uv uses pip's mirror, proxy and certificates, and
// trusts the authorities that the system trusts.
func uvEnv(ctx context.Context, environ []string, py Interpreter) []string {
	env := installEnv(environ)
	set := func(name, value string) {
		if value != "" && !slices.ContainsFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }) {
			env = append(env, name+"="+value)
		}
	}
	variable := func(name string) string {
		i := slices.IndexFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
		if i < 0 {
			return ""
		}
		return env[i][len(name)+1:]
	}
	pip := pipConfig(ctx, py)
	set("UV_DEFAULT_INDEX", cmp.Or(pip["index-url"], variable("PIP_INDEX_URL")))
	set("UV_INDEX", cmp.Or(pip["extra-index-url"], variable("PIP_EXTRA_INDEX_URL")))
	set("SSL_CERT_FILE", cmp.Or(pip["cert"], variable("PIP_CERT"), variable("REQUESTS_CA_BUNDLE")))
	set("UV_INSECURE_HOST", cmp.Or(pip["trusted-host"], variable("PIP_TRUSTED_HOST")))
	if variable("HTTPS_PROXY") == "" && variable("https_proxy") == "" {
		set("ALL_PROXY", cmp.Or(pip["proxy"], variable("PIP_PROXY")))
	}
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
	for _, f := range []string{
		"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem",
	} {
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
