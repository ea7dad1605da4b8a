package datafile

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/xuri/excelize/v2"
)

const (
	maxText    = 2 * maxCell // bytes of a text or a formula that are kept
	maxStrings = 16 << 20    // of all shared strings
)

// A rawCell is a cell as it is in the file.
type rawCell struct {
	kind          string // as "s" for the number of a shared string
	text, formula string
	style         int
}

// A rawRow is the first cells of a row.
type rawRow struct {
	cells  []rawCell
	number int
	valued bool // it has a value or a formula
}

// A sheetStream reads the first rows of a sheet, and counts the others.
type sheetStream struct {
	limit, room int // rows, and bytes of their values, to keep
	rows        []rawRow
	full        bool  // there was no room for more
	total       int64 // rows with values
	width       int
	merged      []string
	merges      int

	row, column int // where it is
	valued      bool
}

// read reads a sheet. After an error, what was read before is there.
func (s *sheetStream) read(ctx context.Context, b *excelBook, part string) error {
	return b.stream(ctx, part, func(r *bufio.Reader) error {
		scan := &tagScanner{Reader: r}
		inValue := false
		for {
			err := scan.next()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			s.valued = s.valued || inValue && scan.text
			inValue = scan.name == "v" && !scan.ends
			if err := s.tag(scan); err != nil {
				return err
			}
		}
	})
}

// tag looks at a tag.
func (s *sheetStream) tag(scan *tagScanner) error {
	switch {
	case scan.name == "row" && !scan.ends:
		s.row, s.column, s.valued = s.row+1, 0, false
		if n, err := strconv.Atoi(string(scan.attr("r"))); err == nil && n > 0 && n <= excelize.TotalRows {
			s.row = n
		}
		if !scan.empty && len(s.rows) < s.limit && !s.full {
			return s.keep(scan)
		}
	case scan.name == "row":
		s.count()
	case scan.name == "c" && !scan.ends:
		s.at(string(scan.attr("r")))
	case scan.name == "f":
		s.valued = true
	case scan.name == "mergeCell" && !scan.ends:
		if s.merges++; len(s.merged) < maxListed {
			s.merged = append(s.merged, string(scan.attr("ref")))
		}
	}
	return nil
}

// count ends a row.
func (s *sheetStream) count() {
	if s.valued {
		s.total++
	}
	s.valued = false
}

// at goes to a cell, or to the next one if the cell has no name.
func (s *sheetStream) at(name string) {
	s.column++
	if n := columnOf(name); n > 0 {
		s.column = n
	}
	s.width = max(s.width, min(s.column, excelize.MaxColumns))
}

// columnOf returns the number of a cell's column, from 1; 0 if it is none.
func columnOf(name string) (n int) {
	for _, letter := range name {
		if letter < 'A' || letter > 'Z' {
			break
		}
		if n = n*26 + int(letter-'A') + 1; n > excelize.MaxColumns {
			return 0
		}
	}
	return n
}

// keep reads a row. It leaves the cells beyond the last column that is shown to the scanner.
func (s *sheetStream) keep(scan *tagScanner) error {
	row := rawRow{number: s.row}
	d := scan.decode()
	for {
		t, err := d.token()
		if err != nil {
			return err
		}
		start, ok := t.(xml.StartElement)
		if ok && start.Name.Local == "c" {
			if err := s.cell(d, start, &row); err != nil {
				return err
			}
		}
		beyond := s.column > maxColumns
		if beyond || d.depth == 0 {
			if beyond || row.valued {
				s.rows = append(s.rows, row)
				s.full = s.room < 0
			}
			if s.valued = beyond || row.valued; !beyond {
				s.count()
			}
			return nil
		}
	}
}

// cell reads a cell of a row.
func (s *sheetStream) cell(d *elementDecoder, start xml.StartElement, row *rawRow) error {
	var c rawCell
	name := ""
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "r":
			name = a.Value
		case "t":
			c.kind = a.Value
		case "s":
			c.style, _ = strconv.Atoi(a.Value) // else the first one
		}
	}
	if s.at(name); s.column > maxColumns {
		return nil
	}
	for inside := d.depth; d.depth >= inside; {
		t, err := d.token()
		if err != nil {
			return err
		}
		if start, ok := t.(xml.StartElement); ok {
			switch start.Name.Local {
			case "v", "is":
				c.text, err = d.content(start.Name.Local, maxText)
			case "f":
				if c.formula, err = d.content("f", maxText); c.formula == "" {
					c.formula = "…" // shared with another cell, which has its text
				}
			}
			if err != nil {
				return err
			}
		}
	}
	for len(row.cells) < s.column {
		row.cells = append(row.cells, rawCell{})
		s.room -= len("0,")
	}
	row.cells[s.column-1] = c
	row.valued = row.valued || c.text != "" || c.formula != ""
	s.room -= len(c.text)
	return nil
}

// resolve replaces the numbers of shared strings by the strings. It returns how many of them
// could not be read.
func (b *excelBook) resolve(ctx context.Context, rows []rawRow) (missing int, err error) {
	wanted, last := make(map[int]string), -1
	each := func(do func(*rawCell, int)) {
		for _, row := range rows {
			for i := range row.cells {
				if c := &row.cells[i]; c.kind == "s" && c.text != "" {
					n, err := strconv.Atoi(c.text)
					if err != nil {
						n = -1
					}
					do(c, n)
				}
			}
		}
	}
	each(func(_ *rawCell, n int) { wanted[n], last = "", max(last, n) })
	if len(wanted) == 0 {
		return 0, nil
	}
	read, err := b.sharedStrings(ctx, wanted, last)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	each(func(c *rawCell, n int) {
		c.text = wanted[n]
		if n < 0 || n >= read {
			missing++
		}
	})
	return missing, err
}

// sharedStrings reads the wanted ones up to the last, and returns how many there were.
func (b *excelBook) sharedStrings(ctx context.Context, wanted map[int]string, last int) (read int, err error) {
	limit := min(maxText, max(64, maxStrings/len(wanted)))
	err = b.stream(ctx, b.strings, func(r *bufio.Reader) error {
		scan := &tagScanner{Reader: r}
		for read <= last {
			err := scan.next()
			if errors.Is(err, io.EOF) {
				return fmt.Errorf("there are only %d texts", read)
			}
			if err != nil {
				return err
			}
			if scan.name != "si" || scan.ends {
				continue
			}
			if _, ok := wanted[read]; ok && !scan.empty {
				d := scan.decode()
				if _, err = d.token(); err == nil {
					wanted[read], err = d.content("si", limit)
				}
				if err != nil {
					return err
				}
			}
			read++
		}
		return nil
	})
	return read, err
}
