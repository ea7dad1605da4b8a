package record

import (
	"fmt"
	"log/slog"
)

// A runPhase is the progress of a run. Only advance changes it.
//
// Invariants to preserve:
//   - mayFollow defines the valid changes of phase. Others are logged and ignored. A run
//     that has ended stays ended: its Execution's Done is closed once, and late messages
//     add output but no second end.
//   - queue.awaiting holds the runs in runAwaiting, and queue.waiting those in
//     runQueued. They have no request id, and the kernel does not know them.
//   - dispatcher.current is nil or in a phase from runSent to runIdle. At most one own run is
//     in these phases, not counting those that an earlier run of Easel sent.
//   - An interrupt is sent only for a run that has started: the kernel may still execute
//     another client's code while the run is in runSent.
//   - The phase depends on iopub and the queue. The reply arrives over another socket, in
//     any order, so it is the field reply and not a phase.
type runPhase int

const (
	runNew         runPhase = iota // created, but not passed to its recorder yet
	runAwaiting                    // waits for the user's approval
	runQueued                      // waits for the kernel
	runSent                        // the request was sent; the kernel has not reported its start
	runUnconfirmed                 // an earlier run of Easel sent it; the kernel has not mentioned it since
	runRunning                     // the kernel executes it, as far as Easel knows
	runIdle                        // the kernel reported idle; the reply is missing
	runEnded                       // it has ended, and its Execution has the outcome
	runDetached                    // Easel quits, and its next start resumes it
)

var runPhaseNames = [...]string{"new", "awaiting", "queued", "sent", "unconfirmed", "running", "idle", "ended", "detached"}

// String returns the name of the phase.
func (p runPhase) String() string { return phaseName(runPhaseNames[:], int(p)) }

// started reports whether the kernel has started the run, as far as Easel knows, and the run
// has not ended.
func (p runPhase) started() bool { return p == runUnconfirmed || p == runRunning || p == runIdle }

// ended reports whether the phase is final.
func (p runPhase) ended() bool { return p == runEnded || p == runDetached }

// mayFollow reports whether a run may change from phase from to p.
func (p runPhase) mayFollow(from runPhase) bool {
	switch p {
	case runUnconfirmed:
		return from == runNew
	case runAwaiting: // runQueued: the user has chosen to be asked meanwhile
		return from == runNew || from == runQueued
	case runQueued: // runSent: another client was to send it, and has not
		return from == runNew || from == runAwaiting || from == runSent
	case runSent:
		return from == runQueued
	case runRunning: // runNew is for another client's code
		return from == runNew || from == runSent || from == runUnconfirmed
	case runIdle: // runSent is for a lost busy
		return from == runSent || from == runRunning
	case runEnded: // runNew is for a run that ended before its kernel was joined
		return !from.ended()
	case runDetached: // a run that was not sent ends instead
		return from == runSent || from.started()
	default:
		return false
	}
}

// advance changes the phase of u to next. If that is not valid, it logs it, changes nothing
// and returns false.
func (u *queuedExecution) advance(log *slog.Logger, next runPhase) bool {
	if !next.mayFollow(u.phase) {
		log.Error("an execution's phase cannot follow", "execution", u.x.ID(), "phase", u.phase, "next", next)
		return false
	}
	u.phase = next
	return true
}

// A kernelPhase is the state of a recorder's kernel. Only become changes it.
//
// Invariants to preserve:
//   - A request is sent only in kernelReady. A request that is sent while a kernel restarts
//     is lost without an error.
//   - Only the answer to a probe leads back to kernelReady, and only if there was no restart
//     and no lost connection since the probe. The exception is a restored connection while
//     a request is open, whose fate checkCurrent finds out.
//   - kernelDisconnected ends when the connection is restored or the kernel is gone.
//     Messages that the server replays before that date from the time without a connection.
//   - kernelGone is final. No run is left open in it, and the recorder's goroutine ends.
type kernelPhase int

const (
	kernelReady        kernelPhase = iota // accepts requests
	kernelUnconfirmed                     // may be a different process by now, so a probe must succeed first
	kernelRestarting                      // has restarted or is about to; a probe must succeed first
	kernelDead                            // the server says that it died for good; a probe must succeed first
	kernelDisconnected                    // the connection is lost and is being reopened
	kernelGone                            // the kernel has ended, or Easel has left it
)

var kernelPhaseNames = [...]string{"ready", "unconfirmed", "restarting", "dead", "disconnected", "gone"}

// String returns the name of the phase.
func (p kernelPhase) String() string { return phaseName(kernelPhaseNames[:], int(p)) }

// status converts the phase to the status of a session. A session with the status "idle"
// may be busy.
func (p kernelPhase) status() string {
	switch p {
	case kernelRestarting:
		return "restarting"
	case kernelDisconnected:
		return "disconnected"
	case kernelDead, kernelGone:
		return "dead"
	default:
		return "idle"
	}
}

// mayFollow reports whether a kernel may change from phase from to p.
func (p kernelPhase) mayFollow(from kernelPhase) bool {
	switch from {
	case kernelReady, kernelUnconfirmed, kernelRestarting, kernelDead:
		return p != from && p <= kernelGone
	case kernelDisconnected:
		return p == kernelReady || p == kernelUnconfirmed || p == kernelGone
	default:
		return false
	}
}

func phaseName(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("phase(%d)", i)
	}
	return names[i]
}
