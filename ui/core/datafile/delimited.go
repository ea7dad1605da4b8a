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

// A csvRows is what is read of a CSV file.
type csvRows struct {
	names    []string // of all columns
	header   int      // number of names in the header
	shown    [][]string
	columns  columnKinds
	full     bool // the rows that follow are not in shown, as they do not fit
	shortest int  // length of a row
	longest  int
	tail     bool // the last field of a longest row has a value
}

// Limits of what is read at once: each field of a record needs some memory, also an empty one.
const (
	mostColumns = 1 << 18
	mostSample  = 1 << 20 // bytes of each line that tells the delimiter
)

// tooWide reports whether a line has more fields than a table can have.
func tooWide(text string) bool {
	const delimiters = ",;\t|"
	var fields [len(delimiters)]int
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' {
			fields = [len(delimiters)]int{}
			continue
		}
		if d := strings.IndexByte(delimiters, text[i]); d >= 0 {
			if fields[d]++; fields[d] > mostColumns {
				return true
			}
		}
	}
	return false
}

// delimitedTable reads TSV, if tabs, or CSV with any delimiter. The first record contains the
// names of the columns, which are named as pandas names them. It returns nil if a record has more
// fields than a table can have.
func delimitedTable(d DecodedText, tabs bool, l Limits) (*Table, Dialect) {
	if tooWide(d.Text) {
		return nil, Dialect{}
	}
	body, shape := shapeOf(d, tabs)
	t := newTable(l)
	read := readRows(t, body, &shape, l)
	if read.longest > mostColumns || read.header > mostColumns { // a record may have several lines
		return nil, Dialect{}
	}
	if read.rowNames() {
		read.names = append([]string{"Unnamed: 0"}, read.names[:read.header]...)
		shape.notes = append(shape.notes, "the header has no name for the first column, as R writes row names")
	}
	t.name(read.names)
	shape.decide(read.columns, read.names)
	t.Notes = append(t.Notes, shape.notes...)
	for _, record := range read.shown {
		if !t.take(shape.row(t, record), l.Rows) {
			break
		}
	}
	if read.full && len(t.Rows) == len(read.shown) && len(read.shown) < l.Rows {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows fit into the answer", len(t.Rows)))
	}
	t.say()
	return t, shape.dialect(d, read.names, t.Total)
}

func readRows(t *Table, body string, shape *csvShape, l Limits) (read csvRows) {
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = shape.comma, -1, true, true
	r.TrimLeadingSpace = shape.spaces
	if shape.comments {
		r.Comment = '#'
	}
	size := 0
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return read
		}
		if err != nil {
			t.Notes = append(t.Notes, fmt.Sprintf("reading stopped behind row %d: %v", t.Total, err))
			return read
		}
		if len(record) == 1 && record[0] != "" && strings.TrimSpace(record[0]) == "" && shape.comma != '\t' {
			continue // a line of blanks
		}
		if read.names == nil {
			if read.header = len(record); read.header > mostColumns {
				return read
			}
			read.names = headerNames(record)
			shape.header = strings.Count(body[:r.InputOffset()], "\n")
			continue
		}
		t.Total++
		if read.longest = max(read.longest, len(record)); read.longest > mostColumns {
			return read
		}
		for len(read.names) < len(record) {
			read.names = append(read.names, fmt.Sprintf("column_%d", len(read.names)+1))
			shape.ragged = true
		}
		read.measure(record)
		for _, v := range record[:min(len(record), maxColumns)] {
			size += min(len(v), maxCell) + 3
		}
		if read.full = read.full || size > maxTable && len(read.shown) > 0; read.full || len(read.shown) >= l.Rows {
			continue
		}
		read.shown = append(read.shown, slices.Clone(record[:min(len(record), maxColumns)]))
	}
}

func (c *csvRows) measure(record []string) {
	c.columns.see(record)
	if n := len(record); c.shortest == 0 || n < c.shortest {
		c.shortest = n
	}
	c.tail = c.tail || len(record) > c.header && record[len(record)-1] != ""
}

// rowNames reports whether each row has one value more than the header has names. pandas and R then take the
// first for the names of the rows. If the last one is always empty, it is what follows a delimiter.
func (c *csvRows) rowNames() bool {
	return c.shortest == c.header+1 && c.longest == c.shortest && c.tail
}

// row converts a record to JSON. In columns with only numbers, the values become numbers, with
// all their digits.
func (s *csvShape) row(t *Table, record []string) []json.RawMessage {
	row := make([]json.RawMessage, len(t.Columns))
	for i := range row {
		switch {
		case i >= len(record), s.numbers[i] && missing[record[i]]:
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
		if lines++; lines > 20 || sample.Len()+len(line) > mostSample && lines > 2 {
			break
		}
		sample.WriteString(line[:min(len(line), mostSample)])
	}
	best, choice := 0, ','
	for _, c := range []rune{',', ';', '\t', '|'} {
		r := csv.NewReader(strings.NewReader(sample.String()))
		r.Comma, r.FieldsPerRecord, r.LazyQuotes = c, -1, true
		records, _ := r.ReadAll() // a sample that ends within quotes is enough
		if len(records) == 0 {
			continue
		}
		width, least := len(records[0]), 1
		if width < 2 { // a title, if most lines are as long as the longest
			for _, rec := range records {
				width = max(width, len(rec))
			}
			least = len(records)/2 + 1
		}
		same := 0
		for _, rec := range records {
			if len(rec) == width {
				same++
			}
		}
		if score := same*1000/len(records) + min(width, 99); width > 1 && same >= least && score > best {
			best, choice = score, c
		}
	}
	if choice == ',' && decimalColumn(sample.String()) {
		return ';'
	}
	return choice
}

// decimalColumn reports whether a text is a name and numbers with a decimal comma.
func decimalColumn(text string) bool {
	name, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); !commaNumber.MatchString(line) && line != "" {
			return false
		}
	}
	return !strings.Contains(name, ",") && strings.Contains(rest, ",")
}
