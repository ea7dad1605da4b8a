package data

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"easel/ui/window/kit"
)

var (
	_ fyne.Focusable    = (*grid)(nil)
	_ fyne.Shortcutable = (*grid)(nil)
)

// FocusGained implements fyne.Focusable.
func (g *grid) FocusGained() { g.focused = true; g.update() }

// FocusLost implements fyne.Focusable.
func (g *grid) FocusLost() { g.focused = false; g.update() }

// TypedRune implements fyne.Focusable.
func (g *grid) TypedRune(r rune) { g.p.port.Typed(r) }

// TypedKey implements fyne.Focusable.
func (g *grid) TypedKey(e *fyne.KeyEvent) {
	if kit.MenuKey(e) && g.p.Menu() || g.p.Key(e.Name) {
		return
	}
	g.p.k.Unused(e)
}

// TypedShortcut implements fyne.Shortcutable.
func (g *grid) TypedShortcut(s fyne.Shortcut) { g.p.port.Forward(s) }

// Shortcut handles a key with Ctrl. It reports whether it did.
func (p *Page) Shortcut(s fyne.Shortcut) bool {
	if p.tables.shown == nil {
		return false
	}
	switch s := s.(type) {
	case *fyne.ShortcutCopy:
		p.Copy()
	case *fyne.ShortcutSelectAll:
		p.grid.selectAll()
	case *desktop.CustomShortcut:
		if s.Modifier&fyne.KeyModifierControl == 0 {
			return false
		}
		if s.KeyName == fyne.KeyF && s.Modifier&fyne.KeyModifierShift == 0 {
			p.Search()
			return true
		}
		if s.KeyName == fyne.KeyG && s.Modifier&fyne.KeyModifierShift == 0 {
			p.goToColumn()
			return true
		}
		return p.grid.far(s.KeyName, s.Modifier&fyne.KeyModifierShift != 0)
	default:
		return false
	}
	return true
}

func (g *grid) selectAll() {
	if t := g.t; t != nil && t.known {
		t.start = cell{t.rows() - 1, t.shape.Columns - 1}
		t.current = cell{}
		t.clamp()
		g.update()
		g.p.moved()
	}
}

// far goes to an end of the table. It reports whether the key does.
func (g *grid) far(key fyne.KeyName, extend bool) bool {
	if g.t == nil || !g.t.known {
		return false
	}
	c, last := g.t.current, cell{g.t.rows() - 1, g.t.shape.Columns - 1}
	//exhaustive:ignore
	switch key {
	case fyne.KeyHome:
		c = cell{}
	case fyne.KeyEnd:
		c = last
	case fyne.KeyUp:
		c.row = 0
	case fyne.KeyDown:
		c.row = last.row
	case fyne.KeyLeft:
		c.column = 0
	case fyne.KeyRight:
		c.column = last.column
	default:
		return false
	}
	g.choose(c, extend)
	return true
}

// key moves the current cell. It reports whether the key does.
func (g *grid) key(name fyne.KeyName) bool {
	if g.t == nil || !g.t.known {
		return false
	}
	c, page := g.t.current, max(g.whole()-1, 1)
	//exhaustive:ignore
	switch name {
	case fyne.KeyUp:
		c.row--
	case fyne.KeyDown:
		c.row++
	case fyne.KeyLeft:
		c.column--
	case fyne.KeyRight:
		c.column++
	case fyne.KeyPageUp:
		g.t.top = max(g.t.top-page, 0)
		c.row -= page
	case fyne.KeyPageDown:
		g.t.top = min(g.t.top+page, g.lastTop(g.t))
		c.row += page
	case fyne.KeyHome:
		c.column = 0
	case fyne.KeyEnd:
		c.column = g.t.shape.Columns - 1
	default:
		return false
	}
	g.choose(c, kit.Modifiers()&fyne.KeyModifierShift != 0)
	return true
}
