package kernels

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/survey"
)

// Recover resumes the executions that an earlier run of Easel left without an end. Call it
// before running anything else. Executions that were not sent to a kernel end. The others
// are orphaned: the code may still run, or the server may have buffered its end. They count
// as running until this is known, and as lost once it can no longer be known.
func (m *Manager) Recover(ctx context.Context) error {
	open, err := m.cfg.Library.OpenExecutions(ctx)
	if err != nil {
		return err
	}
	left := make(map[string][]*Execution)
	for _, rec := range open {
		if rec.Request == "" {
			why := causeUnsent
			rec.Status, rec.EndedAt, rec.Hint = why.status, time.Now().UTC(), why.hint
			rec.Error = &catalog.ExecutionError{Code: why.code, Message: why.message}
			if err := m.cfg.Library.PutExecution(ctx, rec); err != nil {
				return err
			}
			continue
		}
		rec.Status = catalog.StatusRunning
		rec.StartedAt = cmp.Or(rec.StartedAt, rec.SentAt, rec.CreatedAt) // the start is stored together with the end only
		images, err := m.cfg.Library.ExecutionImages(ctx, rec.ID)
		if err != nil {
			return err
		}
		x := restored(m.cfg.Library, rec, images)
		x.doubt = hintSeeking
		m.remember(x)
		left[rec.KernelID] = append(left[rec.KernelID], x)
	}
	if len(open) > 0 {
		m.cfg.Log.InfoContext(ctx, "found unfinished executions of an earlier run", "n", len(open), "kernels", len(left))
	}
	m.mu.Lock()
	m.orphans = left
	m.mu.Unlock()
	if len(left) > 0 {
		m.tasks.Go(m.seekOrphans)
	}
	return nil
}

// takeOrphans returns the orphaned executions of a kernel and removes them from m.orphans.
// The caller must resume or end them.
func (m *Manager) takeOrphans(kernelID string) []*Execution {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := m.orphans[kernelID]
	delete(m.orphans, kernelID)
	return left
}

// orphansByServer returns the ids of kernels with orphaned executions, by server name. The
// name is "" if it is unknown.
func (m *Manager) orphansByServer() map[string][]string {
	m.mu.Lock()
	sessions := make(map[string]string, len(m.orphans))
	for kernel, xs := range m.orphans {
		sessions[kernel] = xs[0].record().SessionID
	}
	m.mu.Unlock()
	by := make(map[string][]string)
	for kernel, id := range sessions {
		sess, _ := m.cfg.Library.Session(m.tasks.Context(), id) // if this fails, the server is unknown
		by[sess.Server] = append(by[sess.Server], kernel)
	}
	return by
}

// seekOrphans looks for the kernels with orphaned executions until none is left, or until
// timing.runAbsence has passed and it ends the rest as lost. Restore covers servers that
// respond at startup; this covers servers that respond later or intermittently.
func (m *Manager) seekOrphans() {
	tick := time.NewTicker(m.timing.watchdog)
	defer tick.Stop()
	late := time.NewTimer(m.timing.runAbsence)
	defer late.Stop()
	for {
		by := m.orphansByServer()
		if len(by) == 0 {
			return
		}
		select {
		case <-m.tasks.Context().Done():
			return
		case <-late.C:
			for _, ks := range by {
				m.endOrphans(causeServerAbsent(m.timing.runAbsence), ks...)
			}
			return
		case <-tick.C:
		}
		for name, ks := range by {
			m.seekOrphansOn(name, ks)
		}
	}
}

// seekOrphansOn joins kernels on a server. If it cannot, it puts the reason into the hints
// of their orphaned executions.
func (m *Manager) seekOrphansOn(name string, kernels []string) {
	err := m.joinOrphaned(name, kernels)
	if err == nil {
		return
	}
	hint := hintNoServer(err, m.timing.runAbsence)
	m.mu.Lock() // once taken, they belong to a recorder
	defer m.mu.Unlock()
	for _, k := range kernels {
		for _, x := range m.orphans[k] {
			x.update(func() { x.doubt = hint })
		}
	}
}

// joinOrphaned joins the given kernels of a server, which have orphaned executions. It ends
// the executions of kernels that no longer exist.
func (m *Manager) joinOrphaned(name string, kernels []string) error {
	s, err := m.Servers.Lookup(name)
	if err != nil || name == "" {
		return servers.ErrNotFound
	}
	jup, err := s.Now()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(m.tasks.Context(), time.Minute)
	defer cancel()
	fs, err := m.survey.Running(ctx, s, jup)
	if err != nil && !errors.Is(err, survey.ErrUnlisted) {
		return err
	}
	m.endMissingOrphans(ctx, name, jup, fs)
	var failed error
	for _, f := range fs {
		if slices.Contains(kernels, f.Model.ID) {
			_, err := m.join(ctx, s, jup, f, "")
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// endMissingOrphans ends the orphaned executions of kernels that a server no longer has. fs
// are the kernels that the server listed.
func (m *Manager) endMissingOrphans(ctx context.Context, name string, jup *jupyter.Server, fs []survey.Kernel) {
	for _, id := range m.orphansByServer()[name] {
		if slices.ContainsFunc(fs, func(f survey.Kernel) bool { return f.Model.ID == id }) {
			continue
		}
		if _, err := jup.Kernel(ctx, id); isUnknown(err) {
			m.endOrphans(causeKernelGone, id)
		}
	}
}

// endOrphans ends the orphaned executions of kernels.
func (m *Manager) endOrphans(why cause, kernels ...string) {
	for _, id := range kernels {
		for _, x := range m.takeOrphans(id) {
			x.update(func() {
				x.doubt, x.hint = "", why.hint
				x.rec.Status, x.rec.EndedAt, x.rec.Hint = why.status, x.rec.StartedAt, why.hint // nothing was heard of it since
				x.rec.Error = &catalog.ExecutionError{Code: why.code, Message: why.message}
			})
			if err := m.cfg.Library.PutExecution(context.WithoutCancel(m.tasks.Context()), x.record()); err != nil {
				m.cfg.Log.Error("storing an execution", "execution", x.id, "err", err)
			}
			m.retire(x)
			if m.cfg.On.Execution != nil {
				v, _ := x.View(m.tasks.Context(), "") // cannot fail without after
				m.cfg.On.Execution(catalog.ExecutionEnded, v)
			}
			close(x.done)
		}
	}
}

// reason returns in a few words why a server does not respond.
func reason(err error) string {
	if e, ok := errors.AsType[*servers.NotReadyError](err); ok && e.Health.Message != "" {
		return e.Health.Message
	}
	if errors.Is(err, servers.ErrNotFound) {
		return "Easel was started without it"
	}
	return err.Error()
}
