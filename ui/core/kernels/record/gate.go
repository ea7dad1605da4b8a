package record

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"easel/mcphost/catalog"
	"easel/ui/core/oversight"
)

// MaxWaiting is how many executions may wait in one session: for the kernel, for approval or
// until the user resumes the AI. A client that sends more has lost track of them.
const MaxWaiting = 200

// A TooManyError reports that too many executions wait in a session.
type TooManyError struct{ Waiting int }

// Error returns how many wait.
func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d executions wait in this session", e.Waiting)
}

// errMoved means that the mode has changed while another client was about to send code.
var errMoved = errors.New("what the user allows has changed")

// Moved reports whether an error of Request.Send is that of may. Then Send is called again if
// the user allows the code later.
func Moved(err error) bool { return errors.Is(err, errMoved) }

// verdict says whether u may be sent to the kernel now.
func (r *Recorder) verdict(u *run) oversight.Verdict {
	return r.env.Gate.Check(u.by, u.approved, u.approve != nil)
}

// accept lets a new run wait for the kernel or for approval. It returns an error if u must not
// run.
func (r *Recorder) accept(u *run) error {
	if n := len(r.queue) + len(r.awaiting); n >= MaxWaiting {
		return &TooManyError{n}
	}
	switch v := r.verdict(u); v.Decision {
	case oversight.Refuse:
		return v.Err
	case oversight.Ask:
		r.await(u)
	default: // what is held waits in the queue
		r.enqueue(u)
	}
	return nil
}

// sift returns the first run in the queue that may be sent now, or nil. Before, it takes out
// those that the user no longer allows, and those that need approval now.
func (r *Recorder) sift() *run {
	var first *run
	for _, u := range slices.Clone(r.queue) {
		v := r.verdict(u)
		switch v.Decision {
		case oversight.Send:
			if first == nil {
				first = u
			}
		case oversight.Hold:
		case oversight.Ask:
			r.unqueue(u)
			r.await(u)
		case oversight.Refuse:
			r.unqueue(u)
			r.refuse(u, v.Err)
		}
	}
	return first
}

// reconsider applies a change of what the user allows to what waits. What runs goes on.
func (r *Recorder) reconsider() {
	r.sift()
	for _, u := range slices.Clone(r.awaiting) {
		if v := r.verdict(u); v.Decision == oversight.Refuse {
			r.awaiting = slices.DeleteFunc(r.awaiting, func(o *run) bool { return o == u })
			r.refuse(u, v.Err)
		}
	}
}

// await asks the user whether u may run, without blocking. answered handles the result.
func (r *Recorder) await(u *run) {
	u.advance(r.log, runAwaiting)
	u.x.AwaitApproval()
	r.awaiting = append(r.awaiting, u)
	r.journal.keep(u)
	u.kept = true
	ctx, cancel := context.WithCancel(r.env.Tasks.Context())
	u.withdrawApproval = cancel
	shown := u.x.Snapshot()
	r.env.Tasks.Go(func() {
		defer cancel()
		consent, err := u.approve(ctx, shown)
		r.mail.post(func() { r.answered(u, consent, err) })
	})
}

// answered queues u if it was approved, and ends it as cancelled otherwise. It ignores the
// answer if u has ended meanwhile.
func (r *Recorder) answered(u *run, consent oversight.Consent, err error) {
	r.awaiting = slices.DeleteFunc(r.awaiting, func(o *run) bool { return o == u })
	if u.phase.ended() {
		return
	}
	if err != nil {
		r.refuse(u, err)
		return
	}
	u.approved = !consent.Trusted
	u.x.Approve(consent.Code)
	r.enqueue(u)
}

// refuse ends u, which has not been sent, because the user does not allow it.
func (r *Recorder) refuse(u *run, err error) {
	u.x.Refuse(err)
	r.finish(u, cause{status: catalog.StatusCancelled, code: refusalCode(err), message: "It did not run: " + err.Error() + "."})
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
