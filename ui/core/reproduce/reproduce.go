// Package reproduce checks whether the code of a plot, run again, draws the same picture.
// It runs the history of the plot's session in a new kernel, up to the plot, and compares
// the figure with the stored one. The session and its kernel are not touched.
//
// # Goroutines
//
// Run runs the checks, one after the other. The other methods are safe for concurrent use;
// only History reads files.
package reproduce

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/oversight"
	"easel/ui/core/render"
)

// ErrRunning reports that the code of a plot has not ended.
var ErrRunning = errors.New("the code of this plot is still running")

// A Kernel runs the code. A [pool.HiddenKernel] is one.
type Kernel interface {
	Execute(ctx context.Context, r jupyter.ExecuteRequest) (msgID string, err error)
	Next(ctx context.Context) (jupyter.Delivery, error)
	Interrupt(ctx context.Context) error
	Environment(ctx context.Context) (catalog.Environment, error)
	End()
}

// Renderer draws figures that have no picture. A [render.Renderer] is one.
type Renderer interface {
	Draws(mime string) bool
	Draw(ctx context.Context, r render.Request) (render.Picture, error)
}

// Config configures a Checker. The functions may not block, except Start.
type Config struct {
	Library  *library.Library
	Renderer Renderer
	// Start starts a kernel for a check of a session's plots.
	Start func(ctx context.Context, of library.Session, dir string) (Kernel, error)
	// Directory returns the directory in which a session's kernel started, or "" if it is not known, and
	// whether it is on this machine. May be nil.
	Directory func(library.Session) (dir string, here bool)
	Limit     func() time.Duration // time limit of a check; nil: ten minutes
	DrawText  func() bool          // whether tables and formulas are images; nil: no
	// Gate decides whether a cell may be sent, right before it is sent. If it is nil, only the
	// user's checks run.
	Gate *oversight.Gate
	// Changed is called with all open checks when one of them has changed. May be nil.
	Changed func([]command.OpenCheck)
	Log     *slog.Logger
}

// A Checker checks plots.
type Checker struct {
	cfg  Config
	wake wake.Signal // one slot: a job waits

	asks sync.WaitGroup // the goroutines of questions

	mu       sync.Mutex
	open     []*Job          // in the order in which they were started; those that run come first
	answered map[string]*Job // by image: jobs with a question that have ended and were not collected
}

// New returns a Checker. It checks while Run runs.
func New(cfg Config) *Checker {
	if cfg.Limit == nil {
		cfg.Limit = func() time.Duration { return 10 * time.Minute }
	}
	if cfg.Changed == nil {
		cfg.Changed = func([]command.OpenCheck) {}
	}
	return &Checker{cfg: cfg, wake: wake.New(), answered: make(map[string]*Job)}
}

// A Job is the check of one plot.
type Job struct {
	history History
	done    chan struct{}

	by oversight.Sender
	// risks returns what is risky in the cells; may be nil.
	risks func() []catalog.Risk
	ask   func(context.Context) (approved bool, err error) // nil: the user has started it

	// guarded by Checker.mu until done is closed
	withdraw    context.CancelFunc // of the question; nil: none was asked
	asking      bool               // the user has not answered yet
	approved    bool               // the user has approved this check
	running     bool
	cell, cells int
	result      catalog.Check
	err         error
}

// Done returns a channel that is closed when the check has ended.
func (j *Job) Done() <-chan struct{} { return j.done }

// Result returns the result of a check that has ended. The error is that of the library,
// of the question, or of the context of Run.
func (j *Job) Result() (catalog.Check, error) { return j.result, j.err }

// Start queues the check of the plot of a history for the user and returns its job. It returns
// the job that is already open for the plot, if there is one, and withdraws its question.
func (c *Checker) Start(h History) *Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.job(h.Image.ImageID)
	if j == nil {
		j = &Job{history: h, done: make(chan struct{}), cells: len(h.Cells)}
		c.add(j)
	}
	j.by = oversight.Sender{User: true}
	if j.asking {
		j.withdraw()
		j.asking = false
	}
	c.wake.Notify()
	return j
}

// StartFor is like Start, but for an assistant. The check runs as far as the user allows it at
// each time: while they want to be asked, ask is called, and the check waits until it has
// returned. If ask fails, the check ends with its error. ask may take long, and is called again
// if it reports that the check is allowed but not approved, and that is no longer so. The context
// that it gets ends with the check. A job about which the user was asked remains available to Job
// after its end, until Collect is called, because nobody may be waiting for it when they answer.
func (c *Checker) StartFor(h History, by oversight.Sender, ask func(ctx context.Context) (approved bool, err error)) *Job {
	if by.User {
		return c.Start(h)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if j := c.job(h.Image.ImageID); j != nil {
		return j
	}
	j := &Job{history: h, done: make(chan struct{}), cells: len(h.Cells), by: by, ask: ask, risks: sync.OnceValue(h.Risks)}
	c.add(j)
	c.mayRun(j)
	return j
}

// verdict says whether code of a job may be sent now. The caller holds c.mu.
func (c *Checker) verdict(j *Job) oversight.Verdict {
	return c.cfg.Gate.Check(j.by, oversight.Code{Approved: j.approved, Asks: j.ask != nil, Risks: j.risks})
}

// mayRun reports whether an open job may run now. If not, it waits, is asked about or ends. The
// caller holds c.mu.
func (c *Checker) mayRun(j *Job) bool {
	if j.asking {
		return false
	}
	switch v := c.verdict(j); v.Decision {
	case oversight.Send:
		return true
	case oversight.Ask:
		c.question(j)
	case oversight.Refuse:
		c.end(j, catalog.Check{}, v.Err)
	case oversight.Hold: // it waits
	}
	return false
}

// question asks the user about a job. The caller holds c.mu.
func (c *Checker) question(j *Job) {
	j.asking, j.running, j.cell = true, false, 0
	ctx, cancel := context.WithCancel(context.Background())
	j.withdraw = cancel
	by, code := j.by, oversight.Code{Asks: true, Risks: j.risks}
	c.asks.Go(func() { // ends with the answer or with the job
		consent, err := c.cfg.Gate.Consent(ctx, by, "", code, func(ctx context.Context) (oversight.Consent, error) {
			approved, err := j.ask(ctx)
			return oversight.Consent{Trusted: !approved}, err
		})
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case !j.asking: // it has ended, or Start allowed it
		case err != nil:
			c.end(j, catalog.Check{}, err)
		default:
			j.asking, j.approved = false, !consent.Trusted
			c.wake.Notify()
		}
	})
}

// add adds an open job. The caller holds c.mu.
func (c *Checker) add(j *Job) {
	delete(c.answered, j.history.Image.ImageID)
	c.open = append(c.open, j)
	c.changed()
	c.wake.Notify()
}

// Job returns the job of a plot that is open or was not collected, or nil.
func (c *Checker) Job(image string) *Job {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j := c.job(image); j != nil {
		return j
	}
	return c.answered[image]
}

// Collect notes that the result of the plot's job was read.
func (c *Checker) Collect(image string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.answered, image)
}

// Asking reports whether the check of a plot waits for the user's answer.
func (c *Checker) Asking(image string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.job(image)
	return j != nil && j.asking
}

// job returns the open job of a plot, or nil. The caller holds c.mu.
func (c *Checker) job(image string) *Job {
	for _, j := range c.open {
		if j.history.Image.ImageID == image {
			return j
		}
	}
	return nil
}

// Cancel cancels the checks of plots, or all checks if it is called without any. An earlier
// result of a plot is kept.
func (c *Checker) Cancel(images ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range slices.Clone(c.open) {
		if len(images) > 0 && !slices.Contains(images, j.history.Image.ImageID) {
			continue
		}
		c.end(j, catalog.Check{Status: catalog.CheckNotReplayable, Reason: catalog.CheckCancelled}, nil)
	}
}

// changed publishes the open checks. The caller holds c.mu.
func (c *Checker) changed() {
	open := make([]command.OpenCheck, len(c.open))
	for i, j := range c.open {
		open[i] = command.OpenCheck{Image: j.history.Image.ImageID, Running: j.running, Cell: j.cell, Cells: j.cells}
	}
	c.cfg.Changed(open)
}

// end ends a job. The caller holds c.mu.
func (c *Checker) end(j *Job, result catalog.Check, err error) {
	i := slices.Index(c.open, j)
	if i < 0 {
		return
	}
	c.open = slices.Delete(c.open, i, i+1)
	j.result, j.err, j.asking = result, err, false
	if j.withdraw != nil {
		j.withdraw()
		c.answered[j.history.Image.ImageID] = j
	}
	close(j.done)
	c.changed()
}

// Run runs checks until ctx is done. Then it ends those that are open.
func (c *Checker) Run(ctx context.Context) {
	defer c.cfg.Gate.OnChange(c.wake.Notify)()
	for {
		jobs := c.take()
		if len(jobs) == 0 {
			select {
			case <-c.wake:
				continue
			case <-ctx.Done():
				c.endAll(ctx)
				return
			}
		}
		c.run(ctx, jobs)
		if ctx.Err() != nil {
			c.endAll(ctx)
			return
		}
	}
}

func (c *Checker) endAll(ctx context.Context) {
	defer c.asks.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range slices.Clone(c.open) {
		c.end(j, catalog.Check{}, fmt.Errorf("the check was not finished: %w", context.Cause(ctx)))
	}
}

// take returns the next job and those that the same replay serves, because their plots
// are of the same kernel.
func (c *Checker) take() (jobs []*Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, j := range slices.Clone(c.open) {
		if !c.mayRun(j) {
			continue
		}
		if len(jobs) == 0 || j.history.sameKernel(jobs[0].history) {
			j.running = true
			jobs = append(jobs, j)
		}
	}
	if len(jobs) > 0 {
		c.changed()
	}
	return jobs
}

// A cancelled check ends with this cause.
var errCancelled = errors.New("cancelled")

// run runs jobs of one kernel.
func (c *Checker) run(ctx context.Context, jobs []*Job) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	limited, cancel := context.WithTimeout(ctx, c.cfg.Limit())
	defer cancel()
	watched := make(chan struct{})
	go func() { // ends when all jobs have ended, or with ctx
		defer close(watched)
		for _, j := range jobs {
			select {
			case <-j.done:
			case <-ctx.Done():
				return
			}
		}
		stop(errCancelled)
	}()
	longest := jobs[0]
	for _, j := range jobs {
		if len(j.history.Cells) > len(longest.history.Cells) {
			longest = j
		}
	}
	r := &replay{c: c, jobs: jobs, cells: longest.history.Cells, session: longest.history.Session}
	r.run(limited)
	stop(nil)
	<-watched
}

// finish judges and stores the result of a job.
func (c *Checker) finish(ctx context.Context, j *Job, found outcome) {
	ctx = context.WithoutCancel(ctx)
	check, fresh := found.check, found.fresh
	check.At, check.Findings = time.Now().UTC(), append(slices.Clone(j.history.Findings), found.findings...)
	select {
	case <-j.done: // cancelled
		return
	default:
	}
	image := j.history.Image.ImageID
	err := c.cfg.Library.Checks.Put(ctx, image, check, fresh)
	if err != nil {
		c.cfg.Log.ErrorContext(ctx, "storing the result of a check", "image", image, "err", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(j, check, err)
}
