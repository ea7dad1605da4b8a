package viewer

import (
	"context"
	"image"
	"sync"

	"easel/internal/wake"
	"easel/ui/core/picture/animation"
	"easel/ui/window/kit"
)

// A movieFrame is a frame of an animation, or the error of decoding it.
type movieFrame struct {
	of     *animation.Animation
	at     int
	turn   int // the movie's, when it asked
	pixels *image.RGBA
	err    error
}

// A reel decodes frames of animations on its own goroutine, always the one requested last.
// close ends the goroutine.
type reel struct {
	do    kit.Dispatcher
	ready func(movieFrame) // on the UI goroutine
	ctx   context.Context  //nolint:containedctx // the life of the goroutine; close ends it
	end   context.CancelFunc
	ended sync.WaitGroup
	wake  wake.Signal // has one slot; filled if there is a request

	mu     sync.Mutex
	wanted movieFrame         // the last request; of is nil if there is nothing to decode
	fresh  bool               // the goroutine has not taken wanted yet
	atWork movieFrame         // what the goroutine took last
	drop   context.CancelFunc // cancels atWork
}

func newReel(do kit.Dispatcher, ready func(movieFrame)) *reel {
	ctx, end := context.WithCancel(context.Background())
	r := &reel{do: do, ready: ready, ctx: ctx, end: end, wake: wake.New(), drop: func() {}}
	r.ended.Go(r.run)
	return r
}

func (r *reel) close() {
	r.end()
	r.ended.Wait()
}

// ask requests a frame, which is passed to ready. It replaces an earlier request. A frame that
// is being decoded and comes before the requested one is still passed to ready.
func (r *reel) ask(of *animation.Animation, at, turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted, r.fresh = movieFrame{of: of, at: at, turn: turn}, true
	if r.atWork.of != of || at < r.atWork.at {
		r.drop()
	}
	r.wake.Notify()
}

// rest frees the decoded frames.
func (r *reel) rest() { r.ask(nil, 0, 0) }

func (r *reel) run() {
	var last *animation.Animation
	for {
		select {
		case <-r.wake:
		case <-r.ctx.Done():
			return
		}
		for r.more() {
			f, ctx, done := r.next()
			if last != nil && last != f.of {
				last.Release()
			}
			if last = f.of; f.of == nil {
				done()
				continue
			}
			f.pixels, f.err = f.of.Frame(ctx, f.at)
			dropped := ctx.Err() != nil
			done()
			if r.ctx.Err() != nil {
				return
			}
			if !dropped {
				r.do(func() { r.ready(f) })
			}
		}
	}
}

// next takes the request.
func (r *reel) next() (f movieFrame, ctx context.Context, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, drop := context.WithCancel(r.ctx)
	r.atWork, r.fresh, r.drop = r.wanted, false, drop
	return r.atWork, ctx, drop
}

// more reports whether there is a request that was not taken yet.
func (r *reel) more() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh
}
