// Package managed runs the Jupyter server that Easel brings along: it finds a
// Python, makes an environment from pinned requirements in Easel's data
// directory, starts JupyterLab there on a free loopback port with a random token,
// keeps it running, and ends it on a clean quit.
//
// The server is leased. It lives in a session of its own, and ends with its
// kernels when Easel has not renewed the lease for a minute and is gone. So
// nothing is left behind after a crash of Easel, and an Easel that starts within
// that minute on the same data directory takes the server over with every kernel
// and variable.
//
// Everything lies under DataDir/jupyter, apart from the user's own Jupyter,
// IPython and Python settings:
//
//	env/         the environment; env/easel.json says that it is complete
//	uv/          the installer, where none was found
//	config/ data/ runtime/ ipython/
//	serve.py     what is run: the server and the watch on its lease
//	server.json  the running server with its token (mode 0600)
//	lease        renewed while Easel runs
//
// The server's output goes to DataDir/logs/jupyter.log.
//
// # Goroutines
//
// Start does its work on its caller's goroutine. It leaves behind one goroutine
// that renews the lease, one that waits for the server to die and starts it
// again, and one for each server process that waits for its end; Stop ends them
// and waits for them. Methods may be called from any goroutine. Report is called
// by whichever goroutine made the change, one call at a time.
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

	"easel/jupyter"
)

// DefaultLease is how long the server outlives an Easel that is gone.
const DefaultLease = time.Minute

// Config says where the managed Jupyter lives and how it is made. DataDir and
// RootDir must be set.
type Config struct {
	DataDir string // Easel's data directory
	RootDir string // where kernels and JupyterLab work; made if it is missing
	Python  string // interpreter to make the environment from; "" is $EASEL_PYTHON, else a search
	// Fonts are font files that matplotlib asks for characters its own fonts
	// lack, best first. Pictures without such characters stay the same to the byte.
	Fonts  []string
	Lease  time.Duration // 0 is DefaultLease
	Log    *slog.Logger  // nil discards
	Report func(Status)  // told each change of Status, in order; must not block. May be nil
}

// A Phase is a stage in the life of the managed Jupyter.
type Phase string

// The phases. Installing comes only when the environment is not complete.
const (
	Searching  Phase = "searching"  // for Python, or for a server to take over
	Installing Phase = "installing" // the environment is being made
	Starting   Phase = "starting"   // the server is being started, for the first time or again
	Ready      Phase = "ready"      // Server answers
	Failed     Phase = "failed"     // Err and Remedy say why and what to do; Start may be called again
	Stopped    Phase = "stopped"    // not started yet, or ended by Stop
)

// A Status is what the managed Jupyter is doing.
type Status struct {
	Phase    Phase
	Detail   string    // one line for people
	Fraction float64   // done so far, 0 to 1, over all of Start; grows only
	Err      error     // when Failed; when Starting again, why the last server ended
	Remedy   string    // when Failed: what the user can do
	Since    time.Time // when Phase began
}

// Jupyter is the managed Jupyter of one data directory. There must be one Easel
// for each data directory; it does not check that.
type Jupyter struct {
	cfg   Config
	dir   layout
	pause time.Duration // before the first new start of a server that died

	reporting sync.Mutex // held while Report is called: keeps calls in order

	mu     sync.Mutex // guards what follows
	status Status
	life   *life // nil when stopped
}

// A life is what one Start began and one Stop ends.
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
		status: Status{Phase: Stopped, Since: time.Now()},
	}
}

// ErrStarted is returned by Start when the Jupyter is started already.
var ErrStarted = errors.New("the managed Jupyter is started already")

// Start takes over a leased server of the same data directory, or makes the
// environment if it is not complete and starts a server, and watches it until
// Stop. It returns when the server answers. ctx bounds only Start itself; when it
// ends, the children end too, and what is half made is made good by the next
// Start. An error that the user can do something about is an [*Error].
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
	if !unbind() && err == nil { // ctx ended in the last moment
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
	return srv.client, nil
}

// Server is the running server, or nil while there is none. It changes when the
// server is started anew; each time Ready is reported.
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

// Stop ends what Start began: the watch, the server and all its kernels. The
// server may end its kernels cleanly until ctx is done or stopLimit
// has passed, then all are killed. Stop of a Jupyter that is not started
// does nothing.
func (j *Jupyter) Stop(ctx context.Context) error {
	j.mu.Lock()
	l := j.life
	j.mu.Unlock()
	if l == nil {
		return nil
	}
	l.cancel()
	l.running.Wait() // all of them follow the life that has just been cancelled
	var err error
	if s := l.current(); s != nil {
		err = j.endServer(ctx, s)
	}
	j.forget(l)
	j.report(Status{Phase: Stopped})
	return err
}

// forget makes way for another Start.
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
	l.running.Go(func() { j.keepLease(ctx) })
	srv := j.adopt(ctx)
	if srv == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		warm, err := j.prepare(ctx)
		if err != nil {
			return nil, err
		}
		if srv, err = j.firstLaunch(ctx, warm); err != nil {
			return nil, err
		}
	}
	l.set(srv)
	j.ready(srv)
	return srv, nil
}

// report publishes s. Since and Fraction are filled in here.
func (j *Jupyter) report(s Status) {
	j.reporting.Lock()
	defer j.reporting.Unlock()
	j.mu.Lock()
	s.Since = time.Now()
	if old := j.status; old.Phase == s.Phase {
		s.Since = old.Since
	}
	switch s.Phase {
	case Ready:
		s.Fraction = 1
	case Installing, Starting:
		s.Fraction = max(s.Fraction, j.status.Fraction)
	case Searching, Failed, Stopped:
	}
	changed := s.Phase != j.status.Phase || s.Detail != j.status.Detail || s.Fraction != j.status.Fraction
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
	return layout{
		root: root,
		env:  filepath.Join(root, "env"),
		uv:   filepath.Join(root, "uv"),
		log:  filepath.Join(dataDir, "logs", "jupyter.log"),
	}
}

func (d layout) file(name string) string { return filepath.Join(d.root, name) }
func (d layout) runtime() string         { return d.file("runtime") }

// make creates the directories: only the user may look into them.
func (d layout) make(rootDir string) error {
	for _, dir := range []string{d.root, d.file("config"), d.file("data"), d.runtime(), d.file("ipython"), filepath.Dir(d.log)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return os.MkdirAll(rootDir, 0o755) //nolint:gosec // the user's own working directory, as mkdir makes it
}
