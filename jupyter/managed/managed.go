// Package managed runs Easel's own Jupyter server. It finds a Python, creates an
// environment from pinned requirements in Easel's data directory, starts JupyterLab
// there on a free loopback port with a random token, restarts it if it dies, and stops
// it on a clean quit.
//
// The server is leased. It runs in its own session. It ends, with its kernels, when
// Easel is gone and has not renewed the lease for a minute. So nothing is left behind
// after a crash of Easel. An Easel that starts within that minute with the same data
// directory takes over the server with every kernel and variable.
//
// Everything is in DataDir/jupyter, separate from the user's own Jupyter, IPython and
// Python settings:
//
//	env-*/       the environment in use, whose easel.json marks it as usable, and at times
//	             an older one, or one that is being built; env/ in earlier versions
//	env.json     names the one in use
//	uv/          the installer, if none was found
//	config/ data/ runtime/ ipython/
//	serve.py     the program: the server, and a check of its lease
//	server.json  the running server with its token (mode 0600)
//	lease        renewed while Easel runs
//	projects/    for each project, the same of its server (config/ data/ runtime/ server.json
//	             lease), its kernelspecs, and the checkpoints of its notebooks
//
// The server's output goes to DataDir/logs/jupyter.log.
//
// A [Project] is a second server, of the same environment, whose root is a project's folder
// and whose kernels are the project's. Nothing of it is written into that folder.
//
// # Goroutines
//
// Start works on its caller's goroutine. It leaves behind one goroutine that renews the
// lease, one that waits for the server to die and restarts it, one that installs what the
// first plot does not need, and one for each server process that waits for its end. Stop
// stops them and waits for them. Methods may be called from any goroutine. Report is called by the goroutine that made the change, one
// call at a time.
package managed

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/jupyter"
)

// DefaultLease is how long the server runs after Easel is gone.
const DefaultLease = time.Minute

// Config configures the managed Jupyter. DataDir and RootDir are required.
type Config struct {
	DataDir string // Easel's data directory
	RootDir string // working directory of kernels and JupyterLab; created if it is missing
	Python  string // interpreter for the environment; "" means $EASEL_PYTHON, or a search if that is not set
	// Fonts are font files that matplotlib uses for characters that its own fonts lack,
	// best first. Pictures without such characters do not change by a single byte.
	Fonts []string
	Lease time.Duration // 0 means DefaultLease
	Log   *slog.Logger  // nil discards
	// Guard says why the server's client must not use a file; see [jupyter.WithGuard]. May be nil.
	Guard func(path string) string
	// TokenUse is told the server's token; see [jupyter.WithTokenUse]. May be nil.
	TokenUse func(token string)
	// Wheelhouse returns the directory or file, made by Export, from which packages are
	// installed without a network; "" for the network. It is called for each installation.
	Wheelhouse func() string
	Report     func(Status) // called for each change of Status, in order; must not block; may be nil
}

// Jupyter is the managed Jupyter of one data directory. Only one Easel may use a data
// directory; Jupyter does not check that.
type Jupyter struct {
	cfg        Config
	dir        layout
	reporter   *reporter
	supervisor *supervisor

	again wake.Signal // makes finish try again

	mu   sync.Mutex // guards next, and dir.env against other goroutines than that of Start
	next string     // the environment for the next start; "" if it is the current one
}

// New returns a Jupyter that is not started.
func New(cfg Config) *Jupyter {
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Report == nil {
		cfg.Report = func(Status) {}
	}
	if cfg.Lease <= 0 {
		cfg.Lease = DefaultLease
	}
	j := &Jupyter{reporter: newReporter(cfg), cfg: cfg, dir: newLayout(cfg.DataDir), again: wake.New()}
	j.supervisor = newSupervisor(&j.cfg, j.dir.serverFiles, j.reporter, j.invocation)
	return j
}

// Start takes over a leased server of the same data directory. If there is none, it
// makes the environment and starts a server. It then watches the server until Stop.
// It returns when the server answers. ctx applies only to Start itself. If it ends, the
// child processes end too, and the next Start repairs what is incomplete. An error that
// the user can fix is an [*Error].
func (j *Jupyter) Start(ctx context.Context) (*jupyter.Server, error) {
	return j.supervisor.start(ctx, j.bringUp, j.finish)
}

// Server returns the running server, or nil if there is none. It changes when the server
// is restarted; Ready is reported each time.
func (j *Jupyter) Server() *jupyter.Server { return j.supervisor.client() }

// Stop ends what Start began: the watch, the server and all its kernels. The server may
// end its kernels cleanly until ctx is done or stopLimit has passed; then all are
// killed. If the Jupyter is not started, Stop does nothing. It does not stop the servers
// of projects.
func (j *Jupyter) Stop(ctx context.Context) error { return j.supervisor.stop(ctx) }

// bringUp takes over a server or starts one, after making the environment if needed.
func (j *Jupyter) bringUp(ctx context.Context) (*server, error) {
	if err := os.MkdirAll(j.cfg.RootDir, 0o755); err != nil { //nolint:gosec // the user's working directory, with the same mode as by mkdir
		return nil, explain(err, "")
	}
	if next := j.setNext(""); next != "" {
		j.setEnv(next)
	}
	if srv := j.supervisor.adopt(ctx); srv != nil {
		j.dir.endInstallation(ctx)
		if env := srv.record.Env; env != "" && env != j.dir.env {
			j.setNext(j.dir.env)
			j.setEnv(env)
		}
		return srv, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	return j.firstLaunch(ctx)
}

// firstLaunch starts the server and, at the same time, warms up a new environment. If
// the server does not start, a package that the user installed may be the cause. So it
// tries once more in a new environment with the pinned packages.
func (j *Jupyter) firstLaunch(ctx context.Context) (*server, error) {
	j.reporter.report(Status{Phase: Starting, Detail: "Starting Jupyter", Fraction: 0.85})
	warmed := make(chan struct{})
	go func() { defer close(warmed); j.warmFirst(ctx) }()
	s, err := j.supervisor.launch(ctx, record{})
	<-warmed
	if err == nil || ctx.Err() != nil {
		return s, err
	}
	j.cfg.Log.WarnContext(ctx, "jupyter does not start, its environment is made anew", "err", err)
	made, buildErr := j.build(ctx, false, first)
	if buildErr != nil {
		return nil, errors.Join(err, buildErr)
	}
	j.setEnv(made.env)
	j.reporter.report(Status{Phase: Starting, Detail: "Starting Jupyter again"})
	return j.supervisor.launch(ctx, record{})
}

// warmFirst warms up the environment if it is new.
func (j *Jupyter) warmFirst(ctx context.Context) {
	s, err := j.dir.readStamp()
	if err != nil || s.Warm {
		return
	}
	j.warm(ctx, j.dir, first)
	s.Warm = true
	if err := j.dir.writeStamp(s); err != nil && ctx.Err() == nil {
		j.cfg.Log.WarnContext(ctx, "the environment's stamp cannot be written", "err", err)
	}
}

// invocation says how to start a server of the current environment.
func (j *Jupyter) invocation() (invocation, error) {
	return invocation{env: j.dir.env, program: j.dir.file("serve.py"), environ: serverEnv(j.cfg, j.dir), dir: j.cfg.RootDir}, nil
}

// A layout names the files of the managed Jupyter: those of its server and, in the same
// directory, the environment.
type layout struct {
	serverFiles

	env, uv string
}

func newLayout(dataDir string) layout {
	if abs, err := filepath.Abs(dataDir); err == nil {
		dataDir = abs
	}
	root := filepath.Join(dataDir, "jupyter")
	d := layout{
		serverFiles: serverFiles{root: root, log: filepath.Join(dataDir, "logs", "jupyter.log")},
		uv:          filepath.Join(root, "uv"),
	}
	d.env = d.current()
	return d
}
