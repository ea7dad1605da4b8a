package record

import (
	"context"
	"errors"

	"easel/jupyter"
	"easel/jupyter/wire"
)

// probe checks in the background that the kernel responds before a request is sent to it. A
// request that is sent while a kernel restarts is lost without an error.
//
// A busy kernel answers when its code has ended, however long that takes. The server's
// status alone is not sufficient, because the server subscribes to a new process 0.1 s late.
// If it misses the first message, a kernel that died while busy has the status busy until
// the next execution.
func (r *Recorder) probe() {
	if r.process.probe != 0 || !r.Link.Connected() { // LinkRestored calls again
		return
	}
	id := r.process.begin()
	r.env.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(r.env.Tasks.Context(), r.env.Timing.Probe)
		defer cancel()
		if k, err := r.Link.model(ctx); err == nil && k.State == wire.StateBusy {
			r.mail.post(func() {
				if r.process.probe == id && !r.foreign.runs() {
					r.foreign.setUnknown(r.Session.alone(k))
				}
			})
			ctx = r.env.Tasks.Context()
		}
		err := r.Link.conn.Probe(ctx)
		r.mail.post(func() { r.probeAnswered(id, err) })
	})
}

// probeRestarted probes a restarted kernel even if no request waits. Otherwise, its status
// would be restarting until the next request.
func (r *Recorder) probeRestarted() {
	if r.Session.phase == kernelRestarting && r.dispatch.current == nil {
		r.probe()
	}
}

// probeAnswered handles the result of a probe.
func (r *Recorder) probeAnswered(id int, err error) {
	if !r.process.answered(id, err) {
		return
	}
	if err == nil {
		if r.Session.phase != kernelDisconnected { // otherwise, wait for the restored connection
			r.Session.become(kernelReady)
			r.Figures.Keep()
		}
		if r.foreign.request == unknownRequest {
			r.foreignEnded()
		}
		return
	}
	if errors.Is(err, jupyter.ErrNotFound) {
		r.gone("the server no longer has it")
		return
	}
	r.log.Warn("probing the kernel", "err", err)
	if errors.Is(err, jupyter.ErrDisconnected) {
		if r.Session.phase == kernelReady {
			r.Session.become(kernelUnconfirmed)
		}
		return // queued requests are sent after LinkRestored
	}
	for _, u := range r.dispatch.queue.takeWaiting(0) {
		r.dispatch.finish(u, unrun("The kernel does not respond; the code was not run: "+err.Error()))
	}
}
