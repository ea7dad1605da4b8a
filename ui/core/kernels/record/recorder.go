// Package record has the recorder of a joined kernel, an actor that sends code to the kernel in
// order and records all output, including that of code by other clients. It knows nothing of other
// kernels.
//
// # Goroutines
//
// A [Recorder] has two goroutines: its own, which owns the kernel's queue, its current execution and
// its displays, and the pump, which passes messages from the connection to it. Exported methods
// may be called on any goroutine: they read what is guarded by a mutex, or pass functions to the
// recorder's goroutine. Probes, interrupts and timers have goroutines of their own and report back
// in the same way. All of them end with the recorder's tasks. The parts of a recorder do not know it:
// it asks them, and what they start reports to its mailbox.
package record

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// An Environment is what the recorders of all kernels have in common. It does not change once the
// first recorder has started. Its functions may not block.
type Environment struct {
	Library    *library.Library
	Log        *slog.Logger
	Tasks      *tasks.Group
	Servers    *servers.List
	Executions *execution.Registry
	Gate       *oversight.Gate // decides whether code may be sent, right before it is sent; may be nil
	Asker      Asker           // asks the user whether it may; if nil, code that needs approval does not run
	Input      InputAsker      // asks the user for the input of running code; if nil, no code gets input

	OnExecution func(change catalog.ChangeName, x catalog.Execution) // started, had output, or ended; may be nil
	OnSession   func(SessionView)                                    // a session has changed; may be nil
	OnKeeping   func(session string)                                 // a kernel whose figures are stored keeps them; may be nil
	Forget      func(r *Recorder, sess library.Session)              // the session has ended

	Draw     func(library.Image) <-chan struct{} // draws a figure without a picture; closed when it is drawn; may be nil
	DrawText func() bool                         // whether tables and formulas are drawn; may be nil
	Figures  inspect.FigureKeeper                // which kernels keep their figures, and how
	Fonts    []string                            // font files to suggest

	Timing Timing
	Others OthersLimits
}

// An Asker asks the user whether the code of an execution may run. It may block until ctx ends. It
// returns the code to run, or the reason not to run it. An [oversight.Approvals] is one.
type Asker interface {
	AskToRun(ctx context.Context, x catalog.Execution, by oversight.Sender, risks, because []catalog.Risk) (oversight.Consent, error)
}

// A Recorder owns one joined kernel. It sends one request at a time and records the
// messages from the kernel by the request that caused them.
type Recorder struct {
	Link    *Link
	Session *Session
	Inquiry *Inquiry
	Figures *Figures

	env      *Environment
	log      *slog.Logger
	inbox    chan jupyter.Delivery
	mail     mailbox
	examiner examiner
	restarts *restarts

	// Only the recorder's goroutine uses the fields below.
	dispatch *dispatcher // own requests
	foreign  *foreignCode
	others   others
	ledger   *ledger
	journal  journal
	outputs  *outputs
	process  process
	risks    *risks
	watchdog watchdog

	provenance *provenance
}

// reasonLinkLost is the reason of truncations because of a lost connection.
const reasonLinkLost = "the connection to the kernel was lost for a while; output from that time may be missing"

// New returns the recorder of a kernel, which is connected but not recorded yet.
func New(env *Environment, s *servers.Server, client *jupyter.Server, conn *jupyter.Kernel, sess library.Session) *Recorder {
	_, sandboxed := client.Sandbox(conn.ID())
	r := &Recorder{
		env: env, Link: &Link{s.Name, client, env.Servers, conn, sandboxed},
		log:      env.Log.With("session", sess.ID, "kernel", conn.ID()),
		inbox:    make(chan jupyter.Delivery, 256), // holds a batch of messages while the recorder waits for the disk
		mail:     newMailbox(),
		restarts: newRestarts(),
		process:  process{joined: conn.JoinedProcess()},
		ledger:   newLedger(),
	}
	r.journal = journal{env, r.log}
	r.Session = &Session{journal: r.journal, mail: r.mail, link: r.Link, managed: s.Managed, stored: sess, used: time.Now()}
	r.foreign = &foreignCode{ledger: r.ledger}
	r.examiner = examiner{env, r.mail, r.Link}
	r.watchdog = watchdog{interval: env.Timing.Watchdog}
	r.others = others{journal: r.journal}
	r.Inquiry = &Inquiry{r.Link, r.Session, env.Executions}
	r.provenance = &provenance{journal: r.journal, mail: r.mail, session: r.Session, kernel: r.Inquiry}
	r.outputs = newOutputs(r.journal, r.ledger, sess.ID, r.provenance)
	r.Figures = &Figures{env: env, log: r.log, kernel: r.Inquiry, managed: s.Managed}
	r.risks = &risks{journal: r.journal, session: r.Session, link: r.Link, log: r.log, pending: r.unstored}
	r.dispatch = &dispatcher{
		env: env, log: r.log, mail: r.mail, link: r.Link, session: r.Session, ledger: r.ledger, journal: r.journal, foreign: r.foreign,
		queue:      queue{gate: env.Gate},
		interrupts: interrupter{env: env, log: r.log, mail: r.mail, link: r.Link, session: r.Session},
		risks:      r.risks,
		finisher:   finisher{r.Session, r.journal, r.outputs, adviser{env, r.log, r.Inquiry, r.outputs, s.Managed, map[string]bool{}}},
	}
	return r
}

// Start starts the goroutines of the recorder and of the pump. They run until the kernel is
// gone or the manager closes. Start returns false if the manager has already closed.
func (r *Recorder) Start() bool {
	ctx, cancel := context.WithCancel(r.env.Tasks.Context())
	started := r.env.Tasks.Go(func() {
		defer cancel()
		defer close(r.mail.ended)
		defer r.Link.conn.Close() //nolint:errcheck // nothing is pending
		r.run(ctx)
	})
	if !started {
		cancel()
		return false
	}
	r.env.Tasks.Go(func() { r.pump(ctx) })
	return true
}

// pump passes messages from the connection to the recorder.
func (r *Recorder) pump(ctx context.Context) {
	for {
		in, err := r.Link.conn.Next(ctx)
		if err != nil {
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				r.log.ErrorContext(ctx, "reading from the kernel", "err", err)
			}
			return
		}
		select {
		case r.inbox <- in:
		case <-ctx.Done():
			return
		}
	}
}

// Wait waits until r has done what it was asked before.
func (r *Recorder) Wait() { r.mail.call(func() {}) }

// run is the recorder's goroutine. It stores output in batches: text when no more messages
// are waiting, and pictures at most every Timing.ImageBatch.
func (r *Recorder) run(ctx context.Context) {
	tick := time.NewTicker(r.env.Timing.Watchdog)
	defer tick.Stop()
	gathered := time.NewTimer(r.env.Timing.ImageBatch)
	defer gathered.Stop()
	defer r.provenance.leave()
	defer r.outputs.storeImages() // that threads drew after the end
	r.resume(r.env.Executions.TakeOrphans(r.Link.KernelID()))
	r.Figures.Keep()
	for !r.Session.gone() {
		select {
		case in := <-r.inbox:
			r.receive(in)
			r.drain()
		case f := <-r.mail.posts:
			r.drain() // handle earlier messages first
			f()
		case <-gathered.C: // pictures are due
		case <-tick.C:
			r.checkStalled()
		case <-ctx.Done():
			r.dispatch.leave()
			return
		}
		r.outputs.flushText()
		if wait := r.outputs.storeImagesIn(); wait > 0 {
			gathered.Reset(wait)
		} else {
			r.outputs.storeImages()
		}
		if r.dispatch.sendNext() {
			r.probe()
		}
		r.Publish()
		r.provenance.catchUp()
	}
}

// drain handles waiting messages. It stops after 512, so that posts and flushes do not
// starve.
func (r *Recorder) drain() {
	for range 512 {
		select {
		case in := <-r.inbox:
			r.receive(in)
		default:
			return
		}
	}
}

func (r *Recorder) receive(in jupyter.Delivery) {
	switch {
	case in.Message != nil:
		r.record(in)
	case in.Barrier != nil:
		close(in.Barrier)
	case in.Event == jupyter.ConnectionLost:
		r.log.Warn("connection to the kernel lost", "err", in.Err)
		r.Session.become(kernelDisconnected)
		r.watchdog.downSince = time.Now()
		r.process.forget()
		if u := r.dispatch.current; u != nil {
			r.dispatch.hideInput(u)
		}
		for _, u := range r.ledger.byID {
			if !u.phase.ended() {
				u.linkLost = true
				u.mayMiss = u.x.Truncate("output", 0, reasonLinkLost)
				u.x.Doubt(execution.HintCut(r.env.Timing.RunAbsence))
			}
		}
	case in.Event == jupyter.ConnectionResumed:
		for _, u := range r.ledger.byID {
			if !u.phase.ended() && u.mayMiss {
				u.x.Complete("output", reasonLinkLost)
			}
		}
	case in.Event == jupyter.ConnectionRestored:
		r.log.Info("connection to the kernel restored")
		for _, u := range r.ledger.byID {
			if !u.phase.ended() && u.phase != runUnconfirmed {
				u.x.Doubt(execution.HintBack)
			}
		}
		if r.dispatch.current == nil {
			r.Session.become(kernelUnconfirmed)
		} else {
			r.Session.become(kernelReady)
			r.checkCurrent(r.dispatch.current)
			r.dispatch.askAgain()
		}
		if r.foreign.runs() {
			r.checkForeign()
		}
	case in.Event == jupyter.KernelGone:
		r.gone("it was shut down")
	}
}

// gone ends all executions and the recorder, because the kernel no longer exists.
func (r *Recorder) gone(why string) {
	r.part(why, cause{
		catalog.StatusKernelDied, catalog.CodeKernelDied,
		"The kernel is gone: " + why + ". Earlier output and plots are kept.", execution.HintGone, "",
	})
}

// Leave ends all executions and the recorder: Easel leaves the kernel, which may continue.
func (r *Recorder) Leave(why string) {
	r.mail.call(func() { r.part(why, lost(why+": the outcome is unknown. Earlier output is kept.")) })
}

// KernelGone ends all executions and the recorder: the kernel has ended.
func (r *Recorder) KernelGone(why string) { r.mail.call(func() { r.gone(why) }) }

// Reconsider applies a change of what the user allows to what waits.
func (r *Recorder) Reconsider() { r.mail.post(func() { r.dispatch.reconsider() }) }

func (r *Recorder) part(why string, end cause) {
	if r.Session.gone() {
		return
	}
	r.dispatch.endAll(end)
	r.Session.become(kernelGone)
	r.env.Forget(r, r.Session.end(why))
}

// Publish calls On.Session if the view has changed. It also updates the waiting executions:
// whether the user has paused the AI, which code runs before them, and whether the connection
// is lost.
func (r *Recorder) Publish() {
	theirs, cut := r.foreign.theirs(), ""
	if r.Session.phase == kernelDisconnected {
		cut = execution.HintQueuedCut(r.env.Timing.QueueAbsence)
	}
	shown := r.dispatch.running()
	for _, u := range r.dispatch.queue.waiting {
		u.x.WaitFor(u.verdict(r.env.Gate).Decision == oversight.Hold, theirs, shown, cut)
	}
	r.Session.count(len(r.dispatch.queue.waiting), len(r.dispatch.queue.awaiting), shown)
	r.Session.publish()
}
