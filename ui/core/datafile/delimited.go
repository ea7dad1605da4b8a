package datafile

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// delimitedTable reads TSV, if tabs, or CSV with any delimiter. The first record contains the
// names of the columns, which are named as pandas names them.
func delimitedTable(d Decoded, tabs bool, l Limits) (*Table, Dialect) {
	body, shape := shapeOf(d, tabs)
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = shape.comma, -1, true, true
	if shape.comments {
		r.Comment = '#'
	}
	t := newTable(l)
	var names []string // all of them
	var shown [][]string
	var columns columnKinds
	size, full := 0, false
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("reading stopped behind row %d: %v", t.Total, err))
			break
		}
		if len(record) == 1 && record[0] != "" && strings.TrimSpace(record[0]) == "" && shape.comma != '\t' {
			continue // a line of blanks
		}
		if names == nil {
			names = headerNames(record)
			shape.header = strings.Count(body[:r.InputOffset()], "\n")
			continue
		}
		t.Total++
		for len(names) < len(record) {
			names = append(names, fmt.Sprintf("column_%d", len(names)+1))
			shape.ragged = true
		}
		columns.see(record)
		for _, v := range record[:min(len(record), maxColumns)] {
			size += min(len(v), maxCell) + 3
		}
		if full = full || size > maxTable && len(shown) > 0; full || len(shown) >= l.Rows {
			continue
		}
		shown = append(shown, slices.Clone(record[:min(len(record), maxColumns)]))
	}
	t.name(names)
	shape.decide(columns, names)
	t.Notes = append(t.Notes, shape.notes...)
	for _, record := range shown {
		if !t.take(shape.row(t, record), l.Rows) {
			break
		}
	}
	if full && len(t.Rows) == len(shown) && len(shown) < l.Rows {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows fit into the answer", len(t.Rows)))
	}
	t.say()
	return t, shape.dialect(d, names, t.Total)
}

// headerNames names the columns as pandas does: a blank name and a repeated one get a number.
func headerNames(record []string) []string {
	names := make([]string, len(record))
	seen := make(map[string]int, len(record))
	for i, name := range record {
		if name == "" {
			name = fmt.Sprintf("Unnamed: %d", i)
		}
		base := name
		for seen[name] > 0 {
			name = fmt.Sprintf("%s.%d", base, seen[base])
			seen[base]++
		}
		seen[name]++
		names[i] = name
	}
	return names
}

// row converts a record to JSON. In columns with only numbers, the values become numbers, with
// all their digits.
func (s *csvShape) row(t *Table, record []string) []json.RawMessage {
	row := make([]json.RawMessage, len(t.Columns))
	for i := range row {
		switch {
		case i >= len(record), s.numbers[i] && record[i] == "":
			row[i] = null
		case s.numbers[i]:
			row[i] = json.RawMessage(s.plain.Replace(record[i]))
		default:
			row[i] = t.cell(record[i])
		}
	}
	return row
}

// delimiter guesses the delimiter. It returns the character that splits most of the first
// lines into the same number of fields, at least two.
func delimiter(text string) rune {
	var sample strings.Builder
	lines := 0
	for line := range strings.Lines(text) {
		if lines++; lines > 20 || sample.Len()+len(line) > 1<<20 && lines > 2 {
			break
		}
		sample.WriteString(line)
	}
	best, choice := 0, ','
	for _, c := range []rune{',', ';', '\t', '|'} {
		r := csv.NewReader(strings.NewReader(sample.String()))
		r.Comma, r.FieldsPerRecord, r.LazyQuotes = c, -1, true
		records, _ := r.ReadAll() // a sample that ends within quotes is enough
		if len(records) == 0 || len(records[0]) < 2 {
			continue
		}
		same := 0
		for _, rec := range records {
			if len(rec) == len(records[0]) {
				same++
			}
		}
		if score := same*1000/len(records) + min(len(records[0]), 99); score > best {
			best, choice = score, c
		}
	}
	return choice
}
