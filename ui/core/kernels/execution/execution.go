// Package execution has the state of an execution, code that waits to run, runs or has run in a
// kernel: its record, what it has printed and displayed, and what a caller reads of it.
//
// # Goroutines
//
// The recorder of a kernel changes an [Execution], and everybody reads it. All of that goes through
// methods that lock it, which may be called on any goroutine. The same holds for a [Cell] and a [Registry].
// Nothing here waits for a kernel; reading may wait for the disk, but not under the lock.
package execution

import (
	"context"
	"slices"
	"sync"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/outputlog"
)

// An Execution is code that waits to run, runs or has run in a kernel. Its recorder changes
// it; other goroutines change its images when they have been drawn, and forget its outputs.
// So everybody reads and changes it through its methods, which lock it and may be called on
// any goroutine.
type Execution struct {
	id      string
	library *library.Library
	cell    Cell // has its own lock

	mu sync.Mutex
	state
	stdout   stream
	stderr   stream
	log      *outputlog.Log    // everything that it displayed, in order
	refused  error             // why it was not approved
	asIs     bool              // its client sent exactly this code, since Easel started
	drawings []<-chan struct{} // closed when its figures without a picture have been drawn
	asks     chan struct{}     // closed when it next asks for input
	told     map[string]bool   // callers that know what it asks for now
	done     chan struct{}     // closed at the end
}

// A state is what is known of an execution besides its outputs. Copies share what it points to,
// which is replaced but never changed.
type state struct {
	rec      library.Execution
	images   []catalog.Image
	hint     string                // what to do after its end; "" if nothing
	doubt    string                // what to do while it is unknown whether it runs; else ""
	stubborn bool                  // it was interrupted but continues
	input    *catalog.AwaitedInput // what it asks the user for; nil if nothing
	position int                   // in the queue, 1-based; 0 if not in it
	behind   bool                  // it waits for the code of another client
	held     bool                  // it waits until the user resumes the AI
	blocker  *RunningCode          // what the kernel executes while it waits; nil if nothing, or unknown
}

// New returns an execution with a record that is not stored yet.
func New(lib *library.Library, rec library.Execution) *Execution {
	return &Execution{
		id: rec.ID, library: lib, state: state{rec: rec},
		stdout: newStream(), stderr: newStream(), log: new(outputlog.Log),
		asks: make(chan struct{}), done: make(chan struct{}),
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
	return newSnapshot(x, ReadOptions{Limit: modelStream}).view()
}

// A RunningCode is the code that a kernel executes now.
type RunningCode struct {
	ExecutionID string
	Code        string
	Client      string
	Own         bool // started through Easel
	Since       time.Time
	Interrupt   time.Time // when an interrupt was sent; zero if none was
	Unmoved     bool      // it has not reacted to the interrupt
	Asks        bool      // it asks the user for input
}
