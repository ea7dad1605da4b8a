package folders

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"easel/ui/core/library"
)

// Batches of what was read are told together.
const (
	batchSize = 200
	batchTime = 200 * time.Millisecond
)

func (d *Directory) pathOf(e *entry) string { return filepath.Join(d.path, e.name) }

// learn notes facts; the directory's mu is held.
func (e *entry) learn(f *facts) {
	if e.facts != nil && e.facts.hash != "" && f.hash == "" {
		return // known better
	}
	e.facts = f
	e.words = fold(e.name) + "\n" + f.words
}

// read studies the files, newest request first, until ctx ends.
func (d *Directory) read(ctx context.Context) {
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

// sortUnread puts what is to be read into the order of names.
func (d *Directory) sortUnread() {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.SortFunc(d.unread, func(a, b *entry) int { return compareNames(b, a) }) // the last is the first
}

// A finding is what was read of a file.
type finding struct {
	*entry
	facts *facts
	again bool // only the hash was missing
}

// readBatch reads some files and tells of them. It is false if there was none.
func (d *Directory) readBatch(ctx context.Context) bool {
	var batch []finding
	for began := time.Now(); len(batch) < batchSize && time.Since(began) < batchTime && ctx.Err() == nil; {
		e, again := d.next()
		if e == nil {
			break
		}
		f := e.known(d)
		if f == nil || again && f.hash == "" {
			f = d.study(ctx, e, again)
		}
		batch = append(batch, finding{e, f, again})
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

// study reads a file; what cannot be read is broken.
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

// next takes the file to be read next; again if only its hash is missing.
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

// tell notes findings and what the user noted on them, and tells of the changes. An
// empty batch tells of what is gone, and that all is known.
func (d *Directory) tell(ctx context.Context, batch []finding) {
	annotations := d.annotationsOf(ctx, batch)
	var c Change
	d.mu.Lock()
	for _, f := range batch {
		if d.entries[f.name] != f.entry {
			continue // it changed meanwhile, and is to be read again
		}
		f.learn(f.facts)
		d.recall(f.entry, annotations)
		if f.entry.facts.hash == "" && f.visible() && !f.again {
			d.unhash = append(d.unhash, f.entry)
		}
		if !f.visible() {
			continue
		}
		switch {
		case f.late:
			c.Added = append(c.Added, d.image(f.entry))
		case f.changed:
			c.Changed = append(c.Changed, d.image(f.entry))
		default:
			c.Learned++
		}
		f.late, f.changed = false, false
	}
	for _, e := range d.gone {
		c.Removed = append(c.Removed, d.image(e))
	}
	d.gone = nil
	if len(d.unread)+len(d.unhash) == 0 {
		select {
		case <-d.loaded:
		default:
			close(d.loaded)
		}
	}
	d.mu.Unlock()
	if d.o.Changed != nil && len(c.Added)+len(c.Changed)+len(c.Removed)+c.Learned > 0 {
		d.o.Changed(c)
	}
}

// annotationsOf looks up what the user noted on files.
func (d *Directory) annotationsOf(ctx context.Context, batch []finding) map[string]library.FileAnnotation {
	var hashes []string
	for _, f := range batch {
		if f.facts.hash != "" {
			hashes = append(hashes, f.facts.hash)
		}
	}
	return d.lookUp(ctx, hashes)
}

// recall gives an entry the annotation that was looked up for it, unless another was
// noted meanwhile; d.mu is held.
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

// know reads at once what is not known of some files: all of it for small ones, and
// the hashes of large ones as far as the budget goes; the rest comes in the
// background.
func (d *Directory) know(ctx context.Context, entries []*entry) {
	budget := int64(64 << 20) // bytes hashed while somebody waits
	var batch []finding
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
			batch = append(batch, finding{e, f, true})
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
