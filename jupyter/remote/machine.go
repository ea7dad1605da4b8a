package remote

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/jupyter/overlay"
	"easel/jupyter/project"
	"easel/jupyter/tunnel"
)

// Config configures a [Machine].
type Config struct {
	Address  tunnel.Address // of the machine, without a path
	Owner    string         // identifies this Easel there, so that each has servers of its own
	Programs Programs
	Sockets  string // directory for the sockets of tunnels
	// Packages returns how packages are downloaded here for a machine without a network. May be
	// nil.
	Packages func() managed.Config
	Log      *slog.Logger     // nil discards
	Options  []jupyter.Option // of the clients of servers there
}

// A Machine is another machine with projects. It connects when it is first used. Close it after
// use.
type Machine struct {
	cfg    Config
	ctx    context.Context //nolint:containedctx // from New to Close
	cancel context.CancelCauseFunc
	tasks  sync.WaitGroup
	begin  sync.Once
	wanted chan struct{} // one slot: connect

	mu      sync.Mutex
	now     state
	changed chan struct{} // closed when now changes
	hosts   []*Host       // those whose servers run
}

// A state is what requests need to know of the connection.
type state struct {
	connection *connection // nil if there is none
	step       Step        // while connecting
	trying     bool
	err        error     // why there is none
	failed     time.Time // when the attempt failed
}

// seldom is when a machine is connected again after another connection of this Easel has displaced its
// own: the user has two names for it. A request does so at once. Until then, the leases last.
const seldom = time.Hour

// again is how long a machine that could not be reached is not tried again.
const again = 3 * time.Second

// New returns a machine to which there is no connection yet.
func New(cfg Config) *Machine {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	m := &Machine{cfg: cfg, wanted: make(chan struct{}, 1), changed: make(chan struct{})}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	return m
}

// Address is the machine's address.
func (m *Machine) Address() tunnel.Address { return m.cfg.Address }

// Close ends the connection. The servers there run on until their leases end; stop them first.
func (m *Machine) Close() {
	m.cancel(tunnel.ErrClosed)
	m.tasks.Wait()
}

// run keeps the machine connected while it has servers, until Close.
func (m *Machine) run() {
	runtime.LockOSThread() // see tunnel.Address.Start
	const shortest, longest = time.Second, time.Minute
	pause, displaced := shortest, false
	for {
		var retry <-chan time.Time
		switch {
		case len(m.running()) > 0 && displaced:
			retry = time.After(seldom)
		case len(m.running()) > 0:
			retry = time.After(pause)
		}
		select {
		case <-m.wanted:
		case <-retry:
		case <-m.ctx.Done():
			return
		}
		m.set(state{trying: true})
		began, failed := time.Now(), time.Now()
		c, err := connect(m.ctx, m.cfg, func(s Step) { m.set(state{trying: true, step: s}) })
		if err == nil {
			err = m.use(c)
			failed = time.Time{} // a request may try again at once
		}
		e, ok := errors.AsType[*Error](err)
		displaced = ok && e.Kind == Displaced
		if m.ctx.Err() != nil {
			m.set(state{err: context.Cause(m.ctx)})
			return
		}
		m.cfg.Log.Info("no connection to Easel's program on another machine", "address", m.cfg.Address.String(), "err", err)
		m.set(state{err: err, failed: failed})
		if pause = min(2*pause, longest); time.Since(began) > longest {
			pause = shortest
		}
	}
}

// use lets requests use a connection until it ends.
func (m *Machine) use(c *connection) error {
	defer c.close()
	m.cfg.Log.Info("connected to Easel's program on another machine", "address", m.cfg.Address.String())
	c.tasks.Go(func() { c.check(15*time.Second, 30*time.Second) })
	c.tasks.Go(func() { // the agent is another one now
		for _, h := range m.running() {
			h.resume(c)
		}
	})
	m.set(state{connection: c})
	return c.serve(m.ctx)
}

func (m *Machine) set(s state) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = s
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *Machine) running() []*Host {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.hosts)
}

// await returns the connection. It waits while the machine is being connected, and tells how far
// that is.
func (m *Machine) await(ctx context.Context, tell func(Step)) (*connection, error) {
	m.begin.Do(func() { m.tasks.Go(m.run) })
	m.mu.Lock()
	if now := m.now; now.connection == nil && !now.trying && time.Since(now.failed) >= again {
		select {
		case m.wanted <- struct{}{}:
			m.now = state{trying: true}
		default:
		}
	}
	m.mu.Unlock()
	for {
		m.mu.Lock()
		now, changed := m.now, m.changed
		m.mu.Unlock()
		switch {
		case m.ctx.Err() != nil:
			return nil, context.Cause(m.ctx)
		case now.connection != nil:
			return now.connection, nil
		case now.err != nil && !now.trying:
			return nil, now.err
		}
		if tell != nil && now.step.Text != "" {
			tell(now.step)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.ctx.Done():
		}
	}
}

// call asks the agent. A connection that turns out to be broken is opened again, once.
func (m *Machine) call(ctx context.Context, method string, in, out any, tell func(Step)) error {
	for first := true; ; first = false {
		c, err := m.await(ctx, tell)
		if err != nil {
			return err
		}
		if err = c.call(ctx, method, in, out, tell); !errors.Is(err, errBroken) {
			return err
		}
		if !first {
			return m.cfg.Address.Lost()
		}
		m.ended(ctx, c)
	}
}

// ended waits until a broken connection is not used any more.
func (m *Machine) ended(ctx context.Context, c *connection) {
	for {
		m.mu.Lock()
		now, changed := m.now, m.changed
		m.mu.Unlock()
		if now.connection != c {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Find returns the project that a directory there belongs to. The directory may begin with ~.
func (m *Machine) Find(ctx context.Context, dir string, tell func(Step)) (l Location, err error) {
	return l, m.call(ctx, methodFind, dir, &l, tell)
}

// Environments returns the environments of a project, for work in one of its directories.
func (m *Machine) Environments(ctx context.Context, p project.Project, dir string) (Environments, error) {
	var found environmentList
	err := m.call(ctx, methodEnvironments, search{p, dir}, &found, nil)
	if err != nil || len(found.Why) != len(found.All) || len(found.Broken) != len(found.All) {
		return Environments{}, err
	}
	return found.whole(), nil
}

// Prepare makes an interpreter there able to run a kernel; see [overlay.Maker.Prepare].
func (m *Machine) Prepare(ctx context.Context, python string, tell func(Step)) (k overlay.Kernel, err error) {
	return k, m.call(ctx, methodPrepare, python, &k, tell)
}
