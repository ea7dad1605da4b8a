package folders

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// Files that have been read are reported in batches of this size and duration.
const (
	batchSize = 200
	batchTime = 200 * time.Millisecond
)

func (d *Directory) pathOf(e *entry) string { return d.at(e.name) }

// learn sets the facts of an entry. It reports whether the entry is shown only since then. The caller holds d.mu.
func (d *Directory) learn(e *entry, f *facts) (shown bool) {
	if e.facts.hashed() && !f.hashed() {
		return false // the old facts have the hash, too
	}
	was := e.visible()
	e.facts = f
	if shown = e.visible() && !was; e.visible() != was {
		d.ordered = nil
	}
	if len(f.more().tags) > 0 {
		d.tags = nil
	}
	return shown
}

// read reads the files, those requested last first, until ctx ends. It begins when all have been listed, because
// that is needed first.
func (d *Directory) read(ctx context.Context) {
	if d.WaitListed(ctx, nil) != nil {
		return
	}
	for {
		select {
		case <-d.wake:
		case <-ctx.Done():
			return
		}
		d.sortUnread()
		for ctx.Err() == nil && d.readBatch(ctx) {
		}
	}
}

// sortUnread sorts the unread files by name.
func (d *Directory) sortUnread() {
	d.mu.Lock()
	defer d.mu.Unlock()
	sortByName(d.unread)
	slices.Reverse(d.unread) // next takes the last
}

// entryFacts is an entry with what was read from its file.
type entryFacts struct {
	*entry
	facts *facts
	again bool // only the hash was missing before
}

// readBatch reads some files and reports them. It returns false if there were none.
func (d *Directory) readBatch(ctx context.Context) bool {
	var batch []entryFacts
	for began := time.Now(); len(batch) < batchSize && time.Since(began) < batchTime && ctx.Err() == nil; {
		e, again := d.next()
		if e == nil {
			break
		}
		f := e.known(d)
		if f == nil || again && !f.hashed() {
			d.giveWay(ctx)
			f = d.study(ctx, e, again)
		}
		batch = append(batch, entryFacts{e, f, again})
	}
	if ctx.Err() != nil {
		return false
	}
	d.tell(ctx, batch)
	return len(batch) > 0
}

// How long the reader gives way to those who want a picture now: until nobody has wanted one for a while, but not forever.
const (
	wayAfter = 60 * time.Millisecond
	wayMost  = 300 * time.Millisecond
)

// giveWay waits while somebody wants a picture, because the user waits for it.
func (d *Directory) giveWay(ctx context.Context) {
	for end := time.Now().Add(wayMost); ; {
		d.mu.Lock()
		left := min(time.Until(d.wanted.Add(wayAfter)), time.Until(end))
		d.mu.Unlock()
		if left <= 0 {
			return
		}
		select {
		case <-time.After(left):
		case <-ctx.Done():
			return
		}
	}
}

// wants notes that somebody wants a picture now.
func (d *Directory) wants() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wanted = time.Now()
}

func (e *entry) known(d *Directory) *facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.facts
}

// study reads a file. If that fails, the facts describe a broken picture.
func (d *Directory) study(ctx context.Context, e *entry, hash bool) *facts {
	if f := d.o.Cache.get(e); f != nil && (f.hashed() || !hash) {
		return f
	}
	f, err := study(ctx, d.pathOf(e), hash)
	if err != nil {
		why := err
		if inner, ok := errors.AsType[*os.PathError](err); ok {
			why = inner.Err
		}
		f = &facts{mime: named(e.name)}
		f.fail(library.ProblemUnreadable, "cannot be read: "+oneLine(why.Error()))
		return f
	}
	d.o.Cache.put(e, f)
	return f
}

// next returns the file to read next, or nil. If only its hash is missing, again is
// true.
func (d *Directory) next() (e *entry, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.unread) > 0 {
		e, d.unread = d.unread[len(d.unread)-1], d.unread[:len(d.unread)-1]
		if d.entries[e.id] == e {
			return e, false
		}
	}
	for len(d.unhash) > 0 {
		e, d.unhash = d.unhash[len(d.unhash)-1], d.unhash[:len(d.unhash)-1]
		if d.entries[e.id] == e && !e.facts.hashed() {
			return e, true
		}
	}
	return nil, false
}

// tell stores the findings and their annotations, and adds the changes to the feed. An empty
// batch is for the removed files, and when every file has been read.
func (d *Directory) tell(ctx context.Context, batch []entryFacts) {
	annotations := d.annotationsOf(ctx, batch)
	var changes []feed.Change
	d.mu.Lock()
	more := false
	for _, f := range batch {
		if d.entries[f.id] != f.entry {
			continue // it has changed since, and will be read again
		}
		more = d.learn(f.entry, f.facts) && !f.late || more
		d.recall(f.entry, annotations)
		if !f.entry.facts.hashed() && f.visible() && !f.again {
			d.unhash = append(d.unhash, f.entry)
		}
		if !f.visible() {
			continue
		}
		what := feed.Detail // it was there when the directory was opened
		switch {
		case f.late:
			what = feed.Added
		case f.changed:
			what = feed.Picture
		}
		changes = append(changes, feed.Change{ID: f.id, What: what})
		f.late, f.changed = false, false
	}
	if more {
		changes = append(changes, feed.Change{What: feed.More})
	}
	for _, e := range d.gone {
		was := d.image(e).Image
		changes = append(changes, feed.Change{ID: e.id, What: feed.Removed, Was: &was})
	}
	d.gone = nil
	d.o.Changes.Append(changes...) // before anybody hears that all have been read
	if d.opened && len(d.unread)+len(d.unhash) == 0 {
		select {
		case <-d.loaded:
		default:
			close(d.loaded)
		}
	}
	d.mu.Unlock()
	if d.o.told != nil && len(changes) > 0 {
		d.o.told(d, changes)
	}
}

// annotationsOf looks up the stars and tags of the files.
func (d *Directory) annotationsOf(ctx context.Context, batch []entryFacts) map[string]library.FileAnnotation {
	var hashes []string
	for _, f := range batch {
		if f.facts.hashed() {
			hashes = append(hashes, f.facts.etag())
		}
	}
	return d.lookUp(ctx, hashes)
}

// recall sets the annotation that was looked up for an entry, unless the user has set
// another since. The caller holds d.mu.
func (d *Directory) recall(e *entry, annotations map[string]library.FileAnnotation) {
	if len(d.noted)+len(annotations) == 0 {
		return
	}
	m, ok := d.noted[e.facts.etag()]
	if !ok {
		m, ok = annotations[e.facts.etag()]
	}
	if ok {
		e.annotation, d.tags = &m, nil
	}
}

func (d *Directory) lookUp(ctx context.Context, hashes []string) map[string]library.FileAnnotation {
	if len(hashes) == 0 {
		return nil
	}
	slices.Sort(hashes)
	annotations, err := d.o.Annotations.FileAnnotations(ctx, slices.Compact(hashes)...)
	if err != nil && ctx.Err() == nil {
		d.o.Log.WarnContext(ctx, "looking up the stars of files", "err", err)
	}
	return annotations
}

// know reads files that have not been read, without waiting for the background
// reader. It computes hashes until it has hashed 64 MiB; the reader computes the rest.
func (d *Directory) know(ctx context.Context, entries []*entry) {
	budget := int64(64 << 20) // bytes
	var batch []entryFacts
	for _, e := range entries {
		f := e.known(d)
		if f.hashed() || ctx.Err() != nil {
			continue
		}
		whole := e.size <= budget
		if f != nil && !whole {
			continue
		}
		if whole {
			budget -= e.size
		}
		if f = d.study(ctx, e, whole); ctx.Err() == nil {
			batch = append(batch, entryFacts{e, f, true})
		}
	}
	if len(batch) == 0 {
		return
	}
	annotations := d.annotationsOf(ctx, batch)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range batch {
		if d.entries[f.id] != f.entry {
			continue
		}
		if d.learn(f.entry, f.facts) && !f.late {
			d.o.Changes.Append(feed.Change{What: feed.More})
		}
		d.recall(f.entry, annotations)
	}
}
