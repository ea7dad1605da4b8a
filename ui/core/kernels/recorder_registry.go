package kernels

import (
	"context"
	"maps"
	"slices"
	"sync"

	"easel/ui/core/kernels/record"
	"easel/ui/core/kernels/tasks"
)

// A recorderRegistry has the recorders of the joined kernels, and makes concurrent attempts to join
// a kernel wait for each other.
type recorderRegistry struct {
	mu       sync.Mutex
	byKernel map[string]*record.Recorder // by kernel id
	joining  map[string]chan struct{}    // by kernel id: closed when the attempt to join has ended
}

func newRecorderRegistry() *recorderRegistry {
	return &recorderRegistry{byKernel: make(map[string]*record.Recorder), joining: make(map[string]chan struct{})}
}

// ofKernel returns the recorder of a kernel, or nil.
func (j *recorderRegistry) ofKernel(id string) *record.Recorder {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.byKernel[id]
}

// find returns the recorder of a joined session by its id or its kernel's id, or nil.
func (j *recorderRegistry) find(id string) *record.Recorder {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.byKernel[id]; r != nil {
		return r
	}
	for _, r := range j.byKernel {
		if r.Session.Stored().ID == id {
			return r
		}
	}
	return nil
}

// all returns all recorders, in no particular order.
func (j *recorderRegistry) all() []*record.Recorder {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Collect(maps.Values(j.byKernel))
}

func (j *recorderRegistry) add(kernelID string, r *record.Recorder) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.byKernel[kernelID] = r
}

// remove removes the recorder of a kernel, unless the kernel has another one now.
func (j *recorderRegistry) remove(kernelID string, r *record.Recorder) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.byKernel[kernelID] == r {
		delete(j.byKernel, kernelID)
	}
}

// turn returns the recorder of a kernel. If there is none, it returns the channel mine, and
// the caller must call done, before that add if it creates the recorder. Meanwhile, other callers
// wait.
func (j *recorderRegistry) turn(ctx context.Context, kernelID string, closed func() bool) (r *record.Recorder, mine chan struct{},
	err error,
) {
	for {
		j.mu.Lock()
		r, other, closed := j.byKernel[kernelID], j.joining[kernelID], closed()
		if r == nil && other == nil && !closed {
			mine = make(chan struct{})
			j.joining[kernelID] = mine
		}
		j.mu.Unlock()
		switch {
		case closed:
			return nil, nil, tasks.ErrClosed
		case r != nil || mine != nil:
			return r, mine, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// done ends the attempt to join a kernel.
func (j *recorderRegistry) done(kernelID string, mine chan struct{}) {
	j.mu.Lock()
	delete(j.joining, kernelID)
	j.mu.Unlock()
	close(mine)
}
