package jupyter

import "sync"

// A mainShell is what is known of the code in a kernel's main shell.
type mainShell struct {
	mu    sync.Mutex
	stdin bool // our last Execute allows stdin
	// busy contains the parent of each busy status without an idle yet, except for our
	// inner requests. It contains "" while the state before we connected is unknown.
	busy map[string]bool
}

// expect says whether the code that is about to be sent may ask for input.
func (s *mainShell) expect(stdin bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stdin = stdin
}

// mayAsk reports whether the code that runs may ask for input. ours reports whether a request is ours. ipykernel has one
// flag for all of its shells, so a request in a subshell must not take that away.
func (s *mainShell) mayAsk(ours func(id string) bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stdin {
		return true
	}
	for parent := range s.busy {
		if ours(parent) {
			return false
		}
	}
	return true // another client's; most allow it
}

// set says that the code of a request has begun or ended.
func (s *mainShell) set(parent string, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if busy {
		s.busy[parent] = true
		return
	}
	delete(s.busy, parent)
	delete(s.busy, "") // what was running when we connected has ended, otherwise this could not run
}

// state reports whether code runs. If known is false, only the server knows.
func (s *mainShell) state() (busy, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.busy) > 0, len(s.busy) != 1 || !s.busy[""]
}

// learn says that nothing ran when we connected. It reports whether code runs now.
func (s *mainShell) learn() (busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.busy, "")
	return len(s.busy) > 0
}

// lose says that the connection was lost, so that what runs is unknown.
func (s *mainShell) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = map[string]bool{"": true}
}

// restart says that the process is a new one, in which nothing runs.
func (s *mainShell) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.busy)
}
