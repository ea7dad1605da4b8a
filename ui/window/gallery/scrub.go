package gallery

import (
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/library"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// scrubLife is how long the label stays after the scrollbar has moved.
const scrubLife = 900 * time.Millisecond

// Measures of the label, in Fyne units.
const (
	scrubHigh float32 = 28
	scrubPad  float32 = 10
	scrubSide float32 = 18 // from the edge of the grid: beside the scrollbar
)

// A scrub is the label beside the scrollbar while the user drags it: what is there.
type scrub struct {
	g      *Grid
	root   *fyne.Container
	ground *kit.Area
	text   *canvas.Text
	timer  *time.Timer

	resizing bool
}

func newScrub(g *Grid) *scrub {
	p := g.k.P
	s := &scrub{g: g, ground: g.k.Area(p.Text, theme.Radius), text: kit.Text("", theme.TextBody, p.Window, fyne.TextStyle{Bold: true})}
	s.root = &fyne.Container{Layout: kit.LayoutFunc{Arrange: func([]fyne.CanvasObject, fyne.Size) {}}}
	s.root.Objects = []fyne.CanvasObject{s.ground, s.text}
	s.root.Hide()
	return s
}

// scrolled follows the grid. Only the scrollbar shows the label: who turns the wheel sees where they are.
func (s *scrub) scrolled() {
	g := s.g
	if s.resizing || g.scroll.Turned() || len(g.list.ids) == 0 {
		return
	}
	view, content := g.scroll.Size().Height, g.flow.height()
	if content <= view {
		return
	}
	s.text.Text = s.place()
	m := s.text.MinSize()
	w := m.Width + 2*scrubPad
	y := g.scroll.Offset.Y / (content - view) * (view - scrubHigh)
	kit.Place(s.root, g.Size().Width-scrubSide-w, min(max(y, 4), view-scrubHigh-4), w, scrubHigh)
	kit.Place(s.ground, 0, 0, w, scrubHigh)
	kit.Place(s.text, scrubPad, (scrubHigh-m.Height)/2, m.Width, m.Height)
	s.root.Show()
	s.root.Refresh()
	if s.timer != nil {
		s.timer.Stop()
	}
	var timer *time.Timer
	timer = time.AfterFunc(scrubLife, func() {
		g.k.Do(func() {
			if s.timer == timer {
				s.hide()
			}
		})
	})
	s.timer = timer
}

func (s *scrub) hide() {
	if s.root.Visible() {
		s.root.Hide()
		canvas.Refresh(s.root)
	}
}

// place says what the grid shows at its top: the time, the session or the name, as it is sorted, or else
// the number of the image.
func (s *scrub) place() string {
	g := s.g
	i := min(max(g.flow.first(g.flow.rowAt(g.scroll.Offset.Y+g.flow.pitch()/2)), 0), len(g.list.ids)-1)
	switch g.query.SortBy {
	case "", "created", "modified":
		if i < len(g.listed) {
			now := time.Now()
			if g.k.Now != nil {
				now = g.k.Now()
			}
			at := g.listed[i].Time()
			return g.k.T("gallery.scrub", g.k.Tr.Day(at, now), g.k.Tr.Clock(at))
		}
	case "session":
		if len(g.sections) > 0 {
			return g.sections[g.flow.partOf(i)].Title
		}
	case "name", library.ByCell:
		if im, ok := g.images[g.list.ids[i]]; ok {
			return kit.Shorten(Title(g.k, im), 240, theme.TextBody, fyne.TextStyle{Bold: true})
		}
	}
	return strconv.Itoa(i+1) + " / " + strconv.Itoa(len(g.list.ids))
}
