package folders

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/library/feed"
)

// A Subfolder is a directory in an open one.
type Subfolder struct {
	Name     string
	Pictures int  // files with the extension of a picture; see More
	More     bool // it has more files than were counted
	Counted  bool // Pictures is known
}

// Count returns the number of pictures as a text, with a plus if there may be more; "" for none, or if
// it is not known.
func (s Subfolder) Count() string {
	switch {
	case s.More:
		return strconv.Itoa(s.Pictures) + "+"
	case s.Pictures > 0:
		return strconv.Itoa(s.Pictures)
	default:
		return ""
	}
}

// A sub is a subdirectory. It is replaced when it has changed.
type sub struct {
	name, key string
	mtime     int64 // in Unix nanoseconds

	// Guarded by Directory.mu.
	pictures      int
	counted, more bool
}

// mostCounted is how many entries of a subdirectory are read to count its pictures.
const mostCounted = 2000

// setSubs replaces the subdirectories. What is known of those that have not changed stays.
func (d *Directory) setSubs(subs []*sub) {
	slices.SortFunc(subs, func(a, b *sub) int { return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.name, b.name)) })
	d.mu.Lock()
	was := make(map[string]*sub, len(d.subs))
	for _, s := range d.subs {
		was[s.name] = s
	}
	news := len(subs) != len(d.subs)
	for i, s := range subs {
		old := was[s.name]
		switch {
		case old == nil:
			news = true
		case old.mtime == s.mtime:
			subs[i] = old
		default: // until it is counted again
			s.pictures, s.more, news = old.pictures, old.more, true
		}
	}
	d.subs = subs
	opened := d.opened
	d.mu.Unlock()
	if !news {
		return
	}
	if opened {
		d.o.Changes.Append(feed.Change{What: feed.Folders})
	}
	d.uncounted.Notify()
}

// Subfolders returns the subdirectories, sorted by name. They are counted in the background.
func (d *Directory) Subfolders() []Subfolder {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]Subfolder, len(d.subs))
	for i, s := range d.subs {
		all[i] = Subfolder{Name: s.name, Pictures: s.pictures, More: s.more, Counted: s.counted}
	}
	return all
}

// count counts the pictures of subdirectories until ctx ends.
func (d *Directory) count(ctx context.Context) {
	for {
		select {
		case <-d.uncounted:
		case <-ctx.Done():
			return
		}
		news, told := 0, time.Now()
		for s := d.nextSub(); s != nil && ctx.Err() == nil; s = d.nextSub() {
			pictures, more := countPictures(ctx, filepath.Join(d.path, s.name))
			d.mu.Lock()
			s.pictures, s.more, s.counted = pictures, more, true
			d.mu.Unlock()
			if news++; time.Since(told) > batchTime {
				d.o.Changes.Append(feed.Change{What: feed.Folders})
				news, told = 0, time.Now()
			}
		}
		if news > 0 {
			d.o.Changes.Append(feed.Change{What: feed.Folders})
		}
	}
}

func (d *Directory) nextSub() *sub {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.subs, func(s *sub) bool { return !s.counted }); i >= 0 {
		return d.subs[i]
	}
	return nil
}

// countPictures counts the files of a directory that have the extension of a picture.
func countPictures(ctx context.Context, path string) (n int, more bool) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close() //nolint:errcheck // only read
	for read := 0; ; {
		part, err := f.ReadDir(256)
		for _, e := range part {
			if named(e.Name()) != "" && !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
				n++
			}
		}
		if read += len(part); err != nil || len(part) == 0 || ctx.Err() != nil {
			return n, false
		}
		if read >= mostCounted {
			return n, true
		}
	}
}
