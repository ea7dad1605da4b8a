package folders

import (
	"context"
	"errors"
	"os"
	"path/filepath"
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

func (d *Directory) pathOf(e *entry) string { return filepath.Join(d.path, e.name) }

// learn sets the facts of an entry. The caller holds the directory's mu.
func (e *entry) learn(f *facts) {
	if e.facts != nil && e.facts.hash != "" && f.hash == "" {
		return // the old facts have the hash, too
	}
	e.facts = f
	e.words = fold(e.name) + "\n" + f.words
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
	slices.SortFunc(d.unread, func(a, b *entry) int { return compareNames(b, a) }) // next takes the last
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
		if f == nil || again && f.hash == "" {
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

func (e *entry) known(d *Directory) *facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.facts
}

// study reads a file. If that fails, the facts describe a broken picture.
func (d *Directory) study(ctx context.Context, e *entry, hash bool) *facts {
	if f := d.o.Cache.get(d.pathOf(e), e.size, e.mtime); f != nil && (f.hash != "" || !hash) {
		return f
	}
	f, err := study(ctx, d.pathOf(e), hash)
	if err != nil {
		why := err
		if inner, ok := errors.AsType[*os.PathError](err); ok {
			why = inner.Err
		}
		return &facts{mime: named(e.name), broken: true, what: library.ProblemUnreadable, problem: "cannot be read: " + oneLine(why.Error())}
	}
	d.o.Cache.put(d.pathOf(e), e.size, e.mtime, f)
	return f
}

// next returns the file to read next, or nil. If only its hash is missing, again is
// true.
func (d *Directory) next() (e *entry, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.unread) > 0 {
		e, d.unread = d.unread[len(d.unread)-1], d.unread[:len(d.unread)-1]
		if d.entries[e.name] == e {
			return e, false
		}
	}
	for len(d.unhash) > 0 {
		e, d.unhash = d.unhash[len(d.unhash)-1], d.unhash[:len(d.unhash)-1]
		if d.entries[e.name] == e && (e.facts == nil || e.facts.hash == "") {
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
	for _, f := range batch {
		if d.entries[f.name] != f.entry {
			continue // it has changed since, and will be read again
		}
		f.learn(f.facts)
		d.recall(f.entry, annotations)
		if f.entry.facts.hash == "" && f.visible() && !f.again {
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
	for _, e := range d.gone {
		was := d.image(e).Image
		changes = append(changes, feed.Change{ID: e.id, What: feed.Removed, Was: &was})
	}
	d.gone = nil
	if d.opened && len(d.unread)+len(d.unhash) == 0 {
		select {
		case <-d.loaded:
		default:
			close(d.loaded)
		}
	}
	d.mu.Unlock()
	d.o.Changes.Append(changes...)
	if d.o.told != nil && len(changes) > 0 {
		d.o.told(d, changes)
	}
}

// annotationsOf looks up the stars and tags of the files.
func (d *Directory) annotationsOf(ctx context.Context, batch []entryFacts) map[string]library.FileAnnotation {
	var hashes []string
	for _, f := range batch {
		if f.facts.hash != "" {
			hashes = append(hashes, f.facts.hash)
		}
	}
	return d.lookUp(ctx, hashes)
}

// recall sets the annotation that was looked up for an entry, unless the user has set
// another since. The caller holds d.mu.
func (d *Directory) recall(e *entry, annotations map[string]library.FileAnnotation) {
	m, ok := d.noted[e.facts.hash]
	if !ok {
		m, ok = annotations[e.facts.hash]
	}
	if ok {
		e.annotation = m
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
		if f != nil && f.hash != "" || ctx.Err() != nil {
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
		if d.entries[f.name] != f.entry {
			continue
		}
		f.learn(f.facts)
		d.recall(f.entry, annotations)
	}
}
