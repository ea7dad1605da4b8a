package kernels

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// A recorder owns one joined kernel: it sends one request at a time and writes
// down what comes back, keyed by the request that caused it. The fields below
// "owned" belong to its goroutine alone.
type recorder struct {
	m      *Manager
	server string
	client *jupyter.Server
	conn   *jupyter.Kernel
	log    *slog.Logger

	inbox chan jupyter.Incoming
	posts chan func()
	ended chan struct{} // closed when the recorder's goroutine has ended

	// owned
	current           *run                         // our request that the kernel has or gets
	queue             []*run                       // our requests that wait to be sent
	awaiting          []*run                       // ours that the user has not approved yet
	byRequest         map[string]*run              // by msg_id: ours and others', also ended ones (late output)
	endedBefore       map[string]library.Execution // by msg_id: what ended before the kernel was joined, and may still print
	requests          []string                     // keys of byRequest, oldest first
	cells             int                          // of byRequest, that fill a cell of a notebook
	displays          map[string]display
	foreign           string          // msg_id of what the kernel executes, if that is not current; "" if it executes nothing else
	moved             chan struct{}   // closed when the kernel is done with foreign; nil if nobody waits for that
	interrupted       []*interrupting // that wait for moved
	orphaned          bool            // foreign is unknownRequest, and what an earlier Easel began: a fact about foreign
	probeID           int             // of the probe in flight; 0 if there is none
	probes            int             // so far
	process           processState
	processID         string         // session id in the headers of the kernel's process
	former            string         // the same, as an earlier Easel kept it
	downSince         time.Time      // when the connection was lost; of kernelDisconnected
	foreignChecked    time.Time      // when the kernel was last asked about somebody else's code
	foreignChecking   bool           // a check of foreign is in flight, in any phase
	attached          bool           // it was joined while it lived, and may show what nobody here saw made: a fact of the joining
	stopping          int            // interrupts in flight; no request is sent meanwhile
	dirty             map[*run]bool  // with text that is not yet written down
	pendingImages     []pendingImage // pictures that are not yet kept
	pendingImageBytes int
	imagesStored      time.Time    // when the last batch of them was kept
	published         *SessionView // what On.Session was told last

	mu               sync.Mutex // guards what others read
	sess             library.Session
	used             time.Time // when somebody last used it
	awaitingApproval int       // of awaiting
	phase            kernelPhase
	shown            *Running
	queued           int
	died             string
}

// A Running is what a kernel works at now.
type Running struct {
	ExecutionID string
	Code        string
	Client      string
	Own         bool
	Since       time.Time
	Interrupt   time.Time // when an interrupt was sent; zero if none was
}

// A SessionView is a live session at one moment.
type SessionView struct {
	library.Session
	Status  string // starting, idle, busy, restarting, dead, disconnected
	Running *Running
	Queued  int
	Used    time.Time // when somebody last used it
	Died    string    // how it ended; "" while it lives
	Gone    bool      // it is no longer live
}

// reasonLinkLost is the reason of a truncation while there was no connection.
const reasonLinkLost = "the connection to the kernel was lost for a while; output from that time may be missing"

// keepRequests is how many requests are remembered for late output.
const keepRequests = 256

func (m *Manager) newRecorder(s *server, client *jupyter.Server, conn *jupyter.Kernel, sess library.Session) *recorder {
	r := &recorder{
		m: m, server: s.name, client: client, conn: conn, sess: sess,
		log:       m.cfg.Log.With("session", sess.ID, "kernel", conn.ID()),
		inbox:     make(chan jupyter.Incoming, 256), // so that what came during a wait for the disk is one batch
		posts:     make(chan func()),
		ended:     make(chan struct{}),
		byRequest: make(map[string]*run),
		displays:  make(map[string]display),
		dirty:     make(map[*run]bool),
		used:      time.Now(),
	}
	return r
}

// start runs the pump and the recorder until the kernel is gone or the manager
// closes. It reports false if that has closed already.
func (r *recorder) start() bool {
	ctx, cancel := context.WithCancel(r.m.ctx)
	started := r.m.task(func() {
		defer cancel()
		defer close(r.ended)
		defer r.conn.Close() //nolint:errcheck // nothing is left to lose
		r.run(ctx)
	})
	if !started {
		cancel()
		return false
	}
	r.m.task(func() { r.pump(ctx) })
	return true
}

// pump hands on what comes from the kernel.
func (r *recorder) pump(ctx context.Context) {
	for {
		in, err := r.conn.Next(ctx)
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

// post hands f to the recorder's goroutine. It reports false if that has ended.
func (r *recorder) post(f func()) bool {
	select {
	case r.posts <- f:
		return true
	case <-r.ended:
		return false
	}
}

// call is post that waits until f has run.
func (r *recorder) call(f func()) bool {
	ran := make(chan struct{})
	if !r.post(func() { defer close(ran); f() }) {
		return false
	}
	select {
	case <-ran:
		return true
	case <-r.ended:
		select {
		case <-ran:
			return true
		default:
			return false
		}
	}
}

// run is the recorder's goroutine. What came in is written down in batches: text
// once nothing more is waiting, pictures at most every timing.imageBatch.
func (r *recorder) run(ctx context.Context) {
	tick := time.NewTicker(r.m.timing.watchdog)
	defer tick.Stop()
	gathered := time.NewTimer(r.m.timing.imageBatch)
	defer gathered.Stop()
	defer r.storeImages() // that a thread drew late
	r.resume(r.m.takeOrphans(r.conn.ID()))
	for !r.isGone() {
		select {
		case in := <-r.inbox:
			r.receive(in)
			r.drain()
		case f := <-r.posts:
			r.drain() // what came before it
			f()
		case <-gathered.C: // pictures are due
		case <-tick.C:
			r.checkStalled()
		case <-ctx.Done():
			r.leave()
			return
		}
		r.flushText()
		if wait := r.storeImagesIn(); wait > 0 {
			gathered.Reset(wait)
		} else {
			r.storeImages()
		}
		r.sendNext()
		r.publish()
	}
}

// drain takes what else is waiting, up to a bound that keeps posts and flushes
// from starving.
func (r *recorder) drain() {
	for range 512 {
		select {
		case in := <-r.inbox:
			r.receive(in)
		default:
			return
		}
	}
}

func (r *recorder) receive(in jupyter.Incoming) {
	switch {
	case in.Message != nil:
		r.record(in)
	case in.Barrier != nil:
		close(in.Barrier)
	case in.Link == jupyter.LinkLost:
		r.log.Warn("connection to the kernel lost", "err", in.Err)
		r.become(kernelDisconnected)
		r.downSince, r.probeID = time.Now(), 0
		for _, u := range r.byRequest {
			if !u.phase.ended() {
				u.linkLost = true
				u.addTruncation("output", 0, reasonLinkLost)
				u.x.update(func() { u.x.doubt = hintCut(r.m.timing.runAbsence) })
			}
		}
	case in.Link == jupyter.LinkRestored:
		r.log.Info("connection to the kernel restored")
		for _, u := range r.byRequest {
			if !u.phase.ended() && u.phase != runUnconfirmed {
				u.x.update(func() { u.x.doubt = hintBack })
			}
		}
		if r.current == nil {
			r.become(kernelUnconfirmed)
		} else {
			r.become(kernelReady)
			r.checkCurrent(r.current)
		}
		if r.foreign != "" {
			r.checkForeign()
		}
	case in.Link == jupyter.LinkGone:
		r.gone("the kernel was shut down")
	}
}

// gone ends all executions and the recorder: the kernel no longer exists.
func (r *recorder) gone(why string) {
	r.part(why, cause{catalog.StatusKernelDied, catalog.CodeKernelDied, "The kernel is gone: " + why + ". Earlier output and plots are kept.", hintGone})
}

// parted ends all executions and the recorder: Easel leaves the kernel, which may continue.
func (r *recorder) parted(why string) {
	r.part(why, cause{catalog.StatusLost, catalog.CodeOutputLost, why + ": the outcome is unknown. Earlier output is kept.", hintLost})
}

func (r *recorder) part(why string, end cause) {
	if r.isGone() {
		return
	}
	r.endAll(end)
	r.become(kernelGone)
	r.mu.Lock()
	r.died = why
	r.sess.EndedAt = time.Now().UTC()
	sess := r.sess
	r.mu.Unlock()
	r.m.forget(r, sess)
}

func (r *recorder) isGone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase == kernelGone
}

func (r *recorder) session() library.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sess
}

// view is the session now.
func (r *recorder) view() SessionView {
	r.mu.Lock()
	defer r.mu.Unlock()
	v := SessionView{
		Session: r.sess, Status: r.phase.status(), Used: r.used, Queued: r.queued, Died: r.died,
		Gone: r.phase == kernelGone,
	}
	if r.shown != nil {
		shown := *r.shown
		v.Running = &shown
		if v.Status == "idle" {
			v.Status = "busy"
		}
	}
	return v
}

// publish calls On.Session if the view has changed, and tells waiting executions whether
// another client's code is before them.
func (r *recorder) publish() {
	_, theirs := r.works()
	cut := ""
	if r.phase == kernelDisconnected {
		cut = hintQueuedCut(r.m.timing.queueAbsence)
	}
	for _, u := range r.queue {
		if u.x.behind != theirs || u.x.doubt != cut {
			u.x.update(func() { u.x.behind, u.x.doubt = theirs, cut })
		}
	}
	var shown *Running
	switch {
	case r.current != nil:
		shown = r.current.running()
	case r.foreign != "":
		shown = &Running{}
		if x := r.byRequest[r.foreign]; x != nil {
			shown = x.running()
		}
	}
	r.mu.Lock()
	r.queued, r.awaitingApproval, r.shown = len(r.queue), len(r.awaiting), shown
	r.mu.Unlock()
	v := r.view()
	if r.published != nil && sameView(*r.published, v) {
		return
	}
	r.published = &v
	if r.m.cfg.On.Session != nil {
		r.m.cfg.On.Session(v)
	}
}

func sameView(a, b SessionView) bool {
	if (a.Running == nil) != (b.Running == nil) || a.Running != nil && *a.Running != *b.Running {
		return false
	}
	return a.Session == b.Session && a.Status == b.Status && a.Queued == b.Queued && a.Died == b.Died
}

// keeping is the context of writes to the library. They are short, and must not fail
// because Easel quits.
func (r *recorder) keeping() context.Context { return context.WithoutCancel(r.m.ctx) }
