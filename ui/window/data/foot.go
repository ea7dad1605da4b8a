package data

import (
	"encoding/json"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/kit"
)

// A footLine shows the current cell with its whole value.
type footLine struct {
	p     *Page
	root  fyne.CanvasObject
	where *kit.Line
	value *kit.Line
	copy  *kit.Button
}

func newFootLine(p *Page) *footLine {
	k := p.k
	f := &footLine{p: p, where: kit.NewLine("", 11, k.P.Muted, fyne.TextStyle{}, 40), value: kit.NewLine("", 12, k.P.Text, mono, 40)}
	f.copy = k.Button(kit.Ghost, "copy", "", k.T("data.copy_value"), func() { p.copyValue() }).Small()
	f.root = k.Panel(k.P.Panel, "t", &fyne.Container{Objects: []fyne.CanvasObject{f.where, f.value, f.copy}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, s fyne.Size) {
			w := min(f.where.PreferredWidth()+2, s.Width*0.4)
			kit.Place(f.where, 12, 0, w, s.Height)
			kit.Place(f.value, 24+w, 0, max(s.Width-w-24-40, 0), s.Height)
			kit.Place(f.copy, s.Width-34, (s.Height-22)/2, 22, 22)
		},
	}})
	return f
}

// update shows the current cell.
func (f *footLine) update() {
	t := f.p.tables.shown
	where, value, ink := "", "", f.p.k.P.Text
	if t != nil && t.known && t.rows() > 0 && t.shape.Columns > 0 {
		c := t.current
		b := t.blocks.get(c.row, c.column)
		label, _, ok := b.label(c.row)
		if !ok {
			label = itoa(c.row)
		}
		col := t.column(c.column)
		where = label
		if col.name != "" {
			where += " · " + col.name
		}
		if raw := b.value(c.row, c.column); raw != nil {
			value = plain(raw)
			if missing(raw) {
				value, ink = f.p.k.T("data.is_missing"), f.p.k.P.Muted
			}
		}
	}
	f.where.Set(breaks.Replace(where), nil)
	f.value.Set(breaks.Replace(value), ink)
	kit.SetVisible(f.copy, value != "")
	f.root.Refresh()
}

// whole reads the whole value of the current cell.
func (p *Page) whole(done func(text string)) {
	t := p.tables.shown
	if t == nil || !t.known || t.rows() == 0 || t.shape.Columns == 0 {
		return
	}
	p.wholeOf(t, t.current, func(raw json.RawMessage) {
		if missing(raw) {
			done("")
			return
		}
		done(plain(raw))
	})
}

// wholeOf reads the whole value of a cell.
func (p *Page) wholeOf(t *table, c cell, done func(json.RawMessage)) {
	if raw := t.blocks.get(c.row, c.column).value(c.row, c.column); raw != nil && !shortened(raw) {
		done(raw)
		return
	}
	if !p.load.idle(t) {
		p.port.Say(kit.MarkNone, p.k.T("data.busy"))
		return
	}
	in := command.TablePageIn{TableView: t.view(), Row: c.row, Rows: 1, Column: c.column, Columns: 1, Whole: true}
	p.port.Read.Page(in, func(got command.TablePage, err error) {
		switch {
		case t.closed || p.load.stopped:
		case err != nil:
			p.load.fail(t, err)
			p.changed(t)
		case len(got.Cells) == 1 && len(got.Cells[0]) == 1:
			done(got.Cells[0][0])
		}
	})
}

// open shows the whole value of the current cell.
func (f *footLine) open() {
	t := f.p.tables.shown
	if t == nil {
		return
	}
	title := f.where.Full()
	f.p.whole(func(text string) { f.p.port.Sheet(title, text) })
}
