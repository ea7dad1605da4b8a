package core

import (
	"context"
	"slices"
	"time"

	"easel/internal/wake"
	"easel/ui/core/kernels"
	"easel/ui/core/pressure"
	"easel/ui/core/state"
)

// memoryCheck is the interval at which the free memory is read while there are sessions.
const memoryCheck = time.Minute

// mostIdle is the largest number of idle kernels that a warning lists.
const mostIdle = 5

// A memoryWatch warns in the window when memory is low, and lists the idle kernels that
// hold the most.
type memoryWatch struct {
	store *state.Store
	read  func() pressure.Reading
	idle  func() []kernels.IdleSession
}

// run watches until ctx ends. While there are no sessions, it waits for a change of the
// state.
func (w *memoryWatch) run(ctx context.Context) {
	changed := wake.New()
	stop := w.store.OnChange(changed.Notify)
	defer stop()
	timer := time.NewTimer(memoryCheck)
	defer timer.Stop()
	for {
		if len(w.store.Snapshot().Sessions) == 0 {
			w.tell(nil)
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		w.check()
		timer.Reset(memoryCheck)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// check shows the warning if memory is low and idle kernels could free some, and removes
// it otherwise.
func (w *memoryWatch) check() {
	r := w.read()
	if !r.Low(w.store.Snapshot().Pressure != nil) {
		w.tell(nil)
		return
	}
	p := &state.Pressure{Available: r.Available}
	sessions := w.store.Snapshot().Sessions
	for _, h := range w.idle() {
		i := slices.IndexFunc(sessions, func(s state.Session) bool { return s.SessionID == h.ID })
		if i >= 0 && len(p.Idle) < mostIdle {
			p.Idle = append(p.Idle, state.IdleKernel{SessionID: h.ID, Bytes: h.Bytes, Used: h.Used})
		}
	}
	if len(p.Idle) == 0 { // the user could do nothing about it in Easel
		p = nil
	}
	w.tell(p)
}

func (w *memoryWatch) tell(p *state.Pressure) {
	if p == nil && w.store.Snapshot().Pressure == nil {
		return
	}
	w.store.Update(func(s *state.Snapshot) { s.Pressure = p })
}
