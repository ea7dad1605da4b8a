package properties

import (
	"context"
	"slices"
	"sync"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/window/kit"
)

// Library is the part of the library that the panel uses.
type Library interface {
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Execution(ctx context.Context, id string) (library.Execution, error)
	Environment(ctx context.Context, e library.Execution) (catalog.Environment, error)
	Tags(ctx context.Context) ([]library.TagCount, error)
	Session(ctx context.Context, id string) (library.Session, error)
	Questions(ctx context.Context, image string) ([]library.Question, error)
	Deliveries(ctx context.Context, image string) ([]library.Delivery, error)
	Check(ctx context.Context, idOrURI string) (library.Check, error)
	Changes() *feed.Feed
}

// An OutputReader reads an execution with what it has displayed.
type OutputReader func(ctx context.Context, executionID string) (catalog.Execution, error)

// facts contains everything that is shown about a selection.
type facts struct {
	ask     int // the number of the request that this answers
	ids     []string
	images  []library.Image
	run     *library.Execution // of the image, if exactly one is selected and its execution is known
	session *library.Session
	check   *library.Check    // nil if the image was not checked
	output  catalog.Execution // what run displayed

	environment *catalog.Environment // what its kernel ran in; nil if that was not recorded
	tags        []library.TagCount   // all tags in the library

	findings  []command.PlotFinding // what was found in the image, if exactly one is selected
	way       command.PlotWay       // how the image can be drawn again; zero if that is not known
	questions []library.Question    // about the image, if exactly one is selected
	sent      []library.Delivery    // of the image to clients, if exactly one is selected
}

// gathered is how long a request waits for further ones, for example while a key is
// held down. Meanwhile the gallery can draw a new plot, which is selected when it
// arrives.
const gathered = 30 * time.Millisecond

// apart is the minimum time between two answers, unless Actions has another. While plots arrive
// or a key is held down, the panel would otherwise rebuild all its rows for each image, too fast
// to read.
const apart = 250 * time.Millisecond

// A reader reads facts off the UI goroutine. It answers only the newest request.
type reader struct {
	lib    Library
	output OutputReader  // may be nil
	found  FindingReader // may be nil
	way    WayReader     // may be nil
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the reader; close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   wake.Signal
	ready  func(facts)
	apart  time.Duration

	mu   sync.Mutex
	want []string
	what feed.What // has changed since last was read
	n    int       // the number of the request

	last facts // only run uses it
}

func newReader(lib Library, output OutputReader, found FindingReader, way WayReader, do kit.Dispatcher, ready func(facts),
	apart time.Duration,
) *reader {
	ctx, cancel := context.WithCancel(context.Background())
	r := &reader{
		lib: lib, output: output, found: found, way: way, do: do, ctx: ctx, cancel: cancel, wake: wake.New(), ready: ready, apart: apart,
	}
	r.ended.Go(r.run)
	return r
}

func (r *reader) close() {
	r.cancel()
	r.ended.Wait()
}

func (r *reader) ask(ids []string, n int, what feed.What) {
	r.mu.Lock()
	r.want, r.n, r.what = ids, n, r.what|what
	r.mu.Unlock()
	r.wake.Notify()
}

func (r *reader) run() {
	var answered time.Time
	for {
		select {
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
		select {
		case <-time.After(max(gathered, time.Until(answered.Add(r.apart)))):
		case <-r.ctx.Done():
			return
		}
		r.mu.Lock()
		ids, n, what := r.want, r.n, r.what
		r.what = 0
		r.mu.Unlock()
		f := r.read(ids, what)
		f.ask = n
		r.last = f
		if answered = time.Now(); r.ctx.Err() == nil {
			r.do(func() { r.ready(f) })
		}
	}
}

// marks are the changes after which only the images themselves, their findings and the tags are read again.
const marks = feed.Rating | feed.Tags | feed.Text | feed.Findings

func (r *reader) read(ids []string, what feed.What) facts {
	f := facts{ids: ids}
	if len(ids) == 0 {
		return f
	}
	images, err := r.lib.Get(r.ctx, ids...)
	if err != nil || len(images) == 0 {
		return f
	}
	again := what&^marks == 0 && slices.Equal(ids, r.last.ids) && len(images) == len(r.last.images)
	if again {
		f = r.last
	}
	f.images = images
	if !again || what&feed.Tags != 0 {
		f.tags, _ = r.lib.Tags(r.ctx) // on an error, no tags are suggested
	}
	if len(images) == 1 && (!again || what&feed.Findings != 0) {
		f.findings = r.findings(images[0])
	}
	if again || len(images) > 1 {
		return f
	}
	if r.way != nil && images[0].SessionID != "" {
		f.way, _ = r.way(r.ctx, images[0].ImageID) // on an error, nothing is shown
	}
	f.questions, _ = r.lib.Questions(r.ctx, images[0].ImageID) // on an error, none are shown
	f.sent, _ = r.lib.Deliveries(r.ctx, images[0].ImageID)     // as above
	if s, err := r.lib.Session(r.ctx, images[0].SessionID); err == nil {
		f.session = &s
	}
	if images[0].Checked != "" {
		if check, err := r.lib.Check(r.ctx, images[0].ImageID); err == nil {
			f.check = &check
		}
	}
	x, err := r.lib.Execution(r.ctx, images[0].ExecutionID)
	if err != nil {
		return f
	}
	if e, err := r.lib.Environment(r.ctx, x); err == nil {
		f.environment = &e
	}
	f.run, f.output = &x, catalog.Execution{Status: x.Status, Error: x.Error}
	if r.output != nil {
		if o, err := r.output(r.ctx, x.ID); err == nil {
			f.output = o
		}
	}
	return f
}

// findings returns what was found in an image, if anything was. On an error, nothing is shown.
func (r *reader) findings(im library.Image) []command.PlotFinding {
	if r.found == nil || im.Findings == 0 && len(im.Judged) == 0 {
		return nil
	}
	list, err := r.found(r.ctx, im.ImageID)
	if err != nil {
		return nil
	}
	return list
}
