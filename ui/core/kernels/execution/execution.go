// Package execution has the state of an execution, code that waits to run, runs or has run in a
// kernel: its record, what it has printed and displayed, and what a caller reads of it.
//
// # Goroutines
//
// The recorder of a kernel changes an [Execution], and everybody reads it. All of that goes through
// methods that lock it, which may be called on any goroutine. The same holds for a [Cell] and a [Registry].
// Nothing here waits for a kernel; reading may wait for the disk.
package execution

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
	"easel/ui/core/outputlog"
	"easel/ui/core/terminal"
)

// An Execution is code that waits to run, runs or has run in a kernel. Its recorder changes
// it; other goroutines change its images when they have been drawn, and forget its outputs.
// So everybody reads and changes it through its methods, which lock it and may be called on
// any goroutine.
type Execution struct {
	id      string
	library *library.Library
	cell    Cell // has its own lock

	mu       sync.Mutex
	rec      library.Execution
	images   []catalog.Image
	stdout   stream
	stderr   stream
	log      *outputlog.Log    // everything that it displayed, in order
	hint     string            // what to do after its end; "" if nothing
	doubt    string            // what to do while it is unknown whether it runs; else ""
	stubborn bool              // it was interrupted but continues
	refused  error             // why it was not approved
	asIs     bool              // its client sent exactly this code, since Easel started
	position int               // in the queue, 1-based; 0 if not in it
	behind   bool              // it waits for the code of another client
	held     bool              // it waits until the user resumes the AI
	blocker  *RunningCode      // what the kernel executes while it waits; nil if nothing, or unknown
	drawings []<-chan struct{} // closed when its figures without a picture have been drawn
	done     chan struct{}     // closed at the end
}

// New returns an execution with a record that is not stored yet.
func New(lib *library.Library, rec library.Execution) *Execution {
	return &Execution{
		id: rec.ID, library: lib, rec: rec,
		stdout: newStream(), stderr: newStream(), log: new(outputlog.Log),
		done: make(chan struct{}),
	}
}

// NewSent returns an execution of exactly the code that a client has sent. With cell, it
// keeps outputs for a notebook.
func NewSent(lib *library.Library, rec library.Execution, cell bool) *Execution {
	x := New(lib, rec)
	x.asIs = true
	if cell {
		x.cell.on = true
	}
	return x
}

// Restore returns an execution from its record in the library.
func Restore(lib *library.Library, rec library.Execution, images []library.Image) *Execution {
	x := New(lib, rec)
	x.hint = rec.Hint
	for _, i := range images {
		x.images = append(x.images, i.Image)
	}
	x.restoreOutputs()
	if catalog.Ended(rec.Status) {
		close(x.done)
	}
	return x
}

// ID returns the execution's id.
func (x *Execution) ID() string { return x.id }

// Cell returns the outputs of x for the cell of a notebook.
func (x *Execution) Cell() *Cell { return &x.cell }

// Done returns a channel that is closed when the execution has ended and is stored, or when
// Easel quits and leaves it for its next start.
func (x *Execution) Done() <-chan struct{} { return x.done }

// Record returns a copy of the current record of x. Do not change what it points to.
func (x *Execution) Record() library.Execution {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.rec
}

// Images returns the images of x so far. The caller must not change them.
func (x *Execution) Images() []catalog.Image {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clip(x.images)
}

// ReplaceImage replaces the first image that is the older one, if there is one.
func (x *Execution) ReplaceImage(older func(catalog.Image) bool, newer catalog.Image) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if i := slices.IndexFunc(x.images, older); i >= 0 {
		x.images = slices.Clone(x.images) // views share the former
		x.log.ReplaceImage(x.images[i].ImageID, newer.ImageID)
		x.images[i] = newer
	}
}

// Doubtful reports whether it is unknown whether x runs.
func (x *Execution) Doubtful() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.doubt != ""
}

// Place notes the place of x in the queue, 1-based.
func (x *Execution) Place(position int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.position = position
}

// WaitFor notes what x, which is in the queue, waits for: until the user resumes the AI, for
// another client's code, for what the kernel executes (nil: nothing), and doubt, the hint while
// the connection is lost.
func (x *Execution) WaitFor(held, theirs bool, blocker *RunningCode, doubt string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.held, x.behind, x.blocker, x.doubt = held, theirs, blocker, doubt
}

// View returns the execution as clients see it. If after is not empty, it must be the Next
// of an earlier view, and View leaves out what that view had. Otherwise the error is
// ErrBadCursor.
func (x *Execution) View(ctx context.Context, after string) (catalog.Execution, error) {
	return x.Read(ctx, ReadOptions{After: after, Limit: modelStream})
}

// Snapshot is like View without after.
func (x *Execution) Snapshot() catalog.Execution {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.viewBy(ReadOptions{Limit: modelStream})
}

// viewBy is like Read without after. The caller holds x.mu.
func (x *Execution) viewBy(q ReadOptions) catalog.Execution {
	v, texts := x.viewAs(q)
	v.Outputs, v.Truncated = x.list(q, cursor{}, v, texts)
	return v
}

// viewAs returns an execution without its outputs, and the excerpts of its streams by name.
func (x *Execution) viewAs(q ReadOptions) (catalog.Execution, map[string]excerpt) {
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
			v.Images[i].Description = Numbered(i, x.shownSoFar())
		}
	}
	if r.Transport == catalog.TransportJupyter {
		v.Watched = r.Client
	}
	stdout := x.stdout.excerpt(q.Limit, q.Final, x.log.Streams("stdout"))
	v.Stdout = stdout.text()
	v.Truncated = x.cut(v.Truncated, "stdout", stdout.seen, x.stdout.total, q.Limit)
	stderr := x.stderr.excerpt(q.Limit, q.Final, x.log.Streams("stderr"))
	v.Stderr = condense(stderr.text())
	v.Truncated = x.cut(v.Truncated, "stderr", stderr.seen, x.stderr.total, q.Limit)
	var cut []catalog.Truncation
	v.Text, cut = bounded("result", x.result(q), q.Limit, inOut(r))
	v.Truncated = append(append(v.Truncated, cut...), r.Truncated...)
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
	v.Next = x.here().String()
	if !catalog.Ended(r.Status) {
		v.Hint, v.Doubtful = x.openHint(), x.doubt != ""
	}
	return v, map[string]excerpt{"stdout": stdout, "stderr": stderr}
}

// here returns the cursor of a client that has seen everything. The caller holds x.mu.
func (x *Execution) here() cursor {
	return cursor{stdout: x.stdout.total, stderr: x.stderr.total, images: len(x.images), changes: x.log.Changes()}
}

// result returns the text of the last value. The caller holds x.mu.
func (x *Execution) result(q ReadOptions) string {
	if !q.Final {
		return x.rec.Result
	}
	if e := x.lastResult(); e != nil && e.MIME != "text/plain" && e.Text != "" {
		return terminal.Text(e.Text) // the plain text only names an object
	}
	return terminal.Text(x.rec.Result)
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

// A cursor is how much of an execution a client has seen: bytes of each stream, images, changes of
// the outputs, and bytes of the output that was changed next.
type cursor struct {
	stdout, stderr int64
	images         int
	changes, bytes int64
}

func (c cursor) String() string {
	text := fmt.Sprintf("%d.%d.%d", c.stdout, c.stderr, c.images)
	if c.bytes > 0 {
		return fmt.Sprintf("%s.%d.%d", text, c.changes, c.bytes)
	}
	if c.changes > 0 {
		return fmt.Sprintf("%s.%d", text, c.changes)
	}
	return text
}

// ErrBadCursor reports that after is not the Next of a view.
var ErrBadCursor = fmt.Errorf("not the 'next' of an earlier result")

func parseCursor(s string) (cursor, error) {
	parts := strings.Split(s, ".")
	if len(parts) < 3 || len(parts) > 5 {
		return cursor{}, ErrBadCursor
	}
	var n [5]int64
	for i, p := range parts {
		v, err := strconv.ParseInt(p, 10, 64)
		if err != nil || v < 0 {
			return cursor{}, ErrBadCursor
		}
		n[i] = v
	}
	return cursor{n[0], n[1], int(n[2]), n[3], n[4]}, nil
}

// A RunningCode is the code that a kernel executes now.
type RunningCode struct {
	ExecutionID string
	Code        string
	Client      string
	Own         bool // started through Easel
	Since       time.Time
	Interrupt   time.Time // when an interrupt was sent; zero if none was
}
