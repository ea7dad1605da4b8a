package execution

import "sync"

// keepEnded is the number of ended executions that stay in memory, so that reading their
// results does not need the disk.
const keepEnded = 64

// An Registry has the executions in memory.
type Registry struct {
	mu      sync.Mutex
	byID    map[string]*Execution   // open ones, and the latest ended ones
	ended   []string                // ids of the ended ones, oldest first
	orphans map[string][]*Execution // by kernel id: from an earlier run, until a recorder takes them
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{byID: make(map[string]*Execution)}
}

// Find returns an execution, or nil.
func (e *Registry) Find(id string) *Execution {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.byID[id]
}

// Add adds an execution.
func (e *Registry) Add(x *Execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.byID[x.ID()] = x
}

// Remove removes an execution that was not started.
func (e *Registry) Remove(x *Execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.byID, x.ID())
}

// Retire marks an execution as ended. It stays in memory until keepEnded newer ones have
// ended.
func (e *Registry) Retire(x *Execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = append(e.ended, x.ID())
	for len(e.ended) > keepEnded {
		delete(e.byID, e.ended[0])
		e.ended = e.ended[1:]
	}
}

// Orphan adds an execution of an earlier run, which TakeOrphans returns.
func (e *Registry) Orphan(kernelID string, x *Execution) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.orphans == nil {
		e.orphans = make(map[string][]*Execution)
	}
	e.byID[x.ID()] = x
	e.orphans[kernelID] = append(e.orphans[kernelID], x)
}

// TakeOrphans returns the orphaned executions of a kernel, which then are none anymore.
// The caller must resume or end them.
func (e *Registry) TakeOrphans(kernelID string) []*Execution {
	e.mu.Lock()
	defer e.mu.Unlock()
	left := e.orphans[kernelID]
	delete(e.orphans, kernelID)
	return left
}

// Orphaned returns the ids of the sessions with orphaned executions, by kernel id.
func (e *Registry) Orphaned() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	sessions := make(map[string]string, len(e.orphans))
	for kernel, xs := range e.orphans {
		sessions[kernel] = xs[0].Record().SessionID
	}
	return sessions
}

// Doubt sets the hint of the orphaned executions of kernels. Once taken, they belong to a recorder.
func (e *Registry) Doubt(kernels []string, hint string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, k := range kernels {
		for _, x := range e.orphans[k] {
			x.Doubt(hint)
		}
	}
}
