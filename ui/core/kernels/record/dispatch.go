package record

import (
	"errors"
	"log/slog"
	"runtime"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
)

// A dispatcher sends a session's own requests to the kernel, one at a time, and ends them. Only the
// recorder's goroutine uses it.
type dispatcher struct {
	env     *Environment
	log     *slog.Logger
	mail    mailbox // of the recorder
	link    *Link
	session *Session
	ledger  *ledger
	journal journal
	foreign *foreignCode

	finisher   finisher
	interrupts interrupter
	queue      queue
	risks      *risks
	current    *queuedExecution // the request that was sent and has not ended; nil if none
}

// busy reports whether the kernel executes anything, or anything waits for it.
func (d *dispatcher) busy() bool { return d.current != nil || d.foreign.runs() || d.queue.len() > 0 }

// find returns the run of an execution that waits or was sent, and has not ended; nil if there is none.
func (d *dispatcher) find(x *execution.Execution) *queuedExecution {
	if d.current != nil && d.current.x == x {
		return d.current
	}
	return d.queue.find(x)
}

// running returns what the kernel executes; nil if nothing.
func (d *dispatcher) running() *execution.RunningCode {
	if d.current != nil {
		return d.current.running()
	}
	return d.foreign.running()
}

// enqueue appends u to the queue. If the kernel is free, it sends u before it stores it, so
// that the kernel and the disk work in parallel.
func (d *dispatcher) enqueue(u *queuedExecution) {
	u.advance(d.log, runQueued)
	u.queued = time.Now()
	d.queue.add(u)
	d.sendNext()      // the recorder calls it again, and probes the kernel if necessary
	runtime.Gosched() // let the connection's writer run before this goroutine waits for the disk
	d.journal.keep(u)
	u.kept = true
}

// sendNext sends the next request that the user allows now, if the kernel is free. It reports whether
// the kernel must be probed first.
func (d *dispatcher) sendNext() (probe bool) {
	if d.current != nil || len(d.queue.waiting) == 0 || d.foreign.runs() || d.interrupts.inFlight > 0 {
		return false
	}
	switch d.session.phase {
	case kernelReady:
	case kernelDisconnected, kernelGone:
		return false
	default:
		return true
	}
	u := d.reconsider()
	if u == nil {
		return false
	}
	if u.send != nil {
		d.queue.remove(u)
		d.sendElsewhere(u)
		return false
	}
	u.stdin = d.askable()
	id, err := d.link.conn.Execute(d.env.Tasks.Context(), jupyter.ExecuteRequest{Code: u.x.Record().Code, Stdin: u.stdin})
	if errors.Is(err, jupyter.ErrDisconnected) {
		return false // sent after LinkRestored
	}
	d.queue.remove(u)
	if err != nil {
		d.finish(u, unrun("It could not be sent to the kernel: "+err.Error()))
		return false
	}
	u.request, u.lastSign = id, time.Now()
	u.advance(d.log, runSent)
	d.current = u
	d.ledger.track(u)
	u.x.Send(id, u.lastSign)
	if u.kept { // otherwise, enqueue stores it
		d.journal.keep(u)
	}
	return false
}

// begin records that the kernel has started u, and starts its timeout. It reports whether u had not
// started yet.
func (d *dispatcher) begin(u *queuedExecution) bool {
	if u.phase != runSent {
		return false
	}
	u.advance(d.log, runRunning)
	d.session.SetUsed(time.Now())
	u.shown = nil
	u.x.Begin()
	d.journal.notify(catalog.ExecutionStarted, u)
	if u.begun != nil {
		d.env.Tasks.Go(func() { u.begun(d.env.Tasks.Context()) })
	}
	d.bound(u, u.timeout)
	if u.stop != (cause{}) {
		d.interrupt(u)
	}
	return true
}

// bound interrupts u after remaining, the rest of its timeout.
func (d *dispatcher) bound(u *queuedExecution, remaining time.Duration) {
	if !u.own || u.timeout <= 0 {
		return
	}
	u.timeoutAt = time.Now().Add(remaining)
	u.timeoutTimer = time.AfterFunc(remaining, func() {
		d.mail.post(func() {
			if !u.asking() { // otherwise, the user thinks
				d.halt(u, causeTimeout(u.timeout))
			}
		})
	})
}

// halt ends u early. It removes u from the queue, or interrupts it once it has started. An
// earlier interrupt could hit another client's code.
func (d *dispatcher) halt(u *queuedExecution, why cause) {
	if u.phase.ended() {
		return
	}
	if d.queue.remove(u) {
		if u.phase == runAwaiting {
			why = why.withdrawn()
		}
		d.finish(u, why)
		return
	}
	// The first cause counts. Only an interrupt by the user may be replaced, because code
	// that survives it can still be cancelled or reach its timeout.
	if u.stop == (cause{}) || u.stop.status == catalog.StatusInterrupted {
		u.stop = why
	}
	switch {
	case u.phase.started():
		d.interrupt(u)
	case u.phase == runSent && u.recall != nil:
		u.recall()
	}
}

// interrupt asks the server to interrupt the kernel, which is executing u.
func (d *dispatcher) interrupt(u *queuedExecution) {
	d.hideInput(u)
	u.stopSent = time.Now()
	u.shown = nil
	u.stopTries++
	if u.retryTimer != nil {
		u.retryTimer.Stop()
	}
	d.interrupts.send(func(err error) { d.interruptAnswered(u, err) })
}

// interruptAnswered handles the result of an interrupt request. It retries once, and then
// gives u up after Timing.InterruptGrace.
func (d *dispatcher) interruptAnswered(u *queuedExecution, err error) {
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
		d.askAgain()
		return
	}
	if !u.asking() {
		u.input = nil
	}
	if u.stopTries == 1 && !u.asking() {
		u.retryTimer = time.AfterFunc(d.env.Timing.InterruptRetry, func() {
			d.mail.post(func() {
				if !u.phase.ended() && (u == d.current || u.request == d.foreign.request) { // otherwise, it would hit other code
					u.unmoved = true
					d.interrupt(u)
				}
			})
		})
		return
	}
	if u.stop.status == catalog.StatusInterrupted {
		u.x.Continue()
		return // the user may interrupt again or restart; the timeout still applies
	}
	u.retryTimer = time.AfterFunc(d.env.Timing.InterruptGrace, func() {
		d.mail.post(func() { d.giveUp(u) })
	})
}

// giveUp ends u although the kernel still executes it, because its code catches the
// interrupt or the interrupt did not arrive. The kernel counts as busy until it reports
// idle.
func (d *dispatcher) giveUp(u *queuedExecution) {
	if u.phase.ended() {
		return
	}
	if u.reply != "" { // it reacted, but its idle is late behind other messages, or was lost
		d.finish(u, d.finisher.conclusion(u))
		return
	}
	why := u.stop
	why.hint = execution.HintUnstopped
	if u.stopErr != nil {
		why.hint = execution.HintNotTaken(u.stopErr)
	}
	d.foreign.set(u.request)
	d.finish(u, why)
}
