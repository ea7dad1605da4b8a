// Package kernels drives the kernels of one or more Jupyter servers: it knows the
// servers, starts and joins sessions, runs code in their order, and records
// everything that a kernel says, whoever asked it to.
//
// An execution belongs to the [Manager], not to the call that started it. A caller may
// stop waiting at any time; the execution continues.
//
// # Goroutines
//
// Each joined kernel has one recorder, which owns the kernel's queue, its current
// execution and its displays, and one pump, which feeds the recorder what came
// from the websocket. Methods of Manager run on their caller's goroutine and talk
// to a recorder by handing it a function. Probes, interrupts and timers run on
// goroutines of their own and report back the same way. All of them end with Close.
package kernels

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
)

// Errors of a Manager, beside those of package jupyter and the context's.
var (
	ErrSessionNotFound   = errors.New("no such session")
	ErrExecutionNotFound = errors.New("no such execution")
	ErrServerNotFound    = errors.New("no such server")
	ErrNotOurs           = errors.New("the kernel was not started by Easel")
	ErrForeignRun        = errors.New("somebody else's code runs in this kernel")
	ErrClosed            = errors.New("closed")
	ErrNotPython         = errors.New("not a Python kernel")
	ErrUnlisted          = errors.New("this server does not list its kernels")
	ErrNoContents        = errors.New("this server keeps no notebooks")
)

// A NotReadyError tells that a server has not answered yet, or cannot.
type NotReadyError struct{ Health catalog.ServerHealth }

// Error tells the server, its state and how far it is.
func (e *NotReadyError) Error() string {
	return fmt.Sprintf("the Jupyter server %q is %s: %s", e.Health.Name, e.Health.State, e.Health.Message)
}

// Library is what a Manager keeps things in.
type Library interface {
	PutSession(ctx context.Context, s library.Session) error
	Session(ctx context.Context, id string) (library.Session, error)
	Sessions(ctx context.Context) ([]library.Session, error)
	AddImage(ctx context.Context, i library.NewImage) (library.Image, error)
	AddImages(ctx context.Context, is []library.NewImage) ([]library.Image, error)
	PutExecution(ctx context.Context, x library.Execution) error
	Execution(ctx context.Context, id string) (library.Execution, error)
	Executions(ctx context.Context, q library.ExecutionQuery) ([]library.Execution, error)
	OpenExecutions(ctx context.Context) ([]library.Execution, error)
	ExecutionImages(ctx context.Context, id string) ([]library.Image, error)
	AppendOutput(ctx context.Context, id, stream string, text []byte) error
	ReplaceOutput(ctx context.Context, id, stream string, text []byte) error
	ReadOutput(ctx context.Context, id, stream string, from int64, limit int) (text []byte, total int64, err error)
}

// Events are called when something happens, in order for each kernel, on the recorder's
// goroutine. None may block. Each may be nil.
type Events struct {
	Image         func(library.Image)                                  // an image was added; with a Former, as its next version
	Execution     func(change catalog.ChangeName, x catalog.Execution) // started, output, ended
	Session       func(SessionView)                                    // a live session changed, came or went
	Server        func(catalog.ServerHealth)
	ServerRemoved func(server string)         // a server is no longer known
	Unused        func(ended library.Session) // Easel ended it, as nobody used it
}

// Config is what a Manager needs.
type Config struct {
	Library Library
	Log     *slog.Logger
	On      Events
	// Timeout is the default of how long code may run.
	Timeout func() time.Duration
	// Unused is for how long nobody may use a session that Easel started before it is
	// ended; 0 or nil: for ever.
	Unused func() time.Duration
	// Connected tells which clients are connected, by their identity: their sessions are
	// not ended. Nil: none.
	Connected func(context.Context) (map[string]catalog.Connection, error)
	// PrestartFile remembers which kernel is the prestarted one, so that the next Easel
	// knows it if this one crashes; "" remembers nothing.
	PrestartFile string
	// Draw has a figure drawn that came without a picture. The channel is closed when
	// that is over; it is nil if there is nothing to draw. Drawn is told of the picture.
	// Draw may be nil: nothing is drawn.
	Draw func(library.Image) <-chan struct{}
	// DrawText reports whether tables and formulas are drawn, too. If nil, they are not.
	DrawText func() bool
	// Fonts are font files that may be advised for characters which no other font has,
	// where the kernel finds them.
	Fonts []string
}

// A Manager knows the servers and the live kernels.
type Manager struct {
	cfg    Config
	timing timing
	ctx    context.Context //nolint:containedctx // the life of the manager; Close ends it
	cancel context.CancelFunc
	began  time.Time
	tasks  sync.WaitGroup

	mu         sync.Mutex
	closed     bool
	servers    []*server
	kernels    map[string]*recorder // by kernel id
	joining    map[string]chan struct{}
	executions map[string]*Execution   // live, and the newest ended ones
	ended      []string                // ids of the latter, oldest first
	orphans    map[string][]*Execution // by kernel id: executions of an earlier Easel, until a recorder takes them

	prestart  prestart
	sweeper   *sweeper
	notebooks notebooks.Files
}

// keepEnded is how many ended executions stay in memory, so that one who asks
// at the end need not go to the disk.
const keepEnded = 64

// New makes a manager without servers.
func New(cfg Config) *Manager {
	ctx, cancel := context.WithCancel(context.Background())
	if cfg.Timeout == nil {
		cfg.Timeout = func() time.Duration { return time.Hour }
	}
	m := &Manager{
		cfg: cfg, timing: defaultTiming(), ctx: ctx, cancel: cancel, began: time.Now(),
		kernels:    make(map[string]*recorder),
		joining:    make(map[string]chan struct{}),
		executions: make(map[string]*Execution),
		prestart:   prestart{taken: make(chan struct{}, 1), leftover: leftoverPrestarted(cfg)},
	}
	m.sweeper = m.newSweeper()
	m.task(func() { m.sweeper.run(m.ctx) })
	return m
}

// Close leaves every kernel (it ends none), ends what runs as lost, and waits for
// the goroutines until ctx is done.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	m.cancel()
	done := make(chan struct{})
	go func() { // ends with the tasks, which have been cancelled
		m.tasks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("kernels: still at work: %w", context.Cause(ctx))
	}
}

// task runs f on a goroutine that Close waits for; f must end with m.ctx. It
// reports false, and runs nothing, once Close was called.
func (m *Manager) task(f func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.tasks.Go(f)
	return true
}

// Execution finds an execution that this manager ran or watched, else in the
// library.
func (m *Manager) Execution(ctx context.Context, id string) (*Execution, error) {
	if x := m.inMemory(id); x != nil {
		return x, nil
	}
	kept, err := m.cfg.Library.Execution(ctx, id)
	if errors.Is(err, library.ErrNotFound) {
		return nil, fmt.Errorf("%w: %q", ErrExecutionNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	images, err := m.cfg.Library.ExecutionImages(ctx, id)
	if err != nil {
		return nil, err
	}
	return restored(m.cfg.Library, kept, images), nil
}

func (m *Manager) inMemory(id string) *Execution {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.executions[id]
}

// disown forgets an execution that was not started.
func (m *Manager) disown(x *Execution) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.executions, x.id)
}

func (m *Manager) remember(x *Execution) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.executions[x.id] = x
}

// retire keeps an ended execution in memory until enough newer ones have ended.
func (m *Manager) retire(x *Execution) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = append(m.ended, x.id)
	for len(m.ended) > keepEnded {
		delete(m.executions, m.ended[0])
		m.ended = m.ended[1:]
	}
}

// recorderOf finds the recorder of a session by its id or its kernel's.
func (m *Manager) recorderOf(id string) *recorder {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.kernels[id]; r != nil {
		return r
	}
	for _, r := range m.kernels {
		if r.session().ID == id {
			return r
		}
	}
	return nil
}

// Live lists the joined sessions.
func (m *Manager) Live() []SessionView {
	m.mu.Lock()
	rs := make([]*recorder, 0, len(m.kernels))
	for _, r := range m.kernels {
		rs = append(rs, r)
	}
	m.mu.Unlock()
	views := make([]SessionView, len(rs))
	for i, r := range rs {
		views[i] = r.view()
	}
	return views
}

// isUnknown tells whether err means that the server has no such kernel.
func isUnknown(err error) bool { return errors.Is(err, jupyter.ErrNotFound) }
