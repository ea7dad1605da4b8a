package data

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
)

// count writes a number of rows, with groups of digits.
func count(n int) string { return i18n.Number(n).String() }

// trouble returns why a table cannot be read now; "" if it can.
func (p *Page) trouble(t *table) string {
	kept := ""
	if t.known {
		kept = " " + p.k.T("data.kept")
	}
	switch t.trouble {
	case troubleBusy:
		return p.k.T("data.busy")
	case troubleEnded:
		return p.k.T("data.ended") + kept
	case troubleDead:
		return p.k.T("data.dead") + kept
	case troubleMissing:
		if t.restarted {
			return p.k.T("data.restarted", t.name) + kept
		}
		return p.k.T("data.gone", t.name) + kept
	case troubleWrong:
		return p.k.T("data.wrong", t.name) + kept
	case troubleOther:
		return p.k.T("data.failed", t.problem) + kept
	case troubleNone:
	}
	return ""
}

// A noticeBar says why the table cannot be read now.
type noticeBar struct {
	p    *Page
	root fyne.CanvasObject
	text *kit.Line
	act  *kit.Button
	do   func()
}

func newNoticeBar(p *Page) *noticeBar {
	k := p.k
	b := &noticeBar{p: p, text: kit.NewLine("", 12, k.P.Warn, fyne.TextStyle{}, 40)}
	b.act = k.Button(kit.Quiet, "", "", "", func() { b.do() }).Small()
	b.root = k.Panel(k.P.WarnBg, "", kit.PadRow(12, 8, 0, b.text, b.act))
	return b
}

// update shows the bar, or hides it.
func (b *noticeBar) update() {
	t := b.p.tables.shown
	shown := t != nil && t.known && t.trouble != troubleNone
	kit.SetVisible(b.root, shown)
	if !shown {
		return
	}
	b.text.Set(b.p.trouble(t), nil)
	label := ""
	switch {
	case t.computing:
		label, b.do = b.p.k.T("confirm.cancel"), b.p.cancel
	case t.trouble != troubleBusy && t.trouble != troubleEnded && t.trouble != troubleDead:
		label, b.do = b.p.k.T("data.retry"), func() { b.p.reread(t) }
	}
	kit.SetVisible(b.act, label != "")
	b.act.SetText(label)
	b.root.Refresh()
}

// reread reads a table again.
func (p *Page) reread(t *table) {
	t.trouble = troubleNone
	t.renew()
	p.changed(t)
	p.load.pump(t)
}

// An infoBar says what the table is and what happens to it, and has the search.
type infoBar struct {
	p      *Page
	root   fyne.CanvasObject
	about  *kit.Line
	state  *kit.Line
	act    *kit.Button // Cancel, or Try again
	do     func()
	field  *kit.Field
	more   *kit.Button
	search search
}

func newInfoBar(p *Page) *infoBar {
	k := p.k
	b := &infoBar{p: p}
	b.about = kit.NewLine("", 12, k.P.Text, fyne.TextStyle{}, 40)
	b.state = kit.NewLine("", 12, k.P.Muted, fyne.TextStyle{}, 20)
	b.act = k.Button(kit.Quiet, "", "", "", func() {
		if b.do != nil {
			b.do()
		}
	}).Small()
	b.act.Hide()
	b.field = k.Field(k.T("data.search"))
	b.field.Forward = p.port.Forward
	b.field.OnSubmitted = func(string) { b.next(kit.Modifiers()&fyne.KeyModifierShift != 0) }
	b.field.OnEsc = func() { b.endSearch(); p.port.Focus(p.grid) }
	b.field.OnDown = func() { p.port.Focus(p.grid) }
	b.more = k.Button(kit.Ghost, "more", "", k.T("data.more"), func() { p.menu(b.more) }).Small()
	field := b.field.Slim(120)
	b.root = &fyne.Container{Objects: []fyne.CanvasObject{b.about, b.state, b.act, field, b.more}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			const pad, gap = 12, 8
			right := s.Width - pad - 24
			kit.Place(b.more, right, (s.Height-24)/2, 24, 24)
			w := min(max(s.Width*0.2, 120), 220)
			right -= w + gap
			h := field.MinSize().Height
			kit.Place(field, right, (s.Height-h)/2, w, h)
			right -= gap
			if !b.act.Hidden {
				m := b.act.MinSize()
				right -= m.Width
				kit.Place(b.act, right, (s.Height-m.Height)/2, m.Width, m.Height)
				right -= gap
			}
			room := right - pad
			about, said := b.about.PreferredWidth()+2, b.state.PreferredWidth()+2
			if said > 2 && about+gap+said > room {
				about = max(room-gap-said, min(about, room*0.35))
			}
			about = min(about, room)
			kit.Place(b.about, pad, 0, about, s.Height)
			kit.Place(b.state, pad+about+2*gap, 0, max(room-about-2*gap, 0), s.Height)
		},
		Min: func([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(300, infoHigh) },
	}}
	return b
}

// update says what is shown.
func (b *infoBar) update() {
	k, t := b.p.k, b.p.tables.shown
	about, said, ink := "", "", k.P.Muted
	label, do := "", func() {}
	if t != nil && t.known {
		parts := []string{k.T("variables.shape", count(t.shape.Rows), count(t.shape.Columns))}
		if t.shape.MemoryBytes > 0 {
			parts = append(parts, i18n.Bytes(t.shape.MemoryBytes))
		}
		parts = append(parts, strings.TrimPrefix(t.shape.Type, "builtins."))
		about = strings.Join(parts, " · ")
	}
	switch {
	case t == nil:
	case t.computing:
		said, label, do = k.T("data.sorting"), k.T("confirm.cancel"), b.p.cancel
	case b.searching():
		said, label, do = k.T("data.searching", count(b.search.at.row)), k.T("confirm.cancel"), func() { b.endSearch() }
	case b.search.none:
		said, ink = k.T("data.none_found"), k.P.Warn
	case t.was != nil && t.differed:
		said = k.T("data.marked")
	default:
		said = b.p.selected(t)
	}
	b.about.Set(about, nil)
	b.state.Set(said, ink)
	b.do = do
	kit.SetVisible(b.act, label != "")
	b.act.SetText(label)
	kit.SetVisible(b.field, t != nil && t.known)
	if c, ok := b.root.(*fyne.Container); ok {
		c.Layout.Layout(c.Objects, c.Size())
	}
	b.root.Refresh()
}

// selected says how many cells are selected, if there are several.
func (p *Page) selected(t *table) string {
	from, to := t.selection()
	if from == to || !t.known {
		return ""
	}
	return p.k.T("data.selected", count(to.row-from.row+1), count(to.column-from.column+1))
}

// A search is a text that is looked for.
type search struct {
	text   string
	at     cell // where the search continues
	back   bool
	around bool // it has begun again at the other end
	from   cell
	none   bool
	cancel func() // nil if nothing is searched
}

func (b *infoBar) searching() bool { return b.search.cancel != nil }

func (b *infoBar) stop() {
	if b.search.cancel != nil {
		b.search.cancel()
		b.search.cancel = nil
	}
}

// endSearch stops a search.
func (b *infoBar) endSearch() {
	b.stop()
	b.search = search{}
	b.update()
}

// next looks for the text in the field after the current cell, or before it.
func (b *infoBar) next(back bool) {
	t, text := b.p.tables.shown, b.field.Text
	if t == nil || !t.known || text == "" {
		return
	}
	b.stop()
	b.search = search{text: text, at: t.current, back: back, from: t.current}
	b.ask(t)
}

// ask asks the kernel to search on.
func (b *infoBar) ask(t *table) {
	s := &b.search
	if !b.p.load.idle(t) {
		b.endSearch()
		b.p.port.Say(kit.MarkNone, b.p.k.T("data.busy"))
		return
	}
	in := command.TableSearchIn{TableView: t.view(), Text: s.text, Row: s.at.row, Column: s.at.column, Back: s.back}
	var cancelled bool
	cancel := b.p.port.Read.Search(in, func(out command.TableSearchOut, err error) {
		if cancelled || t.closed {
			return
		}
		b.answer(t, out, err)
	})
	s.cancel = func() { cancelled = true; cancel() }
	b.update()
}

// answer takes what the kernel has found.
func (b *infoBar) answer(t *table, out command.TableSearchOut, err error) {
	s := &b.search
	s.cancel = nil
	switch {
	case err != nil:
		b.p.load.fail(t, err)
		b.endSearch()
	case out.Found:
		s.none = false
		t.current = cell{out.Row, out.Column}
		t.start = t.current
		b.p.grid.reveal()
		b.p.moved()
	case out.More:
		s.at = cell{out.Row, out.Column}
		b.ask(t)
	case !s.around:
		s.around = true
		s.at = cell{0, -1}
		if s.back {
			s.at = cell{t.rows() - 1, t.shape.Columns}
		}
		b.ask(t)
	default:
		s.none = true
		b.update()
	}
}

// goToColumn asks for a part of a column's name and goes to the next column that has it, or to the column with
// this number.
func (p *Page) goToColumn() {
	t := p.tables.shown
	if t == nil || !t.known || t.shape.Columns == 0 {
		return
	}
	field := p.k.Field(p.k.T("data.column_hint", count(t.shape.Columns)))
	p.port.Form(p.k.T("data.go_to_column_title"), p.k.T("data.go"), []*kit.Field{field}, []string{"data.column"}, func() {
		text := strings.TrimSpace(field.Text)
		if text == "" || t.closed {
			return
		}
		if !p.load.idle(t) {
			p.port.Say(p.bad(), p.k.T("data.busy"))
			return
		}
		in := command.TableSearchIn{TableView: t.view(), Text: text, Row: t.current.row, Column: t.current.column, Names: true}
		p.port.Read.Search(in, func(out command.TableSearchOut, err error) {
			n, wrong := strconv.Atoi(strings.TrimPrefix(text, "#"))
			switch {
			case t.closed || p.load.stopped:
				return
			case err != nil:
				p.load.fail(t, err)
				p.changed(t)
				return
			case out.Found:
				n = out.Column + 1
			case wrong != nil || n < 1 || n > t.shape.Columns:
				p.port.Say(p.bad(), p.k.T("data.no_column", text))
				return
			}
			p.grid.choose(cell{t.current.row, n - 1}, false)
		})
	})
}

// Search gives the keyboard focus to the search.
func (p *Page) Search() {
	if p.tables.shown != nil {
		p.port.Focus(p.info.field)
		p.info.field.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}
