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

// tabs are the open tabs of a browser. The holder of an engine's turn owns them.
//
// Invariant: the tabs in ready work, and nothing is shown on their stages.
type tabs struct {
	now   *tab   // its figure is being drawn, or was drawn last; nil: none
	blank *tab   // never used; nil: none
	ready []*tab // with different stages
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
	var err error
	if s.now, s.blank = s.blank, nil; s.now != nil && !s.now.works() {
		s.now.close(ctx)
		s.now = nil
	}
	if s.now == nil {
		if s.now, err = openTab(ctx, p); err != nil {
			s.now = nil
			return nil, err
		}
	}
	if stage.Body != nil {
		err = s.now.load(ctx, stage, f.open)
	}
	return s.now, err
}

// give ends the use of the current tab. If keep is true and the tab has a stage, it is ready
// for another figure. If it has been used too often, it is closed, and give returns its stage
// for prepare.
func (s *tabs) give(ctx context.Context, keep bool) (again page.Document) {
	t := s.now
	s.now = nil
	if t == nil {
		return again
	}
	t.drawn++
	if keep && t.stage.Body != nil {
		if t.drawn < maxDrawn && t.clear(ctx) {
			s.ready = append(s.ready, t)
			return again
		}
		again = t.stage
	}
	t.close(ctx)
	return again
}

// prepare opens an unused tab, and one with the stage, unless they are open or the stage is
// empty.
func (s *tabs) prepare(ctx context.Context, p *process, stage page.Document, open doors) (err error) {
	s.ready = slices.DeleteFunc(s.ready, func(t *tab) bool {
		if !t.works() {
			t.close(ctx)
		}
		return !t.works()
	})
	if s.blank == nil {
		if s.blank, err = openTab(ctx, p); err != nil {
			s.blank = nil
			return err
		}
	}
	if stage.Body == nil || slices.ContainsFunc(s.ready, func(t *tab) bool { return bytes.Equal(t.stage.Body, stage.Body) }) {
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
