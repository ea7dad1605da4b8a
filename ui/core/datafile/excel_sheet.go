package datafile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"easel/internal/truncate"

	"github.com/xuri/excelize/v2"
)

// Limits of what is copied for the library.
const (
	maxCopied  = 4 << 20      // bytes of a row; of all rows, twice as many
	maxPadded  = maxTable / 2 // cells, with those that the library adds before them
	maxLastRow = 100_000      // the library adds the rows before it
	maxText    = 2 * maxCell  // bytes of a text
	maxStrings = 8 << 20      // bytes of shared strings
	maxFormula = 32 << 10     // bytes of a formula; Excel's have at most 8192 characters
)

// A sheetCopy copies the first rows of a sheet, with the values and formulas of their cells, and
// counts the others.
type sheetCopy struct {
	*tagScanner
	limit  int // rows to copy
	rows   bytes.Buffer
	cells  bytes.Buffer // of the row
	to     *xml.Encoder // to cells
	copied []int        // the numbers of rows
	full   bool         // there was no room for more
	total  int64        // rows with values
	width  int          // columns
	texts  map[int]int  // numbers of shared strings in the copy
	merged []string
	merges int

	row, column, padded int
	formulas            map[int]bool // shared ones, that are in the copy
}

func newSheetCopy(limit int) *sheetCopy {
	s := &sheetCopy{limit: limit, texts: make(map[int]int), formulas: make(map[int]bool)}
	s.to = xml.NewEncoder(&s.cells)
	return s
}

// read reads a sheet. After an error, what was read before is there.
func (s *sheetCopy) read(ctx context.Context, b *excelBook, part string) error {
	return b.stream(ctx, part, func(r *bufio.Reader) error {
		s.tagScanner = &tagScanner{Reader: r}
		for {
			if err := s.next(); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if err := s.look(); err != nil {
				return err
			}
		}
	})
}

// look looks at a tag.
func (s *sheetCopy) look() error {
	switch {
	case s.name == "row" && !s.ends:
		n, err := strconv.Atoi(s.attr("r"))
		if s.row++; err == nil && n > s.row && n <= excelize.TotalRows {
			s.row = n
		}
		s.column, s.valued = 0, false
		s.full = s.full || s.row > maxLastRow
		if !s.empty && len(s.copied) < s.limit && !s.full {
			return s.copyRow()
		}
	case s.name == "row":
		s.count()
	case s.name == "c" && !s.ends:
		s.at(s.attr("r"))
	case s.name == "mergeCell" && !s.ends:
		if s.merges++; len(s.merged) < maxListed {
			s.merged = append(s.merged, s.attr("ref"))
		}
	}
	return nil
}

// count ends a row.
func (s *sheetCopy) count() {
	if s.valued {
		s.total++
	}
	s.valued = false
}

// at goes to a cell, or to the next one if the cell has no name.
func (s *sheetCopy) at(name string) {
	s.column++
	if name != "" {
		if n, _, err := excelize.CellNameToCoordinates(name); err == nil {
			s.column = n
		}
	}
	s.width = max(s.width, min(s.column, excelize.MaxColumns))
}

// copyRow copies a row if it has values. It leaves the cells beyond the last column that is shown
// to look.
func (s *sheetCopy) copyRow() error {
	columns, beyond := 0, false
	s.cells.Reset()
	for n := 0; ; {
		if err := s.next(); err != nil {
			return err
		}
		if s.name == "row" {
			break
		}
		if s.name != "c" || s.ends {
			continue
		}
		s.at(s.attr("r"))
		if beyond = s.column > maxColumns; beyond {
			s.valued = true
			break
		}
		columns = max(columns, s.column)
		if err := s.copyCell(); err != nil {
			return err
		}
		if n++; n > maxColumns || s.cells.Len() > maxCopied {
			return errTooLarge
		}
	}
	if s.padded += columns; s.rows.Len()+s.cells.Len() > 2*maxCopied || s.padded > maxPadded {
		s.full = true
	} else if s.valued {
		fmt.Fprintf(&s.rows, `<row r="%d">%s</row>`, s.row, s.cells.Bytes())
		s.copied = append(s.copied, s.row)
	}
	if !beyond {
		s.count()
	}
	return nil
}

// A cellCopy is a cell for the library.
type cellCopy struct {
	XMLName struct{}     `xml:"c"`
	Name    string       `xml:"r,attr"`
	Style   int          `xml:"s,attr"`
	Kind    string       `xml:"t,attr"`
	Formula *formulaCopy `xml:"f"`
	Value   string       `xml:"v,omitempty"`
	Text    *textCopy    `xml:"is"`
}

type formulaCopy struct {
	Kind   string `xml:"t,attr,omitempty"`
	Number int    `xml:"si,attr"` // of a shared one
	Range  string `xml:"ref,attr,omitempty"`
	Text   string `xml:",chardata"`
}

// A textCopy is a text, or its parts with formats.
type textCopy struct {
	Text  string     `xml:"t"`
	Parts []textCopy `xml:"r"`
}

// copyCell copies a cell, if it has a value or a formula.
func (s *sheetCopy) copyCell() (err error) {
	c := cellCopy{Kind: s.attr("t")}
	c.Style, _ = strconv.Atoi(s.attr("s")) // else the first one
	if err := s.decode("c", &c); err != nil {
		return err
	}
	switch {
	case c.Text != nil:
		c.Text.cut()
	case c.Kind == "s" && c.Value != "":
		n, err := strconv.Atoi(c.Value)
		if err != nil {
			n = -1 // which is missing
		}
		if _, ok := s.texts[n]; !ok {
			s.texts[n] = len(s.texts) // the copy has no others
		}
		c.Value = strconv.Itoa(s.texts[n])
	case c.Kind == "str" && c.Value != "": // the library decodes no escapes in the text of a formula
		c.Kind, c.Value, c.Text = "inlineStr", "", &textCopy{Text: c.Value}
		c.Text.cut()
	}
	if c.Formula != nil {
		s.copyFormula(c.Formula)
	}
	if c.Formula == nil && c.Value == "" && c.Text == nil {
		return nil
	}
	if c.Name, err = excelize.CoordinatesToCellName(s.column, s.row); err != nil {
		return err
	}
	return s.to.Encode(c)
}

// copyFormula makes a shared formula that is not in the copy a text: the library would search
// the whole sheet for it, for each cell.
func (s *sheetCopy) copyFormula(f *formulaCopy) {
	switch shared := f.Kind == "shared"; {
	case shared && f.Range == "" && s.formulas[f.Number]:
		f.Text = ""
	case f.Text == "" || len(f.Text) > maxFormula:
		*f = formulaCopy{Text: "…"}
	case shared && f.Range != "":
		s.formulas[f.Number] = true
	default:
		*f = formulaCopy{Text: f.Text}
	}
}

// cut joins the parts of a text, and cuts it.
func (t *textCopy) cut() {
	for _, part := range t.Parts {
		if len(t.Text) <= maxText {
			t.Text += part.Text
		}
	}
	t.Parts, t.Text = nil, truncate.Excerpt(t.Text, maxText)
}

// sharedStrings copies those that have a number in the copy, and returns how many are missing.
func (b *excelBook) sharedStrings(ctx context.Context, numbers map[int]int) (part string, missing int, err error) {
	texts := make([]textCopy, len(numbers))
	missing = len(numbers)
	err = b.stream(ctx, b.strings, func(r *bufio.Reader) error {
		scan, size := &tagScanner{Reader: r}, 0
		for n := 0; missing > 0; {
			err := scan.next()
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("there are only %d texts", n)
			}
			if err != nil {
				return err
			}
			if scan.name != "si" || scan.ends {
				continue
			}
			if i, ok := numbers[n]; ok {
				if err := scan.decode("si", &texts[i]); err != nil {
					return err
				}
				texts[i].cut()
				if size += len(texts[i].Text); size > maxStrings {
					return errTooLarge
				}
				missing--
			}
			n++
		}
		return nil
	})
	all, failed := xml.Marshal(struct {
		XMLName struct{}   `xml:"sst"`
		Space   string     `xml:"xmlns,attr"`
		Texts   []textCopy `xml:"si"`
	}{Space: mainSpace, Texts: texts})
	return string(all), missing, errors.Join(err, failed)
}
