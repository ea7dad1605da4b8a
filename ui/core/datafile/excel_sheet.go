package datafile

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"easel/internal/truncate"
)

// Limits of what is kept of a sheet.
const (
	maxKept    = 8 << 20     // bytes of the cells
	maxText    = 2 * maxCell // bytes of a text
	maxStrings = 8 << 20     // bytes of shared strings
	lastColumn = 16_384      // that Excel has
)

// A sheetScan keeps the first rows of a sheet that have values, and counts the others.
type sheetScan struct {
	limit  int // rows to keep
	rows   [][]sheetCell
	full   bool  // there was no room for more
	total  int64 // rows with values
	width  int   // columns
	texts  map[int]string
	merged []string
	merges int

	size        int // of the cells that are kept
	row, column int
	cells       []sheetCell // of the row
	valued      bool        // the row has a value
}

// A sheetCell is a cell as the file has it.
type sheetCell struct {
	name    string // for example C7
	kind    string // of the value
	style   int
	value   string
	formula string
}

// The XML of cells and texts.
type (
	cellXML struct {
		Name    string   `xml:"r,attr"`
		Kind    string   `xml:"t,attr"`
		Style   string   `xml:"s,attr"`
		Formula *string  `xml:"f"`
		Value   string   `xml:"v"`
		Text    *textXML `xml:"is"`
	}
	textXML struct {
		Text  string `xml:"t"`
		Parts []struct {
			Text string `xml:"t"`
		} `xml:"r"`
	}
)

// read reads a sheet. After an error, what was read before is there.
func (s *sheetScan) read(ctx context.Context, b *excelBook, part string) error {
	return b.stream(ctx, part, func(r io.Reader) error {
		d := xml.NewDecoder(r)
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			switch tag := token.(type) {
			case xml.StartElement:
				err = s.begin(d, tag)
			case xml.EndElement:
				if tag.Name.Local == "row" {
					s.endRow()
				}
			}
			if err != nil {
				return err
			}
		}
	})
}

func (s *sheetScan) begin(d *xml.Decoder, tag xml.StartElement) error {
	switch tag.Name.Local {
	case "row":
		s.row++
		if n, err := strconv.Atoi(attr(tag, "r")); err == nil && n > s.row {
			s.row = n
		}
		s.column, s.valued, s.cells = 0, false, nil
	case "c":
		return s.cell(d, tag)
	case "mergeCell":
		if s.merges++; len(s.merged) < maxListed {
			s.merged = append(s.merged, attr(tag, "ref"))
		}
	}
	return nil
}

func attr(tag xml.StartElement, name string) string {
	for _, a := range tag.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// cell reads a cell. Only the first cell with a value matters of a row that is not kept.
func (s *sheetScan) cell(d *xml.Decoder, tag xml.StartElement) error {
	s.column++
	if n := columnOf(attr(tag, "r")); n > 0 {
		s.column = n
	}
	s.width = max(s.width, min(s.column, lastColumn))
	keep := len(s.rows) < s.limit && !s.full && s.column <= maxColumns
	if !keep && s.valued {
		return d.Skip()
	}
	var c cellXML
	if err := d.DecodeElement(&c, &tag); err != nil {
		return err
	}
	cell := sheetCell{name: columnName(s.column) + strconv.Itoa(s.row), kind: c.Kind, value: c.Value}
	cell.style, _ = strconv.Atoi(c.Style) // else the first one
	switch {
	case c.Text != nil:
		cell.value = c.Text.join()
	case c.Kind == "str":
		cell.value = unescape(truncate.Excerpt(c.Value, maxText))
	}
	if c.Formula != nil {
		cell.formula = truncate.Excerpt(*c.Formula, maxText)
		cell.formula = cmp.Or(cell.formula, "…") // its text is in another cell
	}
	if cell.value == "" && cell.formula == "" && c.Text == nil {
		return nil
	}
	if s.valued = true; keep {
		for len(s.cells) < s.column {
			s.cells = append(s.cells, sheetCell{})
		}
		s.cells[s.column-1] = cell
	}
	return nil
}

// endRow keeps the row if it has values and there is room.
func (s *sheetScan) endRow() {
	if !s.valued {
		return
	}
	s.total++
	if s.full || len(s.rows) >= s.limit {
		return
	}
	const overhead = 100 // bytes of a cell in memory
	for _, c := range s.cells {
		s.size += overhead + len(c.value) + len(c.formula)
	}
	if s.full = s.size > maxKept; s.full {
		return
	}
	for _, c := range s.cells {
		if n, err := strconv.Atoi(c.value); c.kind == "s" && err == nil {
			s.texts[n] = ""
		}
	}
	s.rows = append(s.rows, s.cells)
}

// sharedStrings reads the shared strings that the rows use, and returns how many are missing.
func (s *sheetScan) sharedStrings(ctx context.Context, b *excelBook) (missing int, err error) {
	missing = len(s.texts)
	if missing == 0 {
		return 0, nil
	}
	return missing, b.stream(ctx, b.strings, func(r io.Reader) error {
		d, size := xml.NewDecoder(r), 0
		for n := 0; missing > 0; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("there are only %d texts", n)
			}
			if err != nil {
				return err
			}
			tag, ok := token.(xml.StartElement)
			if !ok || tag.Name.Local != "si" {
				continue
			}
			if _, ok := s.texts[n]; !ok {
				err = d.Skip()
			} else {
				var text textXML
				err = d.DecodeElement(&text, &tag)
				s.texts[n] = text.join()
				if size += len(s.texts[n]); size > maxStrings {
					s.texts[n], err = "", errTooLarge
				}
				missing--
			}
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
}

// join returns the text, or its parts with formats, without what the parts say of themselves.
func (t *textXML) join() string {
	text := t.Text
	for _, part := range t.Parts {
		if len(text) <= maxText {
			text += part.Text
		}
	}
	return unescape(truncate.Excerpt(text, maxText))
}

// escape matches a character that XML does not allow, as Excel writes it.
var escape = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

func unescape(s string) string {
	return escape.ReplaceAllStringFunc(s, func(e string) string {
		n, _ := strconv.ParseUint(e[2:6], 16, 16) // as it matches
		return string(rune(n))
	})
}

// columnOf returns the number of a cell's column, from 1; 0 if the name is not a cell's.
func columnOf(cell string) (n int) {
	for _, c := range strings.ToUpper(cell) {
		if c < 'A' || c > 'Z' || n > lastColumn {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n
}

// columnName returns the letters of a column, from 1.
func columnName(n int) (name string) {
	for ; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
