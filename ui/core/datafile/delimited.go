package datafile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// delimitedTable reads TSV, if tabs, or CSV with any delimiter. The first record contains the
// names of the columns.
func delimitedTable(text string, tabs bool, limit int) *Table {
	comma := '\t'
	if !tabs {
		comma = delimiter(text)
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = comma, -1, true, true
	t := &Table{Columns: []string{}, Rows: [][]json.RawMessage{}}
	var shown [][]string
	var numbers []bool // whether the column has had only numbers so far
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
		if len(t.Columns) == 0 {
			t.Columns = slices.Clone(record)
			continue
		}
		for len(t.Columns) < len(record) {
			t.Columns = append(t.Columns, fmt.Sprintf("column_%d", len(t.Columns)+1))
		}
		t.Total++
		for len(numbers) < len(t.Columns) {
			numbers = append(numbers, true)
		}
		for i, v := range record {
			numbers[i] = numbers[i] && (v == "" || plainNumber(v))
			size += len(v) + 3
		}
		if full = full || size > maxTable && len(shown) > 0; full || len(shown) >= limit {
			continue
		}
		shown = append(shown, slices.Clone(record))
	}
	if full && len(shown) < limit {
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows fit into the answer", len(shown)))
	}
	for _, record := range shown {
		t.Rows = append(t.Rows, delimitedRow(record, numbers, len(t.Columns)))
	}
	return t
}

// delimitedRow converts a record to JSON. In columns with only numbers, the values become
// numbers, with all their digits.
func delimitedRow(record []string, numbers []bool, width int) []json.RawMessage {
	row := make([]json.RawMessage, width)
	for i := range row {
		switch {
		case i >= len(record), numbers[i] && record[i] == "":
			row[i] = null
		case numbers[i]:
			row[i] = json.RawMessage(record[i])
		default:
			row[i] = cell(record[i])
		}
	}
	return row
}

// number matches numbers in the syntax of JSON, without leading zeros or a plus sign.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// plainNumber reports whether v is a number that JSON parsers preserve.
func plainNumber(v string) bool {
	return len(v) <= 24 && number.MatchString(v) && (len(v) < 16 || strings.ContainsAny(v, ".eE"))
}

// delimiter guesses the delimiter. It returns the character that splits most of the first
// lines into the same number of fields, at least two.
func delimiter(text string) rune {
	var sample bytes.Buffer
	lines := 0
	for line := range strings.Lines(text) {
		if lines++; lines > 20 || sample.Len() > 64<<10 {
			break
		}
		sample.WriteString(line)
	}
	best, choice := 0, ','
	for _, c := range []rune{',', ';', '\t', '|'} {
		r := csv.NewReader(bytes.NewReader(sample.Bytes()))
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
