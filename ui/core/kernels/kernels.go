// Package kernels drives the kernels of one or more Jupyter servers. It starts and joins
// sessions, runs code in order, and records all output of a kernel, including that of code by
// other clients. To join a kernel is to connect to it and to record its messages.
//
// An execution belongs to the [Manager], not to the call that started it. A caller may
// stop waiting at any time; the execution continues.
//
// The packages below this one know neither the Manager nor each other, but pool uses inspect,
// servers and tasks, and survey uses servers.
//
// # Goroutines
//
// Each joined kernel has two goroutines: the recorder, which owns the kernel's queue, its
// current execution and its displays, and the pump, which passes messages from the
// connection to the recorder. Methods of Manager run on their caller's goroutine and pass
// functions to the recorder. Probes, interrupts and timers have their own goroutines and
// report back in the same way. Close ends all of them.
package kernels

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// Errors of a Manager, in addition to those of package jupyter and of contexts.
var (
	ErrSessionNotFound   = errors.New("no such session")
	ErrNotJoined         = errors.New("not connected to this session")
	ErrExecutionNotFound = errors.New("no such execution")
	ErrNotOurs           = errors.New("the kernel was not started by Easel")
	ErrForeignRun        = errors.New("another client's code is running in this kernel")
	ErrNoContents        = errors.New("this server has no notebooks")
)

// Events are callbacks. Those about one kernel are called in order; those about different
// kernels and servers may be called concurrently. None may block. Each may be nil.
type Events struct {
	Image         func(library.Image)                                  // an image was added; if Former is set, as its new version
	Execution     func(change catalog.ChangeName, x catalog.Execution) // started, had output, or ended
	Session       func(SessionView)                                    // a live session was added, changed or removed
	Server        func(catalog.ServerHealth)
	ServerRemoved func(server string)         // a server was removed, by name
	Unused        func(ended library.Session) // Easel ended an unused session
}

// Config configures a Manager.
type Config struct {
	Library *library.Library
	Log     *slog.Logger
	On      Events
	// Timeout returns the default timeout of code. If nil, it is one hour.
	Timeout func() time.Duration
	// Unused returns how long a session that Easel started may be unused before it is
	// ended. If it is nil or returns 0, sessions are not ended.
	Unused func() time.Duration
	// Connected returns the connected clients by identity. Their sessions are not ended.
	// If nil, no client counts as connected.
	Connected func(context.Context) (map[string]catalog.Connection, error)
	// PrestartFile is the file that stores the id of the prestarted kernel, so that Easel
	// can end that kernel after a crash. If empty, the id is not stored.
	PrestartFile string
	// HiddenFile is the file that stores the ids of the hidden kernels, for the same purpose.
	HiddenFile string
	// Draw draws a figure that arrived without a picture, in the background. It returns a
	// channel that is closed when it has finished, or nil if there is nothing to draw.
	// Pass the resulting image to Manager.Drawn. If Draw is nil, nothing is drawn.
	Draw func(library.Image) <-chan struct{}
	// DrawText reports whether tables and formulas are drawn, too. If nil, they are not.
	DrawText func() bool
	// Figures reports whether the kernels of the managed server, or of others, keep the
	// figures that they display, so that DrawFigure can draw them again. If nil, kernels
	// are left as they are.
	Figures func(managed bool) bool
	// FigureKeeper are the sources of the Python modules that keep them, by name.
	FigureKeeper map[string]string
	// ListLocal reports whether the kernels of [servers.List.AddLocal] are listed. Those that are
	// joined stay joined. If nil, they are.
	ListLocal func() bool
	// Gate decides whether code may be sent, right before it is sent. If it is nil, only the
	// user's code is sent.
	Gate *oversight.Gate
	// Permit asks the user whether Easel may connect to a kernel that no Jupyter server
	// runs, for the caller in ctx, and waits for the answer. If nil, it may not.
	Permit func(ctx context.Context, s catalog.Session) error
	// Fonts are font files to suggest for characters that no other font has, if the
	// kernel can read them.
	Fonts []string
}

// A Manager manages the joined kernels of servers.
type Manager struct {
	Servers *servers.List
	Renames servers.Renames // of notebooks
	// Hidden are the kernels for Easel's own use, and Prestarter starts one before it is needed.
	Hidden     *pool.HiddenKernels
	Prestarter *pool.Prestarter
	// Unused ends the sessions that are unused for too long.
	Unused *pool.Sweeper

	cfg    *Config
	timing *timing
	began  time.Time
	tasks  *tasks.Group

	env         *environment
	executions  *executionRegistry
	recorders   *recorderRegistry
	permissions permissions
	recovery    *recovery

	background pool.Background
	survey     survey.Survey
	notebooks  notebookSessions
}

// New returns a manager without servers. Close it after use.
func New(cfg Config) *Manager {
	if cfg.Timeout == nil {
		cfg.Timeout = func() time.Duration { return time.Hour }
	}
	times, others := defaultTiming(), defaultOthersLimits()
	m := &Manager{
		cfg: &cfg, timing: &times, tasks: tasks.New(), began: time.Now(),
		executions: newExecutionRegistry(), recorders: newRecorderRegistry(),
	}
	m.Servers = servers.NewList(m.serverEvents())
	m.env = &environment{
		cfg: m.cfg, timing: m.timing, others: &others, tasks: m.tasks, servers: m.Servers, executions: m.executions, forget: m.forget,
	}
	m.notebooks.list = m.Sessions
	m.background = pool.Background{Tasks: m.tasks, Log: cfg.Log}
	m.Hidden = pool.NewHiddenKernels(m.background, m.Servers, cfg.HiddenFile)
	m.Prestarter = pool.NewPrestarter(m.background, m.Servers, cfg.PrestartFile, func(id string) bool {
		_, err := cfg.Library.Sessions.Get(context.Background(), id)
		return !errors.Is(err, library.ErrNotFound)
	})
	m.survey = survey.Survey{
		Log: cfg.Log, Sessions: m.Sessions, Hidden: m.Hidden.Contains, ListLocal: cfg.ListLocal,
		Kept:   func(ctx context.Context) ([]library.Session, error) { return cfg.Library.Sessions.All(ctx) },
		Joined: func(kernelID string) bool { return m.recorders.find(kernelID) != nil },
	}
	if cfg.ListLocal == nil {
		m.survey.ListLocal = func() bool { return true }
	}
	m.recovery = &recovery{
		library: cfg.Library, log: cfg.Log, tasks: m.tasks, timing: m.timing, executions: m.executions,
		servers: m.Servers, survey: &m.survey, join: m.join, ended: cfg.On.Execution,
	}
	m.Unused = pool.NewSweeper(cfg.Unused, m.unused, cfg.Connected)
	m.tasks.Go(func() { m.Unused.Run(m.tasks.Context()) })
	m.tasks.Go(m.reconsiderAll)
	return m
}

// Close disconnects from all kernels, without ending them, and waits for the goroutines
// until ctx ends. Running code on a managed server, which ends with Easel, ends as lost. On
// other servers, it continues, and Recover resumes its execution.
func (m *Manager) Close(ctx context.Context) error {
	if err := m.tasks.Close(ctx); err != nil {
		return fmt.Errorf("kernels: %w", err)
	}
	return nil
}

// Live returns the joined sessions, in no particular order.
func (m *Manager) Live() []SessionView {
	rs := m.recorders.all()
	views := make([]SessionView, len(rs))
	for i, r := range rs {
		views[i] = r.view()
	}
	return views
}

// isUnknown reports whether err means that the server does not have a kernel or another
// resource.
func isUnknown(err error) bool { return errors.Is(err, jupyter.ErrNotFound) }

// reconsiderAll makes the recorders reconsider what waits, whenever what the user allows has
// changed. It returns when m.tasks.Context() is done.
func (m *Manager) reconsiderAll() {
	changed := make(chan struct{}, 1)
	stop := m.cfg.Gate.OnChange(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer stop()
	for {
		select {
		case <-changed:
		case <-m.tasks.Context().Done():
			return
		}
		for _, r := range m.recorders.all() {
			m.tasks.Go(func() { r.post(r.reconsider) }) // each by itself: one may be waiting for the disk
		}
	}
}
