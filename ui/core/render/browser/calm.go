package browser

import (
	"bytes"
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	devpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// settled returns a picture of the page once it is calm and shows something. It waits at
// most d.calm for that, and three fifths of it for a calm page that stays blank, and then
// returns the picture as it is.
func (d *drawing) settled() (last []byte, err error) {
	ctx, cancel := context.WithTimeout(d.s.ctx, d.calm)
	defer cancel()
	waiting := *d
	waiting.s.ctx = ctx
	began := time.Now()
	for {
		shown, same, err := waiting.attempt(last)
		d.shrink, d.part = waiting.shrink, waiting.part
		switch {
		case ctx.Err() != nil:
			return d.late(shown, last)
		case err != nil:
			return nil, err
		case same && (time.Since(began) > d.calm*3/5 || !blank(shown)):
			return shown, nil
		}
		last = shown
		if blank(shown) {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	}
}

// attempt waits until the page seems calm and returns a picture of it. same reports whether
// the page has not changed since. If it has a canvas whose changes cannot be observed (see
// calm.js), it is the same only if the picture equals before, the picture of the last attempt.
func (d *drawing) attempt(before []byte) (shown []byte, same bool, err error) {
	paints, err := d.awaitCalm()
	if err != nil {
		return nil, false, err
	}
	part, err := d.measure()
	if err != nil {
		return nil, false, err
	}
	began := time.Now()
	if shown, err = d.shoot(part); err != nil {
		return nil, false, err
	}
	same = bytes.Equal(before, shown)
	if same || paints {
		return shown, same, nil
	}
	waits, since := d.figure.waits()
	if waits || since.After(began) {
		return shown, false, nil
	}
	changed := false
	err = d.frames(func(s session, world runtime.ExecutionContextID) error {
		is, err := evaluate[bool](s, "easelChanged()", world)
		changed = changed || is
		return err
	})
	return shown, !changed, err
}

// late returns the picture of a page that was not calm in time: shown, or else before, or
// else a new one.
func (d *drawing) late(shown, before []byte) ([]byte, error) {
	switch {
	case d.s.ctx.Err() != nil:
		return nil, d.s.ctx.Err()
	case shown != nil:
		return shown, nil
	case before != nil:
		return before, nil
	}
	part, err := d.measure()
	if err != nil {
		return nil, err
	}
	return d.shoot(part)
}

// awaitCalm waits until the page has no pending requests and no longer changes. paints
// reports whether it has a canvas or a video.
func (d *drawing) awaitCalm() (paints bool, err error) {
	for {
		for waits, _ := d.figure.waits(); waits; waits, _ = d.figure.waits() {
			select {
			case <-time.After(look):
			case <-d.s.ctx.Done():
				return false, d.s.ctx.Err()
			}
		}
		err = d.frames(func(s session, world runtime.ExecutionContextID) error {
			is, err := evaluate[bool](s, calmScript, world)
			paints = paints || is
			return err
		})
		if waits, _ := d.figure.waits(); err != nil || !waits {
			return paints, err
		}
	}
}

// frames calls f for the frames of the page, at most maxFrames, with an isolated world that
// the page's scripts cannot access. It ignores errors, because a frame may have just been
// removed, but returns that of the context.
func (d *drawing) frames(f func(s session, world runtime.ExecutionContextID) error) error {
	tree, err := call(d.s, devpage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	all := []*devpage.FrameTree{tree.FrameTree}
	for i := 0; i < len(all) && i < maxFrames; i++ {
		world, err := call(d.s, devpage.CreateIsolatedWorld, devpage.CreateIsolatedWorldParams{FrameID: all[i].Frame.ID, WorldName: "easel"})
		if err == nil {
			err = f(d.s, world.ExecutionContextID)
		}
		if err != nil && d.s.ctx.Err() != nil {
			return d.s.ctx.Err()
		}
		all = append(all, all[i].ChildFrames...)
	}
	return nil
}
