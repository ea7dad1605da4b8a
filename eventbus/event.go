package eventbus

import (
	"context"
	"iter"
	"sync"
)

// An Event is a kind of notification.
type Event[T any] struct{ name string }

// NewEvent declares an event.
func NewEvent[T any](name string) *Event[T] { return &Event[T]{name} }

// Name returns the event's name, for logs.
func (e *Event[T]) Name() string { return e.name }

type closer interface{ close() }

// A queue holds what one watcher has not read yet.
type queue[T any] struct {
	wake chan struct{} // one slot: there is something to read, or the queue is closed

	mu     sync.Mutex
	items  []T
	depth  int
	lagged bool
	closed bool
}

// Notify adds v to every watcher's queue. It never blocks. Watchers see the
// notifications of one goroutine in order.
func (e *Event[T]) Notify(b *Bus, v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for q := range b.watchers[e] {
		q.(*queue[T]).put(v)
	}
}

// Skip tells every watcher, with ErrLagged, that it has missed notifications.
func (e *Event[T]) Skip(b *Bus) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for q := range b.watchers[e] {
		q.(*queue[T]).skip()
	}
}

// Watch subscribes immediately and returns later notifications until ctx ends or the bus
// closes. It keeps at most depth notifications for a slow reader. If there are more, all
// are dropped and the reader gets ErrLagged instead. The sequence can be read once, by
// one goroutine.
func (e *Event[T]) Watch(ctx context.Context, b *Bus, depth int) iter.Seq2[T, error] {
	return e.watch(ctx, b, depth, false)
}

// WatchToTheLast is like Watch, but after ctx has ended it still returns what was
// notified before. It is for readers that store notifications.
func (e *Event[T]) WatchToTheLast(ctx context.Context, b *Bus, depth int) iter.Seq2[T, error] {
	return e.watch(ctx, b, depth, true)
}

func (e *Event[T]) watch(ctx context.Context, b *Bus, depth int, toTheLast bool) iter.Seq2[T, error] {
	q := &queue[T]{wake: make(chan struct{}, 1), depth: depth}
	b.mu.Lock()
	if b.closed {
		q.closed = true
	} else {
		if b.watchers[e] == nil {
			b.watchers[e] = make(map[closer]struct{})
		}
		b.watchers[e][q] = struct{}{}
	}
	b.mu.Unlock()
	leave := func() {
		b.mu.Lock()
		delete(b.watchers[e], q)
		b.mu.Unlock()
	}
	stop := context.AfterFunc(ctx, leave) // even if nobody ever reads
	return func(yield func(T, error) bool) {
		defer stop()
		defer leave()
		for {
			ended := ctx.Err() != nil // checked before the queue is read, so that nothing is missed in between
			items, lagged, closed := q.take()
			if lagged && (toTheLast || !ended) {
				var none T
				if !yield(none, ErrLagged) {
					return
				}
			}
			for _, v := range items {
				if !toTheLast && ctx.Err() != nil || !yield(v, nil) {
					return
				}
			}
			if closed || ended {
				return
			}
			if len(items) > 0 || lagged {
				continue
			}
			select {
			case <-q.wake:
			case <-ctx.Done(): // read once more: there may be earlier notifications
			}
		}
	}
}

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	if len(q.items) >= q.depth {
		q.items, q.lagged = nil, true
	} else {
		q.items = append(q.items, v)
	}
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) skip() {
	q.mu.Lock()
	q.items, q.lagged = nil, true
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) take() (items []T, lagged, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, lagged, closed = q.items, q.lagged, q.closed
	q.items, q.lagged = nil, false
	return items, lagged, closed
}

func (q *queue[T]) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

func (q *queue[T]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
