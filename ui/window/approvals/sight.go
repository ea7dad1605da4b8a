package approvals

import (
	"math"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// moreHeight is the height of the mark that says how many lines are below.
const moreHeight float32 = 26

// A sight knows how much of a question's code has been shown.
type sight struct {
	k      *kit.Kit
	scroll *kit.Scroll // of the code; nil if the code is edited, or there is none
	line   float32     // the height of a line
	ended  bool        // the end of the code has been shown
	more   *kit.Button // says how many lines are below, and scrolls to the next ones
}

// newSight returns a sight of nothing. look is called after its button has scrolled.
func newSight(k *kit.Kit, look func()) *sight {
	s := &sight{k: k}
	s.more = k.Button(kit.Quiet, "chevron-down", "", k.T("ask.unread"), func() {
		if s.scroll != nil {
			s.scroll.Page(1)
			look()
		}
	}).Small()
	s.more.Hide()
	return s
}

// reset forgets what has been shown.
func (s *sight) reset() { s.scroll, s.ended = nil, false }

// follow watches a view of code from now on, with lines of a height.
func (s *sight) follow(scroll *kit.Scroll, line float32) { s.scroll, s.line = scroll, line }

// below returns the number of lines below those that are visible.
func (s *sight) below() int {
	if s.scroll == nil {
		return 0
	}
	const edge = 8 // below the last line
	return max(int(math.Ceil(float64((s.scroll.Below()-edge)/s.line))), 0)
}

// read reports whether the code can be approved: its end has been shown, or it is edited.
func (p *Region) read() bool { return p.seen.ended || p.seen.scroll == nil }

// look takes note of the code that is visible now.
func (p *Region) look() {
	if p.seen.ended || p.seen.scroll == nil || !p.shown() {
		return
	}
	below := p.seen.below()
	p.seen.more.SetText(p.k.Tr.N("ask.more", below))
	if below == 0 {
		p.seen.ended = true
		p.buttons()
		p.arrange(p.root.Size())
	}
}

// shown reports whether the code is on the screen.
func (p *Region) shown() bool {
	return p.root.Visible() && !p.port.Fullscreen() && p.code.Size().Height > p.seen.line
}

// arrangeCode places the code, and below it the mark if there is more of it to read.
func (p *Region) arrangeCode(at fyne.Position, size fyne.Size) {
	place := func(h float32) { kit.Place(p.code, at.X, at.Y, size.Width, h) }
	place(size.Height)
	p.look()
	unread := !p.read() && !p.port.Fullscreen()
	kit.SetVisible(p.seen.more, unread)
	if !unread {
		return
	}
	place(max(size.Height-moreHeight, 0))
	p.look()
	w := p.seen.more.MinSize().Width
	kit.Place(p.seen.more, at.X+(size.Width-w)/2, at.Y+size.Height-moreHeight+2, w, moreHeight-2)
}
