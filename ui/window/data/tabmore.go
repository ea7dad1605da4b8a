package data

import (
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/window/kit"
)

// The least and the largest width of a tab.
const tabLeast, tabMost float32 = 96, 240

// arrange places the tabs for which there is room, the one that is shown among them. The others are in the menu of the bar.
func (b *tabBar) arrange(os []fyne.CanvasObject, s fyne.Size) {
	n := len(os)
	if n == 0 {
		b.more.Lack()
		return
	}
	fit, room := n, s.Width
	if float32(n)*tabLeast > s.Width {
		room -= b.more.MinSize().Width + 4
		fit = max(int(room/tabLeast), 1)
	}
	shown := max(slices.IndexFunc(b.of, func(x tabState) bool { return x.shown }), 0)
	first := max(shown-fit+1, 0)
	b.hidden = append(slices.Clone(b.of[:first]), b.of[min(first+fit, n):]...)
	w := min(room/float32(fit), tabMost)
	for i, o := range os {
		kit.SetVisible(o, i >= first && i < first+fit)
		kit.Place(o, float32(i-first)*w, 0, w-4, s.Height)
	}
	b.more.Lack()
	if len(b.hidden) > 0 {
		b.more.Lack(b.row)
	}
}

// items returns the tabs for which there is no room.
func (b *tabBar) items() (items []*fyne.MenuItem) {
	for _, x := range b.hidden {
		items = append(items, fyne.NewMenuItem(x.t.name+"  ·  "+x.session, func() { b.p.look(x.t) }))
	}
	return items
}
