package core

import (
	"context"
	"math"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/pressure"
	"easel/ui/core/state"
)

// usageCheck is the interval at which is measured what kernels use, while the window shows it.
const usageCheck = 5 * time.Second

// A usageWatch keeps what the kernels of live sessions use in the state, while the window is shown.
type usageWatch struct {
	store   *state.Store
	measure func(ctx context.Context, kernels []usage.Kernel) map[string]usage.Figures
}

// run watches until ctx ends.
func (w *usageWatch) run(ctx context.Context) {
	changed := wake.New()
	stop := w.store.OnChange(changed.Notify)
	defer stop()
	tick := time.NewTicker(usageCheck)
	defer tick.Stop()
	for {
		if s := w.store.Snapshot(); s.Window != state.WindowShown || len(s.Sessions) == 0 {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		w.look(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look measures. It changes the state only if the window would show something else.
func (w *usageWatch) look(ctx context.Context) {
	s := w.store.Snapshot()
	list := make([]usage.Kernel, len(s.Sessions))
	for i, x := range s.Sessions {
		list[i] = usage.Kernel{ID: x.KernelID}
	}
	found, same := w.measure(ctx, list), true
	next := make(map[string]state.Usage, len(found))
	for _, x := range s.Sessions {
		if f, ok := found[x.KernelID]; ok {
			next[x.SessionID] = state.Usage{Memory: rounded(f.Memory), CPU: tens(f.CPU), GPU: rounded(f.GPU)}
			same = same && s.Usage[x.SessionID] == next[x.SessionID]
		}
	}
	if !same || len(next) != len(s.Usage) {
		w.store.Update(func(s *state.Snapshot) { s.Usage = next })
	}
}

// rounded returns bytes with two digits that count.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}

// tens returns percent in steps of ten, because it changes all the time.
func tens(percent float64) int { return int(math.Round(max(0, percent)/10)) * 10 }

// watchMemory starts what watches the memory of the machine and of kernels.
func (c *Core) watchMemory(ctx context.Context) {
	memory := &memoryWatch{
		store: c.Store, read: pressure.Read, users: func() []kernels.MemoryUser { return kernels.MemoryUsers(c.Kernels.Live()) },
		largest: func(ctx context.Context, session string, most int) []catalog.Variable {
			return kernels.Largest(ctx, c.Kernels, session, most)
		},
	}
	c.tasks.Go(func() { memory.run(ctx) })
	watch := &usageWatch{store: c.Store, measure: c.deps.Usage.Measure}
	c.tasks.Go(func() { watch.run(ctx) })
}
