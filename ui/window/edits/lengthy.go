package edits

import (
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/requests"
)

// takesTime is the number of plots from which on a change is visibly not immediate.
const takesTime = 100

// A change is what a request does to plots.
type change struct {
	what  string // names it in the log
	key   string // of the message that says that it is being done
	plots int    // how many
}

// send sends a change. Of many plots, a message says how far it is, and the user can cancel it.
// done may be nil.
func send[In, Out any](e *Edits, c change, t requests.Asker[In, Out], in In, done func(Out)) {
	sendSaying(e, c.what, c.plots >= takesTime, func(k *kit.Kit) string { return k.T(c.key, c.plots) }, t, in, done)
}

// sendSaying is send with the text of the message; says is whether there is one.
func sendSaying[In, Out any](e *Edits, what string, says bool, text func(*kit.Kit) string, t requests.Asker[In, Out], in In,
	done func(Out),
) {
	course := requests.Course[Out]{Done: done}
	var cancel func()
	if says {
		percent := -1
		var work *messages.Work
		work = e.port.Work(func(k *kit.Kit) string {
			if percent < 0 {
				return text(k)
			}
			return k.T("edits.percent", text(k), percent)
		}, func() {
			cancel()
			work.End()
		})
		course.Progress = func(done, total int) {
			percent = done * 100 / max(total, 1)
			work.Say()
		}
		course.Cancelled = func() { e.port.Say(kit.MarkIdle, e.port.Kit().T("edits.cancelled")) }
		course.Finally = work.End
	}
	cancel = requests.AskAtLength(e.port.Requests, what, t, in, course)
}
