package viewer

import (
	"context"
	"image"
	"sync"

	"easel/ui/core/picture/animation"
	"easel/ui/window/kit"
)

// A movieFrame is a frame of an animation, or why it could not be decoded.
type movieFrame struct {
	of     *animation.Animation
	at     int
	turn   int // of the movie that asked
	pixels *image.RGBA
	err    error
}

// A reel decodes the frames of animations off the UI goroutine: always the one that was asked
// for last. It has one goroutine, which ends in close.
type reel struct {
	do    kit.Dispatcher
	ready func(movieFrame) // on the UI goroutine
	ctx   context.Context  //nolint:containedctx // the life of the goroutine; close ends it
	end   context.CancelFunc
	ended sync.WaitGroup
	wake  chan struct{} // one slot: there is a request

	mu     sync.Mutex
	wanted movieFrame         // without its pixels; of is nil if nothing is
	fresh  bool               // that was not looked at yet
	atWork movieFrame         // what is being decoded
	drop   context.CancelFunc // ends that
}

func newReel(do kit.Dispatcher, ready func(movieFrame)) *reel {
	ctx, end := context.WithCancel(context.Background())
	r := &reel{do: do, ready: ready, ctx: ctx, end: end, wake: make(chan struct{}, 1), drop: func() {}}
	r.ended.Go(r.run)
	return r
}

func (r *reel) close() {
	r.end()
	r.ended.Wait()
}

// ask has a frame decoded, and told to ready. An earlier request counts no more; but if its
// frame is at work and before this one, it is told, too.
func (r *reel) ask(of *animation.Animation, at, turn int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted, r.fresh = movieFrame{of: of, at: at, turn: turn}, true
	if r.atWork.of != of || at < r.atWork.at {
		r.drop()
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// rest lets go of what was decoded.
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

// next takes the newest request.
func (r *reel) next() (f movieFrame, ctx context.Context, done func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, drop := context.WithCancel(r.ctx)
	r.atWork, r.fresh, r.drop = r.wanted, false, drop
	return r.atWork, ctx, drop
}

// more tells whether something was asked for that was not looked at yet.
func (r *reel) more() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh
}
