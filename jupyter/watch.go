package jupyter

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// watch periodically asks the server whether the kernel still exists. If another client
// deletes the kernel, the server leaves our websocket open and silent. After a sign of
// trouble, watch asks several times in quick succession.
func (k *Kernel) watch() {
	quick := 0 // quick checks left
	timer := time.NewTimer(k.tuning.check)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			if k.Connected() { // otherwise reconnecting will find out
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

// quickChecks is how many quick checks follow a sign of trouble.
const quickChecks = 5

// isGone returns an error if the server says twice that the kernel does not exist.
// During some restarts it says so once. If the server does not answer, nothing is
// proven.
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
