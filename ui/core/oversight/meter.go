package oversight

import (
	"fmt"
	"sync"
	"time"

	"easel/mcphost/tool"
	"easel/ui/core/state"
)

// A LimitError means that an assistant has reached a limit that the user has set.
type LimitError struct {
	What  string        // “calls a minute” or “running kernels”
	Limit int           // the limit
	Retry time.Duration // when it may call again; 0 if that does not depend on time
}

// Error says which limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the user allows this assistant %d %s", e.Limit, e.What)
}

// A Meter counts the calls of assistants, for their limits. The zero value is ready to use.
type Meter struct {
	mu      sync.Mutex
	buckets map[string]*bucket         // by assistant
	started map[string]map[string]bool // ids of the sessions that each has started
}

// A bucket has the calls that an assistant may still make. It fills up evenly, to the limit of one minute.
type bucket struct {
	left float64
	at   time.Time
}

// Call counts a call. The error is a *LimitError if it is one too many; then it is not counted.
func (m *Meter) Call(s *state.Snapshot, caller tool.Caller, now time.Time) error {
	limit := s.Assistant(caller.Assistant).Limits.Calls
	if limit <= 0 || caller.Transport == tool.Window {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.buckets[caller.Assistant]
	if b == nil {
		if m.buckets == nil {
			m.buckets = make(map[string]*bucket)
		}
		b = &bucket{left: float64(limit), at: now}
		m.buckets[caller.Assistant] = b
	}
	perSecond := float64(limit) / 60
	b.left = min(float64(limit), b.left+now.Sub(b.at).Seconds()*perSecond)
	b.at = now
	if b.left < 1 {
		return &LimitError{"calls a minute", limit, time.Duration((1 - b.left) / perSecond * float64(time.Second))}
	}
	b.left--
	return nil
}

// Kernel says whether an assistant may start another kernel. The error is a *LimitError.
func (m *Meter) Kernel(s *state.Snapshot, caller tool.Caller) error {
	limit := s.Assistant(caller.Assistant).Limits.Kernels
	if limit <= 0 || caller.Transport == tool.Window {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	live := make(map[string]bool)
	for _, x := range s.Sessions {
		if m.started[caller.Assistant][x.SessionID] {
			live[x.SessionID] = true
		}
	}
	if m.started[caller.Assistant] != nil {
		m.started[caller.Assistant] = live
	}
	if len(live) >= limit {
		return &LimitError{"running kernels", limit, 0}
	}
	return nil
}

// Started notes that an assistant has started a session.
func (m *Meter) Started(assistant, session string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.started == nil {
		m.started = make(map[string]map[string]bool)
	}
	if m.started[assistant] == nil {
		m.started[assistant] = make(map[string]bool)
	}
	m.started[assistant][session] = true
}
