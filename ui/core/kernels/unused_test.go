package kernels

import (
	"slices"
	"testing"

	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/record"
	"easel/ui/core/library"
)

// TestWhatMayBeEnded checks which sessions a manager offers to its sweeper.
func TestWhatMayBeEnded(t *testing.T) {
	var free, busy []string
	add := func(name string, sess library.Session, set func(*record.SessionView)) {
		sess.ID = name
		v := record.SessionView{Session: sess}
		if set != nil {
			set(&v)
		}
		switch u, may := unusedSession(v); {
		case may && u.Busy:
			busy = append(busy, u.ID)
		case may:
			free = append(free, u.ID)
		}
	}
	add("plain", library.Session{Owner: record.OwnerEasel, Users: "a\nb"}, nil)
	add("theirs", library.Session{Owner: record.OwnerOther}, nil)
	add("pinned", library.Session{Owner: record.OwnerEasel, Pinned: true}, nil)
	add("notebook", library.Session{Owner: record.OwnerEasel, NotebookPath: "a.ipynb"}, nil)
	add("dead", library.Session{Owner: record.OwnerEasel}, func(v *record.SessionView) { v.Gone = true })
	add("runs", library.Session{Owner: record.OwnerEasel}, func(v *record.SessionView) { v.Running = &execution.RunningCode{} })
	add("queues", library.Session{Owner: record.OwnerEasel}, func(v *record.SessionView) { v.Queued = 1 })
	add("asks", library.Session{Owner: record.OwnerEasel}, func(v *record.SessionView) { v.Awaiting = 1 })
	slices.Sort(busy)
	if !slices.Equal(free, []string{"plain"}) || !slices.Equal(busy, []string{"asks", "queues", "runs"}) {
		t.Errorf("got free %v, busy %v", free, busy)
	}
}
