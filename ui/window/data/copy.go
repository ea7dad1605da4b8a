package data

import (
	"encoding/json"
	"fmt"
	"strings"

	"easel/ui/core/command"
)

// mostCopied is how many cells can be copied, which is what a kernel answers at once.
const mostCopied = 200_000

// A copyFormat is how cells are copied.
type copyFormat int

const (
	asText     copyFormat = iota // tabs and lines
	withNames                    // also the names of the columns and the index
	asMarkdown                   // a table in Markdown
)

// Copy copies the selected cells, as text that other programs paste as a table.
func (p *Page) Copy() { p.copy(asText) }

// copyValue copies the whole value of the current cell.
func (p *Page) copyValue() {
	p.whole(func(text string) { p.port.Copy(text, p.k.T("data.cell")) })
}

// copy copies the selected cells. Their whole values are read from the kernel.
func (p *Page) copy(how copyFormat) {
	t := p.tables.shown
	if t == nil || !t.known || t.rows() == 0 || t.shape.Columns == 0 {
		return
	}
	from, to := t.selection()
	rows, columns := to.row-from.row+1, to.column-from.column+1
	if rows == 1 && columns == 1 && how == asText {
		p.copyValue()
		return
	}
	if rows*columns > mostCopied {
		p.port.Say(p.bad(), p.k.T("data.too_many", count(mostCopied)))
		return
	}
	done := func(got command.TablePage) {
		p.port.Copy(written(got, how, strings.Join(t.shape.Index, ", ")), p.k.T("data.cells", count(rows), count(columns)))
	}
	if got, ok := t.part(from, to); ok {
		done(got)
		return
	}
	if !p.load.idle(t) {
		p.port.Say(p.bad(), p.k.T("data.busy"))
		return
	}
	in := command.TablePageIn{TableView: t.view(), Row: from.row, Rows: rows, Column: from.column, Columns: columns, Whole: true, Beside: true}
	p.port.Read.Page(in, func(got command.TablePage, err error) {
		if t.closed || p.load.stopped {
			return
		}
		if err != nil {
			p.load.fail(t, err)
			p.changed(t)
			return
		}
		done(got)
	})
}

// part returns cells that the window has whole; false if it does not.
func (t *table) part(from, to cell) (command.TablePage, bool) {
	var p command.TablePage
	for i := from.column; i <= to.column; i++ {
		p.Names = append(p.Names, t.column(i).name)
		p.Dtypes = append(p.Dtypes, command.TableColumn{Dtype: t.column(i).dtype, Kind: t.column(i).kind})
		var values []json.RawMessage
		for r := from.row; r <= to.row; r++ {
			b := t.blocks.get(r, i)
			raw := b.value(r, i)
			if raw == nil || shortened(raw) {
				return p, false
			}
			values = append(values, raw)
			if i == from.column {
				label, numbered, _ := b.label(r)
				if !numbered {
					p.Index = append(p.Index, label)
				}
				p.At = append(p.At, b.page.At[r-b.key.row*blockRows])
			}
		}
		p.Cells = append(p.Cells, values)
	}
	return p, true
}

// written returns cells as text.
func written(p command.TablePage, how copyFormat, index string) string {
	labels := func(int) []string { return nil }
	head := p.Names
	if how != asText {
		head = append([]string{index}, head...)
		labels = func(j int) []string {
			if j < len(p.Index) {
				return []string{p.Index[j]}
			}
			return []string{itoa(p.At[j])}
		}
	}
	var b strings.Builder
	if how != asText {
		line(&b, how, head)
	}
	if how == asMarkdown {
		b.WriteString("|")
		for i := range head {
			if i > 0 && p.Dtypes[i-1].Kind == command.KindNumber {
				b.WriteString(" ---: |")
			} else {
				b.WriteString(" --- |")
			}
		}
		b.WriteString("\n")
	}
	if len(p.Cells) == 0 {
		return b.String()
	}
	for j := range p.Cells[0] {
		texts := labels(j)
		for _, column := range p.Cells {
			text := ""
			if raw := column[j]; !missing(raw) {
				text = format{decimals: -1}.text("", raw)
				if how != asMarkdown {
					text = plain(raw)
				}
			}
			texts = append(texts, text)
		}
		line(&b, how, texts)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// line writes a line of cells.
func line(b *strings.Builder, how copyFormat, texts []string) {
	for i, text := range texts {
		if how == asMarkdown {
			text = "| " + strings.ReplaceAll(breaks.Replace(text), "|", `\|`) + " "
		} else {
			if strings.ContainsAny(text, "\t\n\r\"") {
				text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
			}
			if i > 0 {
				text = "\t" + text
			}
		}
		b.WriteString(text)
	}
	if how == asMarkdown {
		b.WriteString("|")
	}
	b.WriteString("\n")
}

// copyCode copies code that makes the view that is shown.
func (p *Page) copyCode() {
	t := p.tables.shown
	if !p.load.idle(t) {
		p.port.Say(p.bad(), p.k.T("data.busy"))
		return
	}
	p.port.Read.Code(t.view(), func(out command.TableCode, err error) {
		switch {
		case t.closed || p.load.stopped:
		case err != nil:
			p.load.fail(t, err)
			p.changed(t)
		case out.Code == "":
			p.port.Say(p.bad(), p.k.T("data.no_code", t.shape.Type))
		default:
			p.port.Copy(out.Code, p.k.T("data.code"))
		}
	})
}

// describe returns what an assistant needs to know to answer a question about a cell or a column. It is in
// English, which every model reads.
func (p *Page) describe(t *table, c cell, whole bool) string {
	var b strings.Builder
	col := t.column(c.column)
	name := fmt.Sprintf("%q", col.name)
	if col.name == "" {
		name = itoa(c.column)
	}
	fmt.Fprintf(&b, "In session %s, variable %s (%s, %d rows × %d columns): ", t.session, t.name, t.shape.Type, t.shape.Rows, t.shape.Columns)
	switch {
	case whole:
		fmt.Fprintf(&b, "column %s (%s).", name, col.dtype)
	default:
		label, numbered, _ := t.blocks.get(c.row, c.column).label(c.row)
		kind := "index"
		if numbered {
			kind = "number"
		}
		raw := t.blocks.get(c.row, c.column).value(c.row, c.column)
		value := string(raw)
		if missing(raw) {
			value = "missing"
		}
		fmt.Fprintf(&b, "the value of column %s (%s) in the row with the %s %s is %s.", name, col.dtype, kind, label, value)
	}
	if h := col.head; h != nil {
		fmt.Fprintf(&b, " The column has %d missing values of %d", h.Missing, h.Count)
		if h.Min != nil {
			fmt.Fprintf(&b, "; it ranges from %s to %s", plain(h.Min), plain(h.Max))
		}
		if h.Mean != nil {
			fmt.Fprintf(&b, ", mean %.6g", *h.Mean)
		}
		for i, x := range h.Top {
			if i == 0 {
				fmt.Fprintf(&b, "; its most frequent values of %d are", h.Unique)
			}
			fmt.Fprintf(&b, " %s (%d)", string(x[0]), number(x[1]))
		}
		b.WriteString(".")
	}
	t.describeOrder(&b)
	return b.String()
}

// describeOrder says how the user has sorted and filtered a table.
func (t *table) describeOrder(b *strings.Builder) {
	if len(t.sort)+len(t.filters) > 0 {
		b.WriteString(" The user looks at it")
		for i, s := range t.sort {
			word := " sorted by"
			if i > 0 {
				word = ", then"
			}
			fmt.Fprintf(b, "%s %q", word, t.column(s.Column).name)
			if s.Down {
				b.WriteString(" descending")
			}
		}
		for i, f := range t.filters {
			if i == 0 {
				b.WriteString(" filtered:")
			}
			fmt.Fprintf(b, " %q %s %s%s..%s", f.name, f.Op, string(f.Value), f.Low, f.High)
		}
		b.WriteString("; the variable itself is not changed.")
	}
}

// number returns a count in a head.
func number(raw json.RawMessage) int {
	var n int
	_ = json.Unmarshal(raw, &n) // 0 if it is none
	return n
}
