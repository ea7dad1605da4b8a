package record

import (
	"errors"
	"runtime"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
)

// enqueue appends u to the queue. If the kernel is free, it sends u before it stores it, so
// that the kernel and the disk work in parallel.
func (r *Recorder) enqueue(u *run) {
	u.advance(r.log, runQueued)
	u.queued = time.Now()
	r.queue.add(u)
	r.sendNext()
	runtime.Gosched() // let the connection's writer run before this goroutine waits for the disk
	r.journal.keep(u)
	u.kept = true
}

// sendNext sends the next request that the user allows now, if the kernel is free. If the
// kernel must be probed first, it starts a probe.
func (r *Recorder) sendNext() {
	if r.current != nil || len(r.queue.waiting) == 0 || r.foreign.runs() || r.stopping > 0 {
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
	u := r.reconsider()
	if u == nil {
		return
	}
	if u.send != nil {
		r.queue.remove(u)
		r.sendElsewhere(u)
		return
	}
	id, err := r.Link.conn.Execute(r.env.Tasks.Context(), jupyter.ExecuteRequest{Code: u.x.Record().Code})
	if errors.Is(err, jupyter.ErrDisconnected) {
		return // sent after LinkRestored
	}
	r.queue.remove(u)
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
	if r.queue.remove(u) {
		if u.phase == runAwaiting {
			why = why.withdrawn()
		}
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
