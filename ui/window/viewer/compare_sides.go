package viewer

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
)

// sideFoot is the height of the stars under each side.
const sideFoot float32 = 30

// newFoot returns the stars under a side.
func (c *Compare) newFoot(p *pane) fyne.CanvasObject {
	p.stars = c.k.Stars(16, func(n int) {
		c.SetCurrent(p.id)
		c.act.Rate([]string{p.id}, n)
	})
	ground := canvas.NewRectangle(c.k.P.Panel)
	return &fyne.Container{Objects: []fyne.CanvasObject{ground, p.stars}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			m := p.stars.MinSize()
			kit.Place(p.stars, (s.Width-m.Width)/2, (s.Height-m.Height)/2, m.Width, m.Height)
		},
	}}
}

// rated reports whether the sides have stars.
func (c *Compare) rated() bool { return c.act.Rate != nil }

// Current returns the id of the image on the current side, to which keys apply; "" if nothing is
// compared.
func (c *Compare) Current() string {
	if c.front >= len(c.panes) {
		return ""
	}
	return c.panes[c.front].id
}

// SetCurrent makes the side of an image the current one.
func (c *Compare) SetCurrent(id string) {
	for i, p := range c.panes {
		if p.id == id && i != c.front {
			c.front = i
			c.Refresh()
			c.zoomed()
			if c.act.Moved != nil {
				c.act.Moved()
			}
		}
	}
}

// Step makes another side the current one. In Flicker mode, the user alternates by hand from then on.
func (c *Compare) Step(by int) {
	n := len(c.panes)
	if n == 0 || c.mode == Difference {
		return
	}
	c.stopBeat()
	c.SetCurrent(c.panes[((c.front+by)%n+n)%n].id)
}

// Swap shows the next image in Flicker mode. In other modes it does nothing.
func (c *Compare) Swap() {
	if c.mode == Flicker && len(c.panes) > 0 {
		c.SetCurrent(c.panes[(c.front+1)%len(c.panes)].id)
	}
}

// stepKey goes to another side with an arrow key, unless the pictures are zoomed: then it moves them.
func (c *Compare) stepKey(name fyne.KeyName) bool {
	if len(c.panes) == 0 || c.mode == Difference || !c.stageNow().fit {
		return false
	}
	columns := 1
	if c.mode == SideBySide {
		columns, _ = grid(len(c.panes), c.Size())
	}
	by := map[fyne.KeyName]int{fyne.KeyLeft: -1, fyne.KeyRight: 1, fyne.KeyUp: -columns, fyne.KeyDown: columns}[name]
	if rows := len(c.panes) / columns; by == 0 || rows == 1 && columns > 1 && (name == fyne.KeyUp || name == fyne.KeyDown) {
		return false
	}
	c.Step(by)
	return true
}
