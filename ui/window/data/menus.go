package data

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"easel/internal/truncate"
	"easel/ui/core/command"
	"easel/ui/window/kit"
)

func (p *Page) bad() kit.Mark { return kit.MarkBad }

func (p *Page) item(key string, do func(), args ...any) *fyne.MenuItem {
	return fyne.NewMenuItem(p.k.T(key, args...), do)
}

// cellMenu shows the menu of a cell.
func (p *Page) cellMenu(c cell, at fyne.Position) {
	t := p.tables.shown
	raw := t.blocks.get(c.row, c.column).value(c.row, c.column)
	var items []*fyne.MenuItem
	items = append(items, p.copyItems()...)
	if raw != nil && c.column < t.shape.Columns && (!shortened(raw) || t.column(c.column).kind == command.KindText) {
		value := p.valueText(t, c.column, raw)
		items = append(items, fyne.NewMenuItemSeparator(),
			p.item("data.only", func() { p.filterBy(t, c, command.FilterIs) }, value),
			p.item("data.except", func() { p.filterBy(t, c, command.FilterNot) }, value),
		)
	}
	items = append(items, fyne.NewMenuItemSeparator(), p.item("data.open_value", p.foot.open), p.askItem("data.ask_cell", c, false),
		p.item("data.describe_cell", func() { p.port.Copy(p.describe(t, c, false), p.k.T("data.description")) }))
	p.port.Menu(at, items...)
}

// longestFilter is the largest length of a text by which rows are filtered, in characters: what the kernel tells of one.
const longestFilter = 100_000

// filterBy filters by the value of a cell: by all of it, if it is a text.
func (p *Page) filterBy(t *table, c cell, op string) {
	p.wholeOf(t, c, func(raw json.RawMessage) {
		switch {
		case p.tables.shown != t:
		case missing(raw) && op == command.FilterIs:
			p.addFilter(command.TableFilter{Column: c.column, Op: command.FilterMissing})
		case missing(raw):
			p.addFilter(command.TableFilter{Column: c.column, Op: command.FilterPresent})
		case utf8.RuneCountInString(plain(raw)) > longestFilter:
			p.port.Say(p.bad(), p.k.T("data.long_filter"))
		default:
			p.addFilter(command.TableFilter{Column: c.column, Op: op, Value: raw})
		}
	})
}

// Menu shows the menu of the current cell. It reports whether there is one.
func (p *Page) Menu() bool {
	t := p.tables.shown
	if t == nil || !t.known || t.rows() == 0 || t.shape.Columns == 0 {
		return false
	}
	p.grid.reveal()
	p.cellMenu(t.current, p.grid.place(t.current))
	return true
}

// valueText returns a value for a menu or a chip.
func (p *Page) valueText(t *table, column int, raw json.RawMessage) string {
	if missing(raw) {
		return p.k.T("data.is_missing")
	}
	text := t.column(column).format.text(t.column(column).kind, raw)
	if raw[0] == '"' && t.column(column).kind != command.KindDate {
		text = "“" + truncate.Runes(text, 24) + "”"
	}
	return text
}

func (p *Page) copyItems() []*fyne.MenuItem {
	return []*fyne.MenuItem{
		p.item("data.copy", func() { p.copy(asText) }), p.item("data.copy_names", func() { p.copy(withNames) }),
		p.item("data.copy_markdown", func() { p.copy(asMarkdown) }),
	}
}

// columnMenu shows the menu of a column's head.
func (p *Page) columnMenu(i int, at fyne.Position) {
	t := p.tables.shown
	c := t.column(i)
	items := append(p.sortItems(i), fyne.NewMenuItemSeparator())
	if c.head != nil {
		for _, x := range c.head.Top {
			if shortened(x[0]) { // a filter would compare its beginning
				continue
			}
			items = append(items, p.item("data.only", func() {
				p.addFilter(command.TableFilter{Column: i, Op: command.FilterIs, Value: x[0]})
			}, p.valueText(t, i, x[0])))
		}
	}
	items = append(items, p.item("data.contains", func() { p.askText(i) }))
	if c.kind == command.KindNumber || c.kind == command.KindDate {
		items = append(items, p.item("data.range", func() { p.askRange(i) }))
	}
	items = append(items,
		p.item("data.only_missing", func() { p.addFilter(command.TableFilter{Column: i, Op: command.FilterMissing}) }),
		p.item("data.only_present", func() { p.addFilter(command.TableFilter{Column: i, Op: command.FilterPresent}) }),
		fyne.NewMenuItemSeparator(),
		p.item("data.fit", func() { c.width, c.dragged = 0, false; p.changed(t) }),
		p.item("data.copy_name", func() { p.port.Copy(c.name, p.k.T("data.name")) }),
		p.askItem("data.ask_column", cell{0, i}, true),
		p.item("data.describe_column", func() { p.port.Copy(p.describe(t, cell{0, i}, true), p.k.T("data.description")) }),
	)
	p.port.Menu(at, items...)
}

// sortItems returns the items that sort by a column, at first or after the columns that sort the table already.
func (p *Page) sortItems(i int) []*fyne.MenuItem {
	t := p.tables.shown
	sorted := func(before []command.TableSort, down bool) func() {
		by := append(slices.Clone(before), command.TableSort{Column: i, Down: down})
		return func() { p.set(view{by, t.filters}) }
	}
	up, down := p.item("data.sort_up", sorted(nil, false)), p.item("data.sort_down", sorted(nil, true))
	items := []*fyne.MenuItem{up, down}
	n := t.sortedBy(i)
	if n == 0 {
		up.Checked, down.Checked = !t.sort[0].Down, t.sort[0].Down
	} else if len(t.sort) > 0 {
		others := slices.DeleteFunc(slices.Clone(t.sort), func(s command.TableSort) bool { return s.Column == i })
		after := t.column(others[len(others)-1].Column).title(p.k)
		up, down := p.item("data.then_up", sorted(others, false), after), p.item("data.then_down", sorted(others, true), after)
		if n > 0 {
			up.Checked, down.Checked = !t.sort[n].Down, t.sort[n].Down
		}
		items = append(items, up, down)
	}
	none := p.item("data.unsort", func() { p.set(view{nil, t.filters}) })
	none.Disabled = len(t.sort) == 0
	return append(items, none)
}

// menu shows the menu of the table, which has what the menus of cells and heads have for the current cell.
func (p *Page) menu(under fyne.CanvasObject) {
	t := p.tables.shown
	if t == nil || !t.known {
		return
	}
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(under).AddXY(0, under.Size().Height+3)
	column := p.item("data.column_menu", func() { p.columnMenu(t.current.column, at) }, t.column(t.current.column).title(p.k))
	code := p.item("data.copy_code", p.copyCode)
	code.Disabled = len(t.sort)+len(t.filters) == 0
	seek := p.item("data.go_to_column", p.goToColumn)
	seek.Shortcut = kit.Hint("Ctrl+G")
	p.port.Menu(at, append(p.copyItems(), code, fyne.NewMenuItemSeparator(), seek, column,
		p.item("data.cell_menu", func() { p.cellMenu(t.current, at) }), p.item("data.questions", func() { p.port.Questions(t.ref()) }),
		fyne.NewMenuItemSeparator(),
		p.item("data.reread", func() { p.reread(t) }))...)
}

// title returns the name of a column, or what stands for it.
func (c *column) title(k *kit.Kit) string {
	if c.name == "" {
		return k.T("data.value")
	}
	return truncate.Runes(breaks.Replace(c.name), 30)
}

// askText asks for a text that values must contain.
func (p *Page) askText(i int) {
	field := p.k.Field("")
	title := p.k.T("data.contains_title", p.tables.shown.column(i).title(p.k))
	p.port.Form(title, p.k.T("data.apply"), []*kit.Field{field}, []string{"data.text"}, func() {
		if field.Text != "" {
			raw, _ := json.Marshal(field.Text) // cannot fail for a string
			p.addFilter(command.TableFilter{Column: i, Op: command.FilterContains, Value: raw})
		}
	})
}

// askRange asks for the ends of a range.
func (p *Page) askRange(i int) {
	c := p.tables.shown.column(i)
	low, high := p.k.Field(""), p.k.Field("")
	if c.head != nil {
		low.SetPlaceHolder(c.format.text(c.kind, c.head.Min))
		high.SetPlaceHolder(c.format.text(c.kind, c.head.Max))
	}
	title := p.k.T("data.range_title", c.title(p.k))
	p.port.Form(title, p.k.T("data.apply"), []*kit.Field{low, high}, []string{"data.from", "data.to"}, func() {
		from, to := strings.TrimSpace(low.Text), strings.TrimSpace(high.Text)
		for _, text := range []string{from, to} {
			if text != "" && !c.fits(text) {
				bad := p.k.T("data.bad_number", text)
				if c.kind == command.KindDate {
					bad = p.k.T("data.bad_date", text)
				}
				p.port.Say(kit.MarkBad, bad)
				return
			}
		}
		if from != "" || to != "" {
			p.addFilter(command.TableFilter{Column: i, Op: command.FilterRange, Low: from, High: to})
		}
	})
}

// numbers matches what both Python and numpy read as a number.
var numbers = regexp.MustCompile(`^[+-]?((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|(?i:inf(inity)?))$`)

// dateLayouts are the forms of dates that numpy reads. A fraction may follow the seconds.
var dateLayouts = []string{"2006", "2006-01", time.DateOnly, "2006-01-02T15", "2006-01-02T15:04", "2006-01-02T15:04:05"}

// fits reports whether a text is a value of a column of numbers or dates.
func (c *column) fits(text string) bool {
	if c.kind != command.KindDate {
		return numbers.MatchString(text)
	}
	return slices.ContainsFunc(dateLayouts, func(layout string) bool {
		_, err := time.Parse(layout, strings.Replace(text, " ", "T", 1))
		return err == nil
	})
}

// addFilter adds a filter. One of a kind that allows only one replaces that.
func (p *Page) addFilter(f command.TableFilter) {
	t := p.tables.shown
	next := filter{f, t.column(f.Column).title(p.k)}
	filters := slices.DeleteFunc(slices.Clone(t.filters), func(o filter) bool {
		return o.Column == f.Column && (o.same(next) || f.Op != command.FilterNot && o.Op == f.Op)
	})
	p.set(view{t.sort, append(filters, next)})
}

// drawChips shows the filters, each with a way to remove it.
func (p *Page) drawChips() {
	t := p.tables.shown
	if p.k.Pressed(p.chips, p.drawChips) {
		return
	}
	p.chips.Objects = nil
	if t != nil && t.known && len(t.filters) > 0 {
		for i, f := range t.filters {
			text := truncate.Runes(p.filterText(t, f), 48)
			p.chips.Objects = append(p.chips.Objects, p.k.Chip(text, true, true, func() {
				p.set(view{t.sort, slices.Delete(slices.Clone(t.filters), i, i+1)})
			}))
		}
		clear := p.k.Button(kit.Ghost, "", p.k.T("data.clear"), "", func() { p.set(view{t.sort, nil}) }).Small()
		of := kit.NewLine("", 12, p.k.P.Muted, fyne.TextStyle{}, 60)
		if !t.computing {
			of.Set(p.k.T("data.of", count(t.matching), count(t.shape.Rows)), nil)
		}
		p.chips.Objects = append(p.chips.Objects, clear, kit.Box(of, fyne.NewSize(of.PreferredWidth()+4, 20)))
	}
	p.chips.Layout.Layout(p.chips.Objects, p.chips.Size())
	p.chips.Refresh()
}

// filterText says what a filter leaves.
func (p *Page) filterText(t *table, f filter) string {
	value := ""
	if f.Value != nil {
		value = p.valueText(t, f.Column, f.Value)
	}
	switch f.Op {
	case command.FilterIs:
		return f.name + " = " + value
	case command.FilterNot:
		return f.name + " ≠ " + value
	case command.FilterContains:
		return p.k.T("data.chip_contains", f.name, "“"+plain(f.Value)+"”")
	case command.FilterRange:
		switch {
		case f.Low == "":
			return f.name + " ≤ " + f.High
		case f.High == "":
			return f.name + " ≥ " + f.Low
		}
		return f.Low + " ≤ " + f.name + " ≤ " + f.High
	case command.FilterMissing:
		return p.k.T("data.chip_missing", f.name)
	default:
		return p.k.T("data.chip_present", f.name)
	}
}
