package kernels

import (
	"context"
	"errors"
	"fmt"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// Execute adds code to the queue of a session and returns immediately. ctx limits only the
// search for the session; the execution continues after ctx ends.
func (m *Manager) Execute(ctx context.Context, q record.Request) (*execution.Execution, error) {
	r, err := m.joined(ctx, q.SessionID)
	if err != nil {
		return nil, err
	}
	if q.Timeout <= 0 {
		q.Timeout = m.cfg.Timeout()
	}
	x, err := r.Execute(ctx, q)
	if errors.Is(err, record.ErrEnded) {
		err = fmt.Errorf("%w: %q has just ended", ErrSessionNotFound, q.SessionID)
	}
	return x, err
}

// Cancel ends an execution: it removes it from the queue, or interrupts it. It has no effect
// on an execution that has ended.
func (m *Manager) Cancel(x *execution.Execution) {
	if r := m.recorders.ofKernel(x.Record().KernelID); r != nil {
		r.Cancel(x)
	}
}

// cancelGrace is how long after the end of a call its explicit cancellation may still
// arrive. The transport ends the context of the call first.
const cancelGrace = 2 * time.Second

// CancelIf cancels x in the background if cancelled is closed within cancelGrace. It does
// nothing if cancelled is nil.
func (m *Manager) CancelIf(x *execution.Execution, cancelled <-chan struct{}) {
	if cancelled == nil {
		return
	}
	m.tasks.Go(func() {
		late := time.NewTimer(cancelGrace)
		defer late.Stop()
		select {
		case <-cancelled:
			m.Cancel(x)
		case <-x.Done():
		case <-late.C:
		case <-m.tasks.Context().Done():
		}
	})
}

// Execution returns an execution by its id, from memory or from the library. If neither has
// it, the error is ErrExecutionNotFound.
func (m *Manager) Execution(ctx context.Context, id string) (*execution.Execution, error) {
	if x := m.executions.Find(id); x != nil {
		return x, nil
	}
	kept, err := m.cfg.Library.Executions.Get(ctx, id)
	if errors.Is(err, library.ErrNotFound) {
		return nil, fmt.Errorf("%w: %q", ErrExecutionNotFound, id)
	}
	if err != nil {
		return nil, err
	}
	images, err := m.cfg.Library.Images.OfExecution(ctx, id)
	if err != nil {
		return nil, err
	}
	return execution.Restore(m.cfg.Library, kept, images), nil
}

// MayRead says whether the caller may read what an execution has printed; see [oversight.Gate.Read]. Every caller reads
// what became of code that has not run.
func (m *Manager) MayRead(ctx context.Context, x *execution.Execution) error {
	of := x.Record()
	if of.StartedAt.IsZero() {
		return nil
	}
	session, err := m.cfg.Library.Sessions.Get(ctx, of.SessionID)
	if err != nil {
		return err
	}
	return m.cfg.Gate.Read(ctx, session.Project, true)
}

// Drawn updates an image in its execution after its picture has been drawn. It may be called
// on any goroutine.
func (m *Manager) Drawn(image library.Image) {
	if x := m.executions.Find(image.ExecutionID); x != nil {
		x.ReplaceImage(func(i catalog.Image) bool { return i.ImageID == image.ImageID }, image.Image)
	}
}

// savingTime is the time limit for saving outputs to a server after the end of an
// execution, also when Easel quits.
const savingTime = 20 * time.Second

// WhenEnded calls save and then next on a goroutine of the manager when x has ended. Each has
// savingTime. Their contexts outlive the call that started x. That of save also outlives Close, so
// that outputs can be saved to their notebook. After Close, WhenEnded does nothing.
func (m *Manager) WhenEnded(x *execution.Execution, save, next func(ctx context.Context)) {
	m.tasks.Go(func() {
		<-x.Done() // closed at Close at the latest, when the recorders end all executions
		saving, cancel := context.WithTimeout(context.WithoutCancel(m.tasks.Context()), savingTime)
		save(saving)
		cancel()
		going, cancel := context.WithTimeout(m.tasks.Context(), savingTime)
		defer cancel()
		next(going)
	})
}

// InterruptSession interrupts the code that runs in a session; see [record.Recorder.Interrupt].
func (m *Manager) InterruptSession(ctx context.Context, id string, foreign bool) (record.Interruption, error) {
	r, err := m.joined(ctx, id)
	if err != nil {
		return record.Interruption{}, err
	}
	return r.Interrupt(ctx, foreign)
}
