package core

import (
	"context"
	"slices"
	"time"

	"easel/ui/core/kernels"
	"easel/ui/core/pressure"
	"easel/ui/core/state"
)

// memoryCheck is how often the machine's memory is looked at, while there are kernels.
const memoryCheck = time.Minute

// mostIdle is how many idle kernels the window is told of.
const mostIdle = 5

// A memoryWatch tells the window when memory is short, and which idle kernels would
// free the most.
type memoryWatch struct {
	store *state.Store
	read  func() pressure.Reading
	idle  func() []kernels.Holding
}

// run watches until ctx ends. Without kernels it sleeps until there are some.
func (w *memoryWatch) run(ctx context.Context) {
	changed := make(chan struct{}, 1)
	stop := w.store.OnChange(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
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

// check tells the window how much memory is left if that is little.
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
	if len(p.Idle) == 0 { // nothing to be done about it here
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
