package jupyter

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"easel/jupyter/wire"
)

// A subshell is our one subshell of a kernel, made when it is first wanted.
type subshell struct {
	lock chan struct{} // one slot: who makes or checks it

	mu         sync.Mutex
	current    string
	doubted    bool // the connection was lost since: the kernel may be another
	generation int  // counts what was forgotten
}

// forget gives the subshell up and tells its id.
func (s *subshell) forget() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.current
	s.current, s.doubted = "", false
	s.generation++
	return id
}

// doubt has the subshell looked for before it is used again.
func (s *subshell) doubt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doubted = s.current != ""
}

func (s *subshell) state() (id string, doubted bool, life int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current, s.doubted, s.generation
}

// id is the subshell's id; it is made if there is none.
func (s *subshell) id(ctx context.Context, k *Kernel) (string, error) {
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	id, doubted, life := s.state()
	for id == "" || doubted {
		var err error
		if id, err = k.subshellFrom(ctx, id); err != nil {
			return "", err
		}
		life, doubted = s.adopt(id, life)
	}
	return id, nil
}

// adopt takes id for the subshell, unless the kernel has restarted since life.
func (s *subshell) adopt(id string, life int) (now int, doubted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == life {
		s.current, s.doubted = id, false
	}
	return s.generation, s.generation != life
}

// subshellFrom is id if the kernel knows that subshell, else a new one.
func (k *Kernel) subshellFrom(ctx context.Context, id string) (string, error) {
	if id != "" {
		var list wire.ListSubshellReply
		if err := k.control(ctx, "list_subshell_request", &list); err != nil {
			return "", err
		}
		if slices.Contains(list.SubshellIDs, id) {
			return id, nil
		}
	}
	var made wire.CreateSubshellReply
	if err := k.control(ctx, "create_subshell_request", &made); err != nil {
		return "", err
	}
	if made.Status != wire.ReplyOK {
		return "", fmt.Errorf("the kernel makes no subshell: %s: %s", made.Ename, made.Evalue)
	}
	return made.SubshellID, nil
}

// control asks something on the control channel, without content.
func (k *Kernel) control(ctx context.Context, kind string, into any) error {
	reply, err := k.roundTrip(ctx, k.message(k.newID(true), wire.Control, kind, struct{}{}))
	if err != nil {
		return err
	}
	return reply.Decode(into)
}
