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
//
// The server's output goes to DataDir/logs/jupyter.log.
//
// # Goroutines
//
// Start works on its caller's goroutine. It leaves behind one goroutine that renews the
// lease, one that waits for the server to die and restarts it, one that installs what the
// first plot does not need, and one for each server process that waits for its end. Stop stops them and waits for them. Methods may be
// called from any goroutine. Report is called by the goroutine that made the change, one
// call at a time.
package managed

import (
	"context"
	"errors"
	"fmt"
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

// A Phase is a phase in the life of the managed Jupyter.
type Phase string

// The phases. Installing occurs only if the environment is not complete.
const (
	Searching  Phase = "searching"  // for Python, or for a server to take over
	Installing Phase = "installing" // the environment is being created or updated
	Starting   Phase = "starting"   // the server is being started or restarted
	Ready      Phase = "ready"      // Server answers
	Failed     Phase = "failed"     // Err and Remedy say why and what to do; Start may be called again
	Stopped    Phase = "stopped"    // not started yet, or ended by Stop
)

// A Status is what the managed Jupyter is doing.
type Status struct {
	Phase    Phase
	Detail   string    // one line for the user, in English
	Progress           // if Installing
	Later    *Later    // what is being installed in the background; nil if nothing
	Fraction float64   // progress of Start as a whole, from 0 to 1; never decreases
	Err      error     // if Failed, the error; if Starting again, why the last server ended
	Remedy   string    // if Failed, what the user can do
	Since    time.Time // when Phase began
}

// Jupyter is the managed Jupyter of one data directory. Only one Easel may use a data
// directory; Jupyter does not check that.
type Jupyter struct {
	cfg   Config
	dir   layout
	pause time.Duration // before the first restart of a server that died

	reporting sync.Mutex // held while Report is called, to keep the calls in order

	again wake.Signal // makes finish try again

	mu     sync.Mutex // guards the fields below
	later  *Later     // nil when nothing is left to be installed
	next   string     // the environment for the next start; "" if it is the current one
	status Status
	life   *life // nil when stopped
}

// A life is what one Start begins and one Stop ends.
type life struct {
	cancel  context.CancelFunc
	running sync.WaitGroup // the goroutines of this life

	mu     sync.Mutex
	server *server // the newest; nil before the first
}

// New returns a Jupyter that is not started.
func New(cfg Config) *Jupyter {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Report == nil {
		cfg.Report = func(Status) {}
	}
	if cfg.Lease <= 0 {
		cfg.Lease = DefaultLease
	}
	return &Jupyter{
		cfg:    cfg,
		dir:    newLayout(cfg.DataDir),
		pause:  firstPause,
		again:  wake.New(),
		status: Status{Phase: Stopped, Since: time.Now()},
	}
}

// ErrStarted is returned by Start when the Jupyter is started already.
var ErrStarted = errors.New("the managed Jupyter is started already")

// Start takes over a leased server of the same data directory. If there is none, it
// makes the environment and starts a server. It then watches the server until Stop.
// It returns when the server answers. ctx applies only to Start itself. If it ends, the
// child processes end too, and the next Start repairs what is incomplete. An error that
// the user can fix is an [*Error].
func (j *Jupyter) Start(ctx context.Context) (*jupyter.Server, error) {
	living, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &life{cancel: cancel}
	j.mu.Lock()
	if j.life != nil {
		j.mu.Unlock()
		cancel()
		return nil, ErrStarted
	}
	j.life = l
	l.running.Add(1) // for Start itself, so that Stop waits for it
	j.mu.Unlock()
	defer l.running.Done()

	unbind := context.AfterFunc(ctx, cancel)
	srv, err := j.bringUp(living, l)
	if !unbind() && err == nil { // ctx ended at the last moment
		err = errors.Join(context.Cause(ctx), j.endServer(context.WithoutCancel(ctx), srv))
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("starting Jupyter: %w", context.Cause(ctx))
		}
		cancel()
		j.forget(l)
		j.failed(err)
		return nil, err
	}
	l.running.Go(func() { j.watch(living, l, srv) })
	l.running.Go(func() { j.finish(living) })
	return srv.client, nil
}

// Server returns the running server, or nil if there is none. It changes when the server
// is restarted; Ready is reported each time.
func (j *Jupyter) Server() *jupyter.Server {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.life == nil || j.status.Phase != Ready {
		return nil
	}
	if s := j.life.current(); s != nil {
		return s.client
	}
	return nil
}

// Stop ends what Start began: the watch, the server and all its kernels. The server may
// end its kernels cleanly until ctx is done or stopLimit has passed; then all are
// killed. If the Jupyter is not started, Stop does nothing.
func (j *Jupyter) Stop(ctx context.Context) error {
	j.mu.Lock()
	l := j.life
	j.mu.Unlock()
	if l == nil {
		return nil
	}
	l.cancel()
	l.running.Wait() // all of them depend on the life that has just been cancelled
	var err error
	if s := l.current(); s != nil {
		err = j.endServer(ctx, s)
	}
	j.forget(l)
	j.report(Status{Phase: Stopped})
	return err
}

// forget allows another Start.
func (j *Jupyter) forget(l *life) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.life == l {
		j.life = nil
	}
}

func (l *life) current() *server {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.server
}

func (l *life) set(s *server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = s
}

// bringUp does the work of Start.
func (j *Jupyter) bringUp(ctx context.Context, l *life) (*server, error) {
	j.report(Status{Phase: Searching, Detail: "Looking for a running Jupyter"})
	if err := j.dir.make(j.cfg.RootDir); err != nil {
		return nil, explain(err, "")
	}
	if err := j.dir.renew(); err != nil {
		return nil, explain(err, "")
	}
	if next := j.setNext(""); next != "" {
		j.dir.env = next
	}
	dir := j.dir // without the environment, which may change below
	l.running.Go(func() { j.keepLease(ctx, dir) })
	srv := j.adopt(ctx)
	if srv != nil {
		j.dir.endInstallation(ctx)
		if env := srv.record.Env; env != "" && env != j.dir.env {
			j.setNext(j.dir.env)
			j.dir.env = env
		}
	} else {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := j.prepare(ctx)
		if err != nil {
			return nil, err
		}
		if srv, err = j.firstLaunch(ctx); err != nil {
			return nil, err
		}
	}
	l.set(srv)
	j.ready(srv)
	return srv, nil
}

// report publishes s. It sets Since and Fraction.
func (j *Jupyter) report(s Status) {
	j.reporting.Lock()
	defer j.reporting.Unlock()
	j.mu.Lock()
	s.Since = time.Now()
	if j.status.Phase == s.Phase {
		s.Since = j.status.Since
	}
	switch s.Phase {
	case Ready:
		s.Fraction = 1
	case Installing, Starting:
		s.Fraction = max(s.Fraction, j.status.Fraction)
	case Searching, Failed, Stopped:
	}
	s.Later = j.later
	old := j.status
	changed := s.Phase != old.Phase || s.Detail != old.Detail || s.Fraction != old.Fraction || s.Progress != old.Progress || s.Later != old.Later
	j.status = s
	j.mu.Unlock()
	if changed {
		j.cfg.Report(s)
	}
}

func (j *Jupyter) ready(s *server) {
	verb := "runs"
	if s.adopted {
		verb = "was still running and runs on"
	}
	j.report(Status{Phase: Ready, Detail: fmt.Sprintf("Jupyter %s %s at %s", s.version, verb, s.record.URL)})
	j.cfg.Log.Info("jupyter is ready", "url", s.record.URL, "pid", s.record.PID,
		"version", s.version, "adopted", s.adopted)
}

func (j *Jupyter) failed(err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		j.report(Status{Phase: Stopped, Err: err})
		return
	}
	s := Status{Phase: Failed, Detail: err.Error(), Err: err}
	if e, ok := errors.AsType[*Error](err); ok {
		s.Remedy = e.Remedy
	}
	j.report(s)
	j.cfg.Log.Error("jupyter failed", "err", err, "remedy", s.Remedy)
}

// A layout names the files of the managed Jupyter.
type layout struct {
	root, env, uv, log string
}

func newLayout(dataDir string) layout {
	if abs, err := filepath.Abs(dataDir); err == nil {
		dataDir = abs
	}
	root := filepath.Join(dataDir, "jupyter")
	d := layout{
		root: root,
		uv:   filepath.Join(root, "uv"),
		log:  filepath.Join(dataDir, "logs", "jupyter.log"),
	}
	d.env = d.current()
	return d
}

func (d layout) file(name string) string { return filepath.Join(d.root, name) }
func (d layout) runtime() string         { return d.file("runtime") }

// make creates the directories, which only the user can read.
func (d layout) make(rootDir string) error {
	for _, dir := range []string{d.root, d.file("config"), d.file("data"), d.runtime(), d.file("ipython"), filepath.Dir(d.log)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return os.MkdirAll(rootDir, 0o755) //nolint:gosec // the user's working directory, with the same mode as by mkdir
}
