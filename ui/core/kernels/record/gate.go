package record

import (
	"context"
	"errors"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
	"easel/ui/core/pycode"
)

// errMoved means that the mode has changed while another client was about to send code.
var errMoved = errors.New("what the user allows has changed")

// Moved reports whether an error of Request.Send is that of may. Then Send is called again if
// the user allows the code later.
func Moved(err error) bool { return errors.Is(err, errMoved) }

// accept lets a new run wait for the kernel or for approval. It returns an error if u must not
// run.
func (d *dispatcher) accept(u *queuedExecution) error {
	if err := d.queue.full(); err != nil {
		return err
	}
	switch v := u.verdict(d.env.Gate); v.Decision {
	case oversight.Refuse:
		return v.Err
	case oversight.Ask:
		d.await(u, v.Risks)
	default: // what is held waits in the queue
		d.enqueue(u)
	}
	if !u.by.User {
		d.risks.of(u) // for the log, whatever the mode; the kernel works meanwhile
	}
	d.risks.learn(u.x.Record().Code, u.by.User, false)
	d.session.nameAfter(pycode.Subject(u.x.Record().Code), false)
	return nil
}

// reconsider applies what the user allows now to what waits, and returns the run that may be sent
// first, or nil. What runs goes on.
func (d *dispatcher) reconsider() (next *queuedExecution) {
	next, removed := d.queue.sift()
	for _, c := range removed {
		if c.verdict.Decision == oversight.Ask {
			d.await(c.run, c.verdict.Risks)
		} else {
			d.refuse(c.run, c.verdict.Err)
		}
	}
	return next
}

// await asks the user whether u may run, because of some risks or because it is code, without blocking. answered handles the result.
func (d *dispatcher) await(u *queuedExecution, because []catalog.Risk) {
	u.advance(d.log, runAwaiting)
	u.x.AwaitApproval()
	d.queue.await(u)
	d.journal.keep(u)
	u.kept = true
	ctx, cancel := context.WithCancel(d.env.Tasks.Context())
	u.withdrawApproval = cancel
	shown, risks := u.x.Snapshot(), d.risks.of(u)
	code := oversight.Code{Asks: true, Risks: func() []catalog.Risk { return risks }}
	d.env.Tasks.Go(func() {
		defer cancel()
		consent, err := d.env.Gate.Consent(ctx, u.by, shown.Code, code, func(ctx context.Context) (oversight.Consent, error) {
			return d.env.Asker.AskToRun(ctx, shown, u.by, risks, because)
		})
		d.mail.post(func() { d.answered(u, consent, err) })
	})
}

// answered queues u if it was approved, and ends it as cancelled otherwise. It ignores the
// answer if u has ended meanwhile.
func (d *dispatcher) answered(u *queuedExecution, consent oversight.Consent, err error) {
	d.queue.remove(u)
	if u.phase.ended() {
		return
	}
	if err != nil {
		d.refuse(u, err)
		return
	}
	u.approved = !consent.Trusted
	if consent.Code != u.x.Record().Code {
		d.risks.learn(consent.Code, true, true)
	}
	u.x.Approve(consent.Code)
	d.enqueue(u)
}

// refuse ends u, which has not been sent, because the user does not allow it.
func (d *dispatcher) refuse(u *queuedExecution, err error) {
	u.x.Refuse(err)
	d.finish(u, cause{status: catalog.StatusCancelled, code: refusalCode(err), message: "It did not run: " + err.Error() + "."})
}

// A refusal is an error that determines the error code of the execution that was refused.
type refusal interface {
	error
	ExecutionCode() string
}

// refusalCode returns the error code of an execution that was refused.
func refusalCode(err error) string {
	if r, ok := errors.AsType[refusal](err); ok {
		return r.ExecutionCode()
	}
	return catalog.CodeCancelled
}
