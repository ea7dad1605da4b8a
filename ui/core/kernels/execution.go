package kernels

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// An Execution is a piece of code that ran, runs or waits to run in a kernel.
// Its recorder writes it; anybody reads it.
type Execution struct {
	id      string
	library Library

	mu          sync.Mutex
	rec         library.Execution
	images      []catalog.Image
	stdout      headTail
	stderr      headTail
	truncations []catalog.Truncation
	hint        string            // what to do about its end
	doubt       string            // what to do while it is not known whether it runs; "" if it is
	stubborn    bool              // it was interrupted, and goes on
	refused     error             // why it was not approved
	asIs        bool              // the code is as its client sent it in this run of Easel
	position    int               // in the queue, 1-based; 0 if not in it
	behind      bool              // it waits for what somebody else runs
	outputs     *outputs          // for its notebook cell; nil if it has none
	drawings    []<-chan struct{} // of its figures that came without a picture
	changed     chan struct{}     // closed at the next change
	done        chan struct{}     // closed at the end
}

func newExecution(lib Library, rec library.Execution) *Execution {
	return &Execution{
		id: rec.ID, library: lib, rec: rec,
		stdout:  headTail{half: modelStream / 2},
		stderr:  headTail{half: modelStream / 2},
		changed: make(chan struct{}), done: make(chan struct{}),
	}
}

// restored is an execution as the library kept it. Its output stays on disk.
func restored(lib Library, rec library.Execution, images []library.Image) *Execution {
	x := newExecution(lib, rec)
	x.truncations, x.hint = rec.Truncated, rec.Hint
	for _, i := range images {
		x.images = append(x.images, i.Image)
	}
	for _, s := range []struct {
		name string
		to   *headTail
	}{{"stdout", &x.stdout}, {"stderr", &x.stderr}} {
		ctx := context.Background() // two short reads of local files
		head, total, err := lib.ReadOutput(ctx, rec.ID, s.name, 0, modelStream/2)
		if err != nil {
			continue // what can be shown is shown; the file is reported by the library
		}
		s.to.write(head)
		if from := max(int64(len(head)), total-modelStream/2); from < total {
			tail, _, err := lib.ReadOutput(ctx, rec.ID, s.name, from, modelStream/2)
			if err == nil {
				s.to.tail = tail
			}
		}
		s.to.total = total
	}
	if catalog.Ended(rec.Status) {
		close(x.done)
	}
	return x
}

// ID is the execution's id.
func (x *Execution) ID() string { return x.id }

// Done is closed when the execution has ended and is in the library, or is left to the
// next Easel.
func (x *Execution) Done() <-chan struct{} { return x.done }

// update changes the execution and tells those who wait for a change.
func (x *Execution) update(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
	close(x.changed)
	x.changed = make(chan struct{})
}

// View is the execution as a client sees it. after, if it is the Next of an
// earlier view, leaves out what that one had; a bad one is an error.
func (x *Execution) View(ctx context.Context, after string) (catalog.Execution, error) {
	return x.Within(ctx, after, modelStream)
}

// view is View without after; x.mu is held.
func (x *Execution) view() catalog.Execution { return x.viewWithin(modelStream) }

// viewWithin is view with at most limit bytes of each text; x.mu is held.
func (x *Execution) viewWithin(limit int) catalog.Execution {
	r := x.rec
	v := catalog.Execution{
		Result:      catalog.Result{Success: !failed(r.Status)},
		ExecutionID: r.ID, SessionID: r.SessionID, Status: r.Status, Code: r.Code,
		ExecutionCount: r.Count, Error: r.Error, QueuePosition: x.position,
		Images:    append([]catalog.Image{}, x.images...),
		CreatedAt: r.CreatedAt.UTC(), Hint: x.hint,
	}
	for i := range v.Images {
		if v.Images[i].Interactive == "" { // else it says more
			v.Images[i].Description = numbered(i, x.shownSoFar())
		}
	}
	if r.Transport == catalog.TransportJupyter {
		v.Watched = r.Client
	}
	var seen int64
	v.Stdout, seen = x.stdout.within(limit)
	v.Truncated = x.cut(v.Truncated, "stdout", seen, x.stdout.total, limit)
	v.Stderr, seen = x.stderr.within(limit)
	v.Stderr = condense(v.Stderr)
	v.Truncated = x.cut(v.Truncated, "stderr", seen, x.stderr.total, limit)
	var cut []catalog.Truncation
	v.Text, cut = bounded("result", r.Result, limit, inOut(r))
	v.Truncated = append(append(v.Truncated, cut...), x.truncations...)
	if v.Error != nil {
		e := *v.Error
		e.Message, cut = bounded("error.message", e.Message, modelMessage, inLastValue)
		v.Truncated = append(v.Truncated, cut...)
		e.Traceback, cut = bounded("traceback", e.Traceback, modelTraceback, "")
		v.Error, v.Truncated = &e, append(v.Truncated, cut...)
	}
	if !r.StartedAt.IsZero() {
		started := r.StartedAt.UTC()
		v.StartedAt = &started
		end := r.EndedAt
		switch {
		case !end.IsZero():
		case x.doubt != "": // it may have ended
			end = started
		default:
			end = time.Now()
		}
		v.ExecutionTimeMS = max(0, float64(end.Sub(r.StartedAt).Microseconds())/1000)
	}
	v.Next = cursor{x.stdout.total, x.stderr.total, len(x.images)}.String()
	if !catalog.Ended(r.Status) {
		v.Hint, v.Doubtful = x.openHint(), x.doubt != ""
	}
	return v
}

// shownSoFar is how many pictures an ended execution has; 0 while it may have more.
func (x *Execution) shownSoFar() int {
	if !catalog.Ended(x.rec.Status) {
		return 0
	}
	return len(x.images)
}

// failed tells whether a status is one of failure.
func failed(status string) bool {
	switch status {
	case catalog.StatusQueued, catalog.StatusAwaiting, catalog.StatusRunning, catalog.StatusOK:
		return false
	default:
		return true
	}
}

// A cursor says how much of an execution somebody has seen.
type cursor struct {
	stdout, stderr int64
	images         int
}

func (c cursor) String() string { return fmt.Sprintf("%d.%d.%d", c.stdout, c.stderr, c.images) }

// ErrBadCursor is the error of a View after something that is no cursor.
var ErrBadCursor = fmt.Errorf("not the 'next' of an earlier answer")

func parseCursor(s string) (cursor, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return cursor{}, ErrBadCursor
	}
	var n [3]int64
	for i, p := range parts {
		v, err := strconv.ParseInt(p, 10, 64)
		if err != nil || v < 0 {
			return cursor{}, ErrBadCursor
		}
		n[i] = v
	}
	return cursor{n[0], n[1], int(n[2])}, nil
}
