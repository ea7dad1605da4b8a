package record

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/sessionuse"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// A queuedExecution is an execution in a recorder, whose goroutine owns it.
//
// Its booleans are independent of the phase: each may be true in several phases.
type queuedExecution struct {
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
	mayMiss   bool                    // the note about that is of the last loss, and none before
	failure   *catalog.ExecutionError // the error that the kernel reported; nil if none
	reply     string                  // status of the reply: ok, error or aborted; "" until it arrives
	quits     bool                    // the reply asks the client to end the kernel
	storedEnd *library.Execution      // the record that storeEnd stored; nil if it did not
	cell      bool                    // it belongs to a notebook cell

	by       oversight.Sender
	asks     bool // the user can be asked
	approved bool // the user has approved exactly this code

	risky       func() []catalog.Risk // what is risky in its code now
	risks       []catalog.Risk        // the last answer of risky
	riskVersion int                   // see risks.of

	send  func(ctx context.Context, code string, may func() error) error // see Request.Send; nil if Easel sends it itself
	begun func(ctx context.Context)                                      // see Request.Begun; may be nil

	recalls bool   // see Request.Recall
	recall  func() // ends the context of send; set while send runs, if recalls

	stop             cause // why it must end early; zero if it need not
	stopSent         time.Time
	stopTries        int
	unmoved          bool         // it has not reacted to an interrupt
	stopErr          error        // the result of the last interrupt request
	stopAnswered     []chan error // get the result of the next interrupt request; buffered
	timeoutTimer     *time.Timer
	timeoutAt        time.Time     // when it fires
	timeLeft         time.Duration // of the timeout, while it asks for input
	retryTimer       *time.Timer   // until the second interrupt, then until giveUp
	withdrawApproval func()        // cancels the approval request; nil if there was none

	stdin  bool       // its code may ask the user for input
	input  *openInput // what it asks for; nil if nothing
	inputs int        // how often it has asked

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

func (u *queuedExecution) running() *execution.RunningCode {
	if u.shown == nil {
		rec := u.x.Record()
		since := rec.StartedAt
		if since.IsZero() {
			since = rec.CreatedAt
		}
		u.shown = &execution.RunningCode{
			ExecutionID: rec.ID, Code: rec.Code, Client: rec.Client, Own: u.own, Since: since,
			Interrupt: u.stopSent, Unmoved: u.unmoved, Asks: u.asking(),
		}
	}
	return u.shown
}

// verdict says whether u may be sent to the kernel now.
func (u *queuedExecution) verdict(gate *oversight.Gate) oversight.Verdict {
	return gate.Check(u.by, oversight.Code{Approved: u.approved, Asks: u.asks, Risks: u.risky})
}
