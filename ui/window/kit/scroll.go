package kit

import (
	"math"
	"time"
	"weak"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// notch is the distance that Fyne reports for one notch of a wheel, in Fyne units.
// Smaller distances come from touchpads.
const notch = 25

// A wheel that is turned quickly scrolls by more steps. spinWithin is the maximum time
// to the next notch, spinMost the maximum number of steps per notch.
const (
	spinWithin = 70 * time.Millisecond
	spinMost   = 4
)

// A Scroll scrolls its content vertically. One notch of the wheel scrolls it by a step;
// if the wheel is turned quickly, by several.
type Scroll struct {
	container.Scroll
	k    *Kit
	step func() float32
	last time.Time // time of the last notch
	spin float32   // steps per notch, now

	turned bool // a wheel or touchpad is scrolling
}

// VScroll returns a Scroll. step returns how far one notch scrolls, in Fyne units.
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
		dy = e.Scrolled.DX // Shift makes the wheel horizontal, but this scrolls only vertically
	}
	if math.Abs(float64(dy)) < notch { // a touchpad: follow the fingers
		dy *= 2
	} else {
		dy *= s.step() * s.turn() / notch
	}
	turned := *e
	turned.Scrolled = fyne.NewDelta(0, dy)
	s.turned = true
	s.Scroll.Scrolled(&turned)
	s.turned = false
}

// Turned reports, while OnScrolled is called, whether a wheel or touchpad scrolls. Otherwise the
// scrollbar does, or the program.
func (s *Scroll) Turned() bool { return s.turned }

// turn returns the number of steps for the current notch.
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

// Below returns how much of the content is below the visible part, in Fyne units.
func (s *Scroll) Below() float32 {
	return max(s.Content.Size().Height-s.Offset.Y-s.Size().Height, 0)
}

// Page scrolls by a number of pages, or back if it is negative. It reports whether
// there is anything to scroll.
func (s *Scroll) Page(heights float32) bool {
	return s.To(s.Offset.Y + heights*max(s.Size().Height-40, 40))
}

// To scrolls to a distance from the beginning, in Fyne units, or to the end if that is
// nearer. It reports whether there is anything to scroll.
func (s *Scroll) To(y float32) bool {
	end := max(s.Content.MinSize().Height-s.Size().Height, 0)
	s.ScrollToOffset(fyne.NewPos(0, min(max(y, 0), end)))
	if s.OnScrolled != nil {
		s.OnScrolled(s.Offset)
	}
	return end > 0
}

// ScrollAt returns the smallest visible Scroll at a position of the window, or nil if
// there is none.
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
		if from.IsZero() { // Fyne returns this for an object that is not shown
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
