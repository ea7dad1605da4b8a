package kernels

import (
	"context"
	"errors"
	"time"

	"easel/jupyter"
	"easel/jupyter/wire"
	"easel/mcphost/catalog"
)

// prove sends a probe after which requests are no longer lost: one that is sent
// while a kernel restarts vanishes without a trace.
//
// A kernel that the server calls busy answers when that has ended, however long it
// takes. Its word alone is not believed: it listens to a new process no sooner than a
// tenth of a second after that can speak, and if it missed the first word it calls a
// kernel that died at work busy until somebody else runs something.
func (r *recorder) prove() {
	if r.probing != 0 || !r.conn.Connected() { // LinkRestored calls again
		return
	}
	id := r.beginProbe()
	r.m.task(func() {
		ctx, cancel := context.WithTimeout(r.m.ctx, r.m.pace.probe)
		defer cancel()
		if k, err := r.client.Kernel(ctx, r.conn.ID()); err == nil && k.State == wire.StateBusy {
			r.post(func() {
				if r.probing == id && r.foreign == "" {
					r.worksAt(unknownRequest)
					r.left = r.alone(k)
				}
			})
			ctx = r.m.ctx
		}
		err := r.conn.Probe(ctx)
		r.post(func() { r.proved(id, err) })
	})
}

// proveRestarted asks a kernel that was restarted whether it serves again, though
// nothing waits for it: it would be shown as restarting until something does.
func (r *recorder) proveRestarted() {
	if r.phase == kernelRestarting && r.current == nil {
		r.prove()
	}
}

// beginProbe makes another probe the one that counts.
func (r *recorder) beginProbe() (id int) {
	r.probes++
	r.probing = r.probes
	return r.probing
}

// proved follows a probe. What came of one from before a restart proves nothing of
// the new process.
func (r *recorder) proved(id int, err error) {
	if r.probing != id {
		return
	}
	r.probing = 0
	if err == nil {
		if r.phase != kernelDisconnected { // else the restored connection is probed
			r.become(kernelReady)
		}
		if r.foreign == unknownRequest {
			r.freed()
		}
		return
	}
	if isUnknown(err) {
		r.gone("the server no longer has it")
		return
	}
	r.log.Warn("probing the kernel", "err", err)
	if errors.Is(err, jupyter.ErrDisconnected) {
		if r.phase == kernelReady {
			r.become(kernelUnconfirmed)
		}
		return // what waits is sent after LinkRestored
	}
	r.endQueue("The kernel does not answer; the code was not run: " + err.Error())
}

// endQueue ends what waits to be sent, as it cannot be.
func (r *recorder) endQueue(message string) {
	queue := r.queue
	r.queue = nil
	for _, u := range queue {
		r.finish(u, unrun(message))
	}
}

// longer is how many looks pass between questions about what is probably well:
// long code may be silent.
const longer = 6

// look is the watchdog: every call ends. It looks after a request that is silent
// although something should have been heard, after a kernel that somebody else
// seems to use for ever, and after a server that does not come back.
func (r *recorder) look() {
	if r.phase == kernelDisconnected {
		r.lookForServer()
		return
	}
	r.proveRestarted()
	look := r.m.pace.look
	if u := r.current; u != nil {
		quiet := time.Since(u.lastSign)
		switch {
		case u.phase == runSent && quiet > look, // sent, and never heard of
			(u.reply != "" || u.phase == runIdle) && quiet > look, // half of its end
			u.stop != (cause{}) && quiet > look,                   // interrupted, and no word of it
			quiet > longer*look && time.Since(u.looked) > longer*look:
			u.looked = time.Now()
			r.suspect(u)
		}
		return
	}
	works := r.foreign != "" || r.unended()
	if works && (len(r.queue) > 0 || time.Since(r.looked) > longer*look) {
		r.looked = time.Now()
		r.checkForeign()
	}
}

// unended tells whether something that the kernel does not seem to work at has no end:
// it may have come before the kernel was joined.
func (r *recorder) unended() bool {
	for _, u := range r.byRequest {
		if !u.phase.ended() && u != r.current {
			return true
		}
	}
	return false
}

// lookForServer ends what waits for a server that has been away for too long. What
// runs there is given up much later: it may end meanwhile, and tell it afterwards.
func (r *recorder) lookForServer() {
	gone, away := time.Since(r.downSince), r.m.pace.away
	if gone >= r.m.pace.forgo {
		said := r.absence(r.m.pace.forgo) + ": it is not known what became of this. What came before is kept."
		if r.current != nil {
			r.finish(r.current, lost(said))
		}
		r.endForeign(lost(said))
	}
	if gone < away {
		return
	}
	kept := r.queue[:0:0]
	queue := r.queue
	for _, u := range queue {
		if time.Since(u.queued) < away {
			kept = append(kept, u)
		}
	}
	r.queue = kept
	for _, u := range queue {
		if time.Since(u.queued) >= away {
			r.finish(u, unrun(r.absence(away)+"; the code was not run."))
		}
	}
	r.number()
}

// absence says for how long a server has been away, and why, if it is known.
func (r *recorder) absence(away time.Duration) string {
	said := "The Jupyter server has not answered for " + away.String()
	s, err := r.m.lookup(r.server)
	if err != nil {
		return said
	}
	_, err = s.now()
	e, told := errors.AsType[*NotReadyError](err)
	switch {
	case !told || e.Health.Message == "":
		return said
	case e.Health.State == ServerUnauthorized:
		said = "The Jupyter server has refused Easel's login for " + away.String()
	}
	return said + " (" + e.Health.Message + ")"
}

// suspect asks the server whether the kernel still works at u. If it is idle, and
// serves the shell again, then what is missing will not come. That it works is not
// believed of a kernel that has become another process: the server may have missed
// that, as we have.
func (r *recorder) suspect(u *run) {
	since := u.lastSign
	r.m.task(func() {
		ctx, cancel := context.WithTimeout(r.m.ctx, 2*r.m.pace.look)
		defer cancel()
		k, err := r.client.Kernel(ctx, r.conn.ID())
		if isUnknown(err) {
			r.post(func() { r.gone("the server no longer has it") })
			return
		}
		if err != nil {
			return // the server is away: the link tells
		}
		if k.State == wire.StateBusy {
			if process, err := r.conn.Process(ctx); err == nil {
				r.post(func() {
					r.answeredBy(process, u)
					r.sure(u)
				})
			}
			return
		}
		if r.settled(ctx) {
			r.post(func() { r.lost(u, since) })
		}
	})
}

// answeredBy ends u, which the kernel had begun, if another process answers by now.
func (r *recorder) answeredBy(process string, u *run) {
	if !u.phase.started() || process == "" || r.processID == "" || process == r.processID {
		return
	}
	r.process = processUsed // it counts
	r.restart(causeReplaced.message, true)
	r.proveRestarted()
}

// lost ends u if nothing was heard of it since.
func (r *recorder) lost(u *run, since time.Time) {
	if u.phase.ended() || u.lastSign.After(since) {
		return
	}
	why := lost("The end of this was lost, and perhaps some of its output: the kernel is idle again. What came is kept.")
	switch {
	case u.phase == runSent && u.stop != (cause{}):
		why = u.stop
		why.message = "It never ran. " + why.message
	case u.phase == runSent:
		why = unrun("The kernel never took this request (it was restarting, or the connection was lost).")
	case u.stop != (cause{}) && !u.linkLost:
		why = u.stop // the interrupt hit the kernel's own code: ipykernel drops the request then, without a reply
	case u.phase == runUnconfirmed && r.replaced():
		why = causeReplaced
	case u.phase == runUnconfirmed:
		why.message = leftUnheard
	case u.linkLost:
		why.message = "The connection to the kernel was lost while this ran, and with it the end of its output. What came before is kept."
	}
	if u.early != nil { // it ended well; finish knows
		u.note("output", 0, "the kernel's last word of it was lost, and perhaps some of its output")
	}
	r.finish(u, why)
}

// checkForeign asks whether somebody else's code really still runs: its idle may have
// been missed, or be on its way to here, behind what the server says. So the kernel is
// asked, too, whose answer comes after that idle. If nobody here has heard of the code,
// the kernel alone is believed, however long it takes (see prove).
func (r *recorder) checkForeign() {
	if r.checking {
		return
	}
	r.checking = true
	request := r.foreign
	r.m.task(func() {
		free, gone := r.free(request)
		r.post(func() {
			r.checking = false
			switch {
			case gone:
				r.gone("the server no longer has it")
			case free && r.foreign == request:
				r.freed()
			case !free && r.byRequest[request] != nil && r.phase != kernelDisconnected:
				r.sure(r.byRequest[request])
			}
		})
	})
}

// free tells whether the kernel does not work at request any more; gone, that there is
// none. If it is not free, look asks again.
func (r *recorder) free(request string) (free, gone bool) {
	ctx, cancel := context.WithTimeout(r.m.ctx, 2*r.m.pace.look)
	defer cancel()
	k, err := r.client.Kernel(ctx, r.conn.ID())
	switch {
	case err != nil: // the server is away, if there is such a kernel
		return false, isUnknown(err)
	case request == unknownRequest:
		return r.settled(r.m.ctx), false
	}
	return k.State != wire.StateBusy && r.settled(ctx), false
}

// freed follows the end of what somebody else ran, whose idle was missed.
func (r *recorder) freed() {
	r.worksAt("")
	why := lost("The connection to the kernel was lost while this ran, and with it its end.")
	if r.replaced() {
		why = causeReplaced
		r.processID = r.conn.Joined()
		r.renew()
	}
	r.endForeign(why)
}

// replaced tells whether the kernel was another process when it was joined than it had been
// for an earlier Easel, and has not shown that since.
func (r *recorder) replaced() bool {
	now := r.conn.Joined()
	return r.midway && r.processID != "" && now != "" && now != r.processID && r.processID == r.former
}

// settled waits until the kernel has answered, and what it said before that has
// reached the recorder.
func (r *recorder) settled(ctx context.Context) bool {
	if r.conn.Probe(ctx) != nil {
		return false
	}
	pause := time.NewTimer(r.m.pace.settle)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
		return false
	}
	// However long that takes: the recorder may wait for the disk.
	reached := make(chan struct{})
	r.conn.Mark(reached)
	select {
	case <-reached:
		return true
	case <-r.ended: // a mark behind the end is dropped
		return false
	case <-ctx.Done():
		return false
	}
}

// endForeign ends the records of what others run, or an earlier Easel has begun: the kernel
// is idle, so their ends were missed.
func (r *recorder) endForeign(why cause) {
	for _, u := range r.byRequest {
		switch {
		case u == r.current || u.phase.ended():
		case u.linkLost:
			said := why
			if u.phase == runUnconfirmed && why.status == catalog.StatusLost && r.phase != kernelDisconnected {
				said.message = leftUnheard
			}
			r.finish(u, said)
		default:
			r.idle(u)
		}
	}
}

// leftUnheard is said of what an earlier Easel began, and of whose end nobody knows.
const leftUnheard = "Easel was restarted while this ran, and its end was lost: the kernel is idle again. What came before is kept."

// causeReplaced is the end of what ran in a kernel that has become another process, unseen.
var causeReplaced = cause{
	catalog.StatusKernelDied, catalog.CodeKernelDied,
	"The kernel was restarted, or died, while Easel did not hear it. Its variables are lost; what was printed and drawn before is kept.", hintDied,
}
