package data

import (
	"cmp"

	"fyne.io/fyne/v2"

	"easel/internal/truncate"
	"easel/mcphost/catalog"
	"easel/ui/window/kit"
)

// CanAsk reports whether there is a cell to ask about.
func (p *Page) CanAsk() bool {
	t := p.tables.shown
	return t != nil && t.known && t.read(t.current)
}

// read reports whether the value of a cell is known.
func (t *table) read(c cell) bool { return t.blocks.get(c.row, c.column).value(c.row, c.column) != nil }

// Ask lets the user ask about the current cell.
func (p *Page) Ask() {
	if p.CanAsk() {
		p.ask(p.tables.shown.current, false)
	}
}

// ask lets the user ask about a cell, or about its whole column.
func (p *Page) ask(c cell, whole bool) {
	t := p.tables.shown
	p.port.Ask(p.placeOf(t, c, whole), p.spoken(t, c, whole), p.describe(t, c, whole))
}

// askItem is the menu's item to ask about a cell or a column.
func (p *Page) askItem(key string, c cell, whole bool) *fyne.MenuItem {
	x := p.item(key, func() { p.ask(c, whole) })
	x.Disabled = !whole && !p.tables.shown.read(c)
	if !whole && p.k.Key != nil && p.k.Key("ask_part") != "" {
		x.Shortcut = kit.Hint(p.k.Key("ask_part"))
	}
	return x
}

// placeOf returns what an assistant is told of a cell or a column.
func (p *Page) placeOf(t *table, c cell, whole bool) catalog.TablePlace {
	col := t.column(c.column)
	place := catalog.TablePlace{
		SessionID: t.session, Variable: t.name, Type: t.shape.Type, Shape: []int{t.shape.Rows, t.shape.Columns},
		Column: col.name, Number: c.column, Dtype: col.dtype,
	}
	for _, s := range t.sort {
		place.Sort = append(place.Sort, catalog.TableOrder{Column: t.column(s.Column).name, Descending: s.Down})
	}
	for _, f := range t.filters {
		place.Filters = append(place.Filters, catalog.TableFilter{
			Column: t.column(f.Column).name, Op: f.Op, Value: f.Value, From: f.Low, To: f.High,
		})
	}
	if whole {
		return place
	}
	b := t.blocks.get(c.row, c.column)
	row := catalog.TableRow{Number: b.number(c.row), Value: b.value(c.row, c.column)}
	if label, numbered, ok := b.label(c.row); ok && !numbered {
		row.Label = label
	}
	place.Row = &row
	return place
}

// Place names a cell with its value, or a column, without the table.
func Place(k *kit.Kit, of catalog.TablePlace) string {
	text := truncate.Runes(breaks.Replace(of.Column), 60)
	if of.Column == "" {
		text = k.T("data.value")
	}
	if r := of.Row; r != nil {
		value := k.T("data.is_missing")
		if !missing(r.Value) {
			value = truncate.Runes(breaks.Replace(plain(r.Value)), 200)
		}
		text = breaks.Replace(cmp.Or(r.Label, itoa(r.Number))) + " · " + text + " = " + value
	}
	return text
}

// spoken names a cell with its value, or a column, for the user.
func (p *Page) spoken(t *table, c cell, whole bool) string {
	text := t.name + " · " + t.column(c.column).title(p.k)
	if whole {
		return text
	}
	b := t.blocks.get(c.row, c.column)
	if label, _, ok := b.label(c.row); ok {
		text = t.name + " · " + label + " · " + t.column(c.column).title(p.k)
	}
	if raw := b.value(c.row, c.column); raw != nil {
		text += " = " + p.valueText(t, c.column, raw)
	}
	return text
}
