package datafile

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"easel/internal/truncate"
)

// A Table is the columns and the first rows of a table.
type Table struct {
	Columns []string            // the first ones
	Rows    [][]json.RawMessage // at most as long as Columns
	Total   int64               // number of rows in the file
	Sheet   string              // Excel only: the sheet that is shown
	Sheets  []string            // Excel only: all sheets
	Notes   []string            // what was omitted, and why

	budget  int  // bytes of rows
	size    int  // of the rows
	maxCell int  // bytes of a value
	values  int  // that were cut
	cut     bool // something was
}

const (
	maxTable   = 300_000 // bytes of a table's rows
	minTable   = 1000
	maxCell    = 2000 // bytes of a value, where there are few columns
	minCell    = 40
	maxName    = 200 // bytes of a column's name
	maxColumns = 500 // that are shown
)

// newTable returns a table for as many bytes as l allows.
func newTable(l Limits) *Table {
	t := &Table{Columns: []string{}, Rows: [][]json.RawMessage{}, budget: maxTable, maxCell: maxCell}
	if l.Text > 0 {
		t.budget = min(maxTable, max(minTable, l.Text))
	}
	return t
}

// name sets the columns. It keeps as many as fit, and says so.
func (t *Table) name(all []string) {
	shown := all[:min(len(all), maxColumns, max(10, t.budget/minCell))]
	if len(shown) < len(all) {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("the file has %d columns; the first %d are shown", len(all), len(shown)))
	}
	for _, name := range shown {
		t.Columns = append(t.Columns, t.shorten(name, maxName))
	}
	t.maxCell = min(maxCell, max(minCell, t.budget/max(1, len(shown))))
}

// shorten cuts s to at most limit bytes, at the end of a character.
func (t *Table) shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	t.values++
	return truncate.Excerpt(s, limit)
}

// take appends row. It returns false if there is no room for it.
func (t *Table) take(row []json.RawMessage, limit int) bool {
	if len(t.Rows) >= limit {
		return false
	}
	for _, v := range row {
		t.size += len(v) + 1
	}
	if t.size > t.budget && len(t.Rows) > 0 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows fit into the answer", len(t.Rows)))
		return false
	}
	t.Rows = append(t.Rows, row)
	return true
}

// say adds what was cut to the notes.
func (t *Table) say() {
	if t.values > 0 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("%d long values or names were cut; they end with …", t.values))
		t.values = 0
	}
}

var null = json.RawMessage("null")

// bound returns a value in JSON, or its beginning as a text if it is too long.
func (t *Table) bound(v json.RawMessage) json.RawMessage {
	if len(v) <= t.maxCell {
		return v
	}
	var s string
	if json.Unmarshal(v, &s) == nil {
		return t.cell(s)
	}
	return t.cell(string(v))
}

// cell encodes a value as JSON: NaN and infinities as null, integers that JavaScript cannot
// represent as strings, and times in ISO 8601.
func (t *Table) cell(v any) json.RawMessage {
	switch x := v.(type) {
	case nil:
		return null
	case string:
		v = t.shorten(x, t.maxCell)
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return null
		}
	case int64:
		if x > 1<<53 || x < -1<<53 {
			v = fmt.Sprint(x)
		}
	case uint64:
		if x > 1<<53 {
			v = fmt.Sprint(x)
		}
	case time.Time:
		v = isoTime(x)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return null
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}

func isoTime(t time.Time) string {
	if h, m, s := t.Clock(); h+m+s+t.Nanosecond() == 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05.999999999")
}
