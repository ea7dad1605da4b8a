package kernels

import (
	"slices"
	"testing"
	"time"

	"easel/jupyter"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/library"
)

// TestWhatMayBeEnded checks which sessions a manager offers to its sweeper.
func TestWhatMayBeEnded(t *testing.T) {
	m := &Manager{recorders: newRecorderRegistry()}
	add := func(name string, sess library.Session, set func(*recorder)) {
		sess.ID = name
		r := &recorder{sess: sess, used: time.Now(), conn: &jupyter.Kernel{}}
		if set != nil {
			set(r)
		}
		m.recorders.add(name, r)
	}
	add("plain", library.Session{Owner: OwnerEasel, Users: "a\nb"}, nil)
	add("theirs", library.Session{Owner: OwnerOther}, nil)
	add("pinned", library.Session{Owner: OwnerEasel, Pinned: true}, nil)
	add("notebook", library.Session{Owner: OwnerEasel, NotebookPath: "a.ipynb"}, nil)
	add("dead", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.phase = kernelGone })
	add("runs", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.shown = &execution.RunningCode{} })
	add("queues", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.queued = 1 })
	add("asks", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.awaitingApproval = 1 })
	var free, busy []string
	for _, u := range m.unused() {
		if u.Busy {
			busy = append(busy, u.ID)
		} else {
			free = append(free, u.ID)
		}
	}
	slices.Sort(busy)
	if !slices.Equal(free, []string{"plain"}) || !slices.Equal(busy, []string{"asks", "queues", "runs"}) {
		t.Errorf("got free %v, busy %v", free, busy)
	}
}
