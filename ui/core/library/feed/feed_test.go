package feed

import (
	"fmt"
	"sync"
	"testing"
)

func TestChangesHaveAnOrder(t *testing.T) {
	var f Feed
	f.Append(Change{ID: "a", What: Added}, Change{ID: "b", What: Added})
	f.Append(Change{ID: "a", What: Rating})
	changes, lost := f.Since(1, f.Last())
	if got := fmt.Sprint(changes); lost || got != `[{2 b 1  <nil>} {3 a 32  <nil>}]` {
		t.Errorf("got %s, lost %v", got, lost)
	}
	if changes, _ := f.Since(0, 2); len(changes) != 2 || changes[1].ID != "b" {
		t.Errorf("up to revision 2: %v", changes)
	}
	if changes, lost := f.Since(3, 3); len(changes) != 0 || lost {
		t.Errorf("nothing has changed: got %v, lost %v", changes, lost)
	}
}

func TestAReaderThatFellBehindIsTold(t *testing.T) {
	var f Feed
	for i := range depth + 10 {
		f.Append(Change{ID: fmt.Sprint(i)})
	}
	if changes, lost := f.Since(9, f.Last()); !lost || changes != nil {
		t.Errorf("%d changes, lost %v", len(changes), lost)
	}
	changes, lost := f.Since(10, f.Last())
	if lost || len(changes) != depth {
		t.Fatalf("%d changes, lost %v", len(changes), lost)
	}
	for i, c := range changes {
		if c.Revision != uint64(11+i) || c.ID != fmt.Sprint(10+i) {
			t.Fatalf("change %d is %v", i, c)
		}
	}
}

func TestAFeedThatIsLost(t *testing.T) {
	var f Feed
	f.Append(Change{ID: "a"})
	f.Lose()
	if _, lost := f.Since(1, f.Last()); !lost {
		t.Error("nothing was lost")
	}
	now := f.Last()
	f.Append(Change{ID: "b"})
	if changes, lost := f.Since(now, f.Last()); lost || len(changes) != 1 || changes[0].ID != "b" {
		t.Errorf("afterwards: %v, lost %v", changes, lost)
	}
}

func TestMoreIsClosedByTheNextChange(t *testing.T) {
	var f Feed
	more := f.More(0)
	select {
	case <-more:
		t.Fatal("there are no changes")
	default:
	}
	f.Append(Change{ID: "a"})
	<-more
	<-f.More(0)
	select {
	case <-f.More(1):
		t.Error("there are no further changes")
	default:
	}
}

// A reader sees every change once and in order, or is told that it has lost some, while others
// write.
func TestReadersAndWriters(t *testing.T) {
	const writers, each = 4, 5000
	var f Feed
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				f.Append(Change{ID: fmt.Sprint(w), What: What(i)})
			}
		})
	}
	for range 3 {
		all.Go(func() {
			for seen := uint64(0); seen < writers*each; {
				<-f.More(seen)
				last := f.Last()
				changes, lost := f.Since(seen, last)
				if lost {
					seen = last
					continue
				}
				for _, c := range changes {
					if seen++; c.Revision != seen {
						t.Errorf("revision %d came as %d", c.Revision, seen)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

func TestASummaryHasWhatHasChangedOfEachImage(t *testing.T) {
	var f Feed
	f.Append(Change{ID: "a", What: Added}, Change{ID: "a", What: Rating}, Change{ID: "b", What: Tags}, Change{ID: "c2", What: Replaced, Former: "c"})
	s := f.Summary(1, f.Last())
	if s.What != Rating|Tags|Replaced || s.Of("a") != Rating || s.Of("a", "b") != Rating|Tags || s.Of("c") != Replaced || s.Of("d") != 0 {
		t.Errorf("got %+v", s)
	}
	if s := f.Summary(f.Last(), f.Last()); s.What != 0 || s.Of("a") != 0 {
		t.Errorf("nothing has changed: got %+v", s)
	}
	f.Lose()
	if s := f.Summary(1, f.Last()); s.What&Rating == 0 || s.Of("anything")&Picture == 0 {
		t.Errorf("everything may have changed: got %+v", s)
	}
}
