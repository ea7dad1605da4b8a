package plotdata

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"easel/ui/core/library"
	"easel/ui/core/library/feed"
)

// A Counter finds what checks find in the plots of a library, in the background: in new ones, and in those of
// earlier versions of Easel.
type Counter struct {
	Reader  *Reader
	Library Findings
	Changes *feed.Feed // of the library
	Log     *slog.Logger
	Retry   time.Duration // after an error of the library; 0: ten seconds
}

// Findings are where a Counter stores what it found. A library.Images is one.
type Findings interface {
	Unexamined(ctx context.Context, most int) ([]library.Image, error)
	SetFound(ctx context.Context, id string, keys []string) error
}

const (
	countBatch = 32
	// rest is how long a Counter rests after a plot, in multiples of the time that it took: kernels need the processor.
	rest  = 1
	retry = 10 * time.Second
	// settle is how long a Counter waits after a change: usually, the result with a new plot goes first and has then read it.
	settle  = 300 * time.Millisecond
	changed = feed.Added | feed.Replaced | feed.Restored | feed.Picture
)

// Run counts until ctx ends.
func (c *Counter) Run(ctx context.Context) {
	for ctx.Err() == nil {
		seen := c.Changes.Last()
		if !c.all(ctx) {
			pause(ctx, cmp.Or(c.Retry, retry))
			continue
		}
		for {
			last := c.Changes.Last()
			if c.Changes.Summary(seen, last).What&changed != 0 {
				pause(ctx, settle)
				break
			}
			select {
			case <-c.Changes.More(last):
			case <-ctx.Done():
				return
			}
		}
	}
}

// all counts what is not counted yet. It reports whether it could.
func (c *Counter) all(ctx context.Context) bool {
	for {
		images, err := c.Library.Unexamined(ctx, countBatch)
		counted := 0
		for _, im := range images {
			began := time.Now()
			keys, unread := c.Reader.Keys(ctx, im)
			if ctx.Err() != nil {
				return true
			}
			if unread != nil {
				err = unread // this one comes later; the others can be counted
				continue
			}
			if err = c.Library.SetFound(ctx, im.ImageID, keys); err != nil {
				break
			}
			counted++
			pause(ctx, rest*time.Since(began))
		}
		if err != nil && (counted == 0 || len(images) < countBatch) {
			if ctx.Err() == nil && !errors.Is(err, library.ErrClosed) {
				c.Log.WarnContext(ctx, "counting the findings of plots", "err", err)
			}
			return false
		}
		if len(images) < countBatch {
			return true
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
