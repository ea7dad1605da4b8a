package record

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// A run is an execution in a recorder, whose goroutine owns the run.
//
// Its booleans are independent of the phase: each may be true in several phases.
type run struct {
	x       *execution.Execution
	phase   runPhase
	own     bool             // requested through Easel, not by another client
	asked   sessionuse.Actor // who requested it, if own
	resumed bool             // an earlier run of Easel sent it, so its reply may not arrive
	timeout time.Duration

	request   string                  // msg_id; "" until it is sent
	kept      bool                    // the library has it; set before or after it is sent
	lastSign  time.Time               // when it was sent, or its last message arrived
	lastWord  time.Time               // when the kernel sent its last message, by this machine's clock; zero if none
	checked   time.Time               // when the watchdog last asked the server about it
	queued    time.Time               // when it was added to the queue
	linkLost  bool                    // the connection was lost while it ran; messages may be missing
	failure   *catalog.ExecutionError // the error that the kernel reported; nil if none
	reply     string                  // status of the reply: ok, error or aborted; "" until it arrives
	storedEnd *library.Execution      // the record that storeEnd stored; nil if it did not
	cell      bool                    // it belongs to a notebook cell

	by       oversight.Sender
	approve  func(context.Context, catalog.Execution) (oversight.Consent, error) // see Request.Approve; may be nil
	approved bool                                                                // the user has approved exactly this code

	send  func(ctx context.Context, code string, may func() error) error // see Request.Send; nil if Easel sends it itself
	begun func(ctx context.Context)                                      // see Request.Begun; may be nil

	stop             cause // why it must end early; zero if it need not
	stopSent         time.Time
	stopTries        int
	stopErr          error        // the result of the last interrupt request
	stopAnswered     []chan error // get the result of the next interrupt request; buffered
	timeoutTimer     *time.Timer
	retryTimer       *time.Timer // until the second interrupt, then until giveUp
	withdrawApproval func()      // cancels the approval request; nil if there was none

	scopes       map[string]*scope            // by Output widget; see in
	drawn        map[[sha256.Size]byte]string // URIs of its images by checksum, without updates
	displaysFull bool                         // no more data of displays is stored
	figures      int                          // number of its figures, without updates
	pending      map[string][]byte            // text by stream that is not yet stored
	shown        *execution.RunningCode       // cached by running; nil if outdated
}

// A cause is why an execution is ended early.
type cause struct {
	status, code, message string
	hint                  string // what to do next; if "", see hintFor
	by                    string // who caused it; "" if its client did, or it is not known
}

var (
	causeInterrupted = cause{catalog.StatusInterrupted, catalog.CodeInterrupted, "It was interrupted. What it printed and drew before is kept.", "", ""}
	// Code may raise it by itself, and Jupyter does not say who interrupts a kernel.
	causeKeyboardInterrupt = cause{
		catalog.StatusInterrupted, catalog.CodeInterrupted,
		"It ended with KeyboardInterrupt: the code raised it, or someone outside Easel interrupted it, for example the user in JupyterLab. What it printed and drew before is kept.", "", "",
	}
	causeCancelled = cause{catalog.StatusCancelled, catalog.CodeCancelled, "The caller cancelled it. What it printed and drew before is kept.", "", ""}
	causeUnsent    = unrun(MessageUnsent)
	causeQuit      = cause{catalog.StatusLost, catalog.CodeOutputLost, "Easel was quit while this ran, and ended its kernel. Earlier output is kept.", execution.HintGone, ""}
)

// MessageUnsent is the message for code that waited when Easel ended.
const MessageUnsent = "Easel ended before it had sent this to the kernel."

// Uninterrupted reports whether code ended with KeyboardInterrupt although nobody in Easel had
// interrupted it.
func Uninterrupted(v catalog.Execution) bool {
	return v.Error != nil && v.Error.Message == causeKeyboardInterrupt.message
}

// lost returns the cause for code whose outcome is unknown.
func lost(message string) cause {
	return cause{catalog.StatusLost, catalog.CodeOutputLost, message, execution.HintLost, ""}
}

// unrun returns the cause for code that was never sent to the kernel, or never taken.
func unrun(message string) cause {
	return cause{catalog.StatusLost, catalog.CodeOutputLost, message, execution.HintUnrun, ""}
}

func causeTimeout(after time.Duration) cause {
	return cause{catalog.StatusTimeout, catalog.CodeTimeout, fmt.Sprintf("It ran longer than its timeout of %s and was interrupted. What it printed and drew before is kept.", after), "", ""}
}

// withdrawn returns the cause for code that ended because of c before the user approved it.
func (c cause) withdrawn() cause {
	by := "the caller cancelled it"
	if c.status == catalog.StatusInterrupted {
		by = "the session was interrupted"
		if c.by != "" {
			by += " by " + c.by
		}
	}
	return cause{catalog.StatusCancelled, catalog.CodeCancelled, "It did not run: " + by + " before the user had approved it.", "", ""}
}

func (u *run) running() *execution.RunningCode {
	if u.shown == nil {
		rec := u.x.Record()
		since := rec.StartedAt
		if since.IsZero() {
			since = rec.CreatedAt
		}
		u.shown = &execution.RunningCode{ExecutionID: rec.ID, Code: rec.Code, Client: rec.Client, Own: u.own, Since: since, Interrupt: u.stopSent}
	}
	return u.shown
}

// enqueue appends u to the queue. If the kernel is free, it sends u before it stores it, so
// that the kernel and the disk work in parallel.
func (r *Recorder) enqueue(u *run) {
	u.advance(r.log, runQueued)
	u.queued = time.Now()
	r.queue = append(r.queue, u)
	r.number()
	r.sendNext()
	runtime.Gosched() // let the connection's writer run before this goroutine waits for the disk
	r.journal.keep(u)
	u.kept = true
}

// unqueue removes u from the queue.
func (r *Recorder) unqueue(u *run) {
	r.queue = slices.DeleteFunc(r.queue, func(o *run) bool { return o == u })
	r.number()
}

// number updates the queue position of each waiting execution.
func (r *Recorder) number() {
	for i, u := range r.queue {
		u.x.Place(i + 1)
	}
}

// sendNext sends the next request that the user allows now, if the kernel is free. If the
// kernel must be probed first, it starts a probe.
func (r *Recorder) sendNext() {
	if r.current != nil || len(r.queue) == 0 || r.foreign.runs() || r.stopping > 0 {
		return
	}
	switch r.Session.phase {
	case kernelReady:
	case kernelDisconnected, kernelGone:
		return
	default:
		r.probe()
		return
	}
	u := r.sift()
	if u == nil {
		return
	}
	if u.send != nil {
		r.unqueue(u)
		r.sendElsewhere(u)
		return
	}
	id, err := r.Link.conn.Execute(r.env.Tasks.Context(), jupyter.ExecuteRequest{Code: u.x.Record().Code})
	if errors.Is(err, jupyter.ErrDisconnected) {
		return // sent after LinkRestored
	}
	r.unqueue(u)
	if err != nil {
		r.finish(u, unrun("It could not be sent to the kernel: "+err.Error()))
		return
	}
	u.request, u.lastSign = id, time.Now()
	u.advance(r.log, runSent)
	r.current = u
	r.ledger.track(u)
	u.x.Send(id, u.lastSign)
	if u.kept { // otherwise, enqueue stores it
		r.journal.keep(u)
	}
}

// begin records that the kernel has started u, and starts its timeout.
func (r *Recorder) begin(u *run) {
	if u.phase != runSent {
		return
	}
	u.advance(r.log, runRunning)
	r.process.runs()
	r.Session.SetUsed(time.Now())
	u.shown = nil
	u.x.Begin()
	r.journal.notify(catalog.ExecutionStarted, u)
	if u.begun != nil {
		r.env.Tasks.Go(func() { u.begun(r.env.Tasks.Context()) })
	}
	r.bound(u, u.timeout)
	if u.stop != (cause{}) {
		r.interrupt(u)
	}
}

// bound interrupts u after remaining, the rest of its timeout.
func (r *Recorder) bound(u *run, remaining time.Duration) {
	if !u.own || u.timeout <= 0 {
		return
	}
	u.timeoutTimer = time.AfterFunc(remaining, func() {
		r.mail.post(func() { r.halt(u, causeTimeout(u.timeout)) })
	})
}

// halt ends u early. It removes u from the queue, or interrupts it once it has started. An
// earlier interrupt could hit another client's code.
func (r *Recorder) halt(u *run, why cause) {
	if u.phase.ended() {
		return
	}
	if i := slices.Index(r.awaiting, u); i >= 0 {
		r.awaiting = slices.Delete(r.awaiting, i, i+1)
		r.finish(u, why.withdrawn())
		return
	}
	if slices.Contains(r.queue, u) {
		r.unqueue(u)
		r.finish(u, why)
		return
	}
	// The first cause counts. Only an interrupt by the user may be replaced, because code
	// that survives it can still be cancelled or reach its timeout.
	if u.stop == (cause{}) || u.stop.status == catalog.StatusInterrupted {
		u.stop = why
	}
	if u.phase.started() {
		r.interrupt(u)
	}
}

// interrupt asks the server to interrupt the kernel, which is executing u.
func (r *Recorder) interrupt(u *run) {
	u.stopSent = time.Now()
	u.shown = nil
	u.stopTries++
	if u.retryTimer != nil {
		u.retryTimer.Stop()
	}
	r.sendInterrupt(func(err error) { r.interruptAnswered(u, err) })
}

// interruptAnswered handles the result of an interrupt request. It retries once, and then
// gives u up after Timing.InterruptGrace.
func (r *Recorder) interruptAnswered(u *run, err error) {
	u.stopErr = err
	for _, told := range u.stopAnswered {
		told <- err
	}
	u.stopAnswered = nil
	if u.phase.ended() {
		return
	}
	if err != nil && u.stop.status == catalog.StatusInterrupted { // the caller gets the error; do not retry
		u.stop, u.stopSent, u.stopTries, u.shown = cause{}, time.Time{}, 0, nil
		return
	}
	if u.stopTries == 1 {
		u.retryTimer = time.AfterFunc(r.env.Timing.InterruptRetry, func() {
			r.mail.post(func() {
				if !u.phase.ended() && (u == r.current || u.request == r.foreign.request) { // otherwise, it would hit other code
					r.interrupt(u)
				}
			})
		})
		return
	}
	if u.stop.status == catalog.StatusInterrupted {
		u.x.Continue()
		return // the user may interrupt again or restart; the timeout still applies
	}
	u.retryTimer = time.AfterFunc(r.env.Timing.InterruptGrace, func() {
		r.mail.post(func() { r.giveUp(u) })
	})
}

// giveUp ends u although the kernel still executes it, because its code catches the
// interrupt or the interrupt did not arrive. The kernel counts as busy until it reports
// idle.
func (r *Recorder) giveUp(u *run) {
	if u.phase.ended() {
		return
	}
	if u.reply != "" { // it reacted, but its idle is late behind other messages, or was lost
		r.conclude(u)
		return
	}
	why := u.stop
	why.hint = execution.HintUnstopped
	if u.stopErr != nil {
		why.hint = execution.HintNotTaken(u.stopErr)
	}
	r.foreign.set(u.request)
	r.finish(u, why)
}
