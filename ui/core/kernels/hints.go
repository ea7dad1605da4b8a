package kernels

import (
	"fmt"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// The hints tell a model what to do next where that is not plain. Each is advice that
// works: a test follows it.
const (
	hintRuns     = "It still runs. Call get_execution with this execution_id (and wait) for the rest, or session_interrupt to stop it."
	hintAwaiting = "It has not begun: the user is asked whether it may run. Call get_execution with this execution_id (and wait) for what comes of it; session_interrupt withdraws it."
	hintQueued   = "It has not begun: other code runs in this session first. Call get_execution with this execution_id (and wait) for what comes of it."
	hintBehind   = "It has not begun: somebody else's code runs in this kernel. Call get_execution with this execution_id (and wait) for what comes of it."
	hintTheirs   = "Somebody else runs this, past Easel: session_interrupt does not stop it. Call get_execution with this execution_id (and wait) for the rest."
	hintStubborn = "It was interrupted and still runs: the code catches the interrupt. session_restart ends it; the variables are lost then."

	hintSeeking = "Easel was restarted while this ran. It is finding out whether the code still runs: call get_execution with this execution_id (and wait) for what comes of it."
	hintLikely  = "Easel was restarted while this ran. The kernel is at work, most likely at this. Call get_execution with this execution_id (and wait) for what comes of it, or session_interrupt to stop it."
	hintBack    = "The connection to the Jupyter server was lost, and is back. Easel is finding out whether this still runs: call get_execution with this execution_id (and wait) for what comes of it."

	hintDied       = "The variables of this session are lost. Run the code that made them again; if memory was the cause, use less of it."
	hintLost       = "It is not known whether the code ran to its end. Look at the variables before you run it again."
	hintGone       = "The kernel and its variables are gone: session_create starts another. Look at what the code wrote to disk before you run it again."
	hintUnrun      = "It did not run: run it again, once session_list shows its session; else in a new one."
	hintSavefig    = "savefig writes a file, and the figure was closed or is not one of pyplot's: leave it open, or call plt.show(), to see it here and in the gallery."
	hintRestarted  = "The kernel was restarted before this ran; the variables of before are lost."
	hintUnstopped  = "The code does not react to an interrupt and still runs. session_restart ends it; the variables are lost then."
	inlineBackend  = "%matplotlib inline"
	backendAdvised = "matplotlib.use() switches the inline display off: leave it out, or run %q to switch it on again."
)

// hintCut is said of what runs while the connection to its server is lost.
func hintCut(forgo time.Duration) string {
	return fmt.Sprintf("The connection to the Jupyter server is lost, so it is not known whether this still runs. Easel tries to connect again. "+
		"Call get_execution later; without an answer for %s, this ends as lost.", forgo)
}

// hintQueuedCut is said of what waits while the connection to its server is lost.
func hintQueuedCut(away time.Duration) string {
	return fmt.Sprintf("It has not begun: the connection to the Jupyter server is lost. Easel tries to connect again. "+
		"Call get_execution later; without an answer for %s, this ends as lost and does not run.", away)
}

// hintNoServer is said after a restart of Easel of what ran on a server that cannot be asked.
func hintNoServer(err error, forgo time.Duration) string {
	return fmt.Sprintf("Easel was restarted while this ran, and its Jupyter server cannot be asked whether it still runs (%s). "+
		"Call get_execution later; without an answer for %s, this ends as lost.", reason(err), forgo)
}

// hintNotTaken is said of what was given up while it runs, as the server did not take
// the interrupt.
func hintNotTaken(err error) string {
	return "The code still runs: the Jupyter server did not take the interrupt (" + err.Error() + "). session_interrupt asks it again."
}

// hintFor tells what to do about an end.
func hintFor(x library.Execution, images int, why cause) string {
	switch {
	case why.hint != "":
		return why.hint
	case x.Status == catalog.StatusKernelDied:
		return hintDied
	case x.Status == catalog.StatusLost:
		return hintLost
	case x.Status == catalog.StatusOK && images == 0 && strings.Contains(x.Code, "matplotlib.use("):
		return fmt.Sprintf(backendAdvised, inlineBackend)
	case x.Status == catalog.StatusOK && images == 0 && strings.Contains(x.Code, "savefig("):
		return hintSavefig
	default:
		return ""
	}
}

// openHint tells what to do while x has no end; x.mu is held.
func (x *Execution) openHint() string {
	switch {
	case x.rec.Status == catalog.StatusAwaiting:
		return hintAwaiting
	case x.doubt != "":
		return x.doubt
	case x.position > 0 && x.behind:
		return hintBehind
	case x.position > 0:
		return hintQueued
	case x.rec.Transport == catalog.TransportJupyter:
		return hintTheirs
	case x.stubborn:
		return hintStubborn
	default:
		return hintRuns
	}
}
