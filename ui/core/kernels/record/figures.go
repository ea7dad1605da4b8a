package record

import (
	"log/slog"
	"sync"
)

// Figures has a kernel keep the figures that it displays, as the settings say. Its methods may be
// called on any goroutine.
type Figures struct {
	env     *Environment
	log     *slog.Logger
	kernel  *Inquiry
	managed bool // the server is Easel's own

	turn sync.Mutex // held while the kernel is told

	mu    sync.Mutex
	known bool // the kernel does what on says
	on    bool
}

// begin notes that the kernel is a new process. Only those of Python on the managed server keep figures
// then.
func (f *Figures) begin() { f.set(true, f.managed && f.kernel.link.answers()) }

// Kept reports whether the kernel keeps its figures, or is being told to.
func (f *Figures) Kept() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.known && f.on
}

// Stored reports whether Easel stores the figures that the kernel keeps: those of Python on its own servers.
func (f *Figures) Stored() bool { return f.managed && f.kernel.link.answers() && f.Kept() }

// set reports whether that is new.
func (f *Figures) set(known, on bool) (changed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed = f.known != known || f.on != on
	f.known, f.on = known, on
	return changed
}

// KeepAnew has the kernel keep its figures, whatever it is thought to do. It returns false if
// it is not to keep them.
func (f *Figures) KeepAnew() bool {
	if wanted := f.env.Figures.Wanted; wanted == nil || !wanted(f.managed) {
		return false
	}
	f.set(false, false)
	f.Keep()
	return true
}

// Keep has the kernel keep its figures or stop, unless it does so already. It does not wait for
// the kernel.
func (f *Figures) Keep() {
	keeper := f.env.Figures
	if keeper.Wanted == nil || !f.kernel.link.keeps() {
		return
	}
	f.env.Tasks.Go(func() {
		f.turn.Lock()
		defer f.turn.Unlock()
		on := keeper.Wanted(f.managed)
		if !f.set(true, on) {
			return
		}
		ctx := f.env.Tasks.Context()
		if err := keeper.Switch(ctx, f.kernel, on); err != nil && ctx.Err() == nil {
			f.log.Info("telling a kernel whether to keep figures", "err", err)
		} else if err == nil && on && f.Stored() && f.env.OnKeeping != nil {
			f.env.OnKeeping(f.kernel.session.Stored().ID)
		}
	})
}
