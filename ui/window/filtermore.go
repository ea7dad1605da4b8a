package window

import (
	"math"

	"fyne.io/fyne/v2"

	"easel/ui/core/state"
)

// moreOf says what the controls of the bar become in its menu, which are more than buttons.
func (f *filterBar) moreOf() {
	f.more = f.s.k.Overflow(f.op, f.stars, f.time, f.cells, f.sort, f.order, f.slide)
	f.more.Small()
	f.more.As(f.op, func() []*fyne.MenuItem { return nil }) // the stars have it
	f.more.As(f.stars, f.starItems)
	f.more.As(f.sort, func() []*fyne.MenuItem { return submenu(f.s.k.T("filter.sort_tip"), f.sortItems()) })
	f.more.As(f.slide, f.sizeItems)
}

func submenu(label string, items []*fyne.MenuItem) []*fyne.MenuItem {
	m := fyne.NewMenuItem(label, nil)
	m.ChildMenu = fyne.NewMenu("", items...)
	return []*fyne.MenuItem{m}
}

// starItems returns the menu that filters by stars.
func (f *filterBar) starItems() []*fyne.MenuItem {
	k, n := f.s.k, f.snap
	var items []*fyne.MenuItem
	add := func(label, op string, rating int) {
		x := fyne.NewMenuItem(label, func() { f.s.a.navigate.FilterRating(op, rating) })
		x.Checked = n.Query.RatingOp == op && (op == "" || n.Query.Rating == rating)
		items = append(items, x)
	}
	add(k.T("sidebar.all"), "", 0)
	for i := 5; i > 0; i-- {
		add(k.T("filter.stars", opSign(">="), i), ">=", i)
	}
	add(k.T("sidebar.unrated"), "=", 0)
	return submenu(k.T("filter.by_stars"), items)
}

// sortItems returns the orders of the gallery, and what divides it.
func (f *filterBar) sortItems() []*fyne.MenuItem {
	k, a := f.s.k, f.s.a
	var items []*fyne.MenuItem
	for _, by := range sortings {
		item := f.s.keyed("sort_"+by, k.T("sort.by."+by), func() { a.navigate.Sort(by, ascending(by)) })
		item.Checked = sortKey(f.snap) == by
		items = append(items, item)
	}
	headed := fyne.NewMenuItem(k.T("sort.headings"), func() {
		a.settings(func(s *state.Settings) { s.Layout.Headings = state.Chosen(!headings(f.snap)) })
	})
	headed.Checked = headings(f.snap)
	return append(items, fyne.NewMenuItemSeparator(), headed)
}

// sizeItems returns sizes of the cells, as the slider has them.
func (f *filterBar) sizeItems() []*fyne.MenuItem {
	var items []*fyne.MenuItem
	for _, x := range []struct {
		name string
		size float64
	}{{"filter.size_small", f.size.Min}, {"filter.size_medium", 180}, {"filter.size_large", 260}, {"filter.size_largest", f.size.Max}} {
		m := fyne.NewMenuItem(f.s.k.T(x.name), func() {
			f.size.SetValue(x.size)
			f.size.OnChangeEnded(x.size)
		})
		m.Checked = math.Abs(f.size.Value-x.size) < 40
		items = append(items, m)
	}
	return submenu(f.s.k.T("filter.size"), items)
}
