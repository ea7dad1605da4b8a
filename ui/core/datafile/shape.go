package datafile

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Dialect is what a program must be told to read a CSV file.
type Dialect struct {
	Delimiter string
	Decimal   string // . or ,
	// Options are the further arguments of pandas.read_csv, in the syntax of Python, each
	// with a comma and a space before it. What follows the call is in After.
	Options, After string

	empty bool // there is nothing that pandas could read
}

// Pandas returns the Python expression that reads the file at path, or "" if pandas refuses it.
func (d Dialect) Pandas(path string) string {
	if d.empty {
		return ""
	}
	return "pd.read_csv(" + strconv.Quote(path) + d.Options + ")" + d.After
}

// A csvShape is how a CSV file is written.
type csvShape struct {
	comma     rune
	skip      int  // lines before the header
	header    int  // lines from there to the end of the header
	comments  bool // lines that begin with # are no rows
	ragged    bool // there are rows that are longer than the header
	spaces    bool // a space follows each delimiter
	literal   bool // quotation marks stand for themselves
	decimal   string
	thousands string // what is between thousands: "." with a decimal comma, "," with a point; "" if nothing
	numbers   []bool
	texts     []int // columns that are no numbers, although pandas would read some as such
	plain     *strings.Replacer
	notes     []string
}

// separatorLine is the line with which Excel names the delimiter.
var separatorLine = regexp.MustCompile(`(?i)^"?sep=(.)"?\r?\n`)

// shapeOf looks at the beginning of a CSV file, and returns the text from its header.
func shapeOf(d DecodedText, tabs bool) (body string, s csvShape) {
	body = strings.TrimPrefix(d.Text, "\ufeff")
	if i := strings.IndexByte(body, '\r'); i >= 0 && strings.Count(body, "\r") > strings.Count(body, "\r\n") {
		body = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body) // lines of old Macs
	}
	named := false
	if m := separatorLine.FindStringSubmatch(body); m != nil {
		s.comma, named = []rune(m[1])[0], true
		body, s.skip = body[len(m[0]):], 1
	}
	rest, lines, last := leadingComments(body)
	if lines > 0 {
		if !named {
			s.comma = delimiterOf(rest, tabs)
		}
		if isHeader(last, rest, s.comma) {
			rest, lines = last+"\n"+rest, lines-1
		}
		body, s.skip = rest, s.skip+lines
		// Else pandas would cut the values that contain it.
		s.comments = strings.Contains(body, "\n#") && onlyComments(body)
	}
	if s.comma == 0 {
		s.comma = delimiterOf(body, tabs)
	}
	if n := preamble(body, s.comma); n > 0 {
		body, lines = afterLines(body, n), lines+n
		s.skip += n
	}
	if lines > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d lines before the header were left out", lines))
	}
	if !s.comments && strings.Contains(body, "\n#") {
		s.comments = loneComments(body, s.comma) && onlyComments(body)
	}
	s.spaces = spaced(body, s.comma)
	if line := unclosed(body, s.comma); line > 0 {
		body, s.literal = literal(body, s.comma), true
		s.notes = append(s.notes, fmt.Sprintf("the quotation mark in line %d is never closed, so all of them are read as text", s.skip+line))
	}
	return body, s
}

func afterLines(text string, n int) string {
	for range n {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// spaced reports whether a space follows each delimiter in the first two lines.
func spaced(text string, comma rune) bool {
	n := 0
	for line := range strings.Lines(text) {
		parts := strings.Split(line, string(comma))
		for _, part := range parts[1:] {
			if !strings.HasPrefix(part, " ") {
				return false
			}
		}
		if n++; len(parts) < 2 || n == 2 {
			return len(parts) > 1 && comma != '\t'
		}
	}
	return false
}

// loneComments reports whether the lines that begin with # have no delimiter, unlike the header.
func loneComments(text string, comma rune) bool {
	header, _, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") && strings.ContainsRune(line, comma) {
			return false
		}
	}
	return strings.ContainsRune(header, comma)
}

func delimiterOf(text string, tabs bool) rune {
	if tabs {
		return '\t'
	}
	return delimiter(text)
}

// leadingComments returns the text behind the lines that begin with #, % or //, their number (with blank
// lines between them), and the last of them.
func leadingComments(text string) (rest string, lines int, last string) {
	rest = text
	n := 0
	for line := range strings.Lines(text) {
		blank := strings.TrimSpace(line) == ""
		if !blank && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "%") && !strings.HasPrefix(line, "//") {
			break
		}
		n++
		text = text[len(line):]
		if !blank {
			rest, lines, last = text, n, strings.TrimRight(line, "\r\n")
		}
	}
	if strings.TrimSpace(rest) == "" {
		return rest, 0, "" // only comments
	}
	return rest, lines, last
}

// isHeader reports whether a line with # before it is a header: it has as many names as the
// first row has values, and that row has numbers.
func isHeader(line, rest string, comma rune) bool {
	first, _, _ := strings.Cut(rest, "\n")
	names, values := fields(line, comma), fields(strings.TrimSuffix(first, "\r"), comma)
	if len(names) != len(values) || len(names) < 2 {
		return false
	}
	for i, v := range values {
		if isNumber := commaNumber.MatchString(v) || plainNumber(v); isNumber && names[i] != "" && !plainNumber(names[i]) {
			return true
		}
	}
	return false
}

func fields(line string, comma rune) []string {
	r := csv.NewReader(strings.NewReader(line))
	r.Comma, r.LazyQuotes = comma, true
	record, _ := r.Read() // none of a damaged line
	return record
}

// onlyComments reports whether each # in a text begins a line that is not the header.
func onlyComments(text string) bool {
	first := true
	for line := range strings.Lines(text) {
		if comment := strings.HasPrefix(line, "#"); comment == first && comment || !comment && strings.Contains(line, "#") {
			return false
		}
		first = false
	}
	return true
}

// number matches numbers in the syntax of JSON, without leading zeros or a plus sign;
// commaNumber those with a decimal comma, grouped those with points between thousands, and american
// those with commas between thousands.
var (
	number      = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
	commaNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})(,[0-9]{1,15})?$`)
	grouped     = regexp.MustCompile(`^-?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]{1,15})?$`)
	american    = regexp.MustCompile(`^-?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]{1,15})?$`)
	dotted      = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+$`)
	listed      = regexp.MustCompile(`^[0-9]+(,[0-9]+)+$`)
	zeroed      = regexp.MustCompile(`^0[0-9]+$`)
	digits      = regexp.MustCompile(`^[0-9]+$`)
)

// plainNumber reports whether v is a number that JSON parsers preserve.
func plainNumber(v string) bool {
	return len(v) <= 24 && number.MatchString(v) && (len(v) < 16 || strings.ContainsAny(v, ".eE"))
}

// A columnKind is what all the values of a column are.
type columnKind struct {
	notPlain, notComma, notGrouped, notAmerican, notDigits bool
	comma, group, american, both, point, dots, list, zero  bool // at least one value has it
}

type columnKinds []columnKind

// see adds a record.
func (k *columnKinds) see(record []string) {
	for len(*k) < min(len(record), maxColumns) {
		*k = append(*k, columnKind{})
	}
	for i := range min(len(record), maxColumns) {
		v, c := record[i], &(*k)[i]
		if missing[v] {
			continue
		}
		if c.notPlain && c.notComma && c.notGrouped && c.notAmerican && c.notDigits && c.dots && c.list {
			continue
		}
		c.notPlain = c.notPlain || !plainNumber(v)
		isComma, isGroup := len(v) < 40 && commaNumber.MatchString(v), len(v) < 40 && grouped.MatchString(v)
		c.notComma = c.notComma || !isComma
		c.notGrouped = c.notGrouped || !isComma && !isGroup
		isAmerican := len(v) < 40 && american.MatchString(v)
		c.notAmerican = c.notAmerican || !isAmerican && !plainNumber(v)
		c.american = c.american || isAmerican
		c.both = c.both || isAmerican && strings.Contains(v, ".")
		c.list = c.list || len(v) < 40 && listed.MatchString(v)
		c.comma = c.comma || isComma && strings.Contains(v, ",")
		c.group = c.group || isGroup && strings.Contains(v, ",")
		c.point = c.point || strings.Contains(v, ".")
		c.dots = c.dots || len(v) < 40 && dotted.MatchString(v)
		c.notDigits = c.notDigits || !digits.MatchString(v)
		c.zero = c.zero || zeroed.MatchString(v)
	}
}

// decide finds out which columns are of numbers, and how they are written.
func (s *csvShape) decide(kinds columnKinds, names []string) {
	s.numbers, s.decimal = make([]bool, max(len(names), len(kinds))), "."
	s.plain = strings.NewReplacer()
	points, commas, groups, americans := false, false, false, s.comma == ','
	for i, k := range kinds {
		s.numbers[i] = !k.notPlain
		if !k.notDigits && k.zero {
			s.texts = append(s.texts, i)
		}
		switch {
		case !k.notPlain && k.point:
			points = true
		case !k.notComma && k.comma:
			commas = true
		case !k.notGrouped && k.group:
			groups = true
		}
		americans = americans || k.both && !k.notAmerican
	}
	switch {
	case americans || !commas && !groups:
		s.decideAmerican(kinds)
	case points:
		s.notes = append(s.notes, "some columns have a decimal comma and others a decimal point; those with a comma are text here")
	default:
		s.decimal, s.plain = ",", strings.NewReplacer(".", "", ",", ".")
		for i, k := range kinds {
			s.numbers[i] = s.numbers[i] || !k.notComma || groups && !k.notGrouped
			if groups && !s.numbers[i] && k.dots { // as dates
				s.texts = append(s.texts, i)
			}
		}
		if groups {
			s.thousands = "."
		}
	}
	for i := len(kinds); i < len(s.numbers); i++ {
		s.numbers[i] = len(kinds) == 0
	}
}

// decideAmerican finds the columns of numbers with commas between thousands.
func (s *csvShape) decideAmerican(kinds columnKinds) {
	if !slices.ContainsFunc(kinds, func(k columnKind) bool { return k.american && !k.notAmerican }) {
		return
	}
	s.thousands, s.plain = ",", strings.NewReplacer(",", "")
	for i, k := range kinds {
		s.numbers[i] = s.numbers[i] || k.american && !k.notAmerican
		if !s.numbers[i] && k.list {
			s.texts = append(s.texts, i)
		}
	}
}

// maxNamed is the number of columns that the options of pandas name.
const maxNamed = 60

// dialect returns what pandas needs.
func (s *csvShape) dialect(d DecodedText, names []string, rows int64) Dialect {
	var b strings.Builder
	add := func(name, value string) { b.WriteString(", " + name + "=" + value) }
	if s.comma != ',' {
		add("sep", strconv.Quote(string(s.comma)))
	}
	if d.Encoding != "utf-8" {
		add("encoding", strconv.Quote(d.Encoding))
	}
	if d.Errors {
		add("encoding_errors", `"replace"`)
	}
	ragged := s.ragged && len(names) <= maxNamed
	if ragged { // pandas takes the number of columns from the header
		s.skip += s.header
	}
	if s.skip > 0 {
		add("skiprows", strconv.Itoa(s.skip))
	}
	switch {
	case d.CtrlZ && !s.comments:
		add("comment", `"\x1a"`)
	case s.comments:
		add("comment", `"#"`)
	}
	if s.spaces {
		add("skipinitialspace", "True")
	}
	if s.literal {
		add("quoting", "3")
	}
	if s.decimal == "," {
		add("decimal", `","`)
	}
	if s.thousands != "" {
		add("thousands", strconv.Quote(s.thousands))
	}
	if d.Padded || d.CtrlZ && s.comments {
		add("nrows", strconv.FormatInt(rows, 10))
	}
	if ragged {
		add("names", pythonList(names))
	}
	if texts := s.texts[:min(len(s.texts), maxNamed)]; len(texts) > 0 {
		var types []string
		for _, i := range texts {
			types = append(types, strconv.Quote(names[i])+": str")
		}
		add("dtype", "{"+strings.Join(types, ", ")+"}")
	}
	out := Dialect{Delimiter: string(s.comma), Decimal: s.decimal, Options: b.String(), empty: len(names) == 0}
	if d.NULs > 0 {
		out.After = `.rename(columns=lambda c: c.replace("\0", "")).replace("\0", "", regex=True)`
	}
	return out
}

func pythonList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = strconv.Quote(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
