package oversight

import (
	"fmt"
	"slices"
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
	kernels map[string]*startedKernels // by assistant
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

// Kernel reserves a place for another kernel of an assistant. The error is a *LimitError if it has none left. The caller must call
// started, with the id of the session that was started, or "".
func (m *Meter) Kernel(s *state.Snapshot, caller tool.Caller) (started func(session string), err error) {
	limit := s.Assistant(caller.Assistant).Limits.Kernels
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kernels[caller.Assistant]
	if k == nil {
		if m.kernels == nil {
			m.kernels = make(map[string]*startedKernels)
		}
		k = &startedKernels{}
		m.kernels[caller.Assistant] = k
	}
	k.sessions = slices.DeleteFunc(k.sessions, func(id string) bool {
		_, live := s.Session(id)
		return !live
	})
	if limit > 0 && caller.Transport != tool.Window && len(k.sessions)+k.starting >= limit {
		return nil, &LimitError{"running kernels", limit, 0}
	}
	k.starting++
	return func(session string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		k.starting--
		if session != "" && !slices.Contains(k.sessions, session) {
			k.sessions = append(k.sessions, session)
		}
	}, nil
}

// startedKernels are the kernels that an assistant has started since Easel's start, and that run.
type startedKernels struct {
	sessions []string
	starting int
}
