package kernels

import (
	"context"
	"time"

	"easel/mcphost/catalog"
)

// A sweeper ends sessions that are unused for too long. It has one timer, for the next
// session that is due, and reads the time of last use only then. So the use of a session
// does not touch the timer.
type sweeper struct {
	limit     func() time.Duration // how long a session may be unused; 0 for no limit
	list      func() []unusedSession
	connected func(context.Context) (map[string]catalog.Connection, error)
	// end ends a session. After an error, the session is checked again later.
	end  func(ctx context.Context, s unusedSession, idle time.Duration) error
	wake chan struct{} // buffered, 1: the limit or the list has changed
}

// An unusedSession is a session that may be ended when it is unused.
type unusedSession struct {
	r     *recorder
	busy  bool // code runs or waits in it
	used  time.Time
	users []string // identities of its clients
}

// sweepRetry is the time before the next check of a session that could not be ended when it
// was due.
const sweepRetry = 15 * time.Minute

// run ends sessions when they are due, until ctx ends.
func (s *sweeper) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	for {
		if next := s.sweep(ctx); next > 0 {
			timer.Reset(next)
		} else {
			timer.Stop()
		}
		select {
		case <-timer.C:
		case <-s.wake:
		case <-ctx.Done():
			return
		}
	}
}

// wakeUp makes the sweeper check the sessions now. It does not block.
func (s *sweeper) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// sweep ends the sessions that are due. It returns the time until the next one is, or 0 if
// there is none.
func (s *sweeper) sweep(ctx context.Context) (next time.Duration) {
	limit := s.limit()
	if limit <= 0 {
		return 0
	}
	var clients map[string]catalog.Connection
	var asked bool
	var problem error
	later := func(wait time.Duration) {
		if next == 0 || wait < next {
			next = max(wait, time.Millisecond)
		}
	}
	for _, u := range s.list() {
		now := time.Now()
		if u.busy {
			later(limit) // at the earliest
			continue
		}
		if idle := now.Sub(u.used); idle < limit {
			later(limit - idle)
			continue
		}
		if !asked {
			asked = true
			clients, problem = s.connected(ctx)
		}
		switch until, held := holder(u.users, clients, now); {
		case problem != nil:
			later(min(limit, sweepRetry))
		case held && until.IsZero(): // as long as its stream is open
			later(limit)
		case held:
			later(until.Sub(now))
		default:
			if err := s.end(ctx, u, now.Sub(u.used)); err != nil {
				later(min(limit, sweepRetry))
			}
		}
	}
	return next
}

// holder reports whether one of a session's users is connected, and until when the user
// counts as connected. until is zero if the user has an open stream.
func holder(users []string, clients map[string]catalog.Connection, now time.Time) (until time.Time, held bool) {
	for _, u := range users {
		c := clients[u]
		switch {
		case c.Open:
			return time.Time{}, true
		case c.Holds(now) && c.Until.After(until):
			until, held = c.Until, true
		}
	}
	return until, held
}
