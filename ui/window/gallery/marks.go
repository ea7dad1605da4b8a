package gallery

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// The marks are in the upper corners of the matte: that of a new plot on the left; the badge, the result of a check,
// why the plot is stale, and the number of its findings on the right.

// checkedEdge is the size of the marks of a checked plot, of a stale one and of findings.
const checkedEdge float32 = 13

// layMarks places the marks of a cell with a size.
func (c *cell) layMarks(s fyne.Size) {
	m := c.badgeT.MinSize()
	kit.Place(c.badge, s.Width-10-m.Width-8, 10, m.Width+8, m.Height+3)
	kit.Place(c.badgeT, s.Width-10-m.Width-4, 11, m.Width, m.Height)
	kit.Place(c.dot, 10, 10, 9, 9)
	markX := s.Width - 10 - checkedEdge - 4
	if c.badgeT.Text != "" {
		markX -= m.Width + 12
	}
	kit.Place(c.checkedOn, markX-2, 8, checkedEdge+4, checkedEdge+4)
	kit.Place(c.checked, markX, 10, checkedEdge, checkedEdge)
	if c.im.Checked != "" {
		markX -= checkedEdge + 7
	}
	kit.Place(c.staleOn, markX-2, 8, checkedEdge+4, checkedEdge+4)
	kit.Place(c.stale, markX, 10, checkedEdge, checkedEdge)
	if c.stale.Visible() {
		markX -= checkedEdge + 7
	}
	right, y := markX+checkedEdge+2, float32(8)
	if right-c.findings.width() < 26 { // a small cell with all the other marks
		right, y = s.Width-10, 8+checkedEdge+8
	}
	c.findings.place(right, y)
}

func (c *cell) paintStale() {
	why := ""
	if c.im.Cell != nil {
		why = c.im.Cell.Stale
	}
	c.stale.Hidden, c.staleOn.Hidden = why == "", why == ""
	if why != "" {
		icon, ink := StaleIcon(c.g.k, why)
		c.stale.Resource = kit.Icon(icon, ink, checkedEdge).Resource
		c.stale.Refresh()
	}
}

// A findingSign is the quiet sign of a plot with findings: an icon and their number.
type findingSign struct {
	ground *canvas.Rectangle
	icon   *canvas.Image
	count  *canvas.Text
}

func newFindingSign(p *theme.Palette) findingSign {
	return findingSign{
		ground: kit.Fill(p.Raised, (checkedEdge+4)/2), icon: kit.Icon("finding", p.Muted, checkedEdge),
		count: kit.Text("", 10.5, p.Muted, fyne.TextStyle{Bold: true}),
	}
}

// set shows a number, or nothing for 0.
func (f *findingSign) set(n int) {
	f.ground.Hidden, f.icon.Hidden, f.count.Hidden = n == 0, n == 0, n == 0
	f.count.Text = strconv.Itoa(n)
}

func (f *findingSign) width() float32 { return 4 + checkedEdge + 3 + f.count.MinSize().Width + 5 }

// place puts the sign to the left of a position.
func (f *findingSign) place(right, y float32) {
	w, h := f.width(), checkedEdge+4
	m := f.count.MinSize()
	kit.Place(f.ground, right-w, y, w, h)
	kit.Place(f.icon, right-w+4, y+2, checkedEdge, checkedEdge)
	kit.Place(f.count, right-5-m.Width, y+(h-m.Height)/2, m.Width, m.Height)
}

// hint explains the mark on which the pointer is.
func (c *cell) hint(at fyne.Position) {
	on := func(o fyne.CanvasObject) bool {
		from := o.Position()
		to := from.Add(o.Size())
		return o.Visible() && at.X >= from.X && at.X < to.X && at.Y >= from.Y && at.Y < to.Y
	}
	var mark fyne.CanvasObject
	text := ""
	switch {
	case on(c.staleOn):
		mark = c.staleOn
		_, text = Stale(c.g.k, c.im)
	case on(c.findings.ground):
		mark, text = c.findings.ground, c.g.k.Tr.N("finding.count", c.im.Findings)
	}
	if mark == c.hinted {
		return
	}
	if c.hinted = mark; mark == nil {
		c.g.k.Tips.Hide()
		return
	}
	c.g.k.Tips.Show(mark, text)
	if first := c.g.act.Finding; mark == fyne.CanvasObject(c.findings.ground) && first != nil {
		id := c.id
		first(id, func(sentence string) {
			if c.hinted == mark && c.id == id {
				c.g.k.Tips.Show(mark, c.g.k.T("finding.first", text, sentence))
			}
		})
	}
}
