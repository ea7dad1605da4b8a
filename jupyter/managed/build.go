package managed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"easel/internal/system"
)

// What has to be done with the environment.
type work int

const (
	none    work = iota // it can be used as it is; packages of a later stage may be missing
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
	if want := j.wantedPython(); want != "" {
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

// wantedPython returns the interpreter that the user has named, or "".
func (j *Jupyter) wantedPython() string {
	if j.cfg.Python != "" {
		return j.cfg.Python
	}
	return os.Getenv("EASEL_PYTHON")
}

// prepare makes sure that there is an environment that a server can use. One that works
// but is not up to date can be used; finish replaces it later.
func (j *Jupyter) prepare(ctx context.Context) error {
	j.dir.endInstallation(ctx)
	todo, why := j.inspect(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	if todo == rebuild {
		j.cfg.Log.InfoContext(ctx, "the environment has to be made", "why", why)
		if err := j.dir.removeUnused(j.dir.env); err != nil { // an interrupted build needs the space
			j.cfg.Log.WarnContext(ctx, "an old environment cannot be removed", "err", err)
		}
		made, err := j.build(ctx, false, first)
		if err != nil {
			return err
		}
		j.setEnv(made.env)
	}
	return explain(errors.Join(j.dir.use(j.dir.env), j.dir.placeFiles()), "")
}

// An installation is the making of one environment.
type installation struct {
	*Jupyter

	py    Interpreter
	uv    string // "" if pip does the work
	house *wheelhouse
	low   bool // in the background
	tell  func(Progress)

	fetched int64 // bytes of uv, if it had to be downloaded
}

// build makes an environment with the packages of some stages beside the current one, and
// puts it in its place. Nothing uses it before it is complete. Servers and kernels that
// use the former one are not affected.
func (j *Jupyter) build(ctx context.Context, background bool, stages ...stage) (made layout, err error) {
	if !background {
		j.reporter.report(Status{Phase: Searching, Detail: "Looking for Python"})
	}
	made = j.dir.beside()
	formerly := j.dir.formerNames()
	defer func() {
		if err != nil {
			_ = os.RemoveAll(made.env)
			err = j.explainBuild(ctx, err)
		}
	}()
	i, err := j.installer(ctx, background)
	if err != nil {
		return made, err
	}
	defer i.close()
	i.tell(Progress{Step: Creating, Python: i.py.String()})
	if err := i.create(ctx, made); err != nil {
		return made, err
	}
	if err := i.install(ctx, made, stages...); err != nil {
		return made, err
	}
	j.keepUsersPackages(ctx, made, i.py, formerly)
	s := stamp{
		Requirements: requirementsHash(), Path: made.env, Base: i.py.Executable, Version: i.py.Version,
		Partial: !slices.Contains(stages, rest),
	}
	for _, step := range []func() error{
		func() error { return replaceFile(made.packagesFile(), locked().list(first, rest), 0o600) },
		made.placeFiles,
		func() error { return made.writeLater(s.Partial) },
		func() error { return made.writeStamp(s) },
		func() error { return made.use(made.env) },
	} {
		if err := step(); err != nil {
			return made, explain(err, "")
		}
	}
	return made, nil
}

// explainBuild adds what the user can do about an error of build.
func (j *Jupyter) explainBuild(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	return &Error{
		Kind: KindInstall, Remedy: "Try again. If it fails again, report the lines above.",
		Err: fmt.Errorf("%w: %w", ErrInstall, err),
	}
}

// installer finds or gets what an installation needs: a Python, uv and the wheelhouse.
func (j *Jupyter) installer(ctx context.Context, background bool) (*installation, error) {
	i := &installation{Jupyter: j, low: background, tell: j.installing}
	if background {
		i.tell = j.installingLater
	}
	if err := i.find(ctx); err != nil {
		i.close()
		return nil, err
	}
	return i, nil
}

func (i *installation) find(ctx context.Context) (err error) {
	if i.cfg.Wheelhouse != nil && i.cfg.Wheelhouse() != "" {
		i.tell(Progress{Step: Checking})
		if i.house, err = openWheelhouse(ctx, i.cfg.Wheelhouse(), i.dir.root); err != nil {
			return err
		}
	}
	if i.uv, err = i.haveUV(ctx); err != nil {
		return err
	}
	if i.py, err = i.findPython(ctx); err != nil {
		return err
	}
	if i.house != nil {
		return i.house.serves(i.py)
	}
	if i.uv == "" {
		if i.uv, err = i.fetchUV(ctx, i.py); errors.Is(err, errNoUV) {
			return nil // pip does the work
		}
	}
	return err
}

// close removes temporary files.
func (i *installation) close() {
	if i.house != nil {
		i.house.close()
	}
}

// run runs a program of the installation.
func (i *installation) run(ctx context.Context, m *meter, env []string, argv ...string) error {
	line := func(text string) {
		i.cfg.Log.DebugContext(ctx, "installing", "line", redact(text))
		if m == nil {
			return
		}
		if p, ok := m.read(text); ok {
			i.tell(p)
		}
	}
	return command{argv: argv, env: env, dir: i.dir.root, line: line, pid: i.dir.file("install.json"), low: i.low}.run(ctx)
}

// uvEnv returns the environment of uv. Where the user's cache cannot be written, for example
// in a container, uv uses one in the data directory.
func (i *installation) uvEnv(ctx context.Context) []string {
	env := uvEnv(ctx, os.Environ(), i.py)
	if os.Getenv("UV_CACHE_DIR") == "" && !cacheWritable() {
		env = append(env, "UV_CACHE_DIR="+i.dir.file("cache"))
	}
	return env
}

// create creates an environment without packages.
func (i *installation) create(ctx context.Context, d layout) error {
	if i.uv != "" {
		return i.run(ctx, nil, i.uvEnv(ctx), i.uv, "venv", "--quiet", "--python", i.py.Executable, d.env)
	}
	return explainVenv(i.run(ctx, nil, nil, i.py.Executable, "-m", "venv", d.env))
}

// install installs the packages of some stages in an environment. uv and pip download all
// of them before they change anything, and keep what they have downloaded in their
// caches, so an interrupted installation does not download it again.
func (i *installation) install(ctx context.Context, d layout, stages ...stage) error {
	if err := i.checkSpace(stages...); err != nil {
		return err
	}
	list := i.dir.file("requirements.txt")
	if err := replaceFile(list, locked().list(stages...), 0o600); err != nil {
		return explain(err, "")
	}
	if err := d.removeHalf(); err != nil {
		return explain(err, "")
	}
	var m *meter
	if i.house != nil {
		i.tell(Progress{Step: Unpacking})
	} else {
		m = newMeter(locked().pieces(i.py, stages...))
		m.before = i.fetched
		if !slices.Contains(stages, rest) {
			m.after = locked().download(i.py, rest)
		}
		i.tell(m.fetching())
	}
	return i.installList(ctx, d, list, m)
}

// installList installs the packages of a requirements file.
func (i *installation) installList(ctx context.Context, d layout, list string, m *meter) error {
	if i.uv != "" {
		argv := []string{i.uv, "pip", "install", "--python", d.python(), "--no-deps", "-r", list}
		if i.house != nil {
			argv = append(argv, "--offline", "--no-index", "--find-links", i.house.dir)
		}
		return i.run(ctx, m, i.uvEnv(ctx), argv...)
	}
	argv := []string{d.python(), "-m", "pip", "install", "--no-input", "--no-deps", "-r", list}
	if i.house != nil {
		argv = append(argv, "--no-index", "--find-links", i.house.dir)
	}
	return i.run(ctx, m, nil, argv...)
}

// removeHalf makes the installer forget packages that an interrupted installation has left
// half installed: uv and pip write INSTALLER last. uv's --reinstall would download
// everything again.
func (d layout) removeHalf() (errs error) {
	site, err := d.sitePackages()
	if err != nil {
		return nil //nolint:nilerr // there is nothing to forget
	}
	infos := system.Glob(site, "*.dist-info")
	for _, info := range infos {
		if _, err := os.Stat(filepath.Join(info, "INSTALLER")); errors.Is(err, os.ErrNotExist) {
			errs = errors.Join(errs, os.RemoveAll(info))
		}
	}
	return errs
}

// checkSpace refuses to begin if the disk is too small.
func (i *installation) checkSpace(stages ...stage) error {
	var need uint64
	for _, s := range stages {
		need += map[stage]uint64{first: needFirst, rest: needRest}[s]
	}
	return enoughSpace(i.dir.root, need, "Easel's Python packages")
}

// enoughSpace returns an error if what needs more bytes than are free at dir.
func enoughSpace(dir string, need uint64, what string) error {
	free, err := freeBytes(dir)
	if err != nil || free >= need {
		return nil //nolint:nilerr // unknown; writing will tell
	}
	return &Error{
		Kind: KindDiskFull, Free: free, Need: need, Remedy: fmt.Sprintf("Free about %d MB, or let Easel use another disk (--data-dir), and try again.", need>>20),
		Err: fmt.Errorf("%w: %d MB are free at %s, and %s need about %d MB", ErrDiskFull, free>>20, dir, what, need>>20),
	}
}

// keepUsersPackages carries over what the user has installed in the current environment.
func (j *Jupyter) keepUsersPackages(ctx context.Context, made layout, py Interpreter, formerly map[string]bool) {
	old, err := j.dir.readStamp()
	if err != nil || old.Path != j.dir.env {
		return
	}
	if [2]int(old.Version[:2]) != [2]int(py.Version[:2]) {
		j.cfg.Log.WarnContext(ctx, "packages that were installed for another version of Python are not carried over", "from", j.dir.env)
		return
	}
	names, err := carryOver(j.dir, made, formerly)
	if err != nil {
		j.cfg.Log.WarnContext(ctx, "some packages cannot be carried over to the new environment", "err", err)
	}
	if len(names) > 0 {
		j.cfg.Log.InfoContext(ctx, "packages of the user are carried over to the new environment", "packages", names)
	}
}

// packagesFile lists the packages that Easel has installed.
func (d layout) packagesFile() string { return filepath.Join(d.env, "easel-packages.txt") }

// formerNames returns the packages that Easel has installed in the environment.
func (d layout) formerNames() map[string]bool {
	names := map[string]bool{}
	text, _ := os.ReadFile(d.packagesFile())
	if len(text) == 0 { // of a version before there was that file
		text, _ = os.ReadFile(d.file("requirements.txt"))
	}
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, "=="); ok {
			names[normal(strings.TrimSpace(name))] = true
		}
	}
	return names
}

// explainVenv adds the remedy for Pythons without ensurepip.
func explainVenv(err error) error {
	if _, known := errors.AsType[*Error](err); err == nil || known || !strings.Contains(err.Error(), "ensurepip") {
		return err
	}
	return &Error{
		Kind: KindNoPython, Command: thisDistribution().command(), Remedy: thisDistribution().installPython(),
		Err: fmt.Errorf("%w: %w", ErrNoPython, err),
	}
}
