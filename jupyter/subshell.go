package jupyter

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"easel/jupyter/wire"
)

// A subshell is our only subshell of a kernel. It is created when it is first needed.
type subshell struct {
	lock chan struct{} // one slot: held by whoever creates or checks it

	mu         sync.Mutex
	current    string
	doubted    bool // the connection was lost since then, so the process may be another
	generation int  // incremented by forget
}

// forget drops the subshell and returns its id.
func (s *subshell) forget() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.current
	s.current, s.doubted = "", false
	s.generation++
	return id
}

// doubt makes the next use check whether the subshell still exists.
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

// id returns the subshell's id and creates the subshell if there is none.
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

// adopt stores id as the subshell, unless the kernel has restarted since life.
func (s *subshell) adopt(id string, life int) (now int, doubted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.generation == life {
		s.current, s.doubted = id, false
	}
	return s.generation, s.generation != life
}

// subshellFrom returns id if the kernel knows that subshell. Otherwise it creates a new
// one.
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

// control sends a request without content on the control channel.
func (k *Kernel) control(ctx context.Context, kind string, into any) error {
	reply, err := k.roundTrip(ctx, k.message(k.ids.next(true), wire.Control, kind, struct{}{}))
	if err != nil {
		return err
	}
	return reply.Decode(into)
}
