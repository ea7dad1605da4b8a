package tunnel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

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
	tuning  tuning
}

// tuning has the times of a tunnel. Tests shorten them.
type tuning struct {
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

func defaultTuning() tuning {
	return tuning{
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
	doubts chan struct{} // one slot: the server may not be reachable any more
	wanted chan struct{} // one slot: do not wait with the next attempt

	// Of the owner.
	dir     string
	sockets int
	current *found // the server in use, or the one that was

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
	if cfg.tuning == (tuning{}) {
		cfg.tuning = defaultTuning()
	}
	t := &Tunnel{
		cfg: cfg, doubts: make(chan struct{}, 1), wanted: make(chan struct{}, 1), changed: make(chan struct{}), conns: make(map[net.Conn]struct{}),
		now:    status{trying: true, err: cfg.Address.problem(Connecting, "")},
		script: "runtime_dir='" + strings.ReplaceAll(cfg.Address.RuntimeDir, "'", `'\''`) + "'\n" + script,
	}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// Client returns a client of the server to which the tunnel leads. A token takes precedence
// over the one in the server's runtime file.
func (t *Tunnel) Client(token string, opts ...jupyter.Option) *jupyter.Server {
	return jupyter.NewByRoute(t.cfg.Address.URL(), token, t, opts...)
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
	select {
	case t.doubts <- struct{}{}:
	default:
	}
}

// Note implements [jupyter.Route].
func (t *Tunnel) Note() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now.note
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

// run keeps the connection open until Close.
func (t *Tunnel) run() {
	runtime.LockOSThread() // see own
	if err := t.makeDir(); err != nil {
		t.fail(fmt.Errorf("no directory for sockets: %w", err), false)
		<-t.ctx.Done()
		return
	}
	defer os.RemoveAll(t.dir) //nolint:errcheck // it has only sockets
	retry := t.cfg.tuning.backoff
	for t.ctx.Err() == nil {
		s, err := t.connect()
		if err == nil {
			began := time.Now()
			err = t.serve(s)
			s.close()
			if t.ctx.Err() != nil {
				break
			}
			t.fail(err, true)
			if time.Since(began) >= t.cfg.tuning.stable || errors.Is(err, errMoved) {
				retry = t.cfg.tuning.backoff
				continue
			}
		}
		if t.ctx.Err() != nil {
			break
		}
		t.fail(err, false)
		select {
		case <-time.After(retry):
		case <-t.wanted:
		case <-t.ctx.Done():
		}
		retry = min(2*retry, t.cfg.tuning.longest)
		t.retrying()
	}
	t.set(status{err: t.cfg.Address.problem(Lost, "")})
}

// retrying makes requests wait for the attempt that begins.
func (t *Tunnel) retrying() {
	select {
	case <-t.wanted: // no second one
	default:
	}
	t.mu.Lock()
	t.now.trying = true
	t.mu.Unlock()
}

// connect opens a session that forwards to a server. If none runs, it waits for one.
func (t *Tunnel) connect() (*session, error) {
	to := t.current // it probably still runs at the same port
	var dead []found
	for {
		s, err := t.launch(to)
		if err != nil {
			return nil, err
		}
		all, err := s.list(t.ctx, t.cfg.tuning.connect)
		if err != nil {
			s.close()
			return nil, t.explain(s, err, TimedOut, NoShell)
		}
		chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, dead)
		if !ok {
			dead = nil
			if chosen, err = t.seek(s); err != nil {
				s.close()
				return nil, err
			}
		}
		t.current = &chosen
		if to == nil || to.destination() != chosen.destination() {
			s.close()
			to = &chosen
			continue
		}
		if !s.answers(t.ctx, chosen, t.cfg.tuning.doubt) {
			prohibited := strings.Contains(s.stderr.String(), "administratively prohibited")
			s.close()
			switch {
			case t.ctx.Err() != nil:
				return nil, context.Cause(t.ctx)
			case prohibited:
				return nil, t.cfg.Address.problem(NoForwarding, "")
			}
			dead, to, t.current = append(dead, chosen), nil, nil
			continue
		}
		t.publish(s, chosen, all)
		return s, nil
	}
}

// publish makes a session and its server available.
func (t *Tunnel) publish(s *session, chosen found, all []found) {
	note := t.cfg.Address.note(all, chosen)
	t.cfg.Log.Info("connected to a Jupyter server by ssh", "address", t.cfg.Address.String(), "there", chosen.URL, "root_dir", chosen.RootDir, "note", note)
	t.set(status{session: s, place: chosen.place, note: note})
}

// explain returns the error for a session that does not answer, or has ended, perhaps without
// a word.
func (t *Tunnel) explain(s *session, err error, silent, mute Problem) error {
	switch {
	case t.ctx.Err() != nil:
		return context.Cause(t.ctx)
	case errors.Is(err, errSilent):
		return t.cfg.Address.problem(silent, "")
	default:
		return t.cfg.Address.explained(s.stderr.String(), mute)
	}
}

// seek waits until a server runs on the other machine.
func (t *Tunnel) seek(s *session) (found, error) {
	t.fail(t.cfg.Address.problem(NoServer, ""), false)
	tick := time.NewTicker(t.cfg.tuning.seek)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.wanted:
		case _, ok := <-s.lines:
			if !ok {
				return found{}, t.explain(s, errEnded, Lost, Lost)
			}
			continue
		case <-t.ctx.Done():
			return found{}, context.Cause(t.ctx)
		}
		all, err := s.list(t.ctx, t.cfg.tuning.answer)
		if err != nil {
			return found{}, t.explain(s, err, Lost, Lost)
		}
		if chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, nil); ok {
			t.retrying()
			return chosen, nil
		}
		t.settle()
	}
}

// settle ends an attempt that changed nothing.
func (t *Tunnel) settle() {
	t.mu.Lock()
	now := t.now
	t.mu.Unlock()
	if now.trying {
		now.trying = false
		t.set(now)
	}
}

var (
	errEnded = errors.New("ssh has ended")
	errMoved = errors.New("the server runs at another port now")
)

// serve watches a session until it has to be replaced, and returns why.
func (t *Tunnel) serve(s *session) error {
	tick := time.NewTicker(t.cfg.tuning.ping / 5)
	defer tick.Stop()
	doubts := t.doubts
	var rested <-chan time.Time
	answered, last := time.Now(), time.Now()
	for {
		limit, request := t.cfg.tuning.answer, "ping"
		select {
		case _, ok := <-s.lines:
			if !ok {
				return t.explain(s, errEnded, Lost, Lost)
			}
			continue
		case <-rested:
			doubts, rested = t.doubts, nil
			continue
		case <-doubts:
			limit, request = t.cfg.tuning.doubt, "list"
			doubts, rested = nil, time.After(t.cfg.tuning.rest)
		case <-tick.C:
			former := last
			last = time.Now()
			if slept(former, last) {
				limit = t.cfg.tuning.doubt
			} else if last.Sub(answered) < t.cfg.tuning.ping {
				continue
			}
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
		lines, err := s.ask(t.ctx, request, limit)
		if err != nil {
			return t.explain(s, err, Lost, Lost)
		}
		answered = time.Now()
		if request == "list" {
			if err := t.review(s, parseList(lines)); err != nil {
				return err
			}
		}
	}
}

// review handles a list of the servers that run now. The error is errMoved if the session
// forwards to none of them.
func (t *Tunnel) review(s *session, all []found) error {
	former := *t.current
	chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, nil)
	if !ok {
		var err error
		if chosen, err = t.seek(s); err != nil {
			return err
		}
	}
	t.current = &chosen
	switch {
	case chosen.destination() != former.destination():
		return errMoved
	case !chosen.is(former) || !ok:
		t.publish(s, chosen, all) // it was started again at the same port
	}
	return nil
}

// slept reports whether the machine slept between two times: the wall clock advanced and
// the monotonic clock did not.
func slept(from, to time.Time) bool {
	return to.Round(0).Sub(from.Round(0))-to.Sub(from) > 5*time.Second
}
