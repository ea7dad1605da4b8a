// Package questions has what the regions below the gallery share in which the user answers a question: its head, with
// the session, the place among the open questions and the time left, and the moment from which it can be answered.
//
// # Goroutines
//
// Everything belongs to the UI goroutine. Timers post to it with the kit's Dispatcher.
package questions

import (
	"fmt"
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// HeadHeight is the height of a head, in Fyne units.
const HeadHeight float32 = 42

// A Port is what a head may read and do in the window. Its functions must not block.
type Port struct {
	Snapshot        func() *state.Snapshot // the newest state
	LeaveFullscreen func()
	Step            func(by int) // shows another open question
}

// A Head is the upper part of a region, with the region's ground.
type Head struct {
	k     *kit.Kit
	port  Port
	armed bool
	arm   *time.Timer
	tick  *time.Timer

	ground, edge *canvas.Rectangle
	bar          *canvas.Rectangle // the session's colour
	icon         fyne.CanvasObject
	dot          *canvas.Rectangle // the assistant's colour; hidden if it has none

	Title      *kit.Line
	Place      *kit.Line // for example 1 of 3
	TimeLeft   *kit.Line // the time left to answer
	Prev, Next *kit.Button
	Back       *kit.Button // leaves full screen
}

// NewHead returns a head with an icon, and with tips for the buttons that show another question.
func NewHead(k *kit.Kit, port Port, icon, previous, next string) *Head {
	return &Head{
		k: k, port: port, ground: canvas.NewRectangle(k.P.Panel), edge: canvas.NewRectangle(k.P.Warn), bar: kit.Fill(k.P.Line, 2),
		icon: kit.Icon(icon, k.P.Warn, 18), dot: hidden(kit.Fill(k.P.Line, kit.DotSize/2)),
		Title:    kit.NewLine("", theme.TextTitle, k.P.Text, fyne.TextStyle{Bold: true}, 80),
		Place:    kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 50).Align(fyne.TextAlignCenter),
		TimeLeft: kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 90).Align(fyne.TextAlignTrailing),
		Prev:     k.Button(kit.Ghost, "chevron-left", "", previous, func() { port.Step(-1) }).Small(),
		Next:     k.Button(kit.Ghost, "chevron-right", "", next, func() { port.Step(1) }).Small(),
		Back:     k.Button(kit.Quiet, "", k.T("ask.show"), "", port.LeaveFullscreen).Small(),
	}
}

// Objects returns the objects of the head, in drawing and focus order. They come first in the region.
func (h *Head) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{h.ground, h.edge, h.bar, h.icon, h.dot, h.Title, h.Prev, h.Place, h.Next, h.TimeLeft, h.Back}
}

// Arrange places the head in a region of a size. The region's own buttons, which are small, are at its end.
func (h *Head) Arrange(s fyne.Size, own ...*kit.Button) {
	kit.Place(h.ground, 0, 0, s.Width, s.Height)
	kit.Place(h.edge, 0, 0, s.Width, 2)
	kit.Place(h.bar, 16, 13, 4, 18)
	kit.Place(h.icon, 28, 13, 18, 18)
	x := s.Width - 16
	put := func(o fyne.CanvasObject, w float32) {
		if o.Visible() {
			x -= w
			m := o.MinSize()
			kit.Place(o, x, (HeadHeight-m.Height)/2+1, w, m.Height)
			x -= 4
		}
	}
	for _, b := range own {
		put(b, 24)
	}
	put(h.Back, h.Back.MinSize().Width)
	put(h.TimeLeft, h.TimeLeft.PreferredWidth()+4)
	x -= 8
	put(h.Next, 24)
	put(h.Place, h.Place.PreferredWidth()+8)
	put(h.Prev, 24)
	at := float32(54)
	if h.dot.Visible() {
		kit.Place(h.dot, at, (HeadHeight-kit.DotSize)/2+1, kit.DotSize, kit.DotSize)
		at += kit.DotSize + 7
	}
	kit.Place(h.Title, at, 1, max(x-at-8, 0), HeadHeight)
}

// SetDot sets the colour of the dot before the title; nil for none. The region must be arranged again.
func (h *Head) SetDot(c *color.NRGBA) {
	if c != nil {
		h.dot.FillColor = *c
		h.dot.Refresh()
	}
	kit.SetVisible(h.dot, c != nil)
}

func hidden(r *canvas.Rectangle) *canvas.Rectangle {
	r.Hide()
	return r
}

// Begin shows a question of a session. After a time it can be answered: a second click or Enter must not answer the
// next question unread. Then Begin calls armed.
func (h *Head) Begin(session string, after time.Duration, armed func()) {
	h.Stop()
	h.bar.FillColor = h.k.P.Session(0)
	if x, ok := h.port.Snapshot().Session(session); ok {
		h.bar.FillColor = h.k.P.Session(x.Colour)
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		h.k.Do(func() {
			if h.arm == timer && !h.armed {
				h.armed = true
				armed()
			}
		})
	})
	h.arm = timer
}

// Armed reports whether the question can be answered.
func (h *Head) Armed() bool { return h.armed }

// Set sets what the head says: its title, which of how many questions it is, and whether a plot fills the window.
func (h *Head) Set(title string, i, of int, fullscreen bool) {
	h.Title.Set(title, nil)
	for _, o := range []fyne.CanvasObject{h.Prev, h.Place, h.Next} {
		kit.SetVisible(o, of > 1)
	}
	h.Place.Set(h.k.T("ask.place", i+1, of), nil)
	kit.SetVisible(h.Back, fullscreen)
}

// Count shows the time left to answer, and updates it each second until Stop or Say.
func (h *Head) Count(deadline time.Time) {
	left := max(deadline.Sub(h.k.Now()), 0).Truncate(time.Second)
	h.Say(h.k.T("ask.left", fmt.Sprintf("%d:%02d", int(left.Minutes()), int(left.Seconds())%60)))
	var timer *time.Timer
	timer = time.AfterFunc(time.Second, func() {
		h.k.Do(func() {
			if h.tick == timer && h.port.Snapshot().Window != state.WindowHidden {
				h.Count(deadline)
			}
		})
	})
	h.tick = timer
}

// Say shows a text in place of the time left; "" for none.
func (h *Head) Say(text string) {
	if h.tick != nil {
		h.tick.Stop()
		h.tick = nil
	}
	kit.SetVisible(h.TimeLeft, text != "")
	h.TimeLeft.Set(text, nil)
}

// Stop stops the head's timers. The question can no longer be answered.
func (h *Head) Stop() {
	for _, t := range []*time.Timer{h.arm, h.tick} {
		if t != nil {
			t.Stop()
		}
	}
	h.arm, h.tick, h.armed = nil, nil, false
}
