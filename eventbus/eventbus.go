// Package eventbus carries requests and notifications between parts of one process that
// must not know each other: the host publishes tool requests, and the core handles them.
//
// A [Topic] is a kind of request. It has one handler, and each request has one reply. An
// [Event] is a kind of notification with any number of watchers. Both are declared as
// package variables. Their address is their identity; their name is for logs.
//
// # Goroutines
//
// Ask runs the handler on a new goroutine, which ends with the handler. The handler's
// can function runs on the goroutine that calls Ask or Can. Notify runs nothing: it
// queues. The bus itself owns no goroutine. Close waits for the handlers.
//
// # Back-pressure
//
// There is none. A watcher that falls behind by more than its depth loses the queued
// notifications and reads [ErrLagged] instead. It must then read the state again.
// Nothing may depend on seeing every notification.
package eventbus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// Errors of the bus. They may be wrapped with the topic's name.
var (
	ErrNoHandler     = errors.New("no handler")
	ErrClosed        = errors.New("the bus is closed")
	ErrNotExecutable = errors.New("cannot be executed now")
	ErrLagged        = errors.New("notifications were dropped: read the state again")
)

// A PanicError is the reply to a request whose handler panicked.
type PanicError struct {
	Topic string
	Value any
	Stack []byte
}

// Error says which topic's handler panicked and with what value, without the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("%s: handler panicked: %v", e.Topic, e.Value)
}

// A Bus connects callers with handlers and notifiers with watchers. The zero value is
// not usable; use New.
type Bus struct {
	ctx     context.Context //nolint:containedctx // the life of the bus; Close ends it
	cancel  context.CancelCauseFunc
	running sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	handlers map[any]any                 // *Topic[Req, Reply] → *handler[Req, Reply]
	watchers map[any]map[closer]struct{} // *Event[T] → its queues
}

// New returns a bus that is open until Close.
func New() *Bus {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Bus{
		ctx: ctx, cancel: cancel,
		handlers: make(map[any]any),
		watchers: make(map[any]map[closer]struct{}),
	}
}

// Close rejects new requests, cancels running ones with ErrClosed, ends every Watch, and
// waits for the handlers until ctx is done.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	queues := b.watchers
	b.watchers = make(map[any]map[closer]struct{})
	b.mu.Unlock()

	b.cancel(ErrClosed)
	for _, qs := range queues {
		for q := range qs {
			q.close()
		}
	}
	done := make(chan struct{})
	go func() { // ends with the last handler; all have been cancelled
		b.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("eventbus: handlers still at work: %w", context.Cause(ctx))
	}
}

// A Topic is a kind of request. Its name is for logs, its types are for the compiler,
// and its address is its identity.
type Topic[Req, Reply any] struct{ name string }

// NewTopic declares a topic.
func NewTopic[Req, Reply any](name string) *Topic[Req, Reply] {
	return &Topic[Req, Reply]{name}
}

// Name returns the topic's name, for logs.
func (t *Topic[Req, Reply]) Name() string { return t.name }

type handler[Req, Reply any] struct {
	do  func(context.Context, Req) (Reply, error)
	can func(context.Context, Req) error
}

// Handle registers do as the handler of t. A topic has one handler: registering a second
// is a bug and panics. can, if not nil, says why a request cannot run now. It is called
// on the caller's goroutine and must not block.
func (t *Topic[Req, Reply]) Handle(b *Bus, do func(context.Context, Req) (Reply, error),
	can func(context.Context, Req) error,
) (remove func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, taken := b.handlers[t]; taken {
		panic("eventbus: a second handler for " + t.name)
	}
	h := &handler[Req, Reply]{do, can}
	b.handlers[t] = h
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.handlers[t] == any(h) {
			delete(b.handlers, t)
		}
	}
}

// Can says why req cannot run now, or returns nil. It does not run it. The answer may be
// outdated when Ask follows: use it to disable a button, not as a check.
func (t *Topic[Req, Reply]) Can(ctx context.Context, b *Bus, req Req) error {
	b.mu.Lock()
	h, err := t.handler(b)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return t.check(ctx, h, req)
}

// Ask sends req to t's handler and waits for its reply, for ctx, or for Close. If ctx
// ends first, the handler's context ends too, and its late reply is dropped. Work that
// must outlive the call has to run with another context, and the handler only waits for
// it.
func (t *Topic[Req, Reply]) Ask(ctx context.Context, b *Bus, req Req) (Reply, error) {
	var none Reply
	b.mu.Lock()
	h, err := t.handler(b)
	if err != nil {
		b.mu.Unlock()
		return none, err
	}
	b.running.Add(1) // under the lock, so that Close has not begun to wait
	b.mu.Unlock()
	if err := t.check(ctx, h, req); err != nil {
		b.running.Done()
		return none, err
	}

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(b.ctx, func() { cancel(ErrClosed) })
	defer stop()

	type answer struct {
		reply Reply
		err   error
	}
	answers := make(chan answer, 1) // one slot: the handler never waits for a caller that has left
	go func() {
		defer b.running.Done()
		returned := false
		defer func() {
			switch v := recover(); {
			case v != nil:
				answers <- answer{err: &PanicError{t.name, v, debug.Stack()}}
			case !returned:
				answers <- answer{err: &PanicError{t.name, "runtime.Goexit", debug.Stack()}}
			}
		}()
		reply, err := h.do(ctx, req)
		returned = true
		answers <- answer{reply, err}
	}()
	select {
	case a := <-answers:
		return a.reply, a.err
	case <-ctx.Done():
		select { // an available answer takes precedence over a context that ended at the same time
		case a := <-answers:
			return a.reply, a.err
		default:
			return none, fmt.Errorf("%s: %w", t.name, context.Cause(ctx))
		}
	}
}

// handler returns t's handler. b.mu must be held.
func (t *Topic[Req, Reply]) handler(b *Bus) (*handler[Req, Reply], error) {
	if b.closed {
		return nil, fmt.Errorf("%s: %w", t.name, ErrClosed)
	}
	h, ok := b.handlers[t]
	if !ok {
		return nil, fmt.Errorf("%s: %w", t.name, ErrNoHandler)
	}
	return h.(*handler[Req, Reply]), nil
}

func (t *Topic[Req, Reply]) check(ctx context.Context, h *handler[Req, Reply], req Req) (err error) {
	if h.can == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{t.name, v, debug.Stack()}
		}
	}()
	return h.can(ctx, req)
}

// Handled reports whether t has a handler on b.
func (t *Topic[Req, Reply]) Handled(b *Bus) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.handlers[t]
	return ok
}
