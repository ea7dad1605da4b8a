package tunnel

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/jupyter"
)

// A Config configures a [Tunnel].
type Config struct {
	Address Address
	// Dir is where the tunnel makes a directory for its sockets, which it removes at its end.
	// If it is "" or its path is too long, that is the directory for temporary files.
	Dir string
	Log *slog.Logger // nil logs nothing
	// Changed is called when Status may return something else. It must not block or call
	// the tunnel. It may be nil.
	Changed func()

	program string // the ssh program, if not the one on the PATH
	tcp     bool   // forward from a port of the loopback interface instead of a socket
	tuning  tunnelTimes
}

// tunnelTimes has the times of a tunnel. Tests shorten them.
type tunnelTimes struct {
	connect time.Duration // for ssh to connect and the script to answer
	answer  time.Duration // for an answer of the script over an old connection
	doubt   time.Duration // the same, after a sign of trouble
	ping    time.Duration // between two checks of the connection
	seek    time.Duration // between two searches for a server, while none runs
	rest    time.Duration // at least between two checks because of doubts
	backoff time.Duration // before the second attempt to connect; doubles
	longest time.Duration // between later attempts
	again   time.Duration // after which a request makes a tunnel that failed try again
	lasting time.Duration // the same, if only the user can solve the problem
	stable  time.Duration // a connection that lasted this long is reopened at once
}

func defaultTuning() tunnelTimes {
	return tunnelTimes{
		connect: 45 * time.Second, answer: 20 * time.Second, doubt: 5 * time.Second, ping: 15 * time.Second,
		seek: 15 * time.Second, rest: time.Second, backoff: time.Second, longest: time.Minute,
		again: 3 * time.Second, lasting: 15 * time.Second, stable: 5 * time.Second,
	}
}

// A Tunnel is a [jupyter.Route] to a Jupyter server on another machine.
type Tunnel struct {
	cfg    Config
	script string
	ctx    context.Context //nolint:containedctx // from New to Close
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup
	begin  sync.Once
	doubts wake.Signal   // one slot: the server may not be reachable any more
	wanted chan struct{} // one slot: do not wait with the next attempt

	// Of the owner.
	dir     string
	sockets int
	current *remoteServer // the server in use, or the one that was

	mu      sync.Mutex
	now     status
	changed chan struct{} // closed when now changes
	local   net.Listener  // see Local
	conns   map[net.Conn]struct{}
}

// A status is what requests need to know.
type status struct {
	session *session // nil if there is no way to a server
	place   jupyter.Place
	note    string
	root    string    // the directory that the server serves
	trying  bool      // an attempt is being made
	err     *Error    // why there is no way
	since   time.Time // of err
}

// New returns a tunnel. It connects when it is first used. Close it after use.
func New(cfg Config) *Tunnel {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.program = cmp.Or(cfg.program, "ssh")
	cfg.tcp = cfg.tcp || runtime.GOOS == "windows" // whose ssh forwards no sockets
	if cfg.tuning == (tunnelTimes{}) {
		cfg.tuning = defaultTuning()
	}
	t := &Tunnel{
		cfg: cfg, doubts: wake.New(), wanted: make(chan struct{}, 1), changed: make(chan struct{}), conns: make(map[net.Conn]struct{}),
		now:    status{trying: true, err: cfg.Address.problem(Connecting, "")},
		script: "runtime_dir='" + strings.ReplaceAll(cfg.Address.RuntimeDir, "'", `'\''`) + "'\n" + script,
	}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// Client returns a client of the server to which the tunnel leads. A token takes precedence
// over the one in the server's runtime file.
func (t *Tunnel) Client(token string, opts ...jupyter.Option) *jupyter.Server {
	return jupyter.NewByRoute(t.cfg.Address.URL(), token, t, append(opts, jupyter.WithRoot(t.root))...)
}

// Close ends the connection and waits for the goroutines.
func (t *Tunnel) Close() error {
	t.mu.Lock()
	t.cancel(ErrClosed)
	if t.local != nil {
		_ = t.local.Close()
	}
	for conn := range t.conns {
		_ = conn.Close()
	}
	t.mu.Unlock()
	t.tasks.Wait()
	return nil
}

// start starts the owner with the first request.
func (t *Tunnel) start() {
	t.begin.Do(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.ctx.Err() == nil {
			t.tasks.Go(t.run)
		}
	})
}

// Reach implements [jupyter.Route]. The error is an *Error, unless the tunnel was closed or
// the caller cancelled.
func (t *Tunnel) Reach(ctx context.Context) (jupyter.Place, error) {
	now, err := t.await(ctx)
	return now.place, err
}

// await waits while an attempt to connect is being made.
func (t *Tunnel) await(ctx context.Context) (status, error) {
	t.start()
	t.want()
	for {
		t.mu.Lock()
		now, changed := t.now, t.changed
		t.mu.Unlock()
		switch {
		case t.ctx.Err() != nil:
			return now, ErrClosed
		case now.session != nil:
			return now, nil
		case !now.trying:
			return now, now.err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return now, now.err
			}
			return now, context.Cause(ctx)
		case <-t.ctx.Done():
		}
	}
}

// want makes a tunnel that has failed try again, unless it did a moment ago.
func (t *Tunnel) want() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.trying || t.now.session != nil || t.now.err == nil {
		return
	}
	pause := t.cfg.tuning.again
	if t.now.err.lasting() {
		pause = t.cfg.tuning.lasting
	}
	if time.Since(t.now.since) < pause {
		return
	}
	select {
	case t.wanted <- struct{}{}:
		t.now.trying = true
	default:
	}
}

// Dial implements [jupyter.Route].
func (t *Tunnel) Dial(ctx context.Context) (net.Conn, error) {
	now, err := t.await(ctx)
	if err != nil {
		return nil, err
	}
	return now.session.dial(ctx)
}

// Doubt implements [jupyter.Route].
func (t *Tunnel) Doubt() {
	t.doubts.Notify()
}

// Note implements [jupyter.Route].
func (t *Tunnel) Note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now.note
}

// root returns the directory that the server serves on its machine, or "" if it is not known.
func (t *Tunnel) root() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now.root
}

// set publishes a status.
func (t *Tunnel) set(now status) {
	now.since = time.Now()
	t.mu.Lock()
	t.now = now
	close(t.changed)
	t.changed = make(chan struct{})
	t.mu.Unlock()
	if t.cfg.Changed != nil {
		t.cfg.Changed()
	}
}

// fail publishes why there is no way to a server.
func (t *Tunnel) fail(err error, trying bool) {
	e, ok := errors.AsType[*Error](err)
	switch {
	case errors.Is(err, errMoved):
		e = t.cfg.Address.problem(Connecting, "")
	case !ok:
		e = t.cfg.Address.problem(Failed, err.Error())
	}
	t.cfg.Log.Info("no way to a Jupyter server", "address", t.cfg.Address.String(), "problem", e.Problem, "err", e)
	t.set(status{err: e, trying: trying})
}

// maxDir is the maximum length of Dir: a socket's path has at most 104 bytes on all systems,
// and ssh appends to it while it binds.
const maxDir = 104 - 20 - len("/tunnel-1234567890/1234")

// makeDir makes the directory of the sockets.
func (t *Tunnel) makeDir() (err error) {
	in := t.cfg.Dir
	if len(in) > maxDir || strings.ContainsAny(in, ":%$~") { // which ssh interprets
		in = ""
	}
	if in != "" {
		if err := os.MkdirAll(in, 0o700); err != nil {
			return err
		}
	}
	t.dir, err = os.MkdirTemp(in, "tunnel-")
	return err
}
