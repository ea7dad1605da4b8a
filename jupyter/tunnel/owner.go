package tunnel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// run keeps the connection open until Close.
func (t *Tunnel) run() {
	runtime.LockOSThread() // see system.Tie
	if err := t.makeDir(); err != nil {
		t.fail(fmt.Errorf("no directory for sockets: %w", err), false)
		<-t.ctx.Done()
		return
	}
	defer os.RemoveAll(t.dir) //nolint:errcheck // it has only sockets
	retry := t.cfg.tuning.backoff
	for t.ctx.Err() == nil {
		s, err := t.connect()
		if err == nil {
			began := time.Now()
			err = t.serve(s)
			s.close()
			if t.ctx.Err() != nil {
				break
			}
			t.fail(err, true)
			if time.Since(began) >= t.cfg.tuning.stable || errors.Is(err, errMoved) {
				retry = t.cfg.tuning.backoff
				continue
			}
		}
		if t.ctx.Err() != nil {
			break
		}
		t.fail(err, false)
		select {
		case <-time.After(retry):
		case <-t.wanted:
		case <-t.ctx.Done():
		}
		retry = min(2*retry, t.cfg.tuning.longest)
		t.retrying()
	}
	t.set(status{err: t.cfg.Address.problem(Lost, "")})
}

// retrying makes requests wait for the attempt that begins.
func (t *Tunnel) retrying() {
	select {
	case <-t.wanted: // no second one
	default:
	}
	t.mu.Lock()
	t.now.trying = true
	t.mu.Unlock()
}

// connect opens a session that forwards to a server. If none runs, it waits for one.
func (t *Tunnel) connect() (*session, error) {
	to := t.current // it probably still runs at the same port
	var dead []remoteServer
	for {
		s, err := t.launch(to)
		if err != nil {
			return nil, err
		}
		all, err := s.list(t.ctx, t.cfg.tuning.connect)
		if err != nil {
			s.close()
			return nil, t.explain(s, err, TimedOut, NoShell)
		}
		chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, dead)
		if !ok {
			dead = nil
			if chosen, err = t.seek(s); err != nil {
				s.close()
				return nil, err
			}
		}
		t.current = &chosen
		if to == nil || to.destination() != chosen.destination() {
			s.close()
			to = &chosen
			continue
		}
		if !s.answers(t.ctx, chosen, t.cfg.tuning.doubt) {
			prohibited := strings.Contains(s.stderr.String(), "administratively prohibited")
			s.close()
			switch {
			case t.ctx.Err() != nil:
				return nil, context.Cause(t.ctx)
			case prohibited:
				return nil, t.cfg.Address.problem(NoForwarding, "")
			}
			dead, to, t.current = append(dead, chosen), nil, nil
			continue
		}
		t.publish(s, chosen, all)
		return s, nil
	}
}

// publish makes a session and its server available.
func (t *Tunnel) publish(s *session, chosen remoteServer, all []remoteServer) {
	note := t.cfg.Address.note(all, chosen)
	t.cfg.Log.Info("connected to a Jupyter server by ssh", "address", t.cfg.Address.String(), "there", chosen.URL, "root_dir",
		chosen.RootDir, "note", note)
	t.set(status{session: s, place: chosen.place, note: note, root: chosen.RootDir})
}

// explain returns the error for a session that does not answer, or has ended, perhaps without
// a word.
func (t *Tunnel) explain(s *session, err error, silent, mute Problem) error {
	switch {
	case t.ctx.Err() != nil:
		return context.Cause(t.ctx)
	case errors.Is(err, errSilent):
		return t.cfg.Address.problem(silent, "")
	default:
		return t.cfg.Address.explained(s.stderr.String(), mute)
	}
}

// seek waits until a server runs on the other machine.
func (t *Tunnel) seek(s *session) (remoteServer, error) {
	t.fail(t.cfg.Address.problem(NoServer, ""), false)
	tick := time.NewTicker(t.cfg.tuning.seek)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.wanted:
		case _, ok := <-s.lines:
			if !ok {
				return remoteServer{}, t.explain(s, errEnded, Lost, Lost)
			}
			continue
		case <-t.ctx.Done():
			return remoteServer{}, context.Cause(t.ctx)
		}
		all, err := s.list(t.ctx, t.cfg.tuning.answer)
		if err != nil {
			return remoteServer{}, t.explain(s, err, Lost, Lost)
		}
		if chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, nil); ok {
			t.retrying()
			return chosen, nil
		}
		t.settle()
	}
}

// settle ends an attempt that changed nothing.
func (t *Tunnel) settle() {
	t.mu.Lock()
	now := t.now
	t.mu.Unlock()
	if now.trying {
		now.trying = false
		t.set(now)
	}
}

var (
	errEnded = errors.New("ssh has ended")
	errMoved = errors.New("the server runs at another port now")
)

// serve watches a session until it has to be replaced, and returns why.
func (t *Tunnel) serve(s *session) error {
	tick := time.NewTicker(t.cfg.tuning.ping / 5)
	defer tick.Stop()
	doubts := t.doubts
	var rested <-chan time.Time
	answered, last := time.Now(), time.Now()
	for {
		limit, request := t.cfg.tuning.answer, "ping"
		select {
		case _, ok := <-s.lines:
			if !ok {
				return t.explain(s, errEnded, Lost, Lost)
			}
			continue
		case <-rested:
			doubts, rested = t.doubts, nil
			continue
		case <-doubts:
			limit, request = t.cfg.tuning.doubt, "list"
			doubts, rested = nil, time.After(t.cfg.tuning.rest)
		case <-tick.C:
			former := last
			last = time.Now()
			if slept(former, last) {
				limit = t.cfg.tuning.doubt
			} else if last.Sub(answered) < t.cfg.tuning.ping {
				continue
			}
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
		lines, err := s.ask(t.ctx, request, limit)
		if err != nil {
			return t.explain(s, err, Lost, Lost)
		}
		answered = time.Now()
		if request == "list" {
			if err := t.review(s, parseList(lines)); err != nil {
				return err
			}
		}
	}
}

// review handles a list of the servers that run now. The error is errMoved if the session
// forwards to none of them.
func (t *Tunnel) review(s *session, all []remoteServer) error {
	former := *t.current
	chosen, ok := choose(all, t.cfg.Address.ServerPort, t.current, nil)
	if !ok {
		var err error
		if chosen, err = t.seek(s); err != nil {
			return err
		}
	}
	t.current = &chosen
	switch {
	case chosen.destination() != former.destination():
		return errMoved
	case !chosen.is(former) || !ok:
		t.publish(s, chosen, all) // it was started again at the same port
	}
	return nil
}

// slept reports whether the machine slept between two times: the wall clock advanced and
// the monotonic clock did not.
func slept(from, to time.Time) bool {
	return to.Round(0).Sub(from.Round(0))-to.Sub(from) > 5*time.Second
}
