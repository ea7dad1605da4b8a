package folders

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"easel/ui/core/library/feed"
)

// maxFiles is the largest number of files listed for a directory.
const maxFiles = 200_000

// When a directory is open although it has not been listed as a whole: after a while, if there is something
// to show.
const (
	firstPage     = 500
	pageAfter     = 150 * time.Millisecond
	fewAfter      = time.Second
	listedAtATime = 512
)

// begin lists the directory for the first time. It sends nil to first when there is enough to show, or the
// error. It reports whether the directory is to be watched.
func (d *Directory) begin(ctx context.Context, w *watch, first chan<- error) bool {
	began, told, open := time.Now(), 0, false
	err := d.walk(ctx, w.enter, func(found map[string]os.FileInfo) {
		n := d.add(found)
		if took := time.Since(began); !open && (d.o.page == 0 && (n >= firstPage && took >= pageAfter || n > 0 && took >= fewAfter) ||
			d.o.page > 0 && n >= d.o.page) {
			open, told = true, n
			first <- nil
		}
		if open && n >= 2*told { // each time it is listed as a whole, so not often
			told = n
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
	all := make(map[string]os.FileInfo)
	err := d.walk(ctx, enter, func(found map[string]os.FileInfo) { maps.Copy(all, found) })
	if err == nil {
		d.reconcile(all)
	}
	return err
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
func (d *Directory) walk(ctx context.Context, enter func(path string), found func(map[string]os.FileInfo)) error {
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
func (d *Directory) walkIn(ctx context.Context, rel string, limit int, found func(map[string]os.FileInfo)) (in level, err error) {
	f, err := os.Open(filepath.Join(d.path, rel))
	if err != nil {
		return in, err
	}
	defer f.Close() //nolint:errcheck // only read
	for in.files < limit {
		part, err := f.ReadDir(listedAtATime)
		files := make(map[string]os.FileInfo, len(part))
		for _, e := range part {
			info := d.stat(rel, e)
			switch {
			case info == nil:
			case info.IsDir():
				in.all = append(in.all, &sub{name: e.Name(), key: nameKey(e.Name()), mtime: info.ModTime()})
				if e.Type()&fs.ModeSymlink == 0 {
					in.deeper = append(in.deeper, filepath.Join(rel, e.Name()))
				}
			case info.Mode().IsRegular():
				files[filepath.Join(rel, e.Name())] = info
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

// stat returns the file info of an entry of a directory or of what a link points to. It returns nil for
// hidden entries, and for those that cannot be read.
func (d *Directory) stat(rel string, e os.DirEntry) os.FileInfo {
	if strings.HasPrefix(e.Name(), ".") {
		return nil
	}
	info, err := e.Info()
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		info, err = os.Stat(filepath.Join(d.path, rel, e.Name()))
	}
	if err != nil {
		return nil
	}
	return info
}

// entry returns an entry for a file.
func (d *Directory) entry(name string, info os.FileInfo) *entry {
	return &entry{
		name: name, id: d.id(name), size: info.Size(), mtime: info.ModTime(), born: created(filepath.Join(d.path, name), info),
		key: nameKey(name), picture: named(name) != "", words: fold(name),
	}
}

// add adds files to the entries during the first listing. It returns the number of all entries.
func (d *Directory) add(found map[string]os.FileInfo) int {
	news := make([]*entry, 0, len(found))
	for name, info := range found {
		e := d.entry(name, info)
		if facts := d.o.Cache.get(filepath.Join(d.path, name), e.size, e.mtime); facts != nil {
			e.learn(facts)
		}
		news = append(news, e)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range news {
		d.entries[e.name], d.byID[e.id] = e, e
	}
	d.unread, d.ordered = append(d.unread, news...), nil
	d.busy()
	return len(d.entries)
}

// reconcile replaces the entries by the files that were found.
func (d *Directory) reconcile(found map[string]os.FileInfo) {
	d.mu.Lock()
	defer d.mu.Unlock()
	news := len(d.gone) > 0
	for name, e := range d.entries {
		if _, ok := found[name]; !ok {
			d.forget(e)
			if e.visible() {
				d.gone = append(d.gone, e)
			}
			news = true
		}
	}
	for name, info := range found {
		old := d.entries[name]
		if old != nil && old.size == info.Size() && old.mtime.Equal(info.ModTime()) {
			continue
		}
		e := d.entry(name, info)
		e.late = true
		if old != nil {
			switch {
			case old.late, old.changed: // not reported yet, although Get may have returned it
				e.late, e.changed = old.late, old.changed
			case old.facts != nil:
				e.late, e.changed = !old.visible(), old.visible() // a file that was not a picture counts as added
			}
			d.forget(old)
		}
		d.entries[name], d.byID[e.id] = e, e
		d.unread = append(d.unread, e)
		news = true
	}
	if news {
		d.ordered = nil
		d.busy()
	}
}

// forget removes an entry. The caller holds d.mu.
func (d *Directory) forget(e *entry) {
	delete(d.entries, e.name)
	delete(d.byID, e.id)
}
