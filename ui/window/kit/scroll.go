package kit

import (
	"math"
	"time"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// notch is what Fyne makes of one notch of a wheel, in its units. Smaller steps come from
// touchpads.
const notch = 25

// A wheel that is spun quickly moves by more rows: how soon the next notch must come, and
// how many rows it is at most.
const (
	spinWithin = 70 * time.Millisecond
	spinMost   = 4
)

// A Scroll shows a part of its content, from top to bottom. One notch of the wheel moves
// it by a step; spun quickly, by several.
type Scroll struct {
	container.Scroll
	k    *Kit
	step func() float32
	last time.Time // of the wheel
	spin float32   // steps of the next notch
}

// VScroll makes a Scroll. step is how far one notch goes, in Fyne's units.
func (k *Kit) VScroll(content fyne.CanvasObject, step func() float32) *Scroll {
	s := &Scroll{k: k, step: step}
	s.Direction, s.Content = container.ScrollVerticalOnly, content
	s.ExtendBaseWidget(s)
	k.scrolls = append(k.scrolls, weak.Make(s))
	return s
}

// Scrolled implements fyne.Scrollable.
func (s *Scroll) Scrolled(e *fyne.ScrollEvent) {
	s.k.Tips.Hide()
	dy := e.Scrolled.DY
	if dy == 0 {
		dy = e.Scrolled.DX // Shift turns the wheel sideways, and there is no sideways here
	}
	if math.Abs(float64(dy)) < notch { // a touchpad: as far as the fingers
		dy *= 2
	} else {
		dy *= s.step() * s.turn() / notch
	}
	turned := *e
	turned.Scrolled = fyne.NewDelta(0, dy)
	s.Scroll.Scrolled(&turned)
}

// turn is how many steps this notch is worth.
func (s *Scroll) turn() float32 {
	now := time.Now()
	if s.k.Now != nil {
		now = s.k.Now()
	}
	if quick := now.Sub(s.last) < spinWithin; quick && !s.last.IsZero() {
		s.spin = min(s.spin+0.5, spinMost)
	} else {
		s.spin = 1
	}
	s.last = now
	return s.spin
}

// Page moves by so many heights of what is in sight; it tells whether there is anything
// to move.
func (s *Scroll) Page(heights float32) bool {
	return s.To(s.Offset.Y + heights*max(s.Size().Height-40, 40))
}

// To shows what is so far from the beginning, or the end if that is nearer.
func (s *Scroll) To(y float32) bool {
	end := max(s.Content.MinSize().Height-s.Size().Height, 0)
	s.ScrollToOffset(fyne.NewPos(0, min(max(y, 0), end)))
	if s.OnScrolled != nil {
		s.OnScrolled(s.Offset)
	}
	return end > 0
}

// ScrollAt is the smallest Scroll in sight at a position of the window, nil if there is
// none.
func (k *Kit) ScrollAt(at fyne.Position) *Scroll {
	var best *Scroll
	d := fyne.CurrentApp().Driver()
	alive := k.scrolls[:0]
	for _, w := range k.scrolls {
		s := w.Value()
		if s == nil {
			continue
		}
		alive = append(alive, w)
		if !s.Visible() || d.CanvasForObject(s) == nil {
			continue
		}
		from := d.AbsolutePositionForObject(s)
		if from.IsZero() { // Fyne's word for what is not in sight
			continue
		}
		to := from.AddXY(s.Size().Width, s.Size().Height)
		inside := at.X >= from.X && at.X < to.X && at.Y >= from.Y && at.Y < to.Y
		if inside && (best == nil || area(s.Size()) < area(best.Size())) {
			best = s
		}
	}
	k.scrolls = alive
	return best
}

func area(s fyne.Size) float32 { return s.Width * s.Height }
