package record

import (
	"context"
	"time"

	"easel/jupyter/wire"
	"easel/ui/core/kernels/execution"
	"easel/ui/core/oversight"
)

// Some code is sent by another client at Easel's request: the JupyterLab tab or the editor
// in which the user has a notebook open runs the cell, and shows its outputs. Such a run waits in the
// queue like any other. It is recognised by its code when the kernel reports it, and then
// recorded as Easel's own. The other client receives the reply, so the idle status ends it.

// sendElsewhere lets another client send the code of u.
func (d *dispatcher) sendElsewhere(u *queuedExecution) {
	u.advance(d.log, runSent)
	d.current, u.lastSign = u, time.Now()
	u.x.Unqueue()
	code := u.x.Record().Code
	ctx, cancel := context.WithCancel(d.env.Tasks.Context())
	if u.recalls {
		u.recall = cancel
	}
	d.env.Tasks.Go(func() {
		defer cancel()
		err := u.send(ctx, code, func() error {
			err := errMoved
			d.mail.call(func() {
				if u.verdict(d.env.Gate).Decision == oversight.Send {
					err = nil
				}
			})
			return err
		})
		d.mail.post(func() { d.sentElsewhere(u, err) })
	})
}

// sentElsewhere handles the result of Request.Send. Once the kernel has reported the code,
// only the kernel decides how it ends.
func (d *dispatcher) sentElsewhere(u *queuedExecution, err error) {
	switch {
	case err == nil || u.request != "" || u.phase.ended():
	case u.recalls && u.stop != (cause{}):
		why := u.stop
		why.message = "It never ran. " + why.message
		d.finish(u, why)
	case !Moved(err):
		why := unrun(err.Error())
		why.hint = execution.HintElsewhere
		d.finish(u, why)
	case u.stop != (cause{}):
		d.finish(u, u.stop)
	case u.advance(d.log, runQueued): // sendNext does what the user allows now
		d.current = nil
		d.queue.putBack(u)
		u.x.Queue()
	}
}

// takeElsewhere returns the run that another client sends at Easel's request, if m is the
// first message about it, and nil otherwise.
func (d *dispatcher) takeElsewhere(m *wire.Message, code string) *queuedExecution {
	u := d.current
	if u == nil || u.send == nil || u.request != "" || u.phase != runSent || m.Parent.MsgID == "" || code != u.x.Record().Code {
		return nil
	}
	u.request = m.Parent.MsgID
	if d.foreign.request == u.request {
		d.foreign.claim()
	}
	d.ledger.track(u)
	u.x.Send(u.request, u.lastSign)
	d.journal.keep(u)
	return u
}
