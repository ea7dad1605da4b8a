package browser

import (
	"bytes"
	"context"
	"slices"

	"easel/ui/core/render/page"
)

// maxDrawn is the number of figures that are drawn on one stage. It limits what they leave
// behind, such as memory: Chromium keeps 16 WebGL contexts of a page.
const maxDrawn = 12

// reserve is the number of unused tabs. While one figure after the other is drawn, there is
// no time to open tabs in between.
const reserve = 2

// tabs are the open tabs of a browser. The holder of an engine's turn owns them.
//
// Invariant: nothing is shown on the stages of the tabs in ready.
type tabs struct {
	now    *tab // its figure is being drawn, or was drawn last; nil: none
	unused []*tab
	ready  []*tab        // with different stages
	next   page.Document // the stage to load before the next figure; empty: none
	solid  bool          // there are figures in 3D, or code that is expected to draw them
}

// take makes a tab for a figure the current one: one with the figure's stage, if it has one,
// and else an unused one.
func (s *tabs) take(ctx context.Context, p *process, f *figure) (*tab, error) {
	stage := f.page.Stage
	if i := slices.IndexFunc(s.ready, func(t *tab) bool { return t.works() && bytes.Equal(t.stage.Body, stage.Body) }); i >= 0 {
		s.now = s.ready[i]
		s.ready = slices.Delete(s.ready, i, i+1)
		return s.now, nil
	}
	s.unused = working(ctx, s.unused)
	if n := len(s.unused); n > 0 {
		s.now, s.unused = s.unused[n-1], s.unused[:n-1]
	} else {
		t, err := openTab(ctx, p)
		if err != nil {
			return nil, err
		}
		s.now = t
	}
	if stage.Body == nil {
		return s.now, nil
	}
	return s.now, s.now.load(ctx, stage, f.open)
}

// working closes the tabs whose page has crashed, and returns the others.
func working(ctx context.Context, all []*tab) []*tab {
	return slices.DeleteFunc(all, func(t *tab) bool {
		if t.works() {
			return false
		}
		t.close(ctx)
		return true
	})
}

// give ends the use of the current tab. If it has a stage on which fewer figures have been
// drawn than the limit, it is ready for another figure. Otherwise it is closed, and prepare loads
// its stage again, unless the limit is 0.
func (s *tabs) give(ctx context.Context, limit int) {
	t := s.now
	s.now = nil
	if t == nil {
		return
	}
	t.drawn++
	if limit > 0 && t.stage.Body != nil {
		if t.drawn < limit && t.clear(ctx) {
			s.ready = append(s.ready, t)
			return
		}
		s.next = t.stage
	}
	t.close(ctx)
}

// prepare opens unused tabs, and one with the next stage, unless they are open. If there are
// figures in 3D, it prepares the stages for them. It stops when a figure waits; the next call
// continues.
func (s *tabs) prepare(ctx context.Context, p *process, open doors, waits func() bool) error {
	s.ready, s.unused = working(ctx, s.ready), working(ctx, s.unused)
	for len(s.unused) < reserve {
		if waits() {
			return nil
		}
		t, err := openTab(ctx, p)
		if err != nil {
			return err
		}
		s.unused = append(s.unused, t)
	}
	if stage := s.next; stage.Body != nil && !waits() {
		s.next = page.Document{}
		if err := s.open(ctx, p, stage, open); err != nil {
			return err
		}
	}
	s.ready = slices.DeleteFunc(s.ready, func(t *tab) bool {
		if !s.solid || waits() || t.warmUp(ctx, open) == nil {
			return false
		}
		s.solid = false // until a figure in 3D has been drawn
		t.close(ctx)
		return true
	})
	return nil
}

// open opens a tab with a stage, unless one is ready.
func (s *tabs) open(ctx context.Context, p *process, stage page.Document, open doors) error {
	if slices.ContainsFunc(s.ready, func(t *tab) bool { return bytes.Equal(t.stage.Body, stage.Body) }) {
		return nil
	}
	t, err := openTab(ctx, p)
	if err != nil {
		return err
	}
	if err := t.load(ctx, stage, open); err != nil {
		t.close(ctx)
		return err
	}
	s.ready = append(s.ready, t)
	return nil
}
