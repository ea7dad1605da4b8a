package managed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"easel/jupyter"
)

// A supervisor runs one server: it starts it or takes it over, renews its lease, restarts it
// if it dies, and ends it.
type supervisor struct {
	cfg      *Config
	files    serverFiles
	reporter *reporter
	how      func() (invocation, error)
	pause    time.Duration // before the first restart of a server that died

	mu   sync.Mutex
	life *life // nil when stopped
}

// An invocation says how to start a server.
type invocation struct {
	env     string   // directory of the environment
	program string   // serve.py
	environ []string // environment variables
	dir     string   // working directory of the process
	name    string   // of the project; "" for the main server
	project *projectSettings
}

// A life is what one start begins and one stop ends.
type life struct {
	cancel  context.CancelFunc
	running sync.WaitGroup // the goroutines of this life

	mu     sync.Mutex
	server *server // the newest; nil before the first
}

func newSupervisor(cfg *Config, files serverFiles, r *reporter, how func() (invocation, error)) *supervisor {
	return &supervisor{cfg: cfg, files: files, reporter: r, how: how, pause: firstPause}
}

// ErrStarted is returned by Start when the Jupyter is started already.
var ErrStarted = errors.New("the managed Jupyter is started already")

// start brings a server up and then watches it until stop. beside, which may be nil, then
// runs until stop, too. ctx applies only to start itself.
func (v *supervisor) start(ctx context.Context, bringUp func(context.Context) (*server, error),
	beside func(context.Context),
) (*jupyter.Server, error) {
	living, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &life{cancel: cancel}
	v.mu.Lock()
	if v.life != nil {
		v.mu.Unlock()
		cancel()
		return nil, ErrStarted
	}
	v.life = l
	l.running.Add(1) // for start itself, so that stop waits for it
	v.mu.Unlock()
	defer l.running.Done()

	unbind := context.AfterFunc(ctx, cancel)
	srv, err := v.begin(living, l, bringUp)
	if !unbind() && err == nil { // ctx ended at the last moment
		if err = context.Cause(ctx); !srv.adopted { // another one is for the next Easel, with its kernels
			err = errors.Join(err, v.endServer(context.WithoutCancel(ctx), srv))
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("starting Jupyter: %w", context.Cause(ctx))
		}
		cancel()
		v.forget(l)
		v.reporter.failed(err)
		return nil, err
	}
	l.running.Go(func() { v.watch(living, l, srv) })
	if beside != nil {
		l.running.Go(func() { beside(living) })
	}
	return srv.client, nil
}

// begin holds the lease while bringUp works.
func (v *supervisor) begin(ctx context.Context, l *life, bringUp func(context.Context) (*server, error)) (*server, error) {
	v.reporter.report(Status{Phase: Searching, Detail: "Looking for a running Jupyter"})
	if err := errors.Join(v.files.make(), v.files.renew()); err != nil {
		return nil, explain(err, "")
	}
	l.running.Go(func() { v.keepLease(ctx) })
	srv, err := bringUp(ctx)
	if err != nil {
		return nil, err
	}
	l.set(srv)
	v.reporter.ready(srv)
	return srv, nil
}

// client returns the client of the running server, or nil if there is none.
func (v *supervisor) client() *jupyter.Server {
	v.mu.Lock()
	l := v.life
	v.mu.Unlock()
	if st, _ := v.reporter.current(); l == nil || st.Phase != Ready {
		return nil
	}
	if s := l.current(); s != nil {
		return s.client
	}
	return nil
}

// stop ends what start began.
func (v *supervisor) stop(ctx context.Context) error {
	v.mu.Lock()
	l := v.life
	v.mu.Unlock()
	if l == nil {
		return nil
	}
	l.cancel()
	l.running.Wait() // all of them depend on the life that has just been cancelled
	var err error
	if s := l.current(); s != nil {
		err = v.endServer(ctx, s)
	}
	v.forget(l)
	v.reporter.report(Status{Phase: Stopped})
	return err
}

// forget allows another start.
func (v *supervisor) forget(l *life) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.life == l {
		v.life = nil
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
