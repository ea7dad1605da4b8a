package window

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
)

// Deeds with the mouse.

// A target is a plot in the grid that can be clicked.
type target interface {
	fyne.CanvasObject
	desktop.Mouseable
	fyne.DoubleTappable
	fyne.SecondaryTappable
}

// pick chooses a plot in the grid.
func (p *person) pick(n int) (id string, cell target) {
	p.grid()
	c := p.app.shell.gallery
	if len(c.ids) == 0 {
		return "", nil
	}
	id = c.ids[n%len(c.ids)]
	c.grid.Reveal(id)
	p.settled()
	cell, ok := c.grid.CellOf(id).(target)
	if !ok {
		p.t.Fatal(id, " has no cell")
	}
	return id, cell
}

// press presses a button of the mouse and releases it.
func (p *person) press(on desktop.Mouseable, at fyne.Position, button desktop.MouseButton, mod fyne.KeyModifier) {
	e := &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at}, Button: button, Modifier: mod}
	on.MouseDown(e)
	on.MouseUp(e)
	p.settled()
}

// middle is a position in a cell without stars.
var middle = fyne.NewPos(50, 50)

// click presses the mouse on a plot. Fyne's driver takes the focus from a field then.
func (p *person) click(n int, mod fyne.KeyModifier) string {
	id, cell := p.pick(n)
	if id == "" {
		return ""
	}
	p.press(cell, middle, desktop.MouseButtonPrimary, mod)
	switch now := p.selected(); {
	case mod == 0 && !slices.Equal(now, []string{id}):
		return fmt.Sprintf("%s was clicked, %v is selected", id, now)
	case mod == fyne.KeyModifierShift && (len(now) == 0 || now[len(now)-1] != id || !p.adjacent(now)):
		return fmt.Sprintf("a range to %s selects %v", id, now)
	}
	return ""
}

// adjacent reports whether plots follow each other in the grid, in either direction.
func (p *person) adjacent(ids []string) bool {
	from := slices.Index(p.app.shell.gallery.ids, ids[0])
	to := slices.Index(p.app.shell.gallery.ids, ids[len(ids)-1])
	return from >= 0 && to >= 0 && max(from-to, to-from) == len(ids)-1
}

// double opens a plot.
func (p *person) double(n int) string {
	id, cell := p.pick(n)
	if id == "" {
		return ""
	}
	p.press(cell, middle, desktop.MouseButtonPrimary, 0)
	cell.DoubleTapped(&fyne.PointEvent{Position: middle})
	p.settled()
	return p.opened([]string{id})
}

// star clicks a star on a plot: that of its rating removes it.
func (p *person) star(n int) string {
	id, cell := p.pick(n)
	if id == "" {
		return ""
	}
	ids, stars := []string{id}, 1+n/7%5
	if all := p.selected(); slices.Contains(all, id) {
		ids = all
	}
	size := cell.Size()
	p.press(cell, fyne.NewPos(size.Width-8-14*(5.5-float32(stars)), size.Height-15), desktop.MouseButtonPrimary, 0)
	rating := fmt.Sprint(stars)
	if p.now[id+"/rating"] == rating {
		rating = ""
	}
	p.mark("rating", rating, ids...)
	return ""
}

// part returns the object of a type that is drawn.
func (p *person) part(kind string) fyne.CanvasObject {
	for _, o := range test.LaidOutObjects(p.app.win.Canvas().Content()) {
		if fmt.Sprintf("%T", o) == kind {
			return o
		}
	}
	return nil
}

// band draws a rectangle over plots. Meanwhile the window is built again, a plot arrives, or
// the person changes their mind.
func (p *person) band(n int) string {
	p.grid()
	p.app.shell.gallery.grid.ScrollToTop()
	was := p.selected()
	sheet, ok := p.part("*gallery.sheet").(desktop.Mouseable)
	if !ok || len(p.app.shell.gallery.ids) == 0 {
		return ""
	}
	origin := fyne.NewPos(300, 200) // of the sheet, in the window
	at := fyne.NewPos(2, 2)
	sheet.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at, AbsolutePosition: origin.Add(at)}, Button: desktop.MouseButtonPrimary})
	p.settled()
	band, ok := p.part("*gallery.band").(fyne.Draggable)
	if !ok {
		return "no rectangle is drawn"
	}
	band.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{AbsolutePosition: origin.AddXY(250, 150)}})
	switch n % 4 {
	case 0:
		p.theme = []string{"light", "dark"}[n/4%2]
		p.put()
		p.rebuilt()
	case 1:
		p.arrive("")
	case 2:
		p.key(fyne.KeyEscape)
	}
	band.DragEnd() // Fyne's driver ends the drag on the same object
	p.settled()
	switch now := p.selected(); {
	case n%4 == 2 && !slices.Equal(now, was):
		return fmt.Sprintf("%v was selected before a rectangle that Escape ended, %v is after it", was, now)
	case n%4 != 2 && len(now) == 0:
		return "a rectangle selects nothing"
	}
	return ""
}

// menu opens the menu of a plot, which is about the whole selection if the plot is in it.
func (p *person) menu(n int) string {
	id, cell := p.pick(n)
	if id == "" {
		return ""
	}
	ids := []string{id}
	if all := p.selected(); slices.Contains(all, id) {
		ids = all
	}
	p.press(cell, middle, desktop.MouseButtonSecondary, 0)
	cell.TappedSecondary(&fyne.PointEvent{Position: middle, AbsolutePosition: fyne.NewPos(400, 200)})
	p.settled()
	if now := p.selected(); !slices.Equal(now, ids) {
		return fmt.Sprintf("the menu of %s is about %v, %v is selected", id, ids, now)
	}
	wrong := ""
	switch place := map[bool]string{false: "menu.trash", true: "trash.restore"}[p.inTrash()]; n / 7 % 3 {
	case 0:
		p.key(fyne.KeyEscape)
	case 1:
		if !p.chosen(place) {
			return "the menu has no " + place
		}
		p.mark("trashed", map[bool]string{false: "yes"}[p.inTrash()], ids...)
	case 2:
		if !p.chosen("menu.open") {
			return "the menu opens nothing"
		}
		if len(ids) == 1 || !p.inTrash() {
			wrong = p.opened([]string{id})
		}
	}
	if p.app.win.Canvas().Overlays().Top() != nil {
		return "the menu stays"
	}
	return wrong
}

// chosen taps an item of the menu that is open. It reports whether there is one.
func (p *person) chosen(label string) bool {
	for _, o := range test.LaidOutObjects(p.app.win.Canvas().Overlays().Top()) {
		if item, ok := o.(menuItem); ok && item.Label() == p.app.shell.k.T(label) {
			item.Tapped(&fyne.PointEvent{})
			p.settled()
			return true
		}
	}
	return false
}

// A menuItem is an item of a menu that is open.
type menuItem interface {
	fyne.Tappable
	Label() string
}
