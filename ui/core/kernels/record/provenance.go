package record

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/kernels/inspect"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
)

// askTime is how long the kernel and git may take to say what plots were drawn in.
const askTime = 10 * time.Second

// A provenance records in which environments a kernel drew its plots. The kernel is asked when it is
// free, so no plot waits for that. Only the recorder's goroutine uses it.
type provenance struct {
	journal journal
	mail    mailbox
	session *Session
	kernel  *Inquiry

	due     []dueRun                 // whose environment is not stored yet
	asking  bool                     // a goroutine has asked
	asked   []dueRun                 // about these
	waiters map[string]chan struct{} // closed when the environment of a run is stored, or will not be; by execution

	generation int // of the kernel that has answered
	answer     inspect.Environment
	tree       inspect.WorkTree
}

// A dueRun is a run that drew plots.
type dueRun struct {
	execution  string
	generation int
}

// drew notes that u, which has ended, drew plots. Kernels of other languages cannot be asked: they do
// not evaluate expressions.
func (p *provenance) drew(u *queuedExecution) {
	sess := p.session.Stored()
	if link := p.kernel.link; !link.answers() {
		p.store(u.x.ID(), catalog.Environment{
			Name: environmentName(sess), Language: link.Info().Language, Version: link.Info().LanguageVersion, Directory: sess.Directory,
		})
		return
	}
	p.due = append(p.due, dueRun{u.x.ID(), sess.Generation})
}

// catchUp has the environments of runs stored whose environment is not, if the kernel is free.
func (p *provenance) catchUp() {
	if len(p.due) == 0 || p.asking {
		return
	}
	stored := p.session.Stored()
	if p.generation != stored.Generation {
		p.leave()
		p.generation, p.answer, p.tree = stored.Generation, inspect.Environment{}, inspect.WorkTree{}
	}
	if p.session.busy() {
		return
	}
	p.asked = p.due
	q := query{p, p.due, stored.Generation, p.answer, p.tree, environmentName(stored)}
	p.due = nil
	p.asking = p.journal.env.Tasks.Go(func() {
		ctx, cancel := context.WithTimeout(p.journal.env.Tasks.Context(), askTime)
		defer cancel()
		err := q.run(ctx)
		p.mail.post(func() { p.answered(q, err) })
	})
}

// leave stores, for runs of a process that has ended, what that process said last.
func (p *provenance) leave() {
	var rest []dueRun
	for _, d := range p.due {
		if d.generation != p.generation {
			rest = append(rest, d)
			continue
		}
		if p.answer.Key != "" {
			p.store(d.execution, p.answer.Environment)
		}
		p.release(d)
	}
	p.due = rest
}

// answered takes what a query has found. A query that the kernel did not answer is made again when it is free.
func (p *provenance) answered(q query, err error) {
	p.asking, p.asked = false, nil
	switch {
	case err == nil:
		p.answer, p.tree = q.answer, q.tree
		p.release(q.due...)
	case errors.Is(err, jupyter.ErrKernelRestarted), errors.Is(err, jupyter.ErrDisconnected), errors.Is(err, context.DeadlineExceeded):
		p.due = append(q.due, p.due...)
	default:
		p.release(q.due...)
		p.journal.log.Info("asking a kernel for its environment", "err", err)
	}
}

// await returns a channel that is closed when the environment of an execution is stored, or will not be. It
// returns nil if nothing is to be waited for, or only when other code has ended.
func (p *provenance) await(execution string) <-chan struct{} {
	is := func(d dueRun) bool { return d.execution == execution }
	if !slices.ContainsFunc(p.asked, is) && (p.session.busy() || !slices.ContainsFunc(p.due, is)) {
		return nil
	}
	if p.waiters[execution] == nil {
		if p.waiters == nil {
			p.waiters = make(map[string]chan struct{})
		}
		p.waiters[execution] = make(chan struct{})
	}
	return p.waiters[execution]
}

// release ends the waiting for the environments of runs.
func (p *provenance) release(runs ...dueRun) {
	for _, d := range runs {
		if stored := p.waiters[d.execution]; stored != nil {
			close(stored)
			delete(p.waiters, d.execution)
		}
	}
}

// AwaitEnvironment waits until it is stored in what environment an execution ran that has just drawn plots,
// until the kernel is gone, or until ctx ends.
func (r *Recorder) AwaitEnvironment(ctx context.Context, execution string) {
	var stored <-chan struct{}
	if r.mail.call(func() { stored = r.provenance.await(execution) }); stored == nil {
		return
	}
	select {
	case <-stored:
	case <-r.mail.ended:
	case <-ctx.Done():
	}
}

func (p *provenance) store(execution string, env catalog.Environment) {
	if err := p.journal.env.Library.Executions.SetEnvironment(p.journal.keeping(), execution, env); err != nil {
		p.journal.log.Warn("storing the environment of a plot", "err", err)
	}
}

// environmentName returns the name in what a session's environment is called, such as "proj/.venv"
// in "proj/.venv, Python 3.12.1, uv". On another machine, it begins with the machine's name, because
// paths do not say where they are: "gpu:proj/.venv".
func environmentName(s library.Session) string {
	name, _, _ := strings.Cut(s.Environment, ", ")
	if s.Away() {
		machine, _, _ := strings.Cut(strings.TrimPrefix(s.Project, "ssh://"), "/")
		name = strings.TrimSuffix(machine+":"+name, ":")
	}
	return name
}

// A query finds and stores the environment of runs, on a goroutine of its own.
type query struct {
	of         *provenance
	due        []dueRun
	generation int                 // of the kernel, whose process it asks
	answer     inspect.Environment // the last one
	tree       inspect.WorkTree    // of its directory
	name       string              // of the environment; "" if it has none
}

func (q *query) run(ctx context.Context) error {
	answer, err := inspect.DescribeEnvironment(ctx, func(ctx context.Context, why oversight.Exemption, ask inspect.Question, into any) error {
		return q.of.kernel.Evaluate(ctx, why, ask, false, into)
	}, q.answer)
	if err != nil {
		return err
	}
	if q.of.session.Stored().Generation != q.generation {
		return jupyter.ErrKernelRestarted
	}
	answer.Name = q.name
	server := q.of.kernel.link.Client
	notebook := server.Disk(server.Spelling(q.of.session.Stored().NotebookPath))
	q.answer, q.tree = answer, q.tree.Now(ctx, answer, notebook)
	env := answer.Environment
	q.tree.Complete(&env)
	for _, d := range q.due {
		q.of.store(d.execution, env)
	}
	return nil
}
