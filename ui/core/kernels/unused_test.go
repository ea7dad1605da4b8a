package kernels

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"easel/jupyter"
	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

// A swept is a sweeper with fake sessions, for use in a synctest bubble.
type swept struct {
	*sweeper

	mu       sync.Mutex
	began    time.Time
	every    time.Duration
	sessions map[string]*unusedSession
	clients  map[string]catalog.Connection
	problem  error
	asked    int
	refuse   error
	ended    map[string]time.Duration // when each was ended, since began, by name
}

func newSwept(t *testing.T) *swept {
	t.Helper()
	s := &swept{began: time.Now(), every: 4 * time.Hour, sessions: make(map[string]*unusedSession), ended: make(map[string]time.Duration)}
	s.sweeper = &sweeper{
		limit: func() time.Duration {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.every
		},
		list: func() []unusedSession {
			s.mu.Lock()
			defer s.mu.Unlock()
			var list []unusedSession
			for _, u := range s.sessions {
				list = append(list, *u)
			}
			return list
		},
		connected: func(context.Context) (map[string]catalog.Connection, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.asked++
			return s.clients, s.problem
		},
		end: func(_ context.Context, u unusedSession, _ time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.refuse != nil {
				return s.refuse
			}
			for name, o := range s.sessions {
				if o.r == u.r {
					s.ended[name] = time.Since(s.began)
					delete(s.sessions, name)
				}
			}
			return nil
		},
		wake: make(chan struct{}, 1),
	}
	return s
}

func (s *swept) add(name string, users ...string) *unusedSession {
	u := &unusedSession{r: &recorder{}, used: time.Now(), users: users}
	s.sessions[name] = u
	return u
}

// passes lets time pass, and then waits for the sweeper.
func (s *swept) passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAnUnusedSessionIsEndedWhenItIsDue(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		set  func(*swept)
		when func(*swept) // called after three hours
		want time.Duration
	}{
		"nobody uses it":        {func(s *swept) { s.add("x") }, nil, 4 * hour},
		"never, by the setting": {func(s *swept) { s.add("x"); s.every = 0 }, nil, 0},
		"used after three":      {func(s *swept) { s.add("x") }, func(s *swept) { s.sessions["x"].used = time.Now() }, 7 * hour},
		"it runs":               {func(s *swept) { s.add("x").busy = true }, nil, 0},
		"it ran until three": {func(s *swept) { s.add("x").busy = true }, func(s *swept) {
			s.sessions["x"].busy, s.sessions["x"].used = false, time.Now()
		}, 7 * hour},
		"another client is connected": {func(s *swept) {
			s.add("x", "one")
			s.clients = map[string]catalog.Connection{"other": {Open: true}}
		}, nil, 4 * hour},
		"its client is connected": {func(s *swept) {
			s.add("x", "one", "two")
			s.clients = map[string]catalog.Connection{"two": {Open: true}}
		}, nil, 0},
		"its client is gone at three": {func(s *swept) {
			s.add("x", "one")
			s.clients = map[string]catalog.Connection{"one": {Open: true}}
		}, func(s *swept) { s.clients = nil }, 4 * hour},
		"its client called at three and three quarters": {func(s *swept) {
			s.add("x", "rest:curl")
		}, func(s *swept) {
			s.clients = map[string]catalog.Connection{"rest:curl": {Until: time.Now().Add(hour + 15*time.Minute)}}
		}, 4*hour + 15*time.Minute},
		"nobody knows who is connected":   {func(s *swept) { s.add("x"); s.problem = errors.New("closed") }, nil, 0},
		"it is open in a notebook":        {func(s *swept) { s.add("x"); s.refuse = errInUse }, nil, 0},
		"the setting becomes two hours":   {func(s *swept) { s.add("x") }, func(s *swept) { s.every = 2 * hour; s.wakeUp() }, 3 * hour},
		"the setting becomes never":       {func(s *swept) { s.add("x") }, func(s *swept) { s.every = 0; s.wakeUp() }, 0},
		"it begins when nothing else was": {func(*swept) {}, func(s *swept) { s.add("x"); s.wakeUp() }, 7 * hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSwept(t)
				c.set(s)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go s.run(ctx)
				s.passes(3 * hour)
				if c.when != nil {
					s.mu.Lock()
					c.when(s)
					s.mu.Unlock()
				}
				s.passes(9 * hour)
				if got := s.ended["x"]; got.Round(time.Second) != c.want {
					t.Errorf("ended after %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestAnIdleEaselIsNotWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSwept(t)
		for _, name := range []string{"a", "b", "c"} {
			s.add(name, "one")
		}
		s.clients = map[string]catalog.Connection{"one": {Open: true}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.run(ctx)
		s.passes(24 * time.Hour)
		if s.asked > 6 { // one check for all of them every four hours
			t.Errorf("it checked %d times in a day", s.asked)
		}
		if len(s.ended) > 0 {
			t.Errorf("it ended %v", s.ended)
		}
	})
}

// TestWhatMayBeEnded checks which sessions a manager offers to its sweeper.
func TestWhatMayBeEnded(t *testing.T) {
	m := &Manager{kernels: make(map[string]*recorder)}
	add := func(name string, sess library.Session, set func(*recorder)) {
		sess.ID = name
		r := &recorder{m: m, sess: sess, used: time.Now(), conn: &jupyter.Kernel{}}
		if set != nil {
			set(r)
		}
		m.kernels[name] = r
	}
	add("plain", library.Session{Owner: OwnerEasel, Users: "a\nb"}, nil)
	add("theirs", library.Session{Owner: OwnerOther}, nil)
	add("pinned", library.Session{Owner: OwnerEasel, Pinned: true}, nil)
	add("notebook", library.Session{Owner: OwnerEasel, NotebookPath: "a.ipynb"}, nil)
	add("dead", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.phase = kernelGone })
	add("runs", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.shown = &Running{} })
	add("queues", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.queued = 1 })
	add("asks", library.Session{Owner: OwnerEasel}, func(r *recorder) { r.awaitingApproval = 1 })
	var free, busy []string
	for _, u := range m.unused() {
		if u.busy {
			busy = append(busy, u.r.sess.ID)
		} else {
			free = append(free, u.r.sess.ID)
		}
	}
	slices.Sort(busy)
	if !slices.Equal(free, []string{"plain"}) || !slices.Equal(busy, []string{"asks", "queues", "runs"}) {
		t.Errorf("got free %v, busy %v", free, busy)
	}
}
