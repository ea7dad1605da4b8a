// Package requests sends the user's requests over the bus to the bodies that also serve
// assistants, and shows the errors.
//
// A request in the gallery waits for the earlier ones (Ask). One that may wait for a
// kernel or a file does not delay the others (Run, Background).
//
// # Goroutines
//
// A Sender belongs to the UI goroutine. One goroutine sends the requests in order; each
// of the other requests has its own. They end in Close. Results reach the UI goroutine
// through the Dispatcher.
package requests

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"easel/eventbus"
	"easel/mcphost/tool"
	"easel/ui/window/kit"
)

// actionTime is the timeout of a request in the gallery.
const actionTime = 10 * time.Second

// A Port is what a Sender may do in the window.
type Port struct {
	Bus    *eventbus.Bus
	Do     kit.Dispatcher
	Log    *slog.Logger
	Failed func(text string) // shows an error; called on the UI goroutine
}

// A Sender sends the requests of one window.
type Sender struct {
	port    Port
	ctx     context.Context //nolint:containedctx // the life of the window; Close ends it
	cancel  context.CancelFunc
	tasks   sync.WaitGroup
	queue   *queue
	pending int
	closed  bool
}

// New returns a Sender that sends until ctx ends or Close is called.
func New(ctx context.Context, p Port) *Sender {
	s := &Sender{port: p, queue: newQueue()}
	s.ctx, s.cancel = context.WithCancel(asUser(ctx))
	s.tasks.Go(func() { s.queue.run(s.ctx) })
	return s
}

// Close ends the requests and waits for their goroutines.
func (s *Sender) Close() {
	s.closed = true
	s.cancel()
	s.queue.close()
	s.tasks.Wait()
}

// Pending returns the number of requests in the gallery without an answer yet.
func (s *Sender) Pending() int { return s.pending }

// asUser marks a request as the user's.
func asUser(ctx context.Context) context.Context {
	return tool.WithCaller(ctx, tool.Caller{Transport: tool.Window})
}

// Ask runs a tool for the user, after the earlier requests, and shows its error. If done
// is not nil, it runs on the UI goroutine with the tool's output. It does not run after
// an error.
func Ask[In, Out any](s *Sender, t *tool.Tool[In, Out], in In, done func(Out)) {
	AskFinally(s, t, in, done, nil)
}

// AskFinally is like Ask, but also calls finally on the UI goroutine when the request
// has ended, after done, even if it failed.
func AskFinally[In, Out any](s *Sender, t *tool.Tool[In, Out], in In, done func(Out), finally func()) {
	inOrder(s, t.Spec().Name, t, in, done, finally)
}

// AskTopic is like Ask, for a topic that is not a tool. what names the request in the log.
func AskTopic[In, Out any](s *Sender, what string, t Asker[In, Out], in In, done func(Out)) {
	inOrder(s, what, t, in, done, nil)
}

// AskTopicFinally is like AskFinally, for a topic that is not a tool.
func AskTopicFinally[In, Out any](s *Sender, what string, t Asker[In, Out], in In, done func(Out), finally func()) {
	inOrder(s, what, t, in, done, finally)
}

// A Course is what a long request tells while it lasts. Its functions run on the UI goroutine;
// each may be nil.
type Course[Out any] struct {
	Progress  func(done, total int)
	Done      func(Out) // not after an error
	Cancelled func()    // by the caller
	Finally   func()    // last, also after an error
}

// progressEvery limits how often a request tells its progress.
const progressEvery = 100 * time.Millisecond

// AskAtLength is like AskTopic, but without a time limit, because thousands of plots may take
// longer than any. The caller can cancel it.
func AskAtLength[In, Out any](s *Sender, what string, t Asker[In, Out], in In, c Course[Out]) (cancel func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	var last time.Time // on the goroutine of the request
	ctx = tool.WithCaller(ctx, tool.Caller{Transport: tool.Window, Progress: func(p tool.Progress) {
		if now := time.Now(); c.Progress != nil && now.Sub(last) >= progressEvery {
			last = now
			s.Post(func() { c.Progress(int(p.Done), int(p.Total)) })
		}
	}})
	queued(s, what, func(context.Context) (out Out, err error) {
		defer cancel()
		if err = ctx.Err(); err == nil {
			out, err = t.Ask(ctx, s.port.Bus, in)
		}
		if err != nil && ctx.Err() != nil && s.ctx.Err() == nil {
			return out, errCancelled
		}
		return out, err
	}, c)
	return cancel
}

// errCancelled is the error of a request that its caller cancelled. It is not shown.
var errCancelled = errors.New("cancelled by the caller")

func inOrder[In, Out any](s *Sender, what string, t Asker[In, Out], in In, done func(Out), finally func()) {
	queued(s, what, func(ctx context.Context) (Out, error) {
		ctx, cancel := context.WithTimeout(ctx, actionTime)
		defer cancel()
		return t.Ask(ctx, s.port.Bus, in)
	}, Course[Out]{Done: done, Finally: finally})
}

// queued sends a request after the earlier ones.
func queued[Out any](s *Sender, what string, send func(context.Context) (Out, error), c Course[Out]) {
	s.pending++
	s.queue.add(func(ctx context.Context) {
		out, err := send(ctx)
		s.finish(what, err, func() {
			s.pending--
			switch {
			case errors.Is(err, errCancelled) && c.Cancelled != nil:
				c.Cancelled()
			case err == nil && c.Done != nil:
				c.Done(out)
			}
			if c.Finally != nil {
				c.Finally()
			}
		})
	})
}

// Run runs a tool for the user without waiting for other requests, because it may wait
// for a kernel. done is as for Ask.
func Run[In, Out any](s *Sender, t *tool.Tool[In, Out], in In, done func(Out)) {
	Topic(s, t.Spec().Name, t, in, done)
}

// An Asker is a tool or a topic of the bus.
type Asker[In, Out any] interface {
	Ask(ctx context.Context, b *eventbus.Bus, in In) (Out, error)
}

// Topic is like Run, for a topic that is not a tool. what names the request in the log.
func Topic[In, Out any](s *Sender, what string, t Asker[In, Out], in In, done func(Out)) {
	TopicFinally(s, what, t, in, func(out Out, err error) {
		if err == nil && done != nil {
			done(out)
		}
	})
}

// TopicFinally is like Topic, but calls done even after an error, which it has already
// shown.
func TopicFinally[In, Out any](s *Sender, what string, t Asker[In, Out], in In, done func(Out, error)) {
	s.tasks.Go(func() {
		out, err := t.Ask(s.ctx, s.port.Bus, in)
		s.finish(what, err, func() { done(out, err) })
	})
}

// Quiet is like TopicFinally, but shows no error and the caller can cancel the request.
func Quiet[In, Out any](s *Sender, t Asker[In, Out], in In, done func(Out, error)) (cancel func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	s.tasks.Go(func() {
		out, err := t.Ask(ctx, s.port.Bus, in)
		cancel()
		s.Post(func() { done(out, err) })
	})
	return cancel
}

// Background runs f on another goroutine and shows its error. If done is not nil, it
// runs on the UI goroutine, unless f failed. what names the action in the log.
func (s *Sender) Background(what string, f func(ctx context.Context) error, done func()) {
	s.tasks.Go(func() {
		err := f(s.ctx)
		s.finish(what, err, func() {
			if err == nil && done != nil {
				done()
			}
		})
	})
}

// Go runs f on another goroutine. f must end when its context ends.
func (s *Sender) Go(f func(ctx context.Context)) { s.tasks.Go(func() { f(s.ctx) }) }

// Post runs f on the UI goroutine, unless the window is closed by then.
func (s *Sender) Post(f func()) {
	s.port.Do(func() {
		if !s.closed {
			f()
		}
	})
}

// After runs f on the UI goroutine when the earlier requests in the gallery have
// finished.
func (s *Sender) After(f func()) {
	s.pending++
	s.queue.add(func(context.Context) {
		s.port.Do(func() {
			s.pending--
			if !s.closed {
				f()
			}
		})
	})
}

// finish shows an error and then continues on the UI goroutine.
func (s *Sender) finish(what string, err error, done func()) {
	if err != nil && errors.Is(err, context.Canceled) && s.ctx.Err() != nil {
		return
	}
	s.Post(func() {
		if err != nil && !errors.Is(err, errCancelled) {
			s.port.Log.Info("the window's request failed", "tool", what, "err", err)
			s.port.Failed(tool.Explain(tool.AsError(err)))
		}
		done()
	})
}
