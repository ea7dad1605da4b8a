package pool

import (
	"context"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
)

// A Sweeper ends sessions that are unused for too long. It has one timer, for the next
// session that is due, and reads the time of last use only then. So the use of a session
// does not touch the timer.
type Sweeper struct {
	limit     func() time.Duration // how long a session may be unused; 0 for no limit
	list      func() []UnusedSession
	connected func() (map[string]catalog.Connection, error)
	wake      wake.Signal // buffered, 1: the limit or the list has changed
}

// An UnusedSession is a session that may be ended when it is unused.
type UnusedSession struct {
	ID    string
	Busy  bool // code runs or waits in it
	Used  time.Time
	Users []string // identities of its clients
	// End ends it. After an error, it is checked again later.
	End func(ctx context.Context, idle time.Duration) error
}

// NewSweeper returns a sweeper for Run. limit and connected may be nil.
func NewSweeper(limit func() time.Duration, list func() []UnusedSession,
	connected func() (map[string]catalog.Connection, error),
) *Sweeper {
	s := &Sweeper{limit: limit, list: list, connected: connected, wake: wake.New()}
	if limit == nil {
		s.limit = func() time.Duration { return 0 }
	}
	if connected == nil {
		s.connected = func() (map[string]catalog.Connection, error) { return nil, nil }
	}
	return s
}

// sweepRetry is the time before the next check of a session that could not be ended when it
// was due.
const sweepRetry = 15 * time.Minute

// Run ends sessions when they are due, until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
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

// WakeUp makes the sweeper check the sessions now. It does not block.
func (s *Sweeper) WakeUp() {
	s.wake.Notify()
}

// sweep ends the sessions that are due. It returns the time until the next one is, or 0 if
// there is none.
func (s *Sweeper) sweep(ctx context.Context) (next time.Duration) {
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
		if u.Busy {
			later(limit) // at the earliest
			continue
		}
		if idle := now.Sub(u.Used); idle < limit {
			later(limit - idle)
			continue
		}
		if !asked {
			asked = true
			clients, problem = s.connected()
		}
		switch until, held := holder(u.Users, clients, now); {
		case problem != nil:
			later(min(limit, sweepRetry))
		case held && until.IsZero(): // as long as its stream is open
			later(limit)
		case held:
			later(until.Sub(now))
		default:
			if err := u.End(ctx, now.Sub(u.Used)); err != nil {
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

// LastUse returns the time of last use of a session from an earlier run of Easel. It is the
// last activity of its kernel, but late enough that clients have up to sweepRetry to
// reconnect before the session is ended.
func (s *Sweeper) LastUse(activity time.Time) time.Time {
	now := time.Now()
	back := now.Add(min(0, sweepRetry-s.limit()))
	if activity.After(now) || activity.IsZero() {
		return now
	}
	if activity.Before(back) {
		return back
	}
	return activity
}
