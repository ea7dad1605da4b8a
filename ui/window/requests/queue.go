package requests

import (
	"context"
	"sync"

	"easel/internal/wake"
)

// A queue runs the user's actions in the gallery one after the other, so that one of
// two quick arrow keys does not overtake the other. It never blocks the UI goroutine.
type queue struct {
	mu   sync.Mutex
	todo []func(context.Context)
	wake wake.Signal
	done chan struct{}
	once sync.Once
}

func newQueue() *queue {
	return &queue{wake: wake.New(), done: make(chan struct{})}
}

func (q *queue) add(f func(context.Context)) {
	q.mu.Lock()
	q.todo = append(q.todo, f)
	q.mu.Unlock()
	q.wake.Notify()
}

func (q *queue) close() { q.once.Do(func() { close(q.done) }) }

func (q *queue) run(ctx context.Context) {
	for {
		select {
		case <-q.wake:
		case <-q.done:
			return
		case <-ctx.Done():
			return
		}
		for {
			q.mu.Lock()
			if len(q.todo) == 0 {
				q.mu.Unlock()
				break
			}
			f := q.todo[0]
			q.todo = q.todo[1:]
			q.mu.Unlock()
			f(ctx)
		}
	}
}
