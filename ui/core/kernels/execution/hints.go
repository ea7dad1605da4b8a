package execution

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// Hints tell a model what to do next where that is not obvious. A test follows each of them,
// to check that it works.
const (
	HintRuns     = "The code is still running. Call get_execution with this execution_id (and wait) for the rest, or session_interrupt to stop it."
	HintAwaiting = "Not started: the user is being asked for approval. Call get_execution with this execution_id (and wait) for the result; session_interrupt withdraws it."
	HintQueued   = "Not started: other code in this session runs first."
	HintHeld     = "Not started: the user has paused the AI. It waits, and runs when they resume. Call get_execution with this execution_id (and wait) later."
	HintBehind   = "Not started: someone else's code is running in this kernel."
	FollowIt     = "Call get_execution with this execution_id (and wait) for the result."
	HintTheirs   = "Someone else is running this outside Easel: session_interrupt does not stop it. Call get_execution with this execution_id (and wait) for the rest."
	HintStubborn = "It was interrupted but is still running: the code catches the interrupt. session_restart ends it, but the variables are lost."

	HintSeeking = "Easel was restarted while this ran, and is checking whether the code is still running: call get_execution with this execution_id (and wait) for the result."
	HintLikely  = "Easel was restarted while this ran. The kernel is busy, most likely with this code. Call get_execution with this execution_id (and wait) for the result, or session_interrupt to stop it."
	HintBack    = "The connection to the Jupyter server was lost and is restored. Easel is checking whether this is still running: call get_execution with this execution_id (and wait) for the result."

	HintDied       = "The variables of this session are lost. Run the code that created them again. If memory was the cause, use less."
	HintLost       = "It is unknown whether the code finished. Check the variables before you run it again."
	HintGone       = "The kernel and its variables are lost: session_create starts another. Check what the code wrote to disk before you run it again."
	HintUnrun      = "It did not run. Run it again when session_list shows its session, or in a new session."
	HintElsewhere  = "It did not run. Ask the user to look at the notebook where it is open, for example in JupyterLab, and to choose a kernel for it there or to reload the page. Then call again."
	HintSavefig    = "savefig writes a file, and the figure was closed or is not one of pyplot's: leave it open, or call plt.show(), to see it here and in the gallery."
	HintRestarted  = "The kernel was restarted before this ran; its earlier variables are lost."
	HintUnstopped  = "The code does not react to the interrupt and is still running. session_restart ends it, but the variables are lost."
	inlineBackend  = "%matplotlib inline"
	backendAdvised = "matplotlib.use() switches the inline display off: leave it out, or run %q to switch it on again."
)

// HintDeath returns the hint for code with which the kernel's process died.
func HintDeath(d catalog.Death) string {
	switch {
	case d.OutOfMemory:
		return "The variables of this session are lost, and the same code would run out of memory again: work on a part of the data, " +
			"load fewer columns, use smaller types. Then run the code that created the variables again."
	case d.Killed() && d.Memory > 0 && d.Memory < d.Total/2:
		return "The variables of this session are lost. Something killed the kernel's process, and not because its memory was large. " +
			"Run the code that created them again."
	case d.Killed():
		return HintDied
	case d.Crashed():
		return "The variables of this session are lost. Native code of a library failed, and would again: use another function or version of it. " +
			"Run the code that created the variables again, without that part."
	case d.Code < 0:
		return "The variables of this session are lost. Run the code that created them again."
	default:
		return "The variables of this session are lost. Something ended the kernel's process on purpose, such as os._exit(): leave that out, and run the code that created them again."
	}
}

// HintCut returns the hint for running code while the connection to its server is lost.
func HintCut(forgo time.Duration) string {
	return fmt.Sprintf("The connection to the Jupyter server is lost, so it is unknown whether this is still running. Easel is reconnecting. "+
		"Call get_execution later; without an answer for %s, this ends as lost.", forgo)
}

// HintQueuedCut returns the hint for queued code while the connection to its server is lost.
func HintQueuedCut(away time.Duration) string {
	return fmt.Sprintf("Not started: the connection to the Jupyter server is lost. Easel is reconnecting. "+
		"Call get_execution later; without an answer for %s, this ends as lost and does not run.", away)
}

// hintInput returns the hint for code that waits for the user's input.
func hintInput(in catalog.AwaitedInput) string {
	what := "answer"
	if in.Password {
		what = "password, which nobody else gets to see"
	}
	prompt := strings.TrimSpace(truncate.Runes(in.Prompt, 200))
	if prompt == "" {
		prompt = "(no prompt)"
	}
	return fmt.Sprintf("The code waits for the user's %s to: %s. Easel's window asks them; only they can answer. "+
		"Call get_execution with this execution_id (and wait) for the rest, or session_interrupt to stop it.", what, strings.TrimRight(prompt, ".:"))
}

// HintNotTaken returns the hint for code that was given up while it runs, because the server
// did not accept the interrupt.
func HintNotTaken(err error) string {
	return "The code is still running: the Jupyter server did not accept the interrupt (" + err.Error() + "). session_interrupt tries again."
}

// hintFor returns the hint for an ended execution, which is known or else depends on its code; "" if
// there is nothing to do.
func hintFor(x library.Execution, images int, known string) string {
	switch {
	case known != "":
		return known
	case x.Status == catalog.StatusKernelDied:
		return HintDied
	case x.Status == catalog.StatusLost:
		return HintLost
	case x.Status == catalog.StatusOK && images == 0 && strings.Contains(x.Code, "matplotlib.use("):
		return fmt.Sprintf(backendAdvised, inlineBackend)
	case x.Status == catalog.StatusOK && images == 0 && strings.Contains(x.Code, "savefig("):
		return HintSavefig
	default:
		return ""
	}
}

// openHint returns the hint for an execution that has not ended.
func (s *snapshot) openHint() string {
	switch {
	case s.rec.Status == catalog.StatusAwaiting:
		return HintAwaiting
	case s.doubt != "":
		return s.doubt
	case s.input != nil:
		return hintInput(*s.input)
	case s.position > 0 && s.held:
		return HintHeld
	case s.position > 0:
		return s.queuedHint()
	case s.rec.Transport == catalog.TransportJupyter:
		return HintTheirs
	case s.stubborn:
		return HintStubborn
	case s.mayWait():
		return HintRuns + " " + hintShell
	default:
		return HintRuns
	}
}

// queuedHint returns the hint for an execution in the queue: whose code runs before it, and for
// how long.
func (s *snapshot) queuedHint() string {
	before, b := HintQueued, s.blocker
	if s.behind {
		before = HintBehind
	}
	if b == nil || b.ExecutionID == "" {
		return before + " " + FollowIt
	}
	whose := "Code of " + b.Client
	switch {
	case b.Own && b.Client == s.rec.Client && b.Client != "":
		whose = "Earlier code of " + b.Client
	case b.Client == "":
		whose = "Code"
	}
	said := fmt.Sprintf("%s %s (execution_id %s) has been running for %s: `%s`.", before, whose, b.ExecutionID,
		time.Since(b.Since).Truncate(time.Second), catalog.FirstLine(b.Code))
	if s.position > 1 {
		said += fmt.Sprintf(" %d more run before this.", s.position-1)
	}
	return said + " " + FollowIt
}

// hintShell is for code that has called a shell and may wait for input.
const hintShell = "If a program that this code starts waits for input, it gets none: interrupt it, and pass the answer with it (echo yes | …, or an option such as --yes)."

// shellLine matches a line that IPython passes to a shell, which has a terminal that nobody types in.
var shellLine = regexp.MustCompile(`(?m)^\s*!`)

// CallsShell reports whether code has a line that IPython passes to a shell.
func CallsShell(code string) bool { return shellLine.MatchString(code) }

// mayWait reports whether running code has called a shell that may wait for input: it has printed
// nothing, or something like a prompt.
func (s *snapshot) mayWait() bool {
	return CallsShell(s.rec.Code) && s.here.stderr == 0 && s.midLine
}
