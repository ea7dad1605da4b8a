// Package folders lists the pictures in a directory on disk. A [Directory] has the
// methods of the library: ids, images, thumbnails, stars and tags. It lists names
// immediately, reads the files in the background, and watches the directory while it
// is open.
//
// A file's bytes decide whether it is a picture. A file whose extension is that of a
// picture but whose bytes are not is listed with a problem, as are truncated, damaged
// and oversized pictures. Only regular files are opened. Links are followed; hidden files
// and directories are ignored. Of a subdirectory, only its name is known and how many
// pictures it seems to have, unless the directory is opened with its subdirectories; links
// to directories are not followed then.
//
// A large directory is open when its first files have been listed. The others follow.
//
// Stars and tags are stored by the hash of a file's bytes. They survive a rename, and
// files with the same bytes share them.
//
// # Goroutines
//
// An open Directory has three goroutines: one lists and watches the directory, the second
// reads files, and the third counts the pictures of subdirectories. Close ends them and waits for
// them. Open leaves one behind while a disk does not answer. The methods are safe for
// concurrent use.
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

	"easel/internal/wake"
	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// Scheme is the prefix of the ids of files on disk, and of the
// [library.Query.URIPrefix] that selects a directory.
const Scheme = "file:"

// MaxFile is the size, in bytes, of the largest file that is shown.
const MaxFile = 256 << 20

// ErrNotDirectory is the error for a path that is not a directory.
var ErrNotDirectory = errors.New("not a directory")

// Annotations stores stars and tags by the SHA-256 of a file's bytes.
type Annotations interface {
	FileAnnotations(ctx context.Context, hashes ...string) (map[string]library.FileAnnotation, error)
}

// Options configure a Directory.
type Options struct {
	Annotations Annotations
	Cache       *Cache // nil: a new one
	Log         *slog.Logger
	Changes     *feed.Feed // gets what happens in the directory

	Reach Reach // whether subdirectories are included

	Poll   time.Duration                             // how often to list the directory if the system reports no changes; 0: 2 s
	told   func(d *Directory, changes []feed.Change) // for tests: called on the reading goroutine
	noTip  bool                                      // for tests: act as if the system reports no changes
	page   int                                       // for tests: the directory is open when so many files have been listed; 0: see firstPage
	listed func(n int)                               // for tests: called on the listing goroutine with the number of files so far
}

// A Reach says which subdirectories belong to a directory.
type Reach struct {
	Deep   bool                   // all of them, and theirs
	Except func(path string) bool // leaves some out; may be nil
}

// A Directory is an open directory. Make it with Open.
type Directory struct {
	path, real string // real: with links resolved
	o          Options
	cancel     context.CancelFunc
	stop       context.CancelFunc // ends the first listing
	ended      chan struct{}      // closed when the first listing has ended
	tasks      sync.WaitGroup
	wake       wake.Signal   // capacity 1: there are files to read
	uncounted  wake.Signal   // capacity 1: there are subdirectories to count
	slots      chan struct{} // limits how many thumbnails are made at the same time

	mu      sync.Mutex
	entries map[string]*entry                 // by id
	tags    []library.TagCount                // of all; nil if they may have changed since
	ordered map[order][]*entry                // one order of those that are shown; empty if they have changed since
	unread  []*entry                          // not read yet; the last is read first
	unhash  []*entry                          // read, except for the hash
	gone    []*entry                          // removed, not reported yet
	opened  bool                              // the first listing has ended
	partial bool                              // it was stopped, and is not made up for
	loaded  chan struct{}                     // closed when every file has been read
	patient time.Time                         // queries wait for loaded until then
	wanted  time.Time                         // when somebody last wanted a picture
	noted   map[string]library.FileAnnotation // set here, by hash; newer than what a reader looked up before
	subs    []*sub                            // sorted by name; replaced, never changed
}

// patience is how long a query that depends on the contents of files waits for new
// files to be read.
const patience = 2 * time.Second

// An entry is a file in a directory. It is replaced when the file changes. A directory may have a hundred thousand
// of them, so an entry has no more than is needed for all.
type entry struct {
	file
	id            string
	picture       bool // it has the extension of a picture
	late, changed bool // added or changed after the first listing

	// Guarded by Directory.mu.
	facts      *facts                  // nil: not read yet
	annotation *library.FileAnnotation // nil: it has no stars and tags
}

// A file is what a listing says of a file. Times are in Unix nanoseconds.
type file struct {
	name              string // relative to the directory
	size, mtime, born int64
}

// rating returns the stars of an entry. The caller holds the directory's mu, as for tags.
func (e *entry) rating() int {
	if e.annotation == nil {
		return 0
	}
	return e.annotation.Rating
}

// tags returns the tags that the user has given to an entry.
func (e *entry) tags() []string {
	if e.annotation == nil {
		return nil
	}
	return e.annotation.Tags
}

// created returns the time of creation.
func (f file) created() time.Time { return time.Unix(0, f.born) }

// visible reports whether an entry is shown. The caller holds the directory's mu.
func (e *entry) visible() bool {
	return e.picture || e.facts != nil && e.facts.mime != ""
}

// Open lists the pictures of a directory and watches it until Close. It returns when ctx
// ends, even if the disk does not answer.
func Open(ctx context.Context, path string, o Options) (*Directory, error) {
	return Patiently(ctx, func() (*Directory, error) { return open(ctx, path, o) }, func(d *Directory) {
		if d != nil {
			d.Close()
		}
	})
}

// Patiently returns what do returns, or the error of ctx when that ends first: calls to a
// disk that does not answer cannot be interrupted. drop, if not nil, gets what do returns
// after that.
func Patiently[T any](ctx context.Context, do func() (T, error), drop func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		if drop != nil {
			go func() { drop((<-done).value) }()
		}
		var none T
		return none, context.Cause(ctx)
	}
}

func open(ctx context.Context, path string, o Options) (*Directory, error) {
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
		path: path, real: real, o: o, wake: wake.New(), uncounted: wake.New(), slots: make(chan struct{}, 2),
		entries: make(map[string]*entry), loaded: make(chan struct{}), ended: make(chan struct{}),
		noted: make(map[string]library.FileAnnotation),
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel = cancel
	listing, stop := context.WithCancel(running)
	d.stop = stop
	first := make(chan error, 1)
	d.tasks.Go(func() {
		w := newWatch(d)
		if d.begin(listing, w, first) {
			w.run(running)
		}
		w.close()
	})
	select {
	case err = <-first:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("open folder: %w", err)
	}
	d.tasks.Go(func() { d.read(running) })
	d.tasks.Go(func() { d.count(running) })
	return d, nil
}

// Path is the directory's absolute path.
func (d *Directory) Path() string { return d.path }

// Deep reports whether its subdirectories are included.
func (d *Directory) Deep() bool { return d.o.Reach.Deep }

// Close stops watching. It waits until the file being read has been read.
func (d *Directory) Close() {
	d.cancel()
	d.tasks.Wait()
}

// at returns the path of a file in the directory.
func (d *Directory) at(name string) string {
	if os.IsPathSeparator(d.path[len(d.path)-1]) { // the root
		return d.path + name
	}
	return d.path + string(os.PathSeparator) + name
}

// id returns the id of a file. It depends on the path only.
func (d *Directory) id(name string) string {
	sum := sha256.Sum256([]byte(d.at(name)))
	return Scheme + hex.EncodeToString(sum[:12])
}

// extensions maps the extensions of pictures to their MIME types.
var extensions = map[string]string{
	".png": "image/png", ".apng": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".jpe": "image/jpeg", ".jfif": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
}

// named returns the MIME type for the extension of a name, or "" if it is not that of
// a picture.
func named(name string) string { return extensions[strings.ToLower(filepath.Ext(name))] }

// IsPicture reports whether a file has the extension of a picture.
func IsPicture(name string) bool { return named(name) != "" }

// busy wakes the reader and reopens loaded. The caller holds d.mu.
func (d *Directory) busy() {
	select {
	case <-d.loaded:
		d.loaded = make(chan struct{})
	default:
	}
	d.patient = time.Now().Add(patience)
	d.wake.Notify()
}

// WaitLoaded waits until every file in the directory has been read.
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
