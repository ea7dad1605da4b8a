package folders

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How soon the directory is listed after a change.
const (
	// gather is how long to wait for more events after the first.
	gather = 100 * time.Millisecond
	// pauseFactor times the duration of the last listing is the shortest pause before
	// the next. A large folder that is written all the time must not use up a processor.
	pauseFactor = 5
	// pollDeep is the same for a directory with its subdirectories, if the system reports no changes.
	pollDeep = 50
	// rescanEvery is how often to check the directory's modification time although the
	// system reports changes: for network drives, it reports only those by this machine.
	rescanEvery = 5 * time.Second
)

// A watch lists a directory again when something in it changes.
type watch struct {
	d    *Directory
	tips *fsnotify.Watcher // nil: the system reports no changes, so the watch polls
	at   os.FileInfo       // of the directory at the last listing
	took time.Duration     // duration of the last listing
	lost bool              // the directory does not exist or cannot be read
	deaf bool              // the watched directory was removed, even if another has its name
	dirs map[string]bool   // subdirectories that are watched, too
}

// newWatch subscribes to changes. Call it before the first listing, so that no change
// is missed.
func newWatch(d *Directory) *watch {
	w := &watch{d: d}
	w.at, _ = os.Stat(d.path)
	w.attach()
	return w
}

// attach subscribes to the system's events. If it cannot (the number of watches per
// user is limited), the watch polls.
func (w *watch) attach() {
	if w.d.o.noTip {
		return
	}
	w.close()
	w.deaf, w.dirs = false, make(map[string]bool)
	tips, err := fsnotify.NewWatcher()
	if err == nil {
		if err = tips.Add(w.d.path); err == nil {
			w.tips = tips
			return
		}
		_ = tips.Close() // it watches nothing
	}
	w.d.o.Log.Info("polling a folder, because the system does not report its changes", "err", err)
}

// mostWatched is how many subdirectories are watched: the system has few watches for each user.
const mostWatched = 2000

// enter watches a subdirectory, which is about to be listed.
func (w *watch) enter(path string) {
	if w.tips == nil || w.dirs[path] || len(w.dirs) >= mostWatched {
		return
	}
	if err := w.tips.Add(path); err != nil {
		w.d.o.Log.Info("a subfolder's changes are not reported", "err", err)
	}
	w.dirs[path] = true
}

func (w *watch) close() {
	if w.tips != nil {
		_ = w.tips.Close() // nothing is lost
		w.tips = nil
	}
}

func (w *watch) interval() time.Duration {
	if w.tips == nil || w.lost {
		if w.d.Deep() {
			return max(w.d.o.Poll, pollDeep*w.took) // a tree may be large
		}
		return max(w.d.o.Poll, pauseFactor*w.took)
	}
	return max(rescanEvery, w.d.o.Poll)
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context) {
	tick := time.NewTimer(w.interval())
	defer tick.Stop()
	soon := time.NewTimer(time.Hour)
	soon.Stop()
	defer soon.Stop()
	waiting := false
	for {
		var events chan fsnotify.Event
		var faults chan error
		if w.tips != nil {
			events, faults = w.tips.Events, w.tips.Errors
		}
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events:
			if !ok {
				w.tips = nil
			}
			// A new directory with its name may look the same, even have the same inode.
			w.deaf = w.deaf || ev.Name == w.d.path && ev.Has(fsnotify.Remove|fsnotify.Rename)
		case err := <-faults: // for example an overflow, after which the changes are unknown
			w.d.o.Log.DebugContext(ctx, "events of a folder were lost; listing it again", "err", err)
		case <-soon.C:
			waiting = false
			w.list(ctx)
			tick.Reset(w.interval())
			continue
		case <-tick.C:
			if !waiting && w.differs() {
				w.list(ctx)
			}
			tick.Reset(w.interval())
			continue
		}
		if !waiting {
			waiting = true
			soon.Reset(max(gather, pauseFactor*w.took))
		}
	}
}

// differs reports whether the directory may have changed since the last listing.
func (w *watch) differs() bool {
	now, err := os.Stat(w.d.path)
	if err != nil || w.at == nil || w.lost {
		return true
	}
	if w.tips == nil { // writing to a file does not change the directory's modification time
		return true
	}
	return !now.ModTime().Equal(w.at.ModTime()) || !os.SameFile(now, w.at)
}

// list lists the directory again. A directory that does not exist is empty until it
// exists again.
func (w *watch) list(ctx context.Context) {
	began := time.Now()
	now, err := os.Stat(w.d.path)
	if err == nil {
		if w.lost || w.deaf || w.at != nil && !os.SameFile(now, w.at) {
			w.attach() // a new directory, which is not watched yet
		}
		w.at, w.lost = now, false
		err = w.d.relist(ctx, w.enter)
	}
	if err != nil && ctx.Err() == nil {
		if !w.lost {
			w.d.o.Log.InfoContext(ctx, "a folder cannot be read", "path", w.d.path, "err", err)
		}
		w.lost = true
		if errors.Is(err, fs.ErrNotExist) {
			w.d.reconcile(nil)
		}
	}
	w.took = time.Since(began)
}
