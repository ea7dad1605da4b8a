package record

import (
	"log/slog"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/library"
	"easel/ui/core/risk"
)

// risks finds what is risky in a session's next cell. It reads the cells that have run in the kernel's process once it
// is asked, and from then on each one that is requested or seen. Only the recorder's goroutine uses it.
type risks struct {
	journal journal
	session *Session
	link    *Link
	log     *slog.Logger
	pending func() []*queuedExecution // what was requested or is seen and may not be stored yet, in order

	reader     *risk.Reader // nil until it is needed
	generation int          // of the process that it follows
	version    int          // how many cells were learnt that may stand before those that wait
}

// learn notes a cell. ahead means that it may run before some that wait.
func (r *risks) learn(code string, byUser, ahead bool) {
	if r.reader == nil {
		return // read when it is needed
	}
	r.reader.Learn(code, byUser)
	if ahead {
		r.version++
	}
}

// of returns what is risky in the code of u.
func (r *risks) of(u *queuedExecution) []catalog.Risk {
	if u.riskVersion == r.version+1 && r.generation == r.session.Stored().Generation {
		return u.risks
	}
	r.follow(u)
	u.risks, u.riskVersion = r.reader.Risks(u.x.Record().Code), r.version+1
	u.x.MayDo(u.risks)
	return u.risks
}

// follow makes sure that the reader follows the kernel's process, up to but not including u.
func (r *risks) follow(u *queuedExecution) {
	sess := r.session.Stored()
	if r.reader != nil && r.generation == sess.Generation {
		return
	}
	dir := sess.Directory
	if r.link.Client == nil || r.link.Client.Elsewhere() {
		dir = ""
	}
	r.reader = risk.NewReader(r.link.Info().Language, dir, sess.Owner == OwnerEasel)
	r.generation = sess.Generation
	r.version++
	seen := map[string]bool{u.x.Record().ID: true}
	ran, err := r.journal.env.Library.Executions.RanBefore(r.journal.keeping(), library.Execution{
		ID: u.x.Record().ID, SessionID: sess.ID, KernelID: r.link.KernelID(), Generation: sess.Generation,
		CreatedAt: time.Now(), StartedAt: time.Now(),
	})
	if err != nil {
		r.log.Error("reading what ran before", "err", err)
	}
	for _, x := range ran {
		if !seen[x.ID] {
			seen[x.ID] = true
			r.reader.Learn(x.Code, byUser(x))
		}
	}
	for _, o := range r.pending() {
		if x := o.x.Record(); !seen[x.ID] {
			seen[x.ID] = true
			r.reader.Learn(x.Code, byUser(x))
		}
	}
}

// byUser reports whether the user ran code, in the window or, as far as is known, in Jupyter.
func byUser(x library.Execution) bool {
	return x.Transport == string(tool.Window) || x.Transport == catalog.TransportJupyter
}

// unstored returns the runs that the library may not have yet, in the order in which they run.
func (r *Recorder) unstored() (all []*queuedExecution) {
	if u := r.foreign.run(); u != nil {
		all = append(all, u)
	}
	if r.dispatch.current != nil {
		all = append(all, r.dispatch.current)
	}
	return slices.Concat(all, r.dispatch.queue.waiting, r.dispatch.queue.awaiting)
}
