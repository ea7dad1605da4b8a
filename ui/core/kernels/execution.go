package kernels

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// An Execution is code that waits to run, runs or has run in a kernel. Its recorder changes
// it; other goroutines change its images when they have been drawn, and forget its outputs.
// So everybody reads and changes it through its methods, which lock it and may be called on
// any goroutine.
type Execution struct {
	id      string
	library Library

	mu          sync.Mutex
	rec         library.Execution
	images      []catalog.Image
	stdout      headTail
	stderr      headTail
	truncations []catalog.Truncation
	hint        string            // what to do after its end; "" if nothing
	doubt       string            // what to do while it is unknown whether it runs; else ""
	stubborn    bool              // it was interrupted but continues
	refused     error             // why it was not approved
	asIs        bool              // its client sent exactly this code, since Easel started
	position    int               // in the queue, 1-based; 0 if not in it
	behind      bool              // it waits for the code of another client
	held        bool              // it waits until the user resumes the AI
	blocker     *Running          // what the kernel executes while it waits; nil if nothing, or unknown
	outputs     *outputs          // for its notebook cell; nil if it has none
	drawings    []<-chan struct{} // closed when its figures without a picture have been drawn
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

// restored returns an execution from its record in the library. It reads only the head and
// the tail of the output; the rest stays on disk.
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
			continue // show the rest; the library reports the damaged file
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

// ID returns the execution's id.
func (x *Execution) ID() string { return x.id }

// Done returns a channel that is closed when the execution has ended and is stored, or when
// Easel quits and leaves it for its next start.
func (x *Execution) Done() <-chan struct{} { return x.done }

// update calls f, which changes the execution, with x.mu held, and wakes those who wait for
// a change.
func (x *Execution) update(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
	x.wake()
}

// wake wakes those who wait for a change. The caller holds x.mu.
func (x *Execution) wake() {
	close(x.changed)
	x.changed = make(chan struct{})
}

// record returns a copy of the current record of x.
func (x *Execution) record() library.Execution {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rec
}

// pictures returns the images of x so far. The caller must not change them.
func (x *Execution) pictures() []catalog.Image {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clip(x.images)
}

// exchange replaces the first image that is the older one, if there is one.
func (x *Execution) exchange(older func(catalog.Image) bool, newer catalog.Image) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.IndexFunc(x.images, older); i >= 0 {
		x.images = slices.Clone(x.images) // views share the former
		x.images[i] = newer
		x.wake()
	}
}

// doubtful reports whether it is unknown whether x runs.
func (x *Execution) doubtful() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.doubt != ""
}

// place notes the place of x in the queue, 1-based.
func (x *Execution) place(position int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.position != position {
		x.position = position
		x.wake()
	}
}

// waitsFor notes what x, which is in the queue, waits for: until the user resumes the AI, for
// another client's code, for what the kernel executes (nil: nothing), and doubt, the hint while
// the connection is lost.
func (x *Execution) waitsFor(held, theirs bool, blocker *Running, doubt string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	same := x.blocker == blocker || x.blocker != nil && blocker != nil && *x.blocker == *blocker
	if x.held != held || x.behind != theirs || !same || x.doubt != doubt {
		x.held, x.behind, x.blocker, x.doubt = held, theirs, blocker, doubt
		x.wake()
	}
}

// View returns the execution as clients see it. If after is not empty, it must be the Next
// of an earlier view, and View leaves out what that view had. Otherwise the error is
// ErrBadCursor.
func (x *Execution) View(ctx context.Context, after string) (catalog.Execution, error) {
	return x.Within(ctx, after, modelStream)
}

// view is like View without after. The caller holds x.mu.
func (x *Execution) view() catalog.Execution { return x.viewWithin(modelStream) }

// viewWithin is like view, with at most limit bytes of each stream and of the result. The
// caller holds x.mu.
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
		if v.Images[i].Interactive == "" { // a figure has its own description
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

// shownSoFar returns the number of images of an ended execution; 0 while more may come. The
// caller holds x.mu.
func (x *Execution) shownSoFar() int {
	if !catalog.Ended(x.rec.Status) {
		return 0
	}
	return len(x.images)
}

// failed reports whether a status means that the code did not succeed.
func failed(status string) bool {
	switch status {
	case catalog.StatusQueued, catalog.StatusAwaiting, catalog.StatusRunning, catalog.StatusOK:
		return false
	default:
		return true
	}
}

// A cursor is how much of an execution a client has seen: bytes of each stream, and images.
type cursor struct {
	stdout, stderr int64
	images         int
}

func (c cursor) String() string { return fmt.Sprintf("%d.%d.%d", c.stdout, c.stderr, c.images) }

// ErrBadCursor reports that after is not the Next of a view.
var ErrBadCursor = fmt.Errorf("not the 'next' of an earlier result")

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
