package gallery

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// pick sets the selection and the cursor, and reports them to Actions.Select.
func (g *Grid) pick(ids []string, cursor string) {
	g.toEnd = false
	g.sel.set(ids, cursor)
	g.repaint()
	g.act.Select(slices.Clone(ids), cursor)
}

// pickLast selects the last image and shows it. While more images are still to come, that is again done when they have.
func (g *Grid) pickLast() {
	if n := len(g.list.ids); n > 0 {
		g.sel.anchor = g.list.ids[n-1]
		g.pick([]string{g.sel.anchor}, g.sel.anchor)
		g.Reveal(g.sel.anchor)
		g.toEnd = g.growing
	}
}

// clicked handles a click on a cell. It selects the image; with Control, it adds or
// removes it; with Shift, it selects the range from the last click.
func (g *Grid) clicked(id string, mod fyne.KeyModifier, button desktop.MouseButton) {
	switch {
	case button == desktop.MouseButtonSecondary && g.sel.selected[id]:
		// The menu applies to the selection.
	case mod&fyne.KeyModifierShift != 0:
		g.pick(g.list.span(g.list.firstOf(g.sel.anchor, g.sel.cursor, id), id), id)
	case mod&fyne.KeyModifierShortcutDefault != 0:
		g.sel.anchor = id
		g.pick(g.sel.toggled(id), id)
	default:
		g.sel.anchor = id
		g.pick([]string{id}, id)
	}
}

func (g *Grid) rateOne(id string, rating int) {
	ids := []string{id}
	if g.sel.selected[id] && len(g.sel.order) > 1 {
		ids = slices.Clone(g.sel.order)
	}
	g.act.Rate(ids, rating)
}

// SelectAll selects all images in the list.
func (g *Grid) SelectAll() {
	if len(g.list.ids) > 0 {
		g.pick(slices.Clone(g.list.ids), g.list.firstOf(g.sel.cursor))
	}
}

// Key handles a key. It reports whether the grid uses the key.
func (g *Grid) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if len(g.list.ids) == 0 {
		return false
	}
	n := g.flow.columns()
	page := max(int(g.scroll.Size().Height/g.flow.pitch()), 1) * n
	i, ok := g.list.index[g.sel.cursor]
	to := i
	//exhaustive:ignore
	switch name {
	case fyne.KeyRight:
		to++
	case fyne.KeyLeft:
		to--
	case fyne.KeyDown:
		to += n
	case fyne.KeyUp:
		to -= n
	case fyne.KeyPageDown:
		to += page
	case fyne.KeyPageUp:
		to -= page
	case fyne.KeyHome:
		to = 0
	case fyne.KeyEnd:
		to = len(g.list.ids) - 1
	case fyne.KeySpace:
		id := g.list.firstOf(g.sel.cursor)
		g.sel.anchor = id
		g.pick(g.sel.toggled(id), id)
		return true
	case fyne.KeyReturn, fyne.KeyEnter:
		if n := len(g.sel.order); n > 0 && !g.sel.selected[g.sel.cursor] { // it was taken out of the selection
			g.act.Open(g.sel.order[n-1])
		} else {
			g.act.Open(g.list.firstOf(g.sel.cursor))
		}
		return true
	case fyne.KeyEscape:
		if len(g.sel.order) == 0 {
			return false
		}
		g.pick(nil, g.sel.cursor)
		return true
	default:
		return false
	}
	if !ok { // without a cursor, the first key moves it to the beginning
		to = 0
		if name == fyne.KeyEnd {
			to = len(g.list.ids) - 1
		}
	}
	if rows := (to - i) / n; ok && g.flow.parted() && (to-i)%n == 0 && upDown[name] {
		to = g.flow.vertical(i, rows)
	}
	g.move(i, to, mod)
	g.toEnd = g.growing && name == fyne.KeyEnd && mod == 0
	return true
}

// upDown are the keys that move to another row.
var upDown = map[fyne.KeyName]bool{fyne.KeyDown: true, fyne.KeyUp: true, fyne.KeyPageDown: true, fyne.KeyPageUp: true}

func (g *Grid) move(from, to int, mod fyne.KeyModifier) {
	n := g.flow.columns()
	switch {
	case to < 0 && from-to >= n: // up or a page up: the same column of the first row
		to = min(from%n, len(g.list.ids)-1)
	case to >= len(g.list.ids) && to-from >= n && to/n > (len(g.list.ids)-1)/n:
		to = len(g.list.ids) - 1
	}
	to = min(max(to, 0), len(g.list.ids)-1)
	id := g.list.ids[to]
	switch {
	case mod&fyne.KeyModifierShift != 0:
		g.sel.anchor = g.list.firstOf(g.sel.anchor, g.sel.cursor)
		g.pick(g.list.span(g.sel.anchor, id), id)
	default:
		g.sel.anchor = id
		g.pick([]string{id}, id)
	}
	g.Reveal(id)
}
