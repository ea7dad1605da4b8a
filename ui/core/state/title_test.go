package state

import (
	"slices"
	"testing"
)

func TestALiveSessionIsToldApartFromTheOthers(t *testing.T) {
	x := func(id, notebook string) Session {
		s := Session{}
		s.SessionID, s.NotebookPath = id, notebook
		return s
	}
	titles := func(n *Snapshot) (all []string) {
		for _, x := range n.Sessions {
			all = append(all, x.Title())
		}
		return all
	}
	store := NewStore(Snapshot{Sessions: []Session{x("a", "work/sales.ipynb")}})
	before := store.Snapshot()
	store.Update(func(n *Snapshot) { n.Sessions = append(slices.Clone(n.Sessions), x("b", "old/sales.ipynb")) })
	if got, want := titles(store.Snapshot()), []string{"work/sales.ipynb", "old/sales.ipynb"}; !slices.Equal(got, want) {
		t.Errorf("the titles are %q, want %q", got, want)
	}
	if got := titles(before); !slices.Equal(got, []string{"sales.ipynb"}) {
		t.Errorf("an older snapshot changed to %q", got)
	}
	store.Update(func(n *Snapshot) { n.Sessions = n.Sessions[1:] })
	if got := titles(store.Snapshot()); !slices.Equal(got, []string{"sales.ipynb"}) {
		t.Errorf("the one that is left is %q", got)
	}
}
