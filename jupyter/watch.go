package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// watch asks the server now and then whether the kernel is still there: where
// somebody deletes a kernel, the server leaves our websocket open, and silent.
// After a sign of trouble it asks a few times in short order.
func (k *Kernel) watch() {
	quick := 0 // quick questions left
	timer := time.NewTimer(k.tuning.check)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if k.Connected() { // else reconnecting will tell
				if gone := k.isGone(); gone != nil {
					k.cancel(gone)
					return
				}
			}
		case <-k.check:
			quick = quickChecks
		case <-k.ctx.Done():
			return
		}
		wait := k.tuning.check
		if quick > 0 {
			quick--
			wait = min(wait, k.tuning.soon<<(quickChecks-1-quick)) // 0.25, 0.5, 1, 2, 4 s
		}
		timer.Reset(wait)
	}
}

// quickChecks is how many quick questions follow a sign of trouble.
const quickChecks = 5

// isGone is an error if the server says, twice, that there is no such kernel: in
// the middle of some restarts it does so once. That it says nothing proves
// nothing.
func (k *Kernel) isGone() error {
	for first := true; ; first = false {
		ctx, cancel := context.WithTimeout(k.ctx, dialTimeout)
		_, err := k.server.Kernel(ctx, k.id)
		cancel()
		switch {
		case !errors.Is(err, ErrNotFound):
			return nil
		case !first:
			return fmt.Errorf("the kernel is gone: %w", err)
		}
		select {
		case <-time.After(k.tuning.confirm):
		case <-k.ctx.Done():
			return nil
		}
	}
}
