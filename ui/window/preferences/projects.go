package preferences

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// A projectsCard lists the projects that assistants may work in.
type projectsCard struct {
	p     *Page
	root  *fyne.Container
	rows  []fyne.CanvasObject
	drawn *state.Projects // the projects in the rows; nil before the first
	whole bool            // all projects are listed
}

// mostListed is how many projects are listed until the user wants to see all. The other settings are below.
const mostListed = 8

func newProjectsCard(p *Page) *projectsCard {
	c := &projectsCard{p: p}
	ground := kit.Fill(p.k.P.Raised, 8)
	ground.StrokeColor, ground.StrokeWidth = p.k.P.Line, 1
	c.root = &fyne.Container{Objects: []fyne.CanvasObject{ground}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			kit.Place(ground, 0, 0, s.Width, s.Height)
			for i, r := range c.rows {
				kit.Place(r, 0, float32(i)*serverH, s.Width, serverH)
			}
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, float32(len(c.rows))*serverH) },
	}}
	return c
}

// render shows the projects of a state.
func (c *projectsCard) render(n *state.Snapshot) {
	k, now := c.p.k, n.Settings.Projects
	if c.drawn != nil && *c.drawn == now || k.Pressed(c.root, func() { c.render(n) }) {
		return
	}
	c.drawn, c.rows = &now, nil
	all := now.All()
	listed := all
	if len(all) > mostListed+1 && !c.whole {
		listed = all[:mostListed]
	}
	for _, x := range listed {
		c.rows = append(c.rows, c.row(x))
	}
	hint := ""
	if len(all) == 0 {
		hint = k.T("projects.none")
	}
	last := []fyne.CanvasObject{kit.NewLine(hint, theme.TextBody, k.P.Muted, fyne.TextStyle{}, 60)}
	if more := len(all) - len(listed); more > 0 {
		last = append(last, k.Button(kit.Ghost, "chevron-down", k.T("projects.more", more), "", func() {
			c.whole, c.drawn = true, nil
			c.render(c.p.port.Snapshot())
		}))
	}
	last = append(last, k.Button(kit.Quiet, "plus", k.T("projects.open"), "", c.p.port.OpenProject))
	c.rows = append(c.rows, kit.PadRow(14, 12, 0, last...))
	c.root.Objects = append(c.root.Objects[:1:1], c.rows...)
	c.root.Layout.Layout(c.root.Objects, c.root.Size())
	c.p.column.Relayout()
	c.root.Refresh()
}

func (c *projectsCard) row(x state.Project) fyne.CanvasObject {
	k := c.p.k
	python := x.Python
	if python == "" {
		python = k.T("projects.found")
	}
	folder := kit.NewLine(x.Root, theme.TextBody, k.P.Text, fyne.TextStyle{}, 60)
	sub := kit.NewLine(k.T("kernel.fact", k.T("projects.python"), python), theme.TextCaption, k.P.Muted, fyne.TextStyle{}, 60)
	var choose *kit.Button
	choose = k.Button(kit.Ghost, "", k.T("projects.choose"), k.T("projects.choose_tip"), func() {
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(choose)
		c.p.port.PythonMenu(x.Root, at.AddXY(0, choose.Size().Height+3))
	}).Small()
	remove := k.Button(kit.Danger, "", k.T("projects.remove"), "", func() {
		c.p.port.Confirm(k.T("projects.remove_ask", x.Root), k.T("projects.remove_text"), k.T("projects.remove"), func() {
			c.p.port.Settings(func(s *state.Settings) {
				s.Projects, s.EnvFiles = s.Projects.Without(x.Root), s.EnvFiles.Without(x.Root)
				s.SecretsShown = s.SecretsShown.Without(x.Root)
			})
		})
	}).Small()
	buttons := kit.NewRow(6, -1, choose, remove)
	line := canvas.NewRectangle(k.P.Line)
	return &fyne.Container{Objects: []fyne.CanvasObject{folder, sub, buttons, line}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, z fyne.Size) {
			m := buttons.MinSize()
			w := z.Width - 14 - m.Width - 28
			kit.Place(folder, 14, 7, w, 20)
			kit.Place(sub, 14, 27, w, 17)
			kit.Place(buttons, z.Width-14-m.Width, (z.Height-m.Height)/2, m.Width, m.Height)
			kit.Place(line, 14, z.Height-1, z.Width-28, 1)
		},
	}}
}
