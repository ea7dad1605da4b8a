package ui

import (
	"testing"

	"easel/ui/state"
	"easel/ui/uitest"
)

func TestAStateIsRenderedWhenWhatItBroughtHasBeenRead(t *testing.T) {
	store, q := state.NewStore(state.Snapshot{}), uitest.NewQueue()
	var (
		reading func()
		shown   []int
	)
	stop := Bind(q.Do, store, func(s *state.Snapshot, then func()) bool {
		if s.Unseen == 1 {
			reading = then
		}
		return s.Unseen == 1
	}, func(s *state.Snapshot) { shown = append(shown, s.Unseen) })
	q.Drain()
	store.Update(func(s *state.Snapshot) { s.Unseen = 1 })
	q.Drain()
	if len(shown) != 1 || reading == nil {
		t.Fatalf("rendered %v before the plot was read", shown)
	}
	reading()
	reading() // the answer and the end of patience
	q.Drain()
	if len(shown) != 2 || shown[1] != 1 {
		t.Fatalf("rendered %v, want the new plot once", shown)
	}
	store.Update(func(s *state.Snapshot) { s.Unseen = 2 })
	q.Drain()
	if len(shown) != 3 {
		t.Fatalf("rendered %v; other states wait for nothing", shown)
	}
	stop()
	reading()
	q.Drain()
	if len(shown) != 3 {
		t.Errorf("rendered %v after the end", shown)
	}
}
