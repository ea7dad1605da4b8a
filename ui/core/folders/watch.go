package folders

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How fast changes are looked at.
const (
	// gather is how long to wait for more after the first news.
	gather = 100 * time.Millisecond
	// pauseFactor is how many times as long as a listing takes to wait before the next: a
	// large folder in which something is written all the time must not cost a
	// processor.
	pauseFactor = 5
	// rescanEvery is how often to look at the directory itself, where news are told: network
	// drives tell only of what this machine does.
	rescanEvery = 5 * time.Second
)

// A watch lists a directory anew when something in it changes.
type watch struct {
	d    *Directory
	tips *fsnotify.Watcher // nil: the system tells of nothing, and we look
	at   os.FileInfo       // the directory when it was last looked at
	took time.Duration     // by the last listing
	lost bool              // the directory is not there
	deaf bool              // the one that the system told of is gone, even if there is another
}

// newWatch begins to gather news: before the first listing, so that none is missed.
func newWatch(d *Directory) *watch {
	w := &watch{d: d}
	w.at, _ = os.Stat(d.path)
	w.attach()
	return w
}

// attach asks the system for news. Where it gives none (there is a limit for each
// user) the watch looks by itself.
func (w *watch) attach() {
	if w.d.o.noTip {
		return
	}
	w.close()
	w.deaf = false
	tips, err := fsnotify.NewWatcher()
	if err == nil {
		if err = tips.Add(w.d.path); err == nil {
			w.tips = tips
			return
		}
		_ = tips.Close() // it watches nothing
	}
	w.d.o.Log.Info("a folder is looked at now and then, since the system does not tell of changes", "err", err)
}

func (w *watch) close() {
	if w.tips != nil {
		_ = w.tips.Close() // nothing is lost
		w.tips = nil
	}
}

func (w *watch) interval() time.Duration {
	if w.tips == nil || w.lost {
		return max(w.d.o.Poll, pauseFactor*w.took)
	}
	return max(rescanEvery, w.d.o.Poll)
}

// run watches until ctx ends.
func (w *watch) run(ctx context.Context) {
	defer func() { w.close() }()
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
			// Another one in its place may look the same, down to the inode.
			w.deaf = w.deaf || ev.Name == w.d.path && ev.Has(fsnotify.Remove|fsnotify.Rename)
		case err := <-faults: // as too many news at once: then nobody knows what changed
			w.d.o.Log.DebugContext(ctx, "news of a folder were lost; it is listed anew", "err", err)
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

// differs tells whether the directory may hold something else than before.
func (w *watch) differs() bool {
	now, err := os.Stat(w.d.path)
	if err != nil || w.at == nil || w.lost {
		return true
	}
	if w.tips == nil { // a file may have been written without the directory's time telling
		return true
	}
	return !now.ModTime().Equal(w.at.ModTime()) || !os.SameFile(now, w.at)
}

// list lists the directory anew. One that is gone is empty until it is back.
func (w *watch) list(ctx context.Context) {
	began := time.Now()
	now, err := os.Stat(w.d.path)
	if err == nil {
		if w.lost || w.deaf || w.at != nil && !os.SameFile(now, w.at) {
			w.attach() // another one, which nobody watches yet
		}
		w.at, w.lost = now, false
		err = w.d.list(ctx)
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
