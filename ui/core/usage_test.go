package core

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/state"
)

// TestKernelsAreMeasuredWhileSomebodyLooks: nothing is measured for a hidden window, and the state changes only if
// something that is shown does.
func TestKernelsAreMeasuredWhileSomebodyLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := state.NewStore(state.Snapshot{Window: state.WindowHidden, Sessions: []state.Session{{Session: catalog.Session{SessionID: "s", KernelID: "k"}}}})
		var measured, memory, changes atomic.Int64
		w := &usageWatch{store: store, measure: func(_ context.Context, list []usage.Kernel) map[string]usage.Figures {
			if measured.Add(1); len(list) != 1 || list[0].ID != "k" {
				t.Errorf("measured %+v", list)
			}
			return map[string]usage.Figures{"k": {Memory: memory.Load(), CPU: 97, GPU: 3_333_333_333}}
		}}
		memory.Store(1_234_567_890)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		time.Sleep(time.Hour)
		if synctest.Wait(); measured.Load() != 0 {
			t.Errorf("nobody looks, and it measured %d times", measured.Load())
		}
		show := func(x state.WindowState) { store.Update(func(s *state.Snapshot) { s.Window = x }) }
		show(state.WindowShown)
		synctest.Wait()
		if diff := cmp.Diff(map[string]state.Usage{"s": {Memory: 1_200_000_000, CPU: 100, GPU: 3_300_000_000}}, store.Snapshot().Usage); diff != "" {
			t.Error(diff)
		}
		stop := store.OnChange(func() { changes.Add(1) })
		defer stop()
		memory.Store(1_199_000_000)
		time.Sleep(10 * usageCheck)
		if synctest.Wait(); changes.Load() != 0 || measured.Load() < 9 {
			t.Errorf("the same to see, but %d changes in %d measurements", changes.Load(), measured.Load())
		}
		memory.Store(1_300_000_000)
		time.Sleep(usageCheck)
		if synctest.Wait(); changes.Load() != 1 {
			t.Errorf("it grew: %d changes", changes.Load())
		}
		show(state.WindowHidden)
		time.Sleep(usageCheck)
		synctest.Wait()
		before := measured.Load()
		time.Sleep(time.Hour)
		if synctest.Wait(); measured.Load() != before {
			t.Error("it measures for a hidden window")
		}
	})
}
