package record

import (
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
)

// longInterval is the number of intervals between checks of a request that is probably fine,
// because long code may be silent.
const longInterval = 6

// A watchdog says when what the kernel executes is to be checked, so that every execution ends.
type watchdog struct {
	interval  time.Duration
	downSince time.Time // when the connection was lost; valid in kernelDisconnected
	checked   time.Time // time of the last check of foreign code
	checking  bool      // a check of foreign code is in flight
}

// suspects reports whether a check of u, which was sent, is due: it is silent when a message was
// due, or for long.
func (w *watchdog) suspects(u *queuedExecution) bool {
	quiet := time.Since(u.lastSign)
	switch {
	case u.phase == runSent && quiet > w.interval, // sent, but no message yet
		(u.reply != "" || u.phase == runIdle) && quiet > w.interval, // one of reply and idle is missing
		u.stop != (cause{}) && quiet > w.interval,                   // interrupted, but no message since
		quiet > longInterval*w.interval && time.Since(u.checked) > longInterval*w.interval:
		u.checked = time.Now()
		return true
	}
	return false
}

// suspectsForeign reports whether a check of foreign code is due. waits is whether requests wait for
// its end.
func (w *watchdog) suspectsForeign(waits bool) bool {
	if !waits && time.Since(w.checked) <= longInterval*w.interval {
		return false
	}
	w.checked = time.Now()
	return true
}

// checkStalled checks requests that are silent when a message was due, code of other clients that
// does not seem to end, and servers that do not come back.
func (r *Recorder) checkStalled() {
	if r.Session.phase == kernelDisconnected {
		r.checkAbsence()
		return
	}
	r.probeRestarted()
	if u := r.dispatch.current; u != nil {
		if r.watchdog.suspects(u) {
			r.checkCurrent(u)
		}
		return
	}
	if (r.foreign.runs() || r.ledger.unended()) && r.watchdog.suspectsForeign(len(r.dispatch.queue.waiting) > 0) {
		r.checkForeign()
	}
}

// checkAbsence ends queued executions if the server has been away for too long. It ends
// running ones much later, because their result may arrive when the connection is back.
func (r *Recorder) checkAbsence() {
	gone, away := time.Since(r.watchdog.downSince), r.env.Timing.QueueAbsence
	if gone >= r.env.Timing.RunAbsence {
		said := r.Link.absence(r.env.Timing.RunAbsence) + ": the outcome is unknown. Earlier output is kept."
		if r.dispatch.current != nil {
			r.dispatch.finish(r.dispatch.current, lost(said))
		}
		r.dispatch.endOthers(lost(said))
	}
	if gone < away {
		return
	}
	for _, u := range r.dispatch.queue.takeWaiting(away) {
		r.dispatch.finish(u, unrun(r.Link.absence(away)+"; the code was not run."))
	}
}

// checkCurrent checks in the background whether the kernel still executes u. If the kernel is
// idle and answers a probe, the missing messages will not arrive, and u ends. If another process
// answers than the one that started u, the kernel has restarted.
func (r *Recorder) checkCurrent(u *queuedExecution) {
	since := u.lastSign
	r.env.Tasks.Go(func() {
		found := r.examiner.examine()
		r.mail.post(func() {
			switch {
			case found.gone:
				r.gone("the server no longer has it")
			case found.busy:
				if u.phase.started() && r.process.isNot(found.process) {
					r.process.runs() // so that the restart counts
					r.restart(causeReplaced.message, true, sessionuse.WhileAway)
					r.probeRestarted()
				}
				u.clearDoubt()
			case found.idle && !u.phase.ended() && !u.lastSign.After(since):
				if u.storedEnd != nil { // it succeeded; see finisher.end
					u.x.Truncate("output", 0, "the kernel's last message, and perhaps some output, was lost")
				}
				r.dispatch.finish(u, u.lostCause(r.process.replaced()))
			}
		})
	})
}

// lostCause returns the cause for u, whose end did not arrive. replaced is whether the kernel's process
// changed while Easel was not running.
func (u *queuedExecution) lostCause(replaced bool) cause {
	why := lost("The end of this execution, and perhaps some output, was lost: the kernel is idle again. Received output is kept.")
	switch {
	case u.phase == runSent && u.stop != (cause{}):
		why = u.stop
		why.message = "It never ran. " + why.message
	case u.phase == runSent && u.send != nil:
		why = unrun("The program in which the notebook is open has not run the cell. Perhaps it asks the user something, such as which kernel to use.")
	case u.phase == runSent:
		why = unrun("The kernel never took this request (it was restarting, or the connection was lost).")
	case u.stop != (cause{}) && !u.linkLost:
		why = u.stop // ipykernel drops the request without a reply if the interrupt hits its own code
	case u.phase == runUnconfirmed && replaced:
		why = causeReplaced
	case u.phase == runUnconfirmed:
		why.message = messageOrphanLost
	case u.linkLost:
		why.message = "The connection to the kernel was lost while this ran, and the end of its output with it. Earlier output is kept."
	}
	return why
}

// checkForeign checks in the background whether another client's code still runs. Its idle may
// have been missed, or may arrive after the server's status. So checkForeign also probes
// the kernel, whose answer follows that idle. If no message about the code was ever
// received, only the probe counts, however long it takes (see probe).
func (r *Recorder) checkForeign() {
	if r.watchdog.checking {
		return
	}
	r.watchdog.checking = true
	request := r.foreign.request
	r.env.Tasks.Go(func() {
		free, gone := r.examiner.free(request)
		r.mail.post(func() {
			r.watchdog.checking = false
			switch {
			case gone:
				r.gone("the server no longer has it")
			case free && r.foreign.request == request:
				if u := r.dispatch.current; u != nil && u.phase == runUnconfirmed {
					r.dispatch.finish(u, u.lostCause(r.process.replaced()))
				}
				r.foreignEnded()
			case !free && r.ledger.byID[request] != nil && r.Session.phase != kernelDisconnected:
				r.ledger.byID[request].clearDoubt()
			}
		})
	})
}

// foreignEnded handles the end of another client's code whose idle was missed.
func (r *Recorder) foreignEnded() {
	r.foreign.set("")
	why := lost("The connection to the kernel was lost while this ran, and its end with it.")
	if r.process.replaced() {
		why = causeReplaced
		r.process.id = r.process.joined
		r.Session.replace(sessionuse.WhileAway, r.process.id)
	}
	r.dispatch.endOthers(why)
}

// messageOrphanLost is the message for code from an earlier run of Easel whose outcome is
// unknown.
const messageOrphanLost = "Easel was restarted while this ran, and its end was lost: the kernel is idle again. Earlier output is kept."

// causeReplaced is the cause for code in a kernel whose process changed while Easel was not
// connected.
var causeReplaced = cause{
	catalog.StatusKernelDied, catalog.CodeKernelDied,
	catalog.MessageReplaced, execution.HintDied, "",
}
