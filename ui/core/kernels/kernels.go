// Package kernels drives the kernels of one or more Jupyter servers. It starts and joins
// sessions, runs code in order, and records all output of a kernel, including that of code by
// other clients. To join a kernel is to connect to it and to record its messages.
//
// An execution belongs to the [Manager], not to the call that started it. A caller may
// stop waiting at any time; the execution continues.
//
// The packages below this one do not know the Manager. Of one another, pool uses inspect, servers
// and tasks, survey uses servers, and record uses execution, inspect, servers, sessionuse and
// tasks.
//
// # Goroutines
//
// Methods of Manager run on their caller's goroutine. Each joined kernel has a
// [record.Recorder] with goroutines of its own. Close ends all of them.
package kernels

import (
	"context"
	"fmt"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/pool"
	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
)

// A Manager manages the joined kernels of servers.
type Manager struct {
	Servers *servers.List
	Renames servers.Renames // of notebooks
	// Hidden are the kernels for Easel's own use, and Prestarter starts one before it is needed.
	Hidden     *pool.HiddenKernels
	Prestarter *pool.Prestarter
	// Unused ends the sessions that are unused for too long.
	Unused *pool.Sweeper

	keptFigures

	cfg    *Config
	timing *timing
	began  time.Time
	tasks  *tasks.Group
	starts startLimit

	env         *record.Environment
	executions  *execution.Registry
	recorders   *recorderRegistry
	permissions oversight.Permissions
	ask         func(ctx context.Context, s catalog.Session) error // see AskBy
	recovery    *recovery

	background pool.Background
	survey     survey.Survey
	notebooks  notebookSessions
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
func (m *Manager) Live() []record.SessionView {
	rs := m.recorders.all()
	views := make([]record.SessionView, len(rs))
	for i, r := range rs {
		views[i] = r.Session.View()
	}
	return views
}

// Recover resumes the executions that an earlier run of Easel left without an end. Call it
// before running anything else.
func (m *Manager) Recover(ctx context.Context) error { return m.recovery.begin(ctx) }

// Notebooks returns the Files through which all notebooks are read and written, so that
// reads and writes of a notebook wait for each other.
func (m *Manager) Notebooks() *notebooks.Files { return &m.notebooks.files }
