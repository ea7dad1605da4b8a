package kernels

import "fmt"

// A runPhase is how far a run has come. advance changes it, and nothing else does.
//
// Invariants to preserve:
//   - A phase follows only one of those that mayFollow names; what contradicts that is
//     logged and ignored. A run that has ended stays so: its Execution's Done is closed
//     once, and late messages add output but no second end.
//   - recorder.awaiting holds the runs in runAwaiting, and recorder.queue those in
//     runQueued. They have no request id, and the kernel knows nothing of them.
//   - recorder.current is nil or in a phase from runSent to runIdle. At most one own run is
//     in these phases, but for those that an earlier Easel sent.
//   - An interrupt is sent only for a run that has started: the kernel may still execute
//     another client's code while the run is in runSent.
//   - The phase follows iopub and the queue. The reply comes over another socket, in any
//     order, so that it is not a phase but the field reply.
type runPhase int

const (
	runNew         runPhase = iota // made, and not handed to its recorder yet
	runAwaiting                    // it waits for the user's approval
	runQueued                      // it waits for the kernel
	runSent                        // the kernel has the request, and has not reported that it started
	runUnconfirmed                 // an earlier Easel sent it; the kernel has not mentioned it since
	runRunning                     // the kernel executes it, as far as is known
	runIdle                        // the kernel reported idle; the reply is missing
	runEnded                       // it has ended, and its Execution says how
	runDetached                    // Easel was quit; the next one takes it up
)

var runPhaseNames = [...]string{"new", "awaiting", "queued", "sent", "unconfirmed", "running", "idle", "ended", "detached"}

// String is the phase's name.
func (p runPhase) String() string { return phaseName(runPhaseNames[:], int(p)) }

// started tells whether the kernel has started the run, as far as is known, and the run has
// not ended.
func (p runPhase) started() bool { return p == runUnconfirmed || p == runRunning || p == runIdle }

// ended tells whether nothing more becomes of the run here.
func (p runPhase) ended() bool { return p == runEnded || p == runDetached }

// mayFollow tells whether a run in phase from may become p.
func (p runPhase) mayFollow(from runPhase) bool {
	switch p {
	case runAwaiting, runUnconfirmed:
		return from == runNew
	case runQueued:
		return from == runNew || from == runAwaiting
	case runSent:
		return from == runQueued
	case runRunning: // from runNew: another client's code
		return from == runNew || from == runSent || from == runUnconfirmed
	case runIdle: // from runSent: the busy was lost
		return from == runSent || from == runRunning
	case runEnded: // from runNew: it ended before its kernel was joined
		return !from.ended()
	case runDetached: // what was not sent has ended instead
		return from == runSent || from.started()
	default:
		return false
	}
}

// advance puts u into its next phase. It reports false, and changes nothing, if that may
// not follow.
func (r *recorder) advance(u *run, next runPhase) bool {
	if !next.mayFollow(u.phase) {
		r.log.Error("an execution's phase cannot follow", "execution", u.x.id, "phase", u.phase, "next", next)
		return false
	}
	u.phase = next
	return true
}

// A kernelPhase is the state of a recorder's kernel. become changes it, and nothing else
// does.
//
// Invariants to preserve:
//   - A request is sent only in kernelReady. One that is sent while a kernel restarts
//     vanishes without a trace.
//   - Only the answer to a probe leads back to kernelReady, and only if neither a restart
//     nor a lost connection came after the probe. The exception is a restored connection
//     while a request is open: suspect finds out what became of that.
//   - kernelDisconnected ends with the restored connection or with the kernel. What the
//     server replays before that belongs to the time without a connection.
//   - kernelGone is final. No run is left open in it, and the recorder's goroutine ends.
type kernelPhase int

const (
	kernelReady        kernelPhase = iota // it takes requests
	kernelUnconfirmed                     // it may be another process by now: a probe has to come back first
	kernelRestarting                      // the same, and it has restarted or is about to
	kernelDead                            // the same, and its process has died for good, as the server says
	kernelDisconnected                    // there is no connection; it is made again
	kernelGone                            // the kernel is no more, or is followed no more
)

var kernelPhaseNames = [...]string{"ready", "unconfirmed", "restarting", "dead", "disconnected", "gone"}

// String is the phase's name.
func (p kernelPhase) String() string { return phaseName(kernelPhaseNames[:], int(p)) }

// status is the phase as a status of the session. A session that is idle may be busy.
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

// mayFollow tells whether a kernel in phase from may become p.
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

// become puts the kernel into its next phase; into that in which it is already is no
// change. It reports false, and changes nothing, if next may not follow.
func (r *recorder) become(next kernelPhase) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == next {
		return true
	}
	if !next.mayFollow(r.phase) {
		r.log.Error("a kernel's phase cannot follow", "phase", r.phase, "next", next)
		return false
	}
	r.phase = next
	return true
}

// A processState is what has happened in the kernel's process. It decides whether a report
// of a restart counts: a kernel, its server and other clients each report the same one. It
// is not a part of kernelPhase, as it outlasts a lost connection.
type processState int

const (
	processNew       processState = iota // it has run nothing: its own start may still be reported
	processUsed                          // any report of a start is that of another process
	processRestarted                     // its restart was counted, and it has run nothing since
)

func phaseName(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return fmt.Sprintf("phase(%d)", i)
	}
	return names[i]
}
