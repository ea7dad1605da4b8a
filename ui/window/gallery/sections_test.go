package gallery

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/ui/core/library"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// said writes sections as a test expects them.
func said(sections []Section) string {
	var b strings.Builder
	for _, s := range sections {
		fmt.Fprintf(&b, "%d %s (%s)\n", s.From, s.Title, s.Note)
	}
	return b.String()
}

func TestDaysAndHoursHaveHeadings(t *testing.T) {
	now := time.Date(2026, 11, 24, 18, 0, 0, 0, time.Local) //nolint:gosmopolitan // the window shows local times
	at := func(days, hour, n int) (all []library.ListEntry) {
		for i := range n {
			when := time.Date(2026, 11, 24-days, hour, 59-i%60, 0, -i, time.Local) //nolint:gosmopolitan // as above
			all = append(all, library.ListEntry{ID: fmt.Sprint(days, hour, i), At: when.UnixNano(), Session: fmt.Sprint("s", days)})
		}
		return all
	}
	en, ja := &kit.Kit{Tr: i18n.New("en"), Now: func() time.Time { return now }}, &kit.Kit{Tr: i18n.New("ja"), Now: func() time.Time { return now }}
	few := slices.Concat(at(0, 17, 3), at(0, 9, 2), at(1, 23, 1), at(3, 0, 4), at(400, 12, 1))
	if got, want := said(ByTime(en, few)), "0 Today (5 plots)\n5 Yesterday (1 plot)\n6 Sat 21 Nov (4 plots)\n10 Mon 20 Oct 2025 (1 plot)\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := said(ByTime(ja, few)), "0 今日 (5 件)\n5 昨日 (1 件)\n6 11月21日（土） (4 件)\n10 2025年10月20日（月） (1 件)\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	many := slices.Concat(at(0, 17, 20), at(0, 16, 3), at(0, 15, 4), at(0, 12, 50), at(0, 9, 1), at(1, 23, 60))
	want := "0 Today, 17:00–18:00 (20 plots)\n20 Today, 12:00–17:00 (57 plots)\n77 Today, 09:00–10:00 (1 plot)\n78 Yesterday (60 plots)\n"
	if got := said(ByTime(en, many)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	slices.Reverse(many)
	want = "0 Yesterday (60 plots)\n60 Today, 09:00–13:00 (51 plots)\n111 Today, 15:00–18:00 (27 plots)\n"
	if got := said(ByTime(en, many)); got != want {
		t.Errorf("the oldest first: got\n%swant\n%s", got, want)
	}
	if got := ByTime(en, at(2, 9, 30)); got != nil {
		t.Errorf("one day has the headings %s", said(got))
	}
	name := func(id string) string { return "Session " + id }
	want = "0 Session s0 (Today 09:57 – 17:59 · 5 plots)\n5 Session s1 (Yesterday 23:59 · 1 plot)\n6 Session s3 (Sat 21 Nov 00:55 – 00:59 · 4 plots)\n" +
		"10 Session s400 (Mon 20 Oct 2025 12:59 · 1 plot)\n"
	if got := said(BySession(en, few, name)); got != want {
		t.Errorf("by session: got\n%swant\n%s", got, want)
	}
}

// TestEveryCellHasItsPlace: whatever the parts, the columns and the empty places, cells do not
// overlap, and rows, keys and the pointer agree about them.
func TestEveryCellHasItsPlace(t *testing.T) {
	for seed := range 300 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		f := flow{width: 300 + r.Float32()*900, size: 176}
		count, from := 1+r.IntN(60), []int{0}
		for i := 1; i < count; i++ {
			if r.IntN(7) == 0 {
				from = append(from, i)
			}
		}
		f.divide(count, from, r.IntN(2) == 0)
		n := f.columns()
		f.lead, f.led = r.IntN(n), r.IntN(len(from))
		last := -1
		for i := range count {
			row, at := f.row(i), f.position(i)
			p := f.partOf(i)
			switch {
			case row != last && row != last+1, row == last && f.column(i) != f.column(i-1)+1:
				t.Fatalf("seed %d: image %d is in row %d after %d, column %d", seed, i, row, last, f.column(i))
			case f.partAt(row) != p, f.rowAt(at.Y-gridPad+1) != row, f.rowAt(at.Y-gridPad+f.pitch()-1) != row:
				t.Fatalf("seed %d: row %d of image %d: part %d, want %d, at %v is row %d", seed, row, i, f.partAt(row), p, at, f.rowAt(at.Y-gridPad+1))
			case f.first(row) > i || f.first(row+1) <= i:
				t.Fatalf("seed %d: row %d is from %d to %d, without %d", seed, row, f.first(row), f.first(row+1), i)
			case row != last && f.parts[p].head && row == f.parts[p].row && f.headTop(p)+headH != f.rowTop(row):
				t.Fatalf("seed %d: the heading of part %d is at %v, its row at %v", seed, p, f.headTop(p), f.rowTop(row))
			}
			for _, by := range []int{-1, 1, 3} {
				to := f.vertical(i, by)
				if f.row(to) != min(max(row+by, 0), f.rows()-1) || f.column(to) != f.column(i) && f.row(to+1) == f.row(to) && f.column(to) < f.column(i) && to+1 < count {
					t.Fatalf("seed %d: %d rows from image %d (row %d, column %d) is %d (row %d, column %d)", seed, by, i, row, f.column(i), to, f.row(to), f.column(to))
				}
			}
			last = row
		}
		if end := f.position(count-1).Y + f.cellSize().Height + gridPad; end-f.height() > 0.01 || f.height()-end > 0.01 {
			t.Fatalf("seed %d: it ends at %v, want %v", seed, f.height(), end)
		}
	}
}

// dailyGrid returns a grid of n images with a heading before each of the given ones.
func dailyGrid(t *testing.T, n int, from ...int) (*Grid, *picked) {
	t.Helper()
	g, q, _, p := newTestGrid(t, n)
	g.act.Sections = func(library.Query, []library.ListEntry) (sections []Section) {
		for _, at := range from {
			sections = append(sections, Section{From: at, Title: fmt.Sprint("Day ", at), Note: "some"})
		}
		return sections
	}
	listed := false
	g.act.Listed = func(Answer) { listed = true }
	g.Ask(library.Query{Rating: -1, SortBy: "created"})
	q.Until(t, "the headings", func() bool { return listed && g.Settled() })
	return g, p
}

func TestAClickOnAHeadingSelectsItsPlots(t *testing.T) {
	g, p := dailyGrid(t, 12, 0, 2, 7)
	if len(g.headings) < 2 || g.headings[1].title.Full() != "Day 2" {
		t.Fatalf("there are %d headings", len(g.headings))
	}
	click := func(h *heading, mod fyne.KeyModifier) {
		h.MouseDown(&desktop.MouseEvent{Modifier: mod})
		test.Tap(h)
	}
	click(g.headings[1], 0)
	if want := g.list.ids[2:7]; !slices.Equal(p.ids, want) || p.cursor != want[0] {
		t.Errorf("selected %v, the cursor is on %s; want %v", p.ids, p.cursor, want)
	}
	click(g.headings[0], fyne.KeyModifierControl)
	if want := append(slices.Clone(g.list.ids[2:7]), g.list.ids[:2]...); !slices.Equal(p.ids, want) {
		t.Errorf("with Control: selected %v, want %v", p.ids, want)
	}
}

// TestKeysCrossHeadings: rows are 0-1, 2-4, 5-6, 7-9, 10-11.
func TestKeysCrossHeadings(t *testing.T) {
	g, p := dailyGrid(t, 12, 0, 2, 7)
	for _, c := range []struct {
		from, to int
		key      fyne.KeyName
	}{
		{0, 2, fyne.KeyDown},
		{1, 3, fyne.KeyDown},
		{4, 6, fyne.KeyDown},
		{6, 8, fyne.KeyDown},
		{9, 11, fyne.KeyDown},
		{3, 1, fyne.KeyUp},
		{4, 1, fyne.KeyUp},
		{7, 5, fyne.KeyUp},
		{1, 2, fyne.KeyRight},
		{7, 6, fyne.KeyLeft},
		{5, 11, fyne.KeyEnd},
		{5, 0, fyne.KeyHome},
		{0, 5, fyne.KeyPageDown},
		{11, 6, fyne.KeyPageUp},
	} {
		for _, mod := range []fyne.KeyModifier{0, fyne.KeyModifierShift} {
			g.sel.anchor = g.list.ids[c.from]
			g.pick([]string{g.list.ids[c.from]}, g.list.ids[c.from])
			g.Key(c.key, mod)
			want := 1
			if mod != 0 {
				want = max(c.from-c.to, c.to-c.from) + 1
			}
			if p.cursor != g.list.ids[c.to] || len(p.ids) != want {
				t.Errorf("%s from %d goes to %d, want %d, and selects %d, want %d", c.key, c.from, slices.Index(g.list.ids, p.cursor), c.to, len(p.ids), want)
			}
		}
	}
	from, to := g.flow.position(1), g.flow.position(8)
	if got := (&band{g: g}).touching(from, to.AddXY(5, 5)); !slices.Equal(got, []string{g.list.ids[1], g.list.ids[3], g.list.ids[6], g.list.ids[8]}) {
		t.Errorf("a band over two headings selects %v", got)
	}
	g.Reveal(g.list.ids[11])
	g.Reveal(g.list.ids[2])
	if y := g.scroll.Offset.Y; y > gridPad+g.flow.headTop(1) {
		t.Errorf("the heading above a revealed plot is %v above the view", y-gridPad-g.flow.headTop(1))
	}
}

// TestNewPlotsUnderAHeadingMoveNothing that the user looks at, also in its columns.
func TestNewPlotsUnderAHeadingMoveNothing(t *testing.T) {
	for _, at := range []int{4, 20} { // in the first part, and in the second
		g, _ := dailyGrid(t, 40, 0, 12)
		id := g.list.ids[at]
		g.scroll.Offset.Y = g.flow.rowTop(g.flow.row(at)) + 7
		g.arrange()
		cell := g.cells[g.list.ids[g.flow.first(g.flow.row(at))]].Position()
		before := cell.SubtractXY(0, g.scroll.Offset.Y)
		first := g.list.ids[g.flow.first(g.flow.row(at))]
		for n := 1; n <= 4; n++ {
			ids := append([]string{fmt.Sprint("new", n)}, g.list.ids...)
			g.set(listOf(ids), true, func() {
				g.flow.divide(len(ids), []int{0, 12 + n}, true)
				g.sections = []Section{{Title: "a"}, {From: 12 + n, Title: "b"}}
			})
			after := g.cells[first].Position().SubtractXY(0, g.scroll.Offset.Y)
			if after != before {
				t.Errorf("%s, after %d new plots: at %v, was at %v", id, n, after, before)
			}
		}
	}
}
