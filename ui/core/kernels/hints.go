package kernels

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/library"
)

// Hints tell a model what to do next where that is not obvious. A test follows each of them,
// to check that it works.
const (
	hintRuns     = "The code is still running. Call get_execution with this execution_id (and wait) for the rest, or session_interrupt to stop it."
	hintAwaiting = "Not started: the user is being asked for approval. Call get_execution with this execution_id (and wait) for the result; session_interrupt withdraws it."
	hintQueued   = "Not started: other code in this session runs first."
	hintHeld     = "Not started: the user has paused the AI. It waits, and runs when they resume. Call get_execution with this execution_id (and wait) later."
	hintBehind   = "Not started: someone else's code is running in this kernel."
	followIt     = "Call get_execution with this execution_id (and wait) for the result."
	hintTheirs   = "Someone else is running this outside Easel: session_interrupt does not stop it. Call get_execution with this execution_id (and wait) for the rest."
	hintStubborn = "It was interrupted but is still running: the code catches the interrupt. session_restart ends it, but the variables are lost."

	hintSeeking = "Easel was restarted while this ran, and is checking whether the code is still running: call get_execution with this execution_id (and wait) for the result."
	hintLikely  = "Easel was restarted while this ran. The kernel is busy, most likely with this code. Call get_execution with this execution_id (and wait) for the result, or session_interrupt to stop it."
	hintBack    = "The connection to the Jupyter server was lost and is restored. Easel is checking whether this is still running: call get_execution with this execution_id (and wait) for the result."

	hintDied       = "The variables of this session are lost. Run the code that created them again. If memory was the cause, use less."
	hintLost       = "It is unknown whether the code finished. Check the variables before you run it again."
	hintGone       = "The kernel and its variables are lost: session_create starts another. Check what the code wrote to disk before you run it again."
	hintUnrun      = "It did not run. Run it again when session_list shows its session, or in a new session."
	hintElsewhere  = "It did not run. Ask the user to look at the notebook in JupyterLab, and to choose a kernel for it there or to reload the page. Then call again."
	hintSavefig    = "savefig writes a file, and the figure was closed or is not one of pyplot's: leave it open, or call plt.show(), to see it here and in the gallery."
	hintRestarted  = "The kernel was restarted before this ran; its earlier variables are lost."
	hintUnstopped  = "The code does not react to the interrupt and is still running. session_restart ends it, but the variables are lost."
	inlineBackend  = "%matplotlib inline"
	backendAdvised = "matplotlib.use() switches the inline display off: leave it out, or run %q to switch it on again."
)

// hintCut returns the hint for running code while the connection to its server is lost.
func hintCut(forgo time.Duration) string {
	return fmt.Sprintf("The connection to the Jupyter server is lost, so it is unknown whether this is still running. Easel is reconnecting. "+
		"Call get_execution later; without an answer for %s, this ends as lost.", forgo)
}

// hintQueuedCut returns the hint for queued code while the connection to its server is lost.
func hintQueuedCut(away time.Duration) string {
	return fmt.Sprintf("Not started: the connection to the Jupyter server is lost. Easel is reconnecting. "+
		"Call get_execution later; without an answer for %s, this ends as lost and does not run.", away)
}

// hintNoServer returns the hint for code that ran when Easel was restarted, while its server
// does not respond.
func hintNoServer(err error, forgo time.Duration) string {
	return fmt.Sprintf("Easel was restarted while this ran, and cannot ask its Jupyter server whether it is still running (%s). "+
		"Call get_execution later; without an answer for %s, this ends as lost.", reason(err), forgo)
}

// hintNotTaken returns the hint for code that was given up while it runs, because the server
// did not accept the interrupt.
func hintNotTaken(err error) string {
	return "The code is still running: the Jupyter server did not accept the interrupt (" + err.Error() + "). session_interrupt tries again."
}

// hintFor returns the hint for an ended execution, which is known or else depends on its code; "" if
// there is nothing to do.
func hintFor(x library.Execution, images int, known string) string {
	switch {
	case known != "":
		return known
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

// openHint returns the hint for an execution that has not ended. The caller holds x.mu.
func (x *Execution) openHint() string {
	switch {
	case x.rec.Status == catalog.StatusAwaiting:
		return hintAwaiting
	case x.doubt != "":
		return x.doubt
	case x.position > 0 && x.held:
		return hintHeld
	case x.position > 0:
		return x.queuedHint()
	case x.rec.Transport == catalog.TransportJupyter:
		return hintTheirs
	case x.stubborn:
		return hintStubborn
	case x.mayWait():
		return hintRuns + " " + adviseShell
	default:
		return hintRuns
	}
}

// queuedHint returns the hint for an execution in the queue: whose code runs before it, and for
// how long. The caller holds x.mu.
func (x *Execution) queuedHint() string {
	before, b := hintQueued, x.blocker
	if x.behind {
		before = hintBehind
	}
	if b == nil || b.ExecutionID == "" {
		return before + " " + followIt
	}
	whose := "Code of " + b.Client
	switch {
	case b.Own && b.Client == x.rec.Client && b.Client != "":
		whose = "Earlier code of " + b.Client
	case b.Client == "":
		whose = "Code"
	}
	said := fmt.Sprintf("%s %s (execution_id %s) has been running for %s: `%s`.", before, whose, b.ExecutionID,
		time.Since(b.Since).Truncate(time.Second), catalog.FirstLine(b.Code))
	if x.position > 1 {
		said += fmt.Sprintf(" %d more run before this.", x.position-1)
	}
	return said + " " + followIt
}

// reason returns in a few words why a server does not respond.
func reason(err error) string {
	if e, ok := errors.AsType[*servers.NotReadyError](err); ok && e.Health.Message != "" {
		return e.Health.Message
	}
	if errors.Is(err, servers.ErrNotFound) {
		return "Easel was started without it"
	}
	return err.Error()
}
