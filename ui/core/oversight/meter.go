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
	buckets map[string]*bucket // by assistant
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

// Kernels reserves places for kernels of assistants, for their limits.
type Kernels struct {
	Store *state.Store

	mu       sync.Mutex
	starting map[string]int // by assistant; they are not yet among those that run
}

// Reserve reserves a place for another kernel of an assistant, until release is called. running returns how many it has started that
// run. The error is a *LimitError if it has no place left.
func (k *Kernels) Reserve(caller tool.Caller, running func(assistant string) (int, error)) (release func(), err error) {
	id := caller.Assistant
	k.mu.Lock()
	defer k.mu.Unlock()
	if limit := k.Store.Snapshot().Assistant(id).Limits.Kernels; limit > 0 && caller.Transport != tool.Window {
		run, err := running(id)
		if err != nil {
			return nil, err
		}
		if run+k.starting[id] >= limit {
			return nil, &LimitError{"running kernels", limit, 0}
		}
	}
	if k.starting == nil {
		k.starting = make(map[string]int)
	}
	k.starting[id]++
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.starting[id]--
	}, nil
}
