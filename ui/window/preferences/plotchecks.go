package preferences

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/facts/checks"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A checksCard says which checks of plots are on. It lists them if the user wants to see them.
type checksCard struct {
	p    *Page
	root *fyne.Container
	open bool

	head  fyne.CanvasObject
	count *kit.Line
	fold  *kit.Button
	reset *kit.Button
	rows  []checkRow
	heads [2]*kit.Line // of the checks of the data, and of the drawing
}

type checkRow struct {
	check   checks.Check
	root    fyne.CanvasObject
	on, off *kit.Button
}

// The heights of the rows, in Fyne's units.
const (
	checksHeadH float32 = 56
	checkTitleH float32 = 34
	checkH      float32 = 36
)

func newChecksCard(p *Page) *checksCard {
	k := p.k
	c := &checksCard{p: p, count: kit.NewLine("", theme.TextBody-1, k.P.Muted, fyne.TextStyle{}, 120)}
	c.count.Align(fyne.TextAlignTrailing)
	c.reset = k.Button(kit.Ghost, "", k.T("settings.plot_checks_all"), "", func() {
		p.port.Settings(func(s *state.Settings) { s.PlotChecks = state.PlotChecks{} })
	})
	c.fold = k.Button(kit.Quiet, "", k.T("settings.licences_show"), "", c.toggle)
	c.head = p.item("settings.plot_checks", "settings.plot_checks_hint", kit.NewRow(8, 0, c.count, c.reset, c.fold))
	for i, key := range []string{"settings.plot_checks_data", "settings.plot_checks_drawing"} {
		c.heads[i] = kit.NewLine(k.T(key), theme.TextCaption, k.P.Muted, fyne.TextStyle{Bold: true}, 60)
	}
	for _, x := range checks.All {
		c.rows = append(c.rows, c.row(x))
	}
	ground := kit.Fill(k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = k.P.Line, 1
	c.root = &fyne.Container{Objects: []fyne.CanvasObject{ground, c.head}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			kit.Place(c.head, 0, 0, s.Width, checksHeadH)
			c.arrange(func(o fyne.CanvasObject, y, h float32) { kit.Place(o, 14, y, s.Width-28, h) })
		},
		Min: func([]fyne.CanvasObject) fyne.Size {
			return fyne.NewSize(200, c.arrange(func(fyne.CanvasObject, float32, float32) {}))
		},
	}}
	p.updates = append(p.updates, c.set)
	return c
}

func (c *checksCard) row(x checks.Check) checkRow {
	k := c.p.k
	turn := func(on bool) func() {
		return func() {
			c.p.port.Settings(func(s *state.Settings) { s.PlotChecks = s.PlotChecks.With(x, on) })
		}
	}
	r := checkRow{check: x}
	r.on = k.Button(kit.Quiet, "", k.T("settings.on"), "", turn(true)).Small()
	r.off = k.Button(kit.Quiet, "", k.T("settings.off"), "", turn(false)).Small()
	r.root = kit.NewRow(4, 0, kit.NewLine(x.Title(k.Tr.Lang()), theme.TextBody, k.P.Text, fyne.TextStyle{}, 60), r.on, r.off)
	return r
}

// arrange places what is below the head, and returns the height of the card.
func (c *checksCard) arrange(place func(o fyne.CanvasObject, y, h float32)) (height float32) {
	y := checksHeadH
	if !c.open {
		return y
	}
	data := !c.rows[0].check.Data()
	for _, r := range c.rows {
		if r.check.Data() != data {
			data = r.check.Data()
			head := c.heads[0]
			if !data {
				head = c.heads[1]
			}
			place(head, y, checkTitleH)
			y += checkTitleH
		}
		place(r.root, y, checkH)
		y += checkH
	}
	return y + 6
}

// toggle lists the checks, or hides them.
func (c *checksCard) toggle() {
	c.open = !c.open
	c.root.Objects = c.root.Objects[:2:2]
	if c.fold.SetText(c.p.k.T("settings.licences_show")); c.open {
		c.fold.SetText(c.p.k.T("settings.hide"))
		line := canvas.NewRectangle(c.p.k.P.Line)
		kit.Place(line, 14, checksHeadH, c.root.Size().Width-28, 1)
		c.root.Add(line)
		for _, h := range c.heads {
			c.root.Add(h)
		}
		for _, r := range c.rows {
			c.root.Add(r.root)
		}
	}
	c.p.column.Relayout()
	c.root.Refresh()
}

// set shows which checks are on.
func (c *checksCard) set(s state.Settings) {
	k, on := c.p.k, 0
	for _, r := range c.rows {
		is := s.PlotChecks.On(r.check)
		r.on.SetOn(is)
		r.off.SetOn(!is)
		if is {
			on++
		}
	}
	text := k.T("settings.plot_checks_on", on, len(c.rows))
	if on == len(c.rows) {
		text = k.T("settings.plot_checks_every")
	}
	c.count.Set(text, nil)
	kit.SetVisible(c.reset, on < len(c.rows))
	c.root.Refresh()
}
