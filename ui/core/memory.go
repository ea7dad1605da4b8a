package core

import (
	"context"
	"slices"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/pressure"
	"easel/ui/core/state"
)

const (
	// memoryCheck is the interval at which the free memory is read while there are sessions.
	memoryCheck = time.Minute
	// busyCheck is the interval while code runs, which can fill the memory in seconds.
	busyCheck = 5 * time.Second
	// pressureCheck is the interval at which a warning is made again, with its numbers.
	pressureCheck = 30 * time.Second
	// askTime is the time limit for asking a kernel which variables are large.
	askTime = 3 * time.Second
)

const (
	mostIdle  = 5 // idle kernels that a warning lists
	mostLarge = 3 // variables that it names
	// small is the part of a session's memory below which a variable is not worth naming.
	small = 20
)

// A memoryWatch warns in the window and in results when memory is low: it says which session uses most, which of its
// variables are the largest, and which idle kernels could be ended.
type memoryWatch struct {
	store *state.Store
	read  func() pressure.Reading
	users func() []kernels.MemoryUser
	// largest returns the largest variables of a session; nil if its kernel does not tell.
	largest func(ctx context.Context, session string, most int) []catalog.Variable

	made time.Time // when the current warning was made
}

// run watches until ctx ends. While there are no sessions, it waits for a change of the
// state.
func (w *memoryWatch) run(ctx context.Context) {
	changed := wake.New()
	stop := w.store.OnChange(changed.Notify)
	defer stop()
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
		w.check(ctx)
		if !w.wait(ctx, changed) {
			return
		}
	}
}

// wait waits until the next check. It returns false if ctx has ended.
func (w *memoryWatch) wait(ctx context.Context, changed wake.Signal) bool {
	began := time.Now()
	for {
		interval := memoryCheck
		if s := w.store.Snapshot(); len(s.Busy()) > 0 || s.Pressure != nil {
			interval = busyCheck
		}
		rest := interval - time.Since(began)
		if rest <= 0 {
			return true
		}
		timer := time.NewTimer(rest)
		select {
		case <-timer.C:
			return true
		case <-changed: // perhaps code runs now
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

// check shows the warning if memory is low and kernels use some, and removes it otherwise.
func (w *memoryWatch) check(ctx context.Context) {
	r, was := w.read(), w.store.Snapshot().Pressure
	switch {
	case !r.Low(was != nil):
		w.tell(nil)
		return
	case was != nil && time.Since(w.made) < pressureCheck:
		return
	}
	sessions := w.store.Snapshot().Sessions
	users := slices.DeleteFunc(w.users(), func(u kernels.MemoryUser) bool {
		return !slices.ContainsFunc(sessions, func(s state.Session) bool { return s.SessionID == u.ID })
	})
	w.made = time.Now()
	if len(users) == 0 { // nothing that Easel knows of could free any
		w.tell(nil)
		return
	}
	p := &state.Pressure{Available: r.Available, Total: r.Total, Since: time.Now(), Most: w.most(ctx, users[0])}
	if was != nil {
		p.Since = was.Since
	}
	for _, u := range users {
		if u.Idle() && len(p.Idle) < mostIdle {
			p.Idle = append(p.Idle, state.IdleKernel{SessionID: u.ID, Bytes: u.Bytes, Used: u.Used})
		}
	}
	w.tell(p)
}

// most describes the session that uses most memory.
func (w *memoryWatch) most(ctx context.Context, u kernels.MemoryUser) state.MemoryUser {
	found := state.MemoryUser{SessionID: u.ID, Bytes: u.Bytes}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, v := range w.largest(ctx, u.ID, mostLarge) {
		if v.MemoryBytes >= u.Bytes/small {
			found.Variables = append(found.Variables, state.LargeVariable{Name: v.Name, Bytes: v.MemoryBytes})
		}
	}
	return found
}

func (w *memoryWatch) tell(p *state.Pressure) {
	if p == nil && w.store.Snapshot().Pressure == nil {
		return
	}
	w.store.Update(func(s *state.Snapshot) { s.Pressure = p })
}
