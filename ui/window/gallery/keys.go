package gallery

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// pick sets the selection and the cursor, and reports them to Actions.Select.
func (g *Grid) pick(ids []string, cursor string) {
	g.order, g.cursor = ids, cursor
	clear(g.selected)
	for _, id := range ids {
		g.selected[id] = true
	}
	g.repaint()
	g.act.Select(slices.Clone(ids), cursor)
}

// clicked handles a click on a cell. It selects the image; with Control, it adds or
// removes it; with Shift, it selects the range from the last click.
func (g *Grid) clicked(id string, mod fyne.KeyModifier, button desktop.MouseButton) {
	switch {
	case button == desktop.MouseButtonSecondary && g.selected[id]:
		// The menu applies to the selection.
	case mod&fyne.KeyModifierShift != 0:
		g.pick(g.span(g.anchorOr(id), id), id)
	case mod&fyne.KeyModifierShortcutDefault != 0:
		g.toggle(id)
	default:
		g.anchor = id
		g.pick([]string{id}, id)
	}
}

func (g *Grid) toggle(id string) {
	g.anchor = id
	if g.selected[id] {
		g.pick(slices.DeleteFunc(slices.Clone(g.order), func(o string) bool { return o == id }), id)
		return
	}
	g.pick(append(slices.Clone(g.order), id), id)
}

func (g *Grid) anchorOr(id string) string {
	if _, ok := g.index[g.anchor]; ok {
		return g.anchor
	}
	if _, ok := g.index[g.cursor]; ok {
		return g.cursor
	}
	return id
}

// span returns the images from a to b, in this direction.
func (g *Grid) span(a, b string) []string {
	i, j := g.index[a], g.index[b]
	ids := slices.Clone(g.ids[min(i, j) : max(i, j)+1])
	if i > j {
		slices.Reverse(ids)
	}
	return ids
}

func (g *Grid) rateOne(id string, rating int) {
	ids := []string{id}
	if g.selected[id] && len(g.order) > 1 {
		ids = slices.Clone(g.order)
	}
	g.act.Rate(ids, rating)
}

// SelectAll selects all images in the list.
func (g *Grid) SelectAll() {
	if len(g.ids) > 0 {
		g.pick(slices.Clone(g.ids), g.cursorOrFirst())
	}
}

func (g *Grid) cursorOrFirst() string {
	if _, ok := g.index[g.cursor]; ok {
		return g.cursor
	}
	if len(g.ids) > 0 {
		return g.ids[0]
	}
	return ""
}

// Key handles a key. It reports whether the grid uses the key.
func (g *Grid) Key(name fyne.KeyName, mod fyne.KeyModifier) bool {
	if len(g.ids) == 0 {
		return false
	}
	n := g.columns()
	page := max(int(g.scroll.Size().Height/g.pitch()), 1) * n
	i, ok := g.index[g.cursor]
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
		to = len(g.ids) - 1
	case fyne.KeySpace:
		g.toggle(g.cursorOrFirst())
		return true
	case fyne.KeyReturn, fyne.KeyEnter:
		if n := len(g.order); n > 0 && !g.selected[g.cursor] { // it was taken out of the selection
			g.act.Open(g.order[n-1])
		} else {
			g.act.Open(g.cursorOrFirst())
		}
		return true
	case fyne.KeyEscape:
		if len(g.order) == 0 {
			return false
		}
		g.pick(nil, g.cursor)
		return true
	default:
		return false
	}
	if !ok { // without a cursor, the first key moves it to the beginning
		to = 0
		if name == fyne.KeyEnd {
			to = len(g.ids) - 1
		}
	}
	if rows := (to - i) / n; ok && g.parted() && (to-i)%n == 0 && upDown[name] {
		to = g.vertical(i, rows)
	}
	g.move(i, to, mod)
	return true
}

// upDown are the keys that move to another row.
var upDown = map[fyne.KeyName]bool{fyne.KeyDown: true, fyne.KeyUp: true, fyne.KeyPageDown: true, fyne.KeyPageUp: true}

func (g *Grid) move(from, to int, mod fyne.KeyModifier) {
	n := g.columns()
	switch {
	case to < 0 && from-to >= n: // up or a page up: the same column of the first row
		to = min(from%n, len(g.ids)-1)
	case to >= len(g.ids) && to-from >= n && to/n > (len(g.ids)-1)/n:
		to = len(g.ids) - 1
	}
	to = min(max(to, 0), len(g.ids)-1)
	id := g.ids[to]
	switch {
	case mod&fyne.KeyModifierShift != 0:
		if _, ok := g.index[g.anchor]; !ok {
			g.anchor = g.cursorOrFirst()
		}
		g.pick(g.span(g.anchor, id), id)
	default:
		g.anchor = id
		g.pick([]string{id}, id)
	}
	g.Reveal(id)
}
