package record

import (
	"reflect"
	"time"

	"easel/jupyter/wire"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
)

// A finisher ends runs: it says how they ended, stores that and notifies of it.
type finisher struct {
	session *Session
	journal journal
	outputs *outputs
	adviser adviser
}

// conclusion returns how u ended, as its reply and its output say.
func (f *finisher) conclusion(u *queuedExecution) cause {
	interrupted := u.failure != nil && isInterrupt(u.failure, f.adviser.kernel.link.python())
	switch {
	case u.stop.status == catalog.StatusTimeout, // however the code reacted to the interrupt
		u.stop != (cause{}) && (interrupted || u.failure == nil && u.own && u.reply != wire.ReplyOK):
		return u.stop
	case u.failure != nil && u.failure.Type == keyboardInterrupt:
		return causeKeyboardInterrupt
	case u.failure != nil:
		return cause{status: catalog.StatusError, code: catalog.CodeExecution, message: u.failure.Message, hint: f.adviser.hint(u)}
	case u.own && u.reply != "" && u.reply != wire.ReplyOK: // "aborted", or "abort" from some kernels
		return cause{status: catalog.StatusCancelled, code: catalog.CodeCancelled, message: "The kernel aborted it."}
	default:
		return cause{status: catalog.StatusOK, hint: f.adviser.hint(u)}
	}
}

// end ends u, stores it, notifies of it and closes its Done.
func (f *finisher) end(u *queuedExecution, why cause) {
	f.outputs.flush()
	f.session.SetUsed(time.Now())
	if u.storedEnd != nil { // it succeeded, whatever has happened since
		why = cause{status: catalog.StatusOK, hint: why.hint}
	}
	u.stopTimers()
	u.dropInput()
	if u.withdrawApproval != nil {
		u.withdrawApproval()
	}
	rec := u.x.End(u.outcome(why))
	u.advance(f.journal.log, runEnded)
	if u.storedEnd == nil || !reflect.DeepEqual(rec, *u.storedEnd) {
		f.journal.keep(u)
	}
	f.journal.env.Executions.Retire(u.x)
	f.journal.notify(catalog.ExecutionEnded, u) // before those who wait for Done act on it
	u.x.CloseDone()
	if len(u.x.Images()) > 0 {
		f.outputs.provenance.drew(u)
	}
}

// detach leaves u, which the kernel executes, to the next start of Easel.
func (f *finisher) detach(u *queuedExecution) {
	u.advance(f.journal.log, runDetached)
	u.stopTimers()
	u.dropInput()
	u.x.Doubt(execution.HintSeeking)
	f.journal.keep(u)
	u.x.CloseDone()
}

func (u *queuedExecution) stopTimers() {
	for _, t := range []*time.Timer{u.timeoutTimer, u.retryTimer} {
		if t != nil {
			t.Stop()
		}
	}
}

// outcome returns how u ends because of why.
func (u *queuedExecution) outcome(why cause) execution.Outcome {
	o := execution.Outcome{Status: why.status, At: u.endedAt(why), Hint: why.hint}
	if why.status != catalog.StatusOK {
		o.Error = &catalog.ExecutionError{Code: why.code, Message: why.message}
		if u.failure != nil {
			o.Error.Type, o.Error.Traceback = u.failure.Type, u.failure.Traceback
		}
	}
	return o
}

// endedAt returns when u ended. That is now, unless messages were missed. Then it is the
// time of the kernel's last message about u, by the kernel's clock.
func (u *queuedExecution) endedAt(why cause) time.Time {
	now := time.Now().UTC()
	switch {
	case u.storedEnd != nil:
		return u.storedEnd.EndedAt
	case u.linkLost && u.phase == runIdle, why.status == catalog.StatusLost && u.phase.started(), u.phase == runUnconfirmed:
	default:
		return now
	}
	at := u.lastWord
	if started := u.x.Record().StartedAt; at.Before(started) { // also if there was no message
		at = started
	}
	if at.After(now) {
		return now
	}
	return at
}

// storeEnd stores the end of u when its reply says that it succeeded, before its idle
// arrives. Usually nothing comes in between, and then end need not wait for the disk.
// It does nothing if u has not started: the reply and the busy come over different sockets,
// in any order.
func (f *finisher) storeEnd(u *queuedExecution) {
	if u.phase != runRunning || u.resumed || u.failure != nil || u.stop != (cause{}) || u.reply != wire.ReplyOK {
		return
	}
	f.outputs.flush()
	rec := u.x.RecordWith(u.outcome(cause{status: catalog.StatusOK}))
	if err := f.journal.env.Library.Executions.Put(f.journal.keeping(), rec); err == nil { // otherwise, end tries again and reports the error
		u.storedEnd = &rec
	}
}
