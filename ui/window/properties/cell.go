package properties

import (
	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/window/gallery"
	"easel/ui/window/kit"
)

// cell returns the rows about the cell of a notebook that drew an image, if it is known.
func (p *Panel) cell(im library.Image) []fyne.CanvasObject {
	k, c := p.k, im.Cell
	if c == nil {
		return nil
	}
	var buttons []fyne.CanvasObject
	if c.Index != nil && p.act.ShowCell != nil {
		buttons = append(buttons, k.Button(kit.Ghost, "external", "", k.T("menu.show_cell"), func() { p.act.ShowCell(im.ImageID) }).Small())
	}
	rows := []fyne.CanvasObject{k.Section(k.T("cell.section"), buttons...)}
	if _, text := gallery.Stale(k, im); text != "" {
		icon, ink := gallery.StaleIcon(k, c.Stale)
		rows = append(rows, k.Leading(kit.Icon(icon, ink, 16), kit.NewPara(text, 13, k.P.Text, fyne.TextStyle{})))
	}
	var facts []fyne.CanvasObject
	if c.Index != nil {
		facts = append(facts, k.Fact(k.T("fact.cell"), k.T("cell.place", *c.Index+1, c.Total)+" · "+gallery.CellName(k, im), nil))
	}
	if c.Heading != "" {
		facts = append(facts, k.Fact(k.T("fact.heading"), c.Heading, nil))
	}
	if len(facts) > 0 {
		rows = append(rows, kit.NewStack(0, facts...))
	}
	return rows
}
