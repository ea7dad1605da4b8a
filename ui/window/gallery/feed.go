package gallery

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"easel/internal/wake"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
	"easel/ui/window/kit"
)

// Library is the part of the library that the gallery uses.
type Library interface {
	// List returns the images that match a query, in order.
	List(ctx context.Context, q library.Query) ([]library.ListEntry, error)
	// Get returns images. It leaves out those that do not exist.
	Get(ctx context.Context, ids ...string) ([]library.Image, error)
	// Count returns the number of images of a query without its filters, and with them.
	Count(ctx context.Context, q library.Query) (total, matching int, err error)
	// Listing reports whether the open directory is still being listed.
	Listing() bool
	Thumber
	// Changes returns the feed of what changes in the library.
	Changes() *feed.Feed
}

// An Answer is the answer to a query.
type Answer struct {
	IDs     []string // of the images that match, in order
	Listed  []library.ListEntry
	Total   int  // images without the query's filters
	Trashed int  // images of the same place that are in the trash; known only if Total is 0
	Growing bool // more will match: the directory is still being listed
	Err     error

	list imageList // of IDs
}

// answer runs a query.
func (f *Feed) answer(q library.Query) (a Answer) {
	a.Growing = q.URIPrefix != "" && f.lib.Listing() // asked before what is listed
	if a.Listed, a.Err = f.lib.List(f.ctx, q); a.Err != nil {
		return a
	}
	a.IDs = make([]string, len(a.Listed))
	for i, l := range a.Listed {
		a.IDs[i] = l.ID
	}
	a.list = listOf(a.IDs)
	a.Total = len(a.IDs)
	if q.RatingOp != "" && q.Rating >= 0 || len(q.Tags) > 0 || q.Text != "" {
		a.Total, _, a.Err = f.lib.Count(f.ctx, library.Query{SessionID: q.SessionID, URIPrefix: q.URIPrefix, Trashed: q.Trashed, Rating: -1})
	}
	if a.Total == 0 && a.Err == nil && !q.Trashed {
		a.Trashed, _, a.Err = f.lib.Count(f.ctx, library.Query{SessionID: q.SessionID, Rating: -1, Trashed: true})
	}
	return a
}

// backlog is the maximum number of requests in a queue. It is more than fits on a
// screen: older requests are for cells that have been scrolled away.
const backlog = 160

// A Feed runs queries and reads the visible images, off the UI goroutine. It answers
// only the newest query.
type Feed struct {
	lib    Library
	do     kit.Dispatcher
	ctx    context.Context //nolint:containedctx // the life of the reader; Close ends it
	cancel context.CancelFunc
	ended  sync.WaitGroup
	wake   wake.Signal // one slot: there is a query or a request

	mu    sync.Mutex
	query *library.Query // not yet run
	then  []func()       // called when the query has been answered
	reads bool           // a query is being run
	last  question
	over  bool     // the reader has ended
	ids   []string // requested, not yet read
	open  int      // reads whose results have not been handed over
	found []string // result of the previous query; only the reader uses it

	onIDs    func(library.Query, Answer)
	onImages func([]library.Image)

	// ahead, if not nil, is called on the reader's goroutine with images that are new
	// in the result, before they are shown.
	ahead func([]library.Image)
}

// NewFeed returns a Feed and starts its reader. onIDs and onImages are called on the UI
// goroutine. The caller must call Close.
func NewFeed(lib Library, do kit.Dispatcher, onIDs func(library.Query, Answer), onImages func([]library.Image)) *Feed {
	ctx, cancel := context.WithCancel(context.Background())
	f := &Feed{lib: lib, do: do, ctx: ctx, cancel: cancel, wake: wake.New(), onIDs: onIDs, onImages: onImages}
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

// Close stops the reader and waits for it.
func (f *Feed) Close() {
	f.cancel()
	f.ended.Wait()
}

// Ask runs a query. It replaces a query that has not been run yet.
func (f *Feed) Ask(q library.Query) {
	f.mu.Lock()
	f.query = &q
	f.mu.Unlock()
	f.wake.Notify()
}

// A question is a query and the revision of the collection to which it was put.
type question struct {
	query    library.Query
	revision uint64
	ever     bool
}

// AskOnce runs a query at a revision of the collection, unless it was the last one that
// AskOnce ran, and nothing that has changed since affects its answer. It reports whether the
// answer is still to come. If so, it calls then, if not nil, once, on any goroutine, after the
// answer was handed over or when it is clear that there will be none.
func (f *Feed) AskOnce(q library.Query, revision uint64, then func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	was := f.last
	f.last = question{q, max(revision, was.revision), true}
	if !was.ever || !reflect.DeepEqual(was.query, q) || q.AffectedBy(f.lib.Changes().Summary(was.revision, revision).What) {
		f.query = &q
		f.wake.Notify()
	} else if f.query == nil && !f.reads {
		return false
	}
	if then != nil {
		f.then = append(f.then, then)
	}
	return true
}

// Await calls then once, on any goroutine, after the pending query was answered or when
// it is clear that there will be no answer. If there is no pending query, it returns
// false and does not call then.
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

// Want requests images to be read. Requests accumulate up to backlog, then the oldest
// are dropped.
func (f *Feed) Want(ids ...string) {
	f.mu.Lock()
	for _, id := range ids {
		if !slices.Contains(f.ids, id) {
			f.ids = append(f.ids, id)
		}
	}
	if n := len(f.ids); n > backlog {
		f.ids = append(f.ids[:0:0], f.ids[n-backlog:]...)
	}
	f.mu.Unlock()
	f.wake.Notify()
}

// Keep drops the requests for images that are no longer visible, and returns those images.
func (f *Feed) Keep(visible []string) (dropped []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = slices.DeleteFunc(f.ids, func(id string) bool {
		gone := !slices.Contains(visible, id)
		if gone {
			dropped = append(dropped, id)
		}
		return gone
	})
	return dropped
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
			found := f.answer(*q)
			fresh := f.arrived(found.IDs)
			if f.ctx.Err() == nil {
				f.do(func() {
					if f.newest(of) { // else they may have changed since without being marked as stale
						f.onImages(fresh)
					}
					f.onIDs(*q, found)
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

// told marks the end of a query. It returns the functions to call, unless a newer query
// will answer them.
func (f *Feed) told() (then []func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads = false
	if f.query == nil {
		then, f.then = f.then, nil
	}
	return then
}

// newest reports whether revision is the last one that AskOnce was called with.
func (f *Feed) newest(revision uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.last.revision == revision
}

// few is the maximum number of new images that are read before they are shown, so that
// they appear with picture and title at once. If there are more, each is shown when it
// has been read.
const few = 3

// arrived reads the images that are new at the beginning of a result, or that replaced
// others, compared to the previous result. It returns nil if there are none or too
// many.
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
			return nil // a different list
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

// busy reports whether an answer is still to come.
func (f *Feed) busy() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.query != nil || len(f.ids) > 0 || f.open > 0
}

// Ask runs a query and shows the images that match it.
func (g *Grid) Ask(q library.Query) { g.feed.Ask(q) }

// Await is like [Feed.Await]. It may be called on any goroutine.
func (g *Grid) Await(then func()) bool { return g.feed.Await(then) }

// AskOnce is like Ask, but runs a query once for each revision of the collection; see
// [Feed.AskOnce]. It may be called on any goroutine.
func (g *Grid) AskOnce(q library.Query, revision uint64, then func()) bool {
	return g.feed.AskOnce(q, revision, then)
}
