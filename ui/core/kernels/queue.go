package kernels

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/pycode"
)

// A run is an execution on its way through a recorder. The recorder's goroutine
// owns it.
//
// Its booleans are facts beside the phase: each of them holds in more than one phase, or
// says something that the kernel's progress does not.
type run struct {
	x       *Execution
	phase   runPhase
	own     bool // asked for through Easel; else by another client
	resumed bool // an earlier Easel began it: its reply may not come
	timeout time.Duration

	request   string                  // msg_id; empty until it is sent
	kept      bool                    // the library has it, which may be before or after it is sent
	lastSign  time.Time               // when the kernel last spoke of it, or it was sent
	lastWord  time.Time               // the same by the kernel's own clock, in our time; zero before
	checked   time.Time               // when the watchdog last asked the server about it
	queued    time.Time               // when it was put in the queue
	linkLost  bool                    // the connection was lost while it ran, and perhaps messages with it
	failure   *catalog.ExecutionError // what the kernel said went wrong
	reply     string                  // status of the reply: ok, error, aborted; empty until it comes
	storedEnd *library.Execution      // how the library has it since the reply; nil if it does not
	cell      bool                    // it fills a cell of a notebook

	stop             cause // why it is to end early
	stopSent         time.Time
	stopTries        int
	stopErr          error        // what the last interrupt met with
	stopAnswered     []chan error // who wants to know how the next interrupt was answered
	timeoutTimer     *time.Timer  // of the timeout
	retryTimer       *time.Timer  // until the next interrupt, then of the grace after it
	withdrawApproval func()       // takes back the question whether it may run; nil if none was asked

	clearNext  bool                         // clear_output(wait=True) was seen
	cleared    []string                     // URIs of cleared images, for the next ones to replace
	drawn      map[[sha256.Size]byte]string // URIs of what it has drawn, by the sums of their bytes; no updates
	figures    int                          // how many it has shown; no updates
	codeTitles *pycode.Titles               // what the code says of their titles; nil before it was read
	pending    map[string][]byte            // stream text that is not yet on disk
	shown      *Running
}

// A cause is why an execution is ended early.
type cause struct {
	status, code, message string
	hint                  string // what to do about it; "" is what suits the status
}

var (
	causeInterrupted = cause{catalog.StatusInterrupted, catalog.CodeInterrupted, "It was interrupted. What it printed and drew before is kept.", ""}
	causeCancelled   = cause{catalog.StatusCancelled, catalog.CodeCancelled, "The caller cancelled it. What it printed and drew before is kept.", ""}
	causeUnsent      = cause{catalog.StatusLost, catalog.CodeOutputLost, "Easel ended before it had sent this to the kernel.", hintUnrun}
	causeKernelGone  = cause{
		catalog.StatusLost, catalog.CodeOutputLost,
		"Its kernel ended while Easel was not running: it is unknown whether the code finished. Earlier output is kept.", hintGone,
	}
	causeQuit = cause{catalog.StatusLost, catalog.CodeOutputLost, "Easel was quit while this ran, and ended its kernel. Earlier output is kept.", hintGone}
)

// lost is an end of which nothing else is known.
func lost(message string) cause {
	return cause{catalog.StatusLost, catalog.CodeOutputLost, message, hintLost}
}

// unrun is the end of what was never sent to the kernel.
func unrun(message string) cause {
	return cause{catalog.StatusLost, catalog.CodeOutputLost, message, hintUnrun}
}

// causeServerAbsent is the end of what an earlier Easel began, on a server that does not come back.
func causeServerAbsent(after time.Duration) cause {
	return lost(fmt.Sprintf("Easel was restarted while this ran, and has not reached its Jupyter server for %s: the outcome is unknown. Earlier output is kept.", after))
}

func causeTimeout(after time.Duration) cause {
	return cause{catalog.StatusTimeout, catalog.CodeTimeout, fmt.Sprintf("It ran longer than its timeout of %s and was interrupted. What it printed and drew before is kept.", after), ""}
}

// withdrawn is the cause for code that the user had not approved yet.
func (c cause) withdrawn() cause {
	by := "the caller cancelled it"
	if c.status == catalog.StatusInterrupted {
		by = "the session was interrupted"
	}
	return cause{catalog.StatusCancelled, catalog.CodeCancelled, "It did not run: " + by + " before the user had approved it.", ""}
}

func (u *run) running() *Running {
	if u.shown == nil {
		u.x.mu.Lock()
		rec := u.x.rec
		u.x.mu.Unlock()
		since := rec.StartedAt
		if since.IsZero() {
			since = rec.CreatedAt
		}
		u.shown = &Running{ExecutionID: rec.ID, Code: rec.Code, Client: rec.Client, Own: u.own, Since: since, Interrupt: u.stopSent}
	}
	return u.shown
}

// enqueue puts u at the end of the queue and, if nothing is in its way, sends it
// before it is written down: the kernel works while the disk does.
func (r *recorder) enqueue(u *run) {
	r.advance(u, runQueued)
	u.queued = time.Now()
	r.queue = append(r.queue, u)
	r.number()
	r.sendNext()
	runtime.Gosched() // the connection's writer goes first, or it waits for the disk or another processor
	r.keep(u)
	u.kept = true
}

// number tells each waiting execution its place.
func (r *recorder) number() {
	for i, u := range r.queue {
		if u.x.position != i+1 {
			u.x.update(func() { u.x.position = i + 1 })
		}
	}
}

// sendNext sends the next request if the kernel is free for it.
func (r *recorder) sendNext() {
	if r.current != nil || len(r.queue) == 0 || r.foreign != "" || r.stopping > 0 {
		return
	}
	switch r.phase {
	case kernelReady:
	case kernelDisconnected, kernelGone:
		return
	default:
		r.probe()
		return
	}
	u := r.queue[0]
	id, err := r.conn.Execute(r.m.ctx, jupyter.ExecuteRequest{Code: u.x.rec.Code})
	if errors.Is(err, jupyter.ErrDisconnected) {
		return // sent after LinkRestored
	}
	r.queue = r.queue[1:]
	r.number()
	if err != nil {
		r.finish(u, unrun("It could not be sent to the kernel: "+err.Error()))
		return
	}
	u.request, u.lastSign = id, time.Now()
	r.advance(u, runSent)
	r.current = u
	r.track(u)
	u.x.update(func() {
		u.x.position, u.x.doubt = 0, ""
		u.x.rec.Status, u.x.rec.Request, u.x.rec.SentAt = catalog.StatusRunning, id, u.lastSign.UTC()
	})
	if u.kept { // else it is about to be
		r.keep(u)
	}
}

// track remembers which request u is.
func (r *recorder) track(u *run) {
	r.byRequest[u.request] = u
	r.requests = append(r.requests, u.request)
	if u.cell {
		r.cells++
	}
	for len(r.requests) > keepRequests {
		old := r.byRequest[r.requests[0]]
		if old != nil && !old.phase.ended() {
			return // it may speak yet
		}
		if old != nil && old.cell {
			r.cells--
		}
		delete(r.byRequest, r.requests[0])
		r.requests = r.requests[1:]
	}
}

// begin marks that the kernel has started with u; timeout counts from here.
func (r *recorder) begin(u *run) {
	if u.phase != runSent {
		return
	}
	r.advance(u, runRunning)
	r.process = processUsed
	r.touch()
	u.shown = nil
	u.x.update(func() {
		u.x.rec.Status = catalog.StatusRunning
		u.x.rec.StartedAt = time.Now().UTC()
	})
	r.notify(catalog.ExecutionStarted, u)
	r.bound(u, u.timeout)
	if u.stop != (cause{}) {
		r.interrupt(u)
	}
}

// bound interrupts u when its timeout is over. remaining is what is left of that.
func (r *recorder) bound(u *run, remaining time.Duration) {
	if !u.own || u.timeout <= 0 {
		return
	}
	u.timeoutTimer = time.AfterFunc(remaining, func() {
		r.post(func() { r.halt(u, causeTimeout(u.timeout)) })
	})
}

// halt ends u early. It takes u out of the queue, or interrupts it once it has started. An
// interrupt before that could hit another client's code.
func (r *recorder) halt(u *run, why cause) {
	if u.phase.ended() {
		return
	}
	if i := slices.Index(r.awaiting, u); i >= 0 {
		r.awaiting = slices.Delete(r.awaiting, i, i+1)
		r.finish(u, why.withdrawn())
		return
	}
	for i, q := range r.queue {
		if q == u {
			r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
			r.number()
			r.finish(u, why)
			return
		}
	}
	// The first cause stands. Only the user's interrupt gives way to another one: code
	// that survives it may still be cancelled or reach its timeout.
	if u.stop == (cause{}) || u.stop.status == catalog.StatusInterrupted {
		u.stop = why
	}
	if u.phase.started() {
		r.interrupt(u)
	}
}

// interrupt asks the server to interrupt the kernel, which works at u.
func (r *recorder) interrupt(u *run) {
	u.stopSent = time.Now()
	u.shown = nil
	u.stopTries++
	if u.retryTimer != nil {
		u.retryTimer.Stop()
	}
	r.sendInterrupt(func(err error) { r.interruptAnswered(u, err) })
}

// interruptAnswered follows an interrupt that the server has answered.
func (r *recorder) interruptAnswered(u *run, err error) {
	u.stopErr = err
	for _, told := range u.stopAnswered {
		told <- err
	}
	u.stopAnswered = nil
	if u.phase.ended() {
		return
	}
	if err != nil && u.stop.status == catalog.StatusInterrupted { // the caller was told, and it is not done later unasked
		u.stop, u.stopSent, u.stopTries, u.shown = cause{}, time.Time{}, 0, nil
		return
	}
	if u.stopTries == 1 {
		u.retryTimer = time.AfterFunc(r.m.timing.interruptRetry, func() {
			r.post(func() {
				if !u.phase.ended() && (u == r.current || u.request == r.foreign) { // else it would hit other code
					r.interrupt(u)
				}
			})
		})
		return
	}
	if u.stop.status == catalog.StatusInterrupted {
		u.x.update(func() { u.x.stubborn = true })
		return // the user interrupts again, or restarts; the timeout goes on
	}
	u.retryTimer = time.AfterFunc(r.m.timing.interruptGrace, func() {
		r.post(func() { r.giveUp(u) })
	})
}

// giveUp ends u although the kernel still works at it: its code caught the
// interrupt, or that did not get there. The kernel counts as busy until it says
// that it is idle.
func (r *recorder) giveUp(u *run) {
	if u.phase.ended() {
		return
	}
	why := u.stop
	why.hint = hintUnstopped
	if u.stopErr != nil {
		why.hint = hintNotTaken(u.stopErr)
	}
	r.worksAt(u.request)
	r.finish(u, why)
}

// worksAt records that the kernel executes a request that is not current, or none if that
// is "".
func (r *recorder) worksAt(request string) {
	if r.foreign != request && (request == "" || r.foreign != unknownRequest) {
		r.moveOn(r.byRequest[r.foreign])
	}
	r.foreign, r.orphaned = request, false
}

// moveOn tells those who wait for it that the kernel is done with what was not current:
// with u, or nil if that is not known.
func (r *recorder) moveOn(u *run) {
	if r.moved == nil {
		return
	}
	for _, i := range r.interrupted {
		if i.target == nil {
			i.target = u
		}
	}
	close(r.moved)
	r.moved, r.interrupted = nil, nil
}

// alone tells whether Easel started the kernel and is its only client, so that nobody else
// can have started what it executes.
func (r *recorder) alone(k jupyter.KernelModel) bool {
	return r.session().Owner == OwnerEasel && k.Connections <= 1
}

// works tells whether the kernel executes something that is not current, and whether that
// is another client's: what Easel gave up, or started before it was restarted, is not.
func (r *recorder) works() (works, theirs bool) {
	u := r.byRequest[r.foreign]
	return r.foreign != "", r.foreign != "" && !r.orphaned && (u == nil || !u.own)
}
