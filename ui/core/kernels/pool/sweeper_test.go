package pool

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"easel/mcphost/catalog"
)

// A sweptSessions is a sweeper with fake sessions, for use in a synctest bubble.
type sweptSessions struct {
	*Sweeper

	mu       sync.Mutex
	began    time.Time
	every    time.Duration
	sessions map[string]*UnusedSession
	clients  map[string]catalog.Connection
	problem  error
	asked    int
	refuse   error
	ended    map[string]time.Duration // when each was ended, since began, by name
}

func newSwept(t *testing.T) *sweptSessions {
	t.Helper()
	s := &sweptSessions{began: time.Now(), every: 4 * time.Hour, sessions: make(map[string]*UnusedSession), ended: make(map[string]time.Duration)}
	s.Sweeper = NewSweeper(
		func() time.Duration {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.every
		},
		func() []UnusedSession {
			s.mu.Lock()
			defer s.mu.Unlock()
			var list []UnusedSession
			for _, u := range s.sessions {
				list = append(list, *u)
			}
			return list
		},
		func() (map[string]catalog.Connection, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.asked++
			return s.clients, s.problem
		},
	)
	return s
}

func (s *sweptSessions) add(name string, users ...string) *UnusedSession {
	u := &UnusedSession{ID: name, Used: time.Now(), Users: users}
	u.End = func(context.Context, time.Duration) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refuse != nil {
			return s.refuse
		}
		s.ended[name] = time.Since(s.began)
		delete(s.sessions, name)
		return nil
	}
	s.sessions[name] = u
	return u
}

// passes lets time pass, and then waits for the sweeper.
func (s *sweptSessions) passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestAnUnusedSessionIsEndedWhenItIsDue(t *testing.T) {
	const hour = time.Hour
	for name, c := range map[string]struct {
		set  func(*sweptSessions)
		when func(*sweptSessions) // called after three hours
		want time.Duration
	}{
		"nobody uses it":        {func(s *sweptSessions) { s.add("x") }, nil, 4 * hour},
		"never, by the setting": {func(s *sweptSessions) { s.add("x"); s.every = 0 }, nil, 0},
		"used after three":      {func(s *sweptSessions) { s.add("x") }, func(s *sweptSessions) { s.sessions["x"].Used = time.Now() }, 7 * hour},
		"it runs":               {func(s *sweptSessions) { s.add("x").Busy = true }, nil, 0},
		"it ran until three": {func(s *sweptSessions) { s.add("x").Busy = true }, func(s *sweptSessions) {
			s.sessions["x"].Busy, s.sessions["x"].Used = false, time.Now()
		}, 7 * hour},
		"another client is connected": {func(s *sweptSessions) {
			s.add("x", "one")
			s.clients = map[string]catalog.Connection{"other": {Open: true}}
		}, nil, 4 * hour},
		"its client is connected": {func(s *sweptSessions) {
			s.add("x", "one", "two")
			s.clients = map[string]catalog.Connection{"two": {Open: true}}
		}, nil, 0},
		"its client is gone at three": {func(s *sweptSessions) {
			s.add("x", "one")
			s.clients = map[string]catalog.Connection{"one": {Open: true}}
		}, func(s *sweptSessions) { s.clients = nil }, 4 * hour},
		"its client called at three and three quarters": {func(s *sweptSessions) {
			s.add("x", "rest:curl")
		}, func(s *sweptSessions) {
			s.clients = map[string]catalog.Connection{"rest:curl": {Until: time.Now().Add(hour + 15*time.Minute)}}
		}, 4*hour + 15*time.Minute},
		"nobody knows who is connected":   {func(s *sweptSessions) { s.add("x"); s.problem = errors.New("closed") }, nil, 0},
		"it is open in a notebook":        {func(s *sweptSessions) { s.add("x"); s.refuse = errors.New("in use") }, nil, 0},
		"the setting becomes two hours":   {func(s *sweptSessions) { s.add("x") }, func(s *sweptSessions) { s.every = 2 * hour; s.WakeUp() }, 3 * hour},
		"the setting becomes never":       {func(s *sweptSessions) { s.add("x") }, func(s *sweptSessions) { s.every = 0; s.WakeUp() }, 0},
		"it begins when nothing else was": {func(*sweptSessions) {}, func(s *sweptSessions) { s.add("x"); s.WakeUp() }, 7 * hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSwept(t)
				c.set(s)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go s.Run(ctx)
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
		go s.Run(ctx)
		s.passes(24 * time.Hour)
		if s.asked > 6 { // one check for all of them every four hours
			t.Errorf("it checked %d times in a day", s.asked)
		}
		if len(s.ended) > 0 {
			t.Errorf("it ended %v", s.ended)
		}
	})
}
