package gallery

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
)

// partedGrid returns a grid with n images, of which the first at are in the first part.
func partedGrid(t *testing.T, n, at int) (*Grid, *picked) {
	t.Helper()
	g, q, _, p := newTestGrid(t, n)
	g.act.Sections = func(_ library.Query, all []library.ListEntry) []Section {
		switch at = min(at, len(all)); at {
		case 0:
			return []Section{{Title: "Others"}}
		case len(all):
			return nil
		}
		return []Section{{}, {From: at, Title: "Others"}}
	}
	listed := false
	g.act.Listed = func(Answer) { listed = true }
	g.Ask(library.Query{Rating: -1, SortBy: library.ByCell})
	q.Until(t, "the parts", func() bool { return listed && g.Settled() })
	return g, p
}

func TestTheSecondPartBeginsBelowItsHeading(t *testing.T) {
	for _, at := range []int{0, 1, 3, 4, 11, 12} {
		g, _ := partedGrid(t, 12, at)
		n := g.flow.columns()
		if n != 3 {
			t.Fatalf("%d columns", n)
		}
		for i := range g.list.ids {
			row, column, below := i/n, i%n, float32(0)
			if i >= at {
				row, column, below = (at+n-1)/n+(i-at)/n, (i-at)%n, headH
			}
			want := fyne.NewPos(gridPad+float32(column)*(g.flow.cellSize().Width+gridGap), gridPad+float32(row)*g.flow.pitch()+below)
			if got := g.flow.position(i); got != want {
				t.Errorf("split at %d: image %d is at %v, want %v", at, i, got, want)
			}
			if got := g.flow.rowAt(want.Y - gridPad + 1); got != row {
				t.Errorf("split at %d: image %d is in row %d, want %d", at, i, got, row)
			}
		}
		if last := g.flow.position(11).Y + g.flow.cellSize().Height + gridPad; g.flow.height() != last {
			t.Errorf("split at %d: the grid ends at %v, want %v", at, g.flow.height(), last)
		}
		g.scroll.ScrollToBottom()
		g.arrange()
		for _, id := range g.list.ids[9:] {
			if g.cells[id] == nil {
				t.Errorf("split at %d: at the bottom, %s has no cell", at, id)
			}
		}
	}
}

func TestKeysAndBandsCrossTheHeading(t *testing.T) {
	g, p := partedGrid(t, 10, 5) // rows: 0-2, 3-4, heading, 5-7, 8-9
	for _, c := range []struct {
		from, to int
		key      fyne.KeyName
	}{
		{1, 4, fyne.KeyDown},
		{2, 4, fyne.KeyDown},
		{3, 5, fyne.KeyDown},
		{4, 6, fyne.KeyDown},
		{7, 9, fyne.KeyDown},
		{8, 8, fyne.KeyDown},
		{9, 6, fyne.KeyUp},
		{7, 4, fyne.KeyUp},
		{5, 3, fyne.KeyUp},
		{1, 1, fyne.KeyUp},
		{4, 5, fyne.KeyRight},
		{5, 4, fyne.KeyLeft},
		{0, 5, fyne.KeyPageDown},
		{9, 9, fyne.KeyEnd},
	} {
		g.pick([]string{g.list.ids[c.from]}, g.list.ids[c.from])
		g.Key(c.key, 0)
		if p.cursor != g.list.ids[c.to] {
			t.Errorf("%s from %d goes to %d, want %d", c.key, c.from, slices.Index(g.list.ids, p.cursor), c.to)
		}
	}
	from, to := g.flow.position(3), g.flow.position(6)
	if got := (&band{g: g}).touching(from, to.AddXY(5, 5)); !slices.Equal(got, []string{g.list.ids[3], g.list.ids[4], g.list.ids[5], g.list.ids[6]}) {
		t.Errorf("a band over the heading selects %v", got)
	}
	g.pick(nil, "")
	g.scroll.ScrollToTop()
	g.arrange()
	g.Reveal(g.list.ids[9])
	if c := g.cells[g.list.ids[9]]; c == nil || c.Position().Y+c.Size().Height > g.scroll.Offset.Y+g.scroll.Size().Height {
		t.Error("the last image is not in sight")
	}
}
