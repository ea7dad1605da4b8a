package datafile

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"strings"
)

// headerNames names the columns as pandas does: a blank name and a repeated one get a number that makes
// a name which the header does not have.
func headerNames(record []string) []string {
	names := make([]string, len(record))
	taken, seen := make(map[string]bool, len(record)), make(map[string]int, len(record))
	for i, name := range record {
		name = cmp.Or(name, fmt.Sprintf("Unnamed: %d", i))
		names[i], taken[name] = name, true
	}
	for i, base := range names {
		name, n := base, seen[base]
		for n > 0 {
			seen[base] = n + 1
			if name = fmt.Sprintf("%s.%d", base, n); taken[name] {
				n++
			} else {
				n = seen[name]
			}
		}
		seen[name] = n + 1
		names[i] = name
	}
	return names
}

// A preamble has at most maxPreamble records, and is looked for at the beginning of a file.
const (
	maxPreamble = 30
	lookedAt    = 100 // records
)

// preamble returns the number of lines before the header of a table, which has more columns than they: a title,
// or the settings of an instrument. The header consists of different names, all rows are as long as it,
// and one of them has a number. Without these signs, the first line is the header.
func preamble(body string, comma rune) (lines int) {
	r := csv.NewReader(strings.NewReader(body))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, true
	var records [][]string
	var starts []int64
	for fields := 0; len(records) < lookedAt && fields < mostColumns; {
		start := r.InputOffset()
		record, err := r.Read()
		if err != nil {
			break
		}
		records, starts = append(records, record), append(starts, start)
		fields += len(record)
	}
	width := 0
	for _, record := range records {
		width = max(width, filled(record))
	}
	for i, record := range records[:min(len(records), maxPreamble)] {
		if filled(record) < width {
			continue
		}
		if i == 0 || width < 2 || len(records) < i+3 || !looksHeader(record[:width], records[i+1:]) {
			return 0
		}
		end := starts[i]
		for rest := body[end:]; strings.HasPrefix(rest, "\n") || strings.HasPrefix(rest, "\r\n"); rest = body[end:] {
			end += int64(strings.IndexByte(rest, '\n')) + 1 // blank lines, which the reader has not left yet
		}
		return strings.Count(body[:end], "\n")
	}
	return 0
}

// filled returns the length of a record without the empty fields at its end.
func filled(record []string) int {
	n := len(record)
	for n > 0 && record[n-1] == "" {
		n--
	}
	return n
}

func looksHeader(names []string, rows [][]string) bool {
	seen := make(map[string]bool)
	for _, name := range names {
		if name == "" || seen[name] || plainNumber(name) || commaNumber.MatchString(name) {
			return false
		}
		seen[name] = true
	}
	number := false
	for _, row := range rows {
		if len(row) < len(names) {
			return false
		}
		for _, v := range row {
			number = number || plainNumber(v) || commaNumber.MatchString(v)
		}
	}
	return number
}

// missing are the texts that pandas reads as missing values.
var missing = map[string]bool{
	"": true, "#N/A": true, "#N/A N/A": true, "#NA": true, "-1.#IND": true, "-1.#QNAN": true, "-NaN": true, "-nan": true, "1.#IND": true,
	"1.#QNAN": true, "<NA>": true, "N/A": true, "NA": true, "NULL": true, "NaN": true, "None": true, "n/a": true, "nan": true, "null": true,
}

// unclosed returns the number of the line where a quotation mark opens that is never closed, or 0.
func unclosed(body string, comma rune) (line int) {
	const start, plain, quoted, quote = 0, 1, 2, 3 // of a field; within it; within quotation marks; behind one
	state, now, opened := start, 1, 0
	for _, c := range body {
		switch {
		case state == quoted && c == '"':
			state = quote
		case state == quoted:
		case state == quote && c == '"':
			state = quoted
		case c == '\n' || c == comma:
			state = start
		case state == start && c == '"':
			state, opened = quoted, now
		case c == '\r' && state == quote:
		case state == quote: // as encoding/csv: the mark belongs to the text
			state = quoted
		default:
			state = plain
		}
		if c == '\n' {
			now++
		}
	}
	if state == quoted {
		return opened
	}
	return 0
}

// literal returns a text in which each quotation mark stands for itself, so that no field has line ends.
func literal(body string, comma rune) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		text := strings.TrimRight(line, "\r\n")
		if text != "" {
			for i, field := range strings.Split(text, string(comma)) {
				if i > 0 {
					b.WriteRune(comma)
				}
				b.WriteString(`"` + strings.ReplaceAll(field, `"`, `""`) + `"`)
			}
		}
		b.WriteString(line[len(text):])
	}
	return b.String()
}
