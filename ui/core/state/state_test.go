package state

import (
	"sync"
	"testing"
)

func TestUpdatePublishesACopy(t *testing.T) {
	s := NewStore(Snapshot{URL: "a"})
	before := s.Snapshot()
	s.Update(func(n *Snapshot) { n.URL = "b" })
	if before.URL != "a" || s.Snapshot().URL != "b" {
		t.Errorf("got %q then %q", before.URL, s.Snapshot().URL)
	}
}

func TestObserversSeeEachUpdateUntilTheyStop(t *testing.T) {
	s := NewStore(Snapshot{})
	var seen []string
	stop := s.OnChange(func() { seen = append(seen, s.Snapshot().URL) })
	s.Update(func(n *Snapshot) { n.URL = "a" })
	s.Update(func(n *Snapshot) { n.URL = "b" })
	stop()
	s.Update(func(n *Snapshot) { n.URL = "c" })
	if len(seen) != 2 || seen[0] != "a" || seen[1] != "b" {
		t.Errorf("got %q", seen)
	}
}

func TestManyWritersLoseNothing(t *testing.T) {
	s := NewStore(Snapshot{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				s.Update(func(n *Snapshot) { n.Calls++ })
			}
		})
	}
	wg.Wait()
	if got := s.Snapshot(); got.Calls != 800 {
		t.Errorf("got %d calls", got.Calls)
	}
}

func TestAnObserverMayUpdate(t *testing.T) {
	s := NewStore(Snapshot{})
	s.OnChange(func() {
		if s.Snapshot().Calls == 1 {
			s.Update(func(n *Snapshot) { n.Calls = 2 })
		}
	})
	s.Update(func(n *Snapshot) { n.Calls = 1 })
	if got := s.Snapshot().Calls; got != 2 {
		t.Errorf("got %d", got)
	}
}
