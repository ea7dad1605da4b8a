package kernels

import (
	"context"
	"errors"
	"time"

	"easel/internal/wake"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
)

// New returns a manager without servers. Close it after use.
func New(cfg Config) *Manager {
	if cfg.Timeout == nil {
		cfg.Timeout = func() time.Duration { return time.Hour }
	}
	times := defaultTiming()
	m := &Manager{
		cfg: &cfg, timing: &times, tasks: tasks.New(), began: time.Now(),
		executions: execution.NewRegistry(), recorders: newRecorderRegistry(),
	}
	m.keptFigures = keptFigures{m.recorders, cfg.On.Ending}
	m.starts = startLimit{cfg.Starts, m.recorders, cfg.Library.Sessions, m.began}
	m.Servers = servers.NewList(m.serverEvents())
	m.env = &record.Environment{
		Library: cfg.Library, Log: cfg.Log, Tasks: m.tasks, Servers: m.Servers, Executions: m.executions,
		Gate: cfg.Gate, Asker: cfg.Asker, Input: cfg.Input,
		OnExecution: cfg.On.Execution, OnSession: cfg.On.Session, OnKeeping: cfg.On.Keeping, Forget: m.forget,
		Draw: cfg.Draw, DrawText: cfg.DrawText, Fonts: cfg.Fonts,
		Figures: inspect.FigureKeeper{Wanted: cfg.Figures, Sources: cfg.FigureKeeper},
		Timing:  record.DefaultTiming(), Others: record.DefaultOthersLimits(),
	}
	m.notebooks.list = m.Sessions
	m.background = pool.Background{Tasks: m.tasks, Log: cfg.Log, Starts: &pool.Starts{}}
	m.Hidden = pool.NewHiddenKernels(m.background, m.Servers, cfg.HiddenFile, func() time.Duration { return m.timing.fallback })
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
		library: cfg.Library, log: cfg.Log, tasks: m.tasks, timing: &m.env.Timing, executions: m.executions,
		servers: m.Servers, survey: &m.survey, join: m.join, ended: cfg.On.Execution,
	}
	m.Unused = pool.NewSweeper(cfg.Unused, m.unused, cfg.Connected)
	m.tasks.Go(func() { m.Unused.Run(m.tasks.Context()) })
	m.tasks.Go(m.reconsiderAll)
	return m
}

// reconsiderAll makes the recorders reconsider what waits, whenever what the user allows has
// changed. It returns when m.tasks.Context() is done.
func (m *Manager) reconsiderAll() {
	changed := wake.New()
	stop := m.cfg.Gate.OnChange(changed.Notify)
	defer stop()
	for {
		select {
		case <-changed:
		case <-m.tasks.Context().Done():
			return
		}
		for _, r := range m.recorders.all() {
			m.tasks.Go(func() { r.Reconsider() }) // each by itself: one may be waiting for the disk
		}
	}
}
