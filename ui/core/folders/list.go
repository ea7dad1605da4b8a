package folders

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/ui/core/library/feed"
)

// maxFiles is the largest number of files listed for a directory.
const maxFiles = 200_000

// When a directory is open although it has not been listed as a whole: after a while, if there is something
// to show. After that, it says that there are more when they are twice as many, but not more often than moreAfter:
// who shows them reads the whole list each time, and takes the processors from the listing.
const (
	firstPage     = 500
	pageAfter     = 150 * time.Millisecond
	fewAfter      = time.Second
	moreAfter     = 400 * time.Millisecond
	listedAtATime = 512
)

// begin lists the directory for the first time. It sends nil to first when there is enough to show, or the
// error. It reports whether the directory is to be watched.
func (d *Directory) begin(ctx context.Context, w *watch, first chan<- error) bool {
	began, told, toldAt, open := time.Now(), 0, time.Time{}, false
	err := d.walk(ctx, w.enter, func(found []file) {
		n := d.add(found)
		if took := time.Since(began); !open && (d.o.page == 0 && (n >= firstPage && took >= pageAfter || n > 0 && took >= fewAfter) ||
			d.o.page > 0 && n >= d.o.page) {
			open, told, toldAt = true, n, time.Now()
			first <- nil
		}
		if open && n >= 2*told && (d.o.page > 0 || time.Since(toldAt) >= moreAfter) {
			told, toldAt = n, time.Now()
			d.o.Changes.Append(feed.Change{What: feed.More})
		}
		if d.o.listed != nil {
			d.o.listed(n)
		}
	})
	w.took = time.Since(began)
	if err != nil && !open {
		first <- err
		return false
	}
	d.mu.Lock()
	d.opened, d.partial = true, err != nil
	d.busy()
	d.mu.Unlock()
	close(d.ended)
	if open {
		d.o.Changes.Append(feed.Change{What: feed.More})
	} else {
		first <- nil
	}
	return err == nil
}

// relist lists the directory again and updates the entries.
func (d *Directory) relist(ctx context.Context, enter func(path string)) error {
	all := make(map[string]file) // by id
	err := d.walk(ctx, enter, func(found []file) {
		for _, f := range found {
			all[d.id(f.name)] = f
		}
	})
	if err == nil {
		d.reconcile(all)
	}
	return err
}

// Listing reports whether files are still missing that the first listing will find.
func (d *Directory) Listing() bool {
	select {
	case <-d.ended:
		return false
	default:
		return true
	}
}

// Stopped reports whether the first listing was stopped, so that files are missing.
func (d *Directory) Stopped() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.partial
}

// listed returns the number of files that have been listed.
func (d *Directory) listed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.entries)
}

// WaitListed waits until every file has been listed, until the listing is stopped, or until ctx ends. Until then it
// calls progress, which may be nil, from time to time with their number.
func (d *Directory) WaitListed(ctx context.Context, progress func(n int)) error {
	tick := time.NewTicker(batchTime)
	defer tick.Stop()
	for {
		select {
		case <-d.ended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if progress != nil {
				progress(d.listed())
			}
		}
	}
}

// StopListing ends the first listing. What was listed remains; the directory is not watched then.
func (d *Directory) StopListing() { d.stop() }

// walk calls found with the files of the directory, some at a time, and enter with each subdirectory
// before that is read.
func (d *Directory) walk(ctx context.Context, enter func(path string), found func([]file)) error {
	subs, err := d.walkIn(ctx, "", maxFiles, found)
	if err != nil {
		return err
	}
	d.setSubs(subs.all)
	for left := maxFiles - subs.files; d.Deep() && len(subs.deeper) > 0 && left > 0; {
		rel := subs.deeper[0]
		subs.deeper = subs.deeper[1:]
		path := filepath.Join(d.path, rel)
		if d.o.Reach.Except != nil && d.o.Reach.Except(path) {
			continue
		}
		enter(path)
		more, err := d.walkIn(ctx, rel, left, found)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // it was removed since, or may not be read
		}
		left -= more.files
		subs.deeper = append(subs.deeper, more.deeper...)
	}
	return nil
}

// A level is what a directory has besides files.
type level struct {
	files  int
	all    []*sub
	deeper []string // relative paths of those that are no links
}

// walkIn calls found with the files of one directory, at most limit of them.
func (d *Directory) walkIn(ctx context.Context, rel string, limit int, found func([]file)) (in level, err error) {
	f, err := os.Open(filepath.Join(d.path, rel))
	if err != nil {
		return in, err
	}
	defer f.Close() //nolint:errcheck // only read
	for in.files < limit {
		part, err := f.ReadDir(listedAtATime)
		files := make([]file, 0, len(part))
		for _, e := range d.stat(f, rel, part) {
			if !e.dir {
				files = append(files, e.file)
				continue
			}
			in.all = append(in.all, &sub{name: e.entry.Name(), key: nameKey(e.entry.Name()), mtime: e.mtime})
			if e.entry.Type()&fs.ModeSymlink == 0 {
				in.deeper = append(in.deeper, e.name)
			}
		}
		if ctx.Err() != nil {
			return in, ctx.Err()
		}
		if in.files += len(files); len(files) > 0 {
			found(files)
		}
		if err != nil || len(part) == 0 {
			break // the end, or an error: use what was read so far
		}
	}
	return in, nil
}

// A dirEntry is a file or a directory in a directory, or a link to one.
type dirEntry struct {
	entry os.DirEntry
	file
	dir, ok bool
}

// atATime is how many goroutines look at the entries of a directory. A disk may be far away.
const atATime = 4

// stat looks at entries of an open directory. It leaves out hidden ones and those that cannot be read.
func (d *Directory) stat(in *os.File, rel string, part []os.DirEntry) []dirEntry {
	all := make([]dirEntry, 0, len(part))
	for _, e := range part {
		if name := e.Name(); !strings.HasPrefix(name, ".") {
			if rel != "" {
				name = rel + string(os.PathSeparator) + name
			}
			all = append(all, dirEntry{entry: e, file: file{name: name}})
		}
	}
	var tasks sync.WaitGroup
	for some := range slices.Chunk(all, max(len(all)/atATime, 32)) {
		tasks.Go(func() {
			for i := range some {
				some[i].ok = some[i].look(in, d.at(some[i].name))
			}
		})
	}
	tasks.Wait()
	return slices.DeleteFunc(all, func(e dirEntry) bool { return !e.ok })
}

// entry returns an entry for a file.
func (d *Directory) entry(f file) *entry {
	return &entry{file: f, id: d.id(f.name), picture: IsPicture(f.name)}
}

// add adds files to the entries during the first listing. It returns the number of all entries.
func (d *Directory) add(found []file) int {
	news := make([]*entry, len(found))
	for i, f := range found {
		news[i] = d.entry(f)
		news[i].facts = d.o.Cache.get(news[i])
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range news {
		d.entries[e.id] = e
	}
	d.unread, d.ordered, d.tags = append(d.unread, news...), nil, nil
	d.busy()
	return len(d.entries)
}

// reconcile replaces the entries by the files that were found, which it gets by their ids.
func (d *Directory) reconcile(found map[string]file) {
	d.mu.Lock()
	defer d.mu.Unlock()
	news := len(d.gone) > 0
	for id, e := range d.entries {
		if _, ok := found[id]; !ok {
			delete(d.entries, id)
			if e.visible() {
				d.gone = append(d.gone, e)
			}
			news = true
		}
	}
	for id, f := range found {
		old := d.entries[id]
		if old != nil && old.size == f.size && old.mtime == f.mtime {
			continue
		}
		e := d.entry(f)
		e.late = true
		if old != nil {
			switch {
			case old.late, old.changed: // not reported yet, although Get may have returned it
				e.late, e.changed = old.late, old.changed
			case old.facts != nil:
				e.late, e.changed = !old.visible(), old.visible() // a file that was not a picture counts as added
			}
		}
		d.entries[id] = e
		d.unread = append(d.unread, e)
		news = true
	}
	if news {
		d.ordered, d.tags = nil, nil
		d.busy()
	}
}
