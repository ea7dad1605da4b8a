package state

import (
	"context"
	"time"

	"easel/internal/wake"
)

// A Part is a part of the state that is kept in a file.
type Part[T any] struct {
	Of func(*Snapshot) T
	// Changed reports whether the part must be saved, and how long that may wait.
	Changed func(was, is T) (wait time.Duration, ok bool)
	Save    func(T) error // is tried again with the next change if it fails
}

// Keep returns a function that saves a part of the state when it has changed, compared to the one at the time of the call, until its
// context is done. Before it returns, it saves what is left.
func Keep[T any](store *Store, p Part[T]) func(context.Context) {
	kept := p.Of(store.Snapshot())
	save := func() {
		now := p.Of(store.Snapshot())
		if _, ok := p.Changed(kept, now); ok && p.Save(now) == nil {
			kept = now
		}
	}
	return func(ctx context.Context) {
		wake := wake.New()
		wake <- struct{}{} // it may have changed since the call of Keep
		stop := store.OnChange(wake.Notify)
		defer stop()
		var later <-chan time.Time
		for {
			select {
			case <-wake:
				switch wait, ok := p.Changed(kept, p.Of(store.Snapshot())); {
				case !ok:
				case wait == 0:
					save()
				case later == nil:
					later = time.After(wait)
				}
			case <-later:
				later = nil
				save()
			case <-ctx.Done():
				save()
				return
			}
		}
	}
}
