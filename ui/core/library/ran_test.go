package library

import (
	"slices"
	"testing"
	"time"
)

// TestWhatRanInOrder: somebody has set the clock back by two hours after the second cell, and the
// kernel was restarted later.
func TestWhatRanInOrder(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return time.Date(2026, 11, 29, 12, minutes, 0, 0, time.UTC) }
	ran := func(id string, generation, count int, started time.Time) Execution {
		return Execution{ID: id, SessionID: "s", KernelID: "k", Generation: generation, Count: count, StartedAt: started, CreatedAt: started}
	}
	all := []Execution{
		ran("other generation", 2, 1, at(9)), ran("plot", 1, 3, at(-110)), ran("imports", 1, 1, at(0)), ran("data", 1, 2, at(5)),
		ran("after", 1, 4, at(-100)), ran("uncounted", 1, 0, at(-120)),
	}
	var got []string
	for _, x := range ranUpTo(slices.Clone(all), all[1]) {
		got = append(got, x.ID)
	}
	if want := []string{"uncounted", "imports", "data", "plot"}; !slices.Equal(got, want) {
		t.Errorf("up to the plot: %q, want %q", got, want)
	}
	SortRan(all)
	got = nil
	for _, x := range all {
		if x.Count > 0 && x.Generation == 1 {
			got = append(got, x.ID)
		}
	}
	if want := []string{"imports", "data", "plot", "after"}; !slices.Equal(got, want) {
		t.Errorf("all: %q, want %q", got, want)
	}
}
