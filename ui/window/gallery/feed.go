package gallery

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"easel/ui/core/library"
	"easel/ui/window/kit"
)

// Library is what the gallery reads.
type Library interface {
	// IDs lists what matches, in order.
	IDs(ctx context.Context, q library.Query) ([]string, error)
	// Get reads images; those that are gone are left out.
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	Thumber
}

// backlog is how many requests are kept: more than a screen; older ones are of
// cells that have long been scrolled away.
const backlog = 160

// A Feed reads, off the UI goroutine, what a query matches and what the images in
// sight are. Only the newest question is answered.
type Feed struct {
	lib    Library
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the reader; Close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   chan struct{} // one slot: there is a question

	mu    sync.Mutex
	query *library.Query // asked, not yet read
	then  []func()       // when what was asked has been told
	reads bool           // a question is being read
	last  asked
	over  bool     // the reader has ended
	ids   []string // asked for, not yet read
	open  int      // readings that are not yet told
	found []string // the last time; only the reader uses it

	onIDs    func(q library.Query, ids []string, err error)
	onImages func([]library.Image)

	// ahead, if not nil, is told on the reader's goroutine of images that came in at the
	// beginning, before they are shown.
	ahead func([]library.Image)
}

// NewFeed starts the reader. onIDs and onImages are called on the UI goroutine.
func NewFeed(lib Library, do kit.Dispatcher, onIDs func(library.Query, []string, error), onImages func([]library.Image)) *Feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Feed{lib: lib, do: do, ctx: ctx, cancel: cancel, wake: make(chan struct{}, 1), onIDs: onIDs, onImages: onImages}
	f.ended.Go(func() {
		f.read()
		f.mu.Lock()
		then := f.then
		f.over, f.then = true, nil
		f.mu.Unlock()
		call(then)
	})
	return f
}

// Close ends the reader and waits for it.
func (f *Feed) Close() {
	f.cancel()
	f.ended.Wait()
}

// Ask asks for what q matches.
func (f *Feed) Ask(q library.Query) {
	f.mu.Lock()
	f.query = &q
	f.mu.Unlock()
	f.nudge()
}

// asked is a question, and the revision of the collection that it was asked of.
type asked struct {
	query    library.Query
	revision uint64
	ever     bool
}

// AskOnce asks for what q matches in a revision of the collection, unless that was
// asked last, and tells whether the answer is still to come. Then it calls then, if not
// nil, once, on any goroutine, after the answer was handed over or will never be.
func (f *Feed) AskOnce(q library.Query, revision uint64, then func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	if !f.last.ever || f.last.revision != revision || !reflect.DeepEqual(f.last.query, q) {
		f.last, f.query = asked{q, revision, true}, &q
		f.nudge()
	} else if f.query == nil && !f.reads {
		return false
	}
	if then != nil {
		f.then = append(f.then, then)
	}
	return true
}

// Await calls then, once, on any goroutine, after what was asked for was handed over or
// will never be; it tells whether anything was, else it does not call.
func (f *Feed) Await(then func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over || f.query == nil && !f.reads {
		return false
	}
	f.then = append(f.then, then)
	return true
}

func call(fs []func()) {
	for _, f := range fs {
		f()
	}
}

// Want asks for images. Requests add up until they are read.
func (f *Feed) Want(ids ...string) {
	f.mu.Lock()
	f.ids = append(f.ids, ids...)
	if n := len(f.ids); n > backlog {
		f.ids = append(f.ids[:0:0], f.ids[n-backlog:]...)
	}
	f.mu.Unlock()
	f.nudge()
}

func (f *Feed) nudge() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

func (f *Feed) read() {
	for {
		select {
		case <-f.wake:
		case <-f.ctx.Done():
			return
		}
		f.mu.Lock()
		q, ids, of := f.query, f.ids, f.last.revision
		f.query, f.ids, f.reads = nil, nil, q != nil
		f.open++
		f.mu.Unlock()
		if q != nil {
			found, err := f.lib.IDs(f.ctx, *q)
			fresh := f.arrived(found)
			if f.ctx.Err() == nil {
				f.do(func() {
					if f.newest(of) { // else they may have changed since, and be known by nobody as stale
						f.onImages(fresh)
					}
					f.onIDs(*q, found, err)
				})
			}
			call(f.told())
		}
		if len(ids) > 0 {
			if images, err := f.lib.Get(f.ctx, ids...); err == nil && f.ctx.Err() == nil {
				f.do(func() { f.onImages(images) })
			}
		}
		f.do(func() {
			f.mu.Lock()
			f.open--
			f.mu.Unlock()
		})
	}
}

// told ends a reading. It gives who waits for it, unless a newer question is to be read
// for them.
func (f *Feed) told() (then []func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = false
	if f.query == nil {
		then, f.then = f.then, nil
	}
	return then
}

// newest tells whether no later revision was asked for.
func (f *Feed) newest(revision uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last.revision == revision
}

// few is how many new images are read before they are shown: then they come with
// picture and title at once. More are shown as they are read.
const few = 3

// arrived reads the images that came in before the one that was first the last time, or
// that took the place of others.
func (f *Feed) arrived(found []string) []library.Image {
	was := f.found
	f.found = found
	if len(was) == 0 || f.ahead == nil {
		return nil
	}
	n := max(len(found)-len(was), 0)
	if n > few || len(found) < len(was) {
		return nil
	}
	fresh := slices.Clone(found[:n])
	for i, id := range was {
		if found[n+i] != id {
			fresh = append(fresh, found[n+i])
		}
		if len(fresh) > 2*few {
			return nil // another list
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	images, err := f.lib.Get(f.ctx, fresh...)
	if err != nil {
		return nil
	}
	f.ahead(images)
	return images
}

// busy tells whether an answer is still to come.
func (f *Feed) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.query != nil || len(f.ids) > 0 || f.open > 0
}

// Ask reads what q matches and then shows it.
func (g *Grid) Ask(q library.Query) { g.feed.Ask(q) }

// Await is [Feed.Await]. It may be called from any goroutine.
func (g *Grid) Await(then func()) bool { return g.feed.Await(then) }

// AskOnce is Ask, once for each revision of the collection; see [Feed.AskOnce]. It may
// be called on any goroutine.
func (g *Grid) AskOnce(q library.Query, revision uint64, then func()) bool {
	return g.feed.AskOnce(q, revision, then)
}
