// Package folders shows a directory of pictures on disk with the face of the
// library: ids, images, thumbnails, stars and tags. Names are there at once; what
// the files hold is read in the background. A directory is watched while it is
// open.
//
// What is a picture is told by its bytes. A file that only its name calls a picture
// is listed too, and said to be none, and so are cut, damaged and oversized ones.
// Nothing but regular files is opened; links to files are followed, directories
// below are not looked into, nor are hidden files.
//
// Stars and tags belong to the bytes of a file, by their hash: they survive a
// rename, and equal files share them.
//
// # Goroutines
//
// An open Directory has two: one watches, one reads files. Close ends both and
// waits for them. Its methods may be called on any goroutine; Options.Changed is
// called on the second.
package folders

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"easel/ui/core/library"
)

// Scheme begins the ids of files on disk, and the [library.Query.URIPrefix] that
// asks for a directory.
const Scheme = "file:"

// MaxFile is the largest file, in bytes, that is read to be shown.
const MaxFile = 256 << 20

// ErrNotDirectory says that a path is something else.
var ErrNotDirectory = errors.New("not a directory")

// Annotations keep stars and tags by the SHA-256 of a file's bytes.
type Annotations interface {
	SetFileRating(ctx context.Context, path, hash string, rating int) (library.FileAnnotation, error)
	SetFileTags(ctx context.Context, path, hash string, add, remove []string) (library.FileAnnotation, error)
	FileAnnotations(ctx context.Context, hashes ...string) (map[string]library.FileAnnotation, error)
}

// A Change is what happened in a directory since the last one.
type Change struct {
	Added, Changed, Removed []library.Image
	// Learned is how many files became known that were there when the directory was
	// opened.
	Learned int
}

// Options are what a Directory works with.
type Options struct {
	Annotations Annotations
	Cache       *Cache // nil: one of its own
	Log         *slog.Logger
	Changed     func(Change) // called in order; must not call the Directory's Close

	Poll  time.Duration // how often to look where nothing tells of changes; 0: two seconds
	noTip bool          // in tests: as if the system told of no changes
}

// A Directory is an open directory. Make it with Open.
type Directory struct {
	path, real string // as named, and with links resolved
	o          Options
	cancel     context.CancelFunc
	tasks      sync.WaitGroup
	wake       chan struct{} // one slot: there is something to read
	slots      chan struct{} // thumbnails that are made at once

	mu      sync.Mutex
	entries map[string]*entry // by name
	byID    map[string]*entry
	unread  []*entry                          // of which nothing is known, first to read last
	unhash  []*entry                          // of which only the hash is missing
	gone    []*entry                          // removed, not yet told
	opened  bool                              // the first listing is over
	loaded  chan struct{}                     // closed when everything is known
	patient time.Time                         // until then queries wait for loaded
	noted   map[string]library.FileAnnotation // what was noted here, by hash: newer than what a reader looked up before
}

// patience is how long a query that depends on what files hold waits for it after
// they came.
const patience = 2 * time.Second

// An entry is a file in a directory. It is replaced when the file changes.
type entry struct {
	name, id      string
	size          int64
	mtime, born   time.Time
	key           string // for the order of names
	picture       bool   // its name says so
	late, changed bool   // it came, or became another, after the first listing

	// Guarded by Directory.mu.
	facts      *facts // nil: not known yet
	annotation library.FileAnnotation
	words      string // for searches
}

// visible tells whether an entry is shown; the directory's mu is held.
func (e *entry) visible() bool {
	return e.picture || e.facts != nil && e.facts.mime != ""
}

// Open lists the pictures of a directory and watches it until Close.
func Open(ctx context.Context, path string, o Options) (*Directory, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open folder %s: %w", path, ErrNotDirectory)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if o.Cache == nil {
		o.Cache = new(Cache)
	}
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	d := &Directory{
		path: path, real: real, o: o, wake: make(chan struct{}, 1), slots: make(chan struct{}, 2),
		entries: make(map[string]*entry), byID: make(map[string]*entry), loaded: make(chan struct{}),
		noted: make(map[string]library.FileAnnotation),
	}
	w := newWatch(d)
	if err := d.list(ctx); err != nil {
		w.close()
		return nil, fmt.Errorf("open folder: %w", err)
	}
	d.opened = true
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	d.tasks.Go(func() { w.run(running) })
	d.tasks.Go(func() { d.read(running) })
	return d, nil
}

// Path is the directory's absolute path.
func (d *Directory) Path() string { return d.path }

// Close ends the watching. It waits for a file that is being read.
func (d *Directory) Close() {
	d.cancel()
	d.tasks.Wait()
}

// id is the id of a file: the same for the same path.
func (d *Directory) id(name string) string {
	sum := sha256.Sum256([]byte(filepath.Join(d.path, name)))
	return Scheme + hex.EncodeToString(sum[:12])
}

// extensions are the names by which pictures go.
var extensions = map[string]string{
	".png": "image/png", ".apng": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jpe": "image/jpeg", ".jfif": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
}

// named is the kind of picture that a name promises; empty if none.
func named(name string) string { return extensions[strings.ToLower(filepath.Ext(name))] }

// maxFiles is how many files of a directory are looked at.
const maxFiles = 200_000

// list brings the entries up to date with the disk.
func (d *Directory) list(ctx context.Context) error {
	found := make(map[string]os.FileInfo)
	f, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	for len(found) < maxFiles {
		part, err := f.ReadDir(512)
		for _, e := range part {
			if info := d.regular(e); info != nil {
				found[e.Name()] = info
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || len(part) == 0 {
			break // the end, or as far as it can be read
		}
	}
	d.reconcile(found)
	return nil
}

// regular is what is known of a file, or of the file that a link leads to; nil for
// everything else, and for hidden ones.
func (d *Directory) regular(e os.DirEntry) os.FileInfo {
	if strings.HasPrefix(e.Name(), ".") || e.IsDir() {
		return nil
	}
	info, err := e.Info()
	if err == nil && info.Mode()&os.ModeSymlink != 0 {
		info, err = os.Stat(filepath.Join(d.path, e.Name()))
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return info
}

// reconcile makes the entries those that were found.
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
		e := &entry{
			name: name, id: d.id(name), size: info.Size(), mtime: info.ModTime(), born: created(filepath.Join(d.path, name), info),
			key: nameKey(name), picture: named(name) != "", late: d.opened,
		}
		e.words = fold(name)
		if old != nil {
			switch {
			case old.late, old.changed: // which nobody was told yet, though somebody may have looked
				e.late, e.changed = old.late, old.changed
			case old.facts != nil:
				e.late, e.changed = !old.visible(), old.visible() // what was no picture comes anew
			}
			d.forget(old)
		}
		d.entries[name], d.byID[e.id] = e, e
		if facts := d.o.Cache.get(filepath.Join(d.path, name), e.size, e.mtime); facts != nil && !d.opened {
			e.learn(facts)
		}
		d.unread = append(d.unread, e)
		news = true
	}
	if news || !d.opened {
		d.busy()
	}
}

// forget takes an entry out; d.mu is held.
func (d *Directory) forget(e *entry) {
	delete(d.entries, e.name)
	delete(d.byID, e.id)
}

// busy says that something is to be read; d.mu is held.
func (d *Directory) busy() {
	select {
	case <-d.loaded:
		d.loaded = make(chan struct{})
	default:
	}
	d.patient = time.Now().Add(patience)
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// WaitLoaded waits until everything in the directory is known.
func (d *Directory) WaitLoaded(ctx context.Context) error {
	d.mu.Lock()
	loaded := d.loaded
	d.mu.Unlock()
	select {
	case <-loaded:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
