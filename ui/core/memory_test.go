package core

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
	"easel/ui/core/pressure"
	"easel/ui/core/state"
)

func TestTheWindowIsToldWhenMemoryIsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const gib = 1 << 30
		store := state.NewStore(state.Snapshot{})
		var left, reads, asked atomic.Int64
		left.Store(8 * gib)
		w := &memoryWatch{
			store: store,
			read: func() pressure.Reading {
				reads.Add(1)
				return pressure.Reading{Available: left.Load(), Total: 16 * gib}
			},
			users: func() []kernels.MemoryUser {
				view := func(id, status string) record.SessionView {
					return record.SessionView{Session: library.Session{ID: id, Owner: record.OwnerEasel}, Status: status}
				}
				return []kernels.MemoryUser{{SessionView: view("gone", "idle"), Bytes: 9 * gib}, {SessionView: view("b", "busy"), Bytes: 8 * gib}, {SessionView: view("a", "idle"), Bytes: 3 * gib}}
			},
			largest: func(_ context.Context, id string, most int) []catalog.Variable {
				asked.Add(1)
				return []catalog.Variable{{Name: id + "_frame", MemoryBytes: 5 * gib}, {Name: "small", MemoryBytes: gib / 8}}[:min(2, most)]
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		time.Sleep(10 * time.Hour)
		if synctest.Wait(); reads.Load() > 0 {
			t.Errorf("without kernels it looked %d times", reads.Load())
		}
		store.Update(func(s *state.Snapshot) {
			s.Sessions = []state.Session{{Session: catalog.Session{SessionID: "a"}}, {Session: catalog.Session{SessionID: "b"}}}
		})
		if synctest.Wait(); reads.Load() != 1 || store.Snapshot().Pressure != nil {
			t.Errorf("with a kernel it looked %d times: %+v", reads.Load(), store.Snapshot().Pressure)
		}
		left.Store(gib)
		time.Sleep(memoryCheck)
		synctest.Wait()
		began := time.Now()
		want := &state.Pressure{
			Available: gib, Total: 16 * gib, Since: began, Idle: []state.IdleKernel{{SessionID: "a", Bytes: 3 * gib}},
			Most: state.MemoryUser{SessionID: "b", Bytes: 8 * gib, Variables: []state.LargeVariable{{Name: "b_frame", Bytes: 5 * gib}}},
		}
		if diff := cmp.Diff(want, store.Snapshot().Pressure); diff != "" {
			t.Errorf("short of memory: %s", diff)
		}
		left.Store(gib / 2)
		time.Sleep(pressureCheck - time.Second)
		if synctest.Wait(); store.Snapshot().Pressure.Available != gib || asked.Load() != 1 {
			t.Errorf("the warning changes all the time: %+v, the kernel was asked %d times", store.Snapshot().Pressure, asked.Load())
		}
		time.Sleep(busyCheck)
		if synctest.Wait(); store.Snapshot().Pressure.Available != gib/2 || !store.Snapshot().Pressure.Since.Equal(began) {
			t.Errorf("it does not say how much is left: %+v", store.Snapshot().Pressure)
		}
		left.Store(4 * gib)
		time.Sleep(busyCheck)
		if synctest.Wait(); store.Snapshot().Pressure != nil {
			t.Errorf("with enough again: %+v", store.Snapshot().Pressure)
		}
		before := reads.Load()
		store.Update(func(s *state.Snapshot) {
			s.Sessions = slices.Clone(s.Sessions)
			s.Sessions[0].Running = &state.RunningCode{}
		})
		time.Sleep(memoryCheck)
		if synctest.Wait(); reads.Load()-before < int64(memoryCheck/busyCheck) {
			t.Errorf("while code runs, it looked %d times in %v", reads.Load()-before, memoryCheck)
		}
	})
}
