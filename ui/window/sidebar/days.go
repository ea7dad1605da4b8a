package sidebar

import (
	"cmp"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
)

// Ended sessions are folded by day when there are more than fewEnded. Those of today are open, but
// only the last ones are listed until the user wants all. Sessions that ended more than dayFolds days
// ago are folded by month.
const (
	fewEnded  = 4
	mostToday = 5
	dayFolds  = 14
)

// A period is a day or a month with its ended sessions, the last one first.
type period struct {
	name, key string // the key is the same in all languages
	today     bool
	sessions  []library.Session
}

// periods divides ended sessions among the days and months in which they were used last, newest first.
func (b *Bar) periods(ended []library.Session) (list []period) {
	now := b.k.Now()
	for _, x := range ended {
		at := lastUse(x).Local()
		days := i18n.DaysBetween(at, now)
		p := period{name: b.k.Tr.Day(at, now), key: at.Format(time.DateOnly), today: days <= 0}
		if days > dayFolds {
			p = period{name: b.k.Tr.Month(at, now), key: at.Format("2006-01")}
		}
		if n := len(list) - 1; n < 0 || list[n].key != p.key {
			list = append(list, p)
		}
		last := &list[len(list)-1]
		last.sessions = append(last.sessions, x)
	}
	return list
}

// lastUse returns when a session ended or, if nothing has recorded that, began.
func lastUse(x library.Session) time.Time {
	if x.EndedAt.IsZero() {
		return x.CreatedAt
	}
	return x.EndedAt
}

// endedRows returns the rows of ended sessions, in a project or elsewhere (root is empty), each made by
// line.
func (b *Bar) endedRows(root string, ended []library.Session, line func(library.Session) row) (rows []row) {
	ended = slices.Clone(ended)
	slices.SortStableFunc(ended, func(x, y library.Session) int {
		return cmp.Or(lastUse(y).Compare(lastUse(x)), y.CreatedAt.Compare(x.CreatedAt))
	})
	if len(ended) <= fewEnded {
		for _, x := range ended {
			rows = append(rows, line(x))
		}
		return rows
	}
	for _, p := range b.periods(ended) {
		head := b.foldRow("ended "+root+" "+p.key, p.name, len(p.sessions), !p.today)
		current := b.snap.Folder
		head.on = head.folded && current.Kind == state.OneSession &&
			slices.ContainsFunc(p.sessions, func(x library.Session) bool { return x.ID == current.ID })
		rows = append(rows, head)
		if head.folded {
			continue
		}
		shown, all := p.sessions, "all "+head.id
		if p.today && len(shown) > mostToday+1 && !b.whole[all] {
			shown = shown[:mostToday]
		}
		for _, x := range shown {
			r := line(x)
			r.detail = join(x.Client, b.when(lastUse(x), p.key))
			rows = append(rows, r)
		}
		if more := len(p.sessions) - len(shown); more > 0 {
			rows = append(rows, row{
				id: all, small: true, name: b.k.Tr.N("sidebar.more_sessions", more),
				tap: func() { b.whole[all] = true; b.draw() },
			})
		}
	}
	return rows
}

// when returns a time of a day or a month, without what the period's name says.
func (b *Bar) when(t time.Time, key string) string {
	if len(key) == len(time.DateOnly) {
		return b.k.Tr.Clock(t)
	}
	return b.k.Tr.Date(t)
}

// foldRow returns a row that hides and shows the n rows below it.
func (b *Bar) foldRow(id, name string, n int, atFirst bool) row {
	folded, chosen := b.act.Folded[id]
	if !chosen {
		folded = atFirst
	}
	return row{
		id: id, name: name, count: number(n), fold: id, folded: folded, tip: b.k.Tr.N("sidebar.sessions_in", n),
		tap: func() { b.fold(id, !folded) },
	}
}

// foldLine returns the content of such a row.
func (b *Bar) foldLine(r row) fyne.CanvasObject {
	const high float32 = 28
	k := b.k
	arrow := kit.Icon(foldIcon(r.folded), k.P.Muted, 12)
	name := kit.NewLine(r.name, 12, k.P.Text, fyne.TextStyle{}, 20)
	count := kit.Text(r.count, theme.TextCaption, k.P.Muted, fyne.TextStyle{})
	return laid(high, func(w float32) {
		m := count.MinSize()
		right := w - 10 - m.Width
		kit.Place(count, right, (high-m.Height)/2, m.Width, m.Height)
		kit.Place(arrow, 6, (high-12)/2, 12, 12)
		kit.Place(name, 22, 0, right-22-6, high)
	}, arrow, name, count)
}

// foldIcon returns the icon before a row that hides others or shows them.
func foldIcon(folded bool) string {
	if folded {
		return "chevron-right"
	}
	return "chevron-down"
}
