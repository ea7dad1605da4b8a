package core

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
		var left, reads atomic.Int64
		left.Store(8 * gib)
		w := &memoryWatch{
			store: store,
			read: func() pressure.Reading {
				reads.Add(1)
				return pressure.Reading{Available: left.Load(), Total: 16 * gib}
			},
			idle: func() []kernels.IdleSession {
				return []kernels.IdleSession{{SessionView: record.SessionView{Session: library.Session{ID: "a"}}, Bytes: 3 * gib}, {SessionView: record.SessionView{Session: library.Session{ID: "gone"}}, Bytes: 1}}
			},
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go w.run(ctx)
		time.Sleep(10 * time.Hour)
		if synctest.Wait(); reads.Load() > 0 {
			t.Errorf("without kernels it looked %d times", reads.Load())
		}
		store.Update(func(s *state.Snapshot) { s.Sessions = []state.Session{{Session: catalog.Session{SessionID: "a"}}} })
		if synctest.Wait(); reads.Load() != 1 || store.Snapshot().Pressure != nil {
			t.Errorf("with a kernel it looked %d times: %+v", reads.Load(), store.Snapshot().Pressure)
		}
		left.Store(gib)
		time.Sleep(memoryCheck)
		synctest.Wait()
		if p := store.Snapshot().Pressure; p == nil || p.Available != gib || len(p.Idle) != 1 || p.Idle[0].SessionID != "a" || p.Idle[0].Bytes != 3*gib {
			t.Errorf("short of memory: %+v", p)
		}
		left.Store(4 * gib)
		time.Sleep(memoryCheck)
		if synctest.Wait(); store.Snapshot().Pressure != nil {
			t.Errorf("with enough again: %+v", store.Snapshot().Pressure)
		}
	})
}
