package cells

import (
	"context"
	"slices"
	"time"

	"easel/internal/wake"
	"easel/ui/core/library/feed"
	"easel/ui/core/state"
)

// When a notebook is read again while the window shows plots of it. Reading a notebook with
// large outputs takes long where it is open, so it is done less often.
const (
	settle    = 300 * time.Millisecond // after a change in Easel; others follow
	pollEvery = 5 * time.Second        // others may change the notebook
	newShare  = 3                      // after a change, times as long as the last reading took
	pollShare = 10                     // likewise, without one
)

// Edited says that a notebook was edited, so that it must be read again.
func (c *Cells) Edited() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.books {
		b.at = time.Time{}
	}
	c.wake.Notify() // it is nil if nobody watches
}

// A sight is what the window shows that concerns notebooks.
type sight struct {
	folder  state.Folder
	current string
	shown   bool
	images  uint64 // revision
}

func sightOf(s *state.Snapshot) sight {
	return sight{s.Folder, s.Current, s.Window == state.WindowShown, s.Revision}
}

// Watch reads the notebooks of the session and of the plot that the window shows, again and
// again while it shows them. It records in the state whether the open session has a notebook.
// run does so until ctx ends.
func (c *Cells) Watch(ctx context.Context, store *state.Store) (run func()) {
	changed := wake.New()
	changed <- struct{}{}
	c.mu.Lock()
	c.wake = wake.New()
	c.mu.Unlock()
	stop := store.OnChange(changed.Notify)
	return func() {
		defer stop()
		w := &watcher{Cells: c, store: store}
		due := time.NewTimer(time.Hour)
		defer due.Stop()
		for {
			select {
			case <-changed:
				was := w.seen
				w.seen = sightOf(store.Snapshot())
				w.soon(due, was)
			case <-c.wake:
				due.Reset(settle)
			case <-due.C:
				due.Reset(w.read(ctx))
			case <-ctx.Done():
				return
			}
		}
	}
}

// A watcher is the state of a run of Watch.
type watcher struct {
	*Cells
	store *state.Store
	seen  sight
	begun time.Time     // of the last reading
	took  time.Duration // likewise
}

// soon makes the notebooks be read: at once if the window shows others than before, and after
// a moment if plots have changed.
func (w *watcher) soon(due *time.Timer, was sight) {
	switch now := w.seen; {
	case !now.shown:
		due.Reset(time.Hour)
	case now.folder != was.folder || !was.shown:
		due.Reset(0)
	case now.current != was.current || w.drawn(was.images, now.images):
		due.Reset(max(settle, time.Until(w.begun.Add(newShare*w.took))))
	}
}

// drawn reports whether code has drawn plots between two revisions, or has ended.
func (w *watcher) drawn(after, upTo uint64) bool {
	changes, lost := w.Library.Changes().Since(after, upTo)
	return lost || slices.ContainsFunc(changes, func(c feed.Change) bool {
		return c.What&(feed.Added|feed.Replaced|feed.Restored|feed.Detail) != 0
	})
}

// read reads the notebooks that the window shows, and returns when to do it again.
func (w *watcher) read(ctx context.Context) (again time.Duration) {
	if !w.seen.shown {
		return time.Hour
	}
	w.begun = time.Now()
	open := ""
	if w.seen.folder.Kind == state.OneSession {
		open = w.seen.folder.ID
		w.tell(open) // what is known from before
		w.refresh(ctx, open)
	}
	if w.seen.current != "" {
		images, err := w.Library.Images.Get(ctx, w.seen.current)
		if err == nil && len(images) == 1 && images[0].SessionID != "" && images[0].SessionID != open {
			w.refresh(ctx, images[0].SessionID)
		}
	}
	w.tell(open)
	w.took = time.Since(w.begun)
	return max(pollEvery, pollShare*w.took)
}

func (w *watcher) refresh(ctx context.Context, session string) {
	if err := w.Refresh(ctx, session); err != nil && ctx.Err() == nil {
		w.Log.DebugContext(ctx, "reading the cells of a notebook", "session", session, "err", err)
	}
}

// tell records in the state which notebook the open session has.
func (w *watcher) tell(open string) {
	book := state.Notebook{SessionID: open, Path: w.Path(open)}
	if book.Path == "" {
		book = state.Notebook{}
	}
	if w.store.Snapshot().Notebook == book {
		return
	}
	w.store.Update(func(s *state.Snapshot) {
		if s.Folder.ID == open || open == "" {
			s.Notebook = book
		}
	})
}
