package managed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"easel/internal/system"
	"easel/jupyter"
)

// A ProjectServer says which project a server is for.
type ProjectServer struct {
	Root string `json:"root"` // the project's folder: absolute, links resolved; it must exist
	Name string `json:"name"` // for people
}

var unusual = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// ID identifies the project in file names: its name, as far as file systems bear it, and a
// hash of its folder's path.
func (p ProjectServer) ID() string {
	name := strings.Trim(unusual.ReplaceAllString(p.Name, "-"), "-._")
	name = cmp.Or(name, "project")
	sum := sha256.Sum256([]byte(p.Root))
	return strings.ToLower(name[:min(len(name), 32)]) + "-" + hex.EncodeToString(sum[:5])
}

// files names the files of a project's server.
func (p ProjectServer) files(d layout) serverFiles {
	return serverFiles{
		root: filepath.Join(projectsDir(d), p.ID()),
		log:  filepath.Join(filepath.Dir(d.log), "jupyter-"+p.ID()+".log"),
	}
}

func projectsDir(d layout) string { return d.file("projects") }

// RunningProjects returns the projects whose servers are running. After a restart of Easel,
// these can be taken over, until their leases end.
func RunningProjects(dataDir string) (running []ProjectServer) {
	for _, r := range projectRecords(newLayout(dataDir)) {
		running = append(running, ProjectServer{Root: r.RootDir, Name: r.Name})
	}
	return running
}

// KnownProjects returns the projects that have had a server, and still exist. What was recorded on
// such a server is known by its name.
func KnownProjects(dataDir string) (known []ProjectServer) {
	for _, dir := range system.Glob(projectsDir(newLayout(dataDir)), "*") {
		var p ProjectServer
		if readJSON((serverFiles{root: dir}).file("project.json"), &p) != nil || p.Name == "" {
			continue
		}
		if _, err := os.Stat(p.Root); err == nil {
			known = append(known, p)
		}
	}
	return known
}

// projectRecords returns the running servers of projects.
func projectRecords(d layout) (running []record) {
	for _, dir := range system.Glob(projectsDir(d), "*") {
		if r, err := (serverFiles{root: dir}).readRecord(); err == nil && r.alive() {
			running = append(running, r)
		}
	}
	return running
}

// A Project is the server of one project. It runs in the environment of the managed Jupyter
// that it was made from, with the project's folder as its root, and writes nothing there.
// Its kernels are those of [Project.SetKernel], then Easel's own Python by the name of
// [EaselKernel], then the user's.
type Project struct {
	of         ProjectServer
	cfg        Config
	main       *Jupyter
	reporter   *reporter
	supervisor *supervisor
}

// EaselKernel is the name of Easel's own Python on the server of a project, where python3 is
// the project's.
const EaselKernel = "easel"

// ForProject returns the server of a project, which is not started. report is as in [Config];
// it may be nil.
func (j *Jupyter) ForProject(p ProjectServer, report func(Status)) *Project {
	x := &Project{of: p, cfg: j.cfg, main: j}
	x.cfg.RootDir, x.cfg.Report = p.Root, report
	if report == nil {
		x.cfg.Report = func(Status) {}
	}
	x.reporter = newReporter(x.cfg)
	x.supervisor = newSupervisor(&x.cfg, p.files(j.dir), x.reporter, x.invocation)
	return x
}

// ErrNoEnvironment means that Easel's own environment is missing, which a project's server
// needs and does not install.
var ErrNoEnvironment = errors.New("Easel's Python environment is not installed") //nolint:staticcheck // a name

// Start takes over a leased server of the project, or starts one. While the environment is
// being installed, it waits. The error is ErrNoEnvironment if there is none and nobody
// installs it. Otherwise, Start is as [Jupyter.Start].
func (p *Project) Start(ctx context.Context) (*jupyter.Server, error) {
	return p.supervisor.start(ctx, p.bringUp, nil)
}

// Server returns the running server, or nil, as [Jupyter.Server].
func (p *Project) Server() *jupyter.Server { return p.supervisor.client() }

// Stop ends the server and its kernels, as [Jupyter.Stop].
func (p *Project) Stop(ctx context.Context) error { return p.supervisor.stop(ctx) }

// bringUp takes over the project's server or starts one.
func (p *Project) bringUp(ctx context.Context) (*server, error) {
	if srv := p.supervisor.adopt(ctx); srv != nil {
		if srv.record.Sandboxes || !p.sandboxed() {
			return srv, nil
		}
		// An earlier version has started it, which would start kernels without the sandbox.
		if err := p.supervisor.endServer(ctx, srv); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil { // the server that runs is for the next Easel; another one would replace its record
		return nil, err
	}
	if err := p.awaitEnvironment(ctx); err != nil {
		return nil, err
	}
	p.reporter.report(Status{Phase: Starting, Detail: "Starting Jupyter"})
	return p.supervisor.launch(ctx, record{})
}

// awaitEnvironment waits until Easel's environment is usable.
func (p *Project) awaitEnvironment(ctx context.Context) error {
	for {
		st, changed := p.main.reporter.current()
		if _, ok := p.main.present(); ok {
			return nil
		}
		switch st.Phase {
		case Failed:
			return st.Err
		case Stopped:
			return ErrNoEnvironment
		case Searching, Installing, Starting, Ready:
		}
		p.reporter.report(Status{Phase: Starting, Detail: "Waiting for Easel's Python: " + st.Detail})
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		}
	}
}

// projectSettings are the settings of serve.py that only the servers of projects have.
type projectSettings struct {
	Kernels     string   `json:"kernels"`     // directory of kernelspecs that come before all others
	Checkpoints string   `json:"checkpoints"` // directory for them instead of the project
	Scratch     string   `json:"scratch"`     // the same for what extensions write
	Hidden      []string `json:"hidden"`      // environment variables that kernels must not see
	EnvFile     string   `json:"env_file"`    // see ReadEnvFile
	Sandbox     string   `json:"sandbox"`     // see SetSandbox
}

// invocation says how to start a server of the environment in use.
func (p *Project) invocation() (invocation, error) {
	d, _ := p.main.present()
	files := p.supervisor.files
	for _, dir := range []string{files.file("kernels"), files.file("scratch")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return invocation{}, explain(err, "")
		}
	}
	if err := writeJSON(files.file("project.json"), p.of); err != nil {
		return invocation{}, explain(err, "")
	}
	// The main server may have been taken over from an earlier version.
	if err := errors.Join(d.placeFiles(), p.placeEaselKernel(d)); err != nil {
		return invocation{}, explain(err, "")
	}
	return invocation{
		env: d.env, program: d.file("serve.py"), environ: projectEnv(p.cfg, d, files), dir: p.of.Root, name: p.of.Name,
		project: &projectSettings{
			Kernels: files.file("kernels"), Checkpoints: files.file("checkpoints"), Scratch: files.file("scratch"), Hidden: jupyterVariables,
			EnvFile: files.file("env-file"), Sandbox: files.file(sandboxFile),
		},
	}, nil
}

// A KernelSpec is the content of a kernel.json. Values of Env may refer to variables of the
// server as ${NAME}.
type KernelSpec struct {
	Argv          []string          `json:"argv"` // with {connection_file}
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode,omitempty"`
	Env           map[string]string `json:"env,omitempty"`
	Metadata      map[string]any    `json:"metadata,omitempty"`
	Protocol      string            `json:"kernel_protocol_version,omitempty"`
}

// KeepsOutput is the name of a kernelspec's metadata that is true if its kernels load Easel's
// modules. Easel then communicates with them directly; see easel_life.py.
const KeepsOutput = "easel_keeps"

// SetKernel writes a kernelspec of the project, which replaces any other of that name. It
// applies to kernels that start from now on. The server may be running or not.
func (p *Project) SetKernel(name string, spec KernelSpec) error {
	if name != filepath.Base(name) || unusual.MatchString(name) || name == EaselKernel {
		return fmt.Errorf("%q cannot be the name of a kernel", name)
	}
	return p.writeKernel(name, spec)
}

// RemoveKernel removes a kernelspec that SetKernel has written, if there is one. Then the name
// means Easel's own kernel of that name, or the user's.
func (p *Project) RemoveKernel(name string) error {
	return os.RemoveAll(filepath.Join(p.supervisor.files.file("kernels"), filepath.Base(name)))
}

// ReadEnvFile says whether kernels that start from now on have the variables in the .env file of
// the project's folder. The server reads it at each start of a kernel, so they are kept nowhere else.
func (p *Project) ReadEnvFile(read bool) error {
	marker := p.supervisor.files.file("env-file")
	if !read {
		if err := os.Remove(marker); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(marker), 0o700); err != nil {
		return err
	}
	return replaceFile(marker, []byte(filepath.Join(p.of.Root, ".env")), 0o600)
}

func (p *Project) writeKernel(name string, spec KernelSpec) error {
	dir := filepath.Join(p.supervisor.files.file("kernels"), name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return writeJSON(filepath.Join(dir, "kernel.json"), spec)
}

// placeEaselKernel writes the kernelspec of Easel's own Python.
func (p *Project) placeEaselKernel(d layout) error {
	return p.writeKernel(EaselKernel, KernelSpec{
		Argv:        []string{d.python(), "-m", "ipykernel_launcher", "-f", "{connection_file}"},
		DisplayName: "Easel's Python", Language: "python",
		Metadata: map[string]any{"debugger": true, "supported_features": []string{"kernel subshells"}, KeepsOutput: true},
		Env: map[string]string{
			"PATH":             d.searchPath("${PATH}"),
			"VIRTUAL_ENV":      d.env,
			"PYTHONNOUSERSITE": "1",
			"IPYTHONDIR":       d.file("ipython"),
		},
	})
}
