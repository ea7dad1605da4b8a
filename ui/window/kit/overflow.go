package kit

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
)

// A Hint is the key of a menu's item, as it is shown. It is the item's Shortcut, and only informs.
type Hint string

// ShortcutName implements fyne.Shortcut.
func (h Hint) ShortcutName() string { return string(h) }

// An Overflow is a button that lists the controls for which a toolbar has no room, with their keys. It is hidden while all
// have room.
type Overflow struct {
	*Button
	k     *Kit
	bar   []fyne.CanvasObject // in the order of the menu
	lacks []fyne.CanvasObject
	as    map[fyne.CanvasObject]func() []*fyne.MenuItem
}

// Overflow returns the button for the controls of a toolbar. A Button and Stars become items of their own accord.
func (k *Kit) Overflow(bar ...fyne.CanvasObject) *Overflow {
	o := &Overflow{k: k, bar: bar, as: make(map[fyne.CanvasObject]func() []*fyne.MenuItem)}
	o.Button = k.Button(Ghost, "more", "", k.T("overflow.tip"), o.open)
	o.Hide()
	return o
}

// As says which items a control becomes. Without any, it is left out.
func (o *Overflow) As(control fyne.CanvasObject, items func() []*fyne.MenuItem) {
	o.as[control] = items
}

// Lack says which controls have no room. Layouts call it.
func (o *Overflow) Lack(controls ...fyne.CanvasObject) {
	o.lacks = slices.DeleteFunc(slices.Clone(controls), func(c fyne.CanvasObject) bool { return !o.listed(c) })
	SetVisible(o.Button, len(o.lacks) > 0)
}

// listed reports whether a control becomes items.
func (o *Overflow) listed(control fyne.CanvasObject) bool {
	switch within(control).(type) {
	case *Button, *Stars:
		return true
	}
	return o.as[control] != nil
}

// Items returns the menu.
func (o *Overflow) Items() (items []*fyne.MenuItem) {
	for _, c := range o.bar {
		if !slices.Contains(o.lacks, c) {
			continue
		}
		if as := o.as[c]; as != nil {
			items = append(items, as()...)
		} else if x, ok := within(c).(interface{ item() *fyne.MenuItem }); ok {
			items = append(items, x.item())
		}
	}
	return items
}

func (o *Overflow) open() {
	if items := o.Items(); len(items) > 0 && o.k.Menu != nil {
		at := fyne.CurrentApp().Driver().AbsolutePositionForObject(o.Button)
		o.k.Menu(at.AddXY(0, o.Size().Height+3), items...)
	}
}

// item returns what a button becomes in a menu: what its tip says first, or its text, and its key.
func (b *Button) item() *fyne.MenuItem {
	label, key := b.k.unkeyed(cmp.Or(b.tip, b.text))
	for _, end := range []string{". ", "。"} {
		label, _, _ = strings.Cut(label, end)
	}
	m := fyne.NewMenuItem(label, func() { b.Tapped(nil) })
	m.Checked, m.Disabled = b.on, b.off
	if key != "" {
		m.Shortcut = Hint(key)
	}
	return m
}

// item returns what stars become in a menu.
func (s *Stars) item() *fyne.MenuItem {
	m := fyne.NewMenuItem(s.k.T("menu.rate"), nil)
	m.ChildMenu = fyne.NewMenu("")
	for i := 5; i >= 0; i-- {
		x := fyne.NewMenuItem(s.k.Tr.N("menu.stars", i), func() { s.rate(i) })
		x.Checked = i == s.rating
		m.ChildMenu.Items = append(m.ChildMenu.Items, x)
	}
	return m
}
