package datafile

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxPart is the maximum size, in bytes, of a decompressed part of a workbook. A small file
// may decompress to a huge one.
const maxPart = 256 << 20

// A workbook holds what is needed of an Excel file (ECMA-376, SpreadsheetML) to read values.
type workbook struct {
	parts  map[string]*zip.File
	shared []string
	dates  []bool // by cell style: whether a number is a date
	from04 bool   // dates count from 1904
}

// excelTable reads the first sheet that has rows. The first row contains the names of the
// columns.
func excelTable(data []byte, l Limits) (*Table, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("the Excel file is damaged: %w", err)
	}
	w := &workbook{parts: make(map[string]*zip.File)}
	for _, f := range z.File {
		w.parts[strings.TrimPrefix(f.Name, "/")] = f
	}
	sheets, err := w.open()
	if err != nil {
		return nil, fmt.Errorf("the Excel file is damaged: %w", err)
	}
	t := newTable(l)
	for _, s := range sheets {
		t.Sheets = append(t.Sheets, s.name)
	}
	for i, s := range sheets {
		t.Columns, t.Rows, t.Total, t.Notes, t.Sheet = []string{}, [][]json.RawMessage{}, 0, nil, s.name
		if err := w.sheet(s.part, t, l.Rows); err != nil {
			return nil, fmt.Errorf("the Excel file is damaged: sheet %q: %w", s.name, err)
		}
		if len(t.Columns) > 0 || i == len(sheets)-1 {
			break
		}
	}
	if len(t.Sheets) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("this is sheet %q; the others are read with code (pandas.read_excel)", t.Sheet))
	}
	return t, nil
}

type sheetPart struct{ name, part string }

// open reads the shared texts and the styles, and returns the sheets.
func (w *workbook) open() ([]sheetPart, error) {
	var book struct {
		Pr struct {
			Date1904 string `xml:"date1904,attr"`
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var rels struct {
		Rel []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
			Type   string `xml:"Type,attr"`
		} `xml:"Relationship"`
	}
	if err := errors.Join(w.read("xl/workbook.xml", &book), w.read("xl/_rels/workbook.xml.rels", &rels)); err != nil {
		return nil, err
	}
	w.from04 = book.Pr.Date1904 == "1" || book.Pr.Date1904 == "true"
	targets := make(map[string]string)
	for _, r := range rels.Rel {
		target := strings.TrimPrefix(path.Join("/xl", r.Target), "/")
		if absolute, ok := strings.CutPrefix(r.Target, "/"); ok {
			target = absolute
		}
		targets[r.ID] = target
		var err error
		switch path.Base(r.Type) {
		case "sharedStrings":
			err = w.readShared(target)
		case "styles":
			err = w.readStyles(target)
		}
		if err != nil {
			return nil, err
		}
	}
	var sheets []sheetPart
	for _, s := range book.Sheets {
		if w.parts[targets[s.ID]] != nil {
			sheets = append(sheets, sheetPart{s.Name, targets[s.ID]})
		}
	}
	if len(sheets) == 0 {
		return nil, errors.New("it has no sheet")
	}
	return sheets, nil
}

func (w *workbook) part(name string) (io.ReadCloser, error) {
	f := w.parts[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	return f.Open()
}

func (w *workbook) read(name string, v any) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was read
	return xml.NewDecoder(io.LimitReader(r, maxPart)).Decode(v)
}

// A richText is a text, either plain or in runs with different fonts.
type richText struct {
	T    string   `xml:"t"`
	Runs []string `xml:"r>t"`
}

func (r richText) String() string { return r.T + strings.Join(r.Runs, "") }

func (w *workbook) readShared(name string) error {
	var sst struct {
		SI []richText `xml:"si"`
	}
	err := w.read(name, &sst)
	for _, s := range sst.SI {
		w.shared = append(w.shared, s.String())
	}
	return err
}

func (w *workbook) readStyles(name string) error {
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	err := w.read(name, &styles)
	codes := make(map[int]string)
	for _, f := range styles.Formats {
		codes[f.ID] = f.Code
	}
	for _, c := range styles.Cells {
		w.dates = append(w.dates, isDateFormat(c.Format, codes[c.Format]))
	}
	return err
}

// quoted matches the parts of a number format that are not codes: texts, escapes, colours.
var quoted = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.`)

// isDateFormat reports whether a number format is for dates or times. Built-in formats have
// known ids (ECMA-376 18.8.30, including the East Asian ones), others have codes.
func isDateFormat(id int, code string) bool {
	switch {
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58:
		return true
	case code == "":
		return false
	}
	code = quoted.ReplaceAllString(strings.ToLower(code), "")
	return code != "general" && strings.ContainsAny(code, "ymdhs")
}

type sheetCell struct {
	Ref    string   `xml:"r,attr"`
	Type   string   `xml:"t,attr"`
	Style  int      `xml:"s,attr"`
	Value  string   `xml:"v"`
	Inline richText `xml:"is"`
}

// sheet reads a sheet row by row into t.
func (w *workbook) sheet(name string, t *Table, limit int) error {
	r, err := w.part(name)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was read
	d := xml.NewDecoder(io.LimitReader(r, maxPart))
	full := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "row" {
			continue
		}
		var row struct {
			Cells []sheetCell `xml:"c"`
		}
		if err := d.DecodeElement(&row, &start); err != nil {
			return err
		}
		values, empty := w.row(t, row.Cells)
		switch {
		case empty:
		case len(t.Columns) == 0:
			t.Columns = excelHeader(values)
		default:
			t.Total++
			for len(t.Columns) < len(values) {
				t.Columns = append(t.Columns, fmt.Sprintf("column_%d", len(t.Columns)+1))
			}
			for len(values) < len(t.Columns) {
				values = append(values, null)
			}
			full = full || !t.take(values, limit)
		}
	}
}

// excelHeader returns the names of the columns, from the first row.
func excelHeader(values []json.RawMessage) []string {
	names := make([]string, len(values))
	for i, v := range values {
		if json.Unmarshal(v, &names[i]) != nil {
			names[i] = string(v) // a number or a boolean
		}
		if names[i] == "" {
			names[i] = fmt.Sprintf("column_%d", i+1)
		}
	}
	return names
}

// maxExcelColumns is Excel's own limit. ECMA-376 has none.
const maxExcelColumns = 16_384

func (w *workbook) row(t *Table, cells []sheetCell) (values []json.RawMessage, empty bool) {
	empty = true
	for _, c := range cells {
		at := len(values)
		if n := columnOf(c.Ref); n >= 0 {
			at = n
		}
		if at >= maxExcelColumns {
			continue
		}
		for len(values) <= at {
			values = append(values, null)
		}
		values[at] = w.cell(t, c)
		empty = empty && string(values[at]) == "null"
	}
	return values, empty
}

// columnOf returns the index of the column in a reference such as BC23, or -1 if it has none.
func columnOf(ref string) int {
	n := 0
	for _, c := range ref {
		if c < 'A' || c > 'Z' || n > maxExcelColumns {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1
}

func (w *workbook) cell(t *Table, c sheetCell) json.RawMessage {
	switch c.Type {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(c.Value)); err == nil && i >= 0 && i < len(w.shared) {
			return t.cell(w.shared[i])
		}
		return null
	case "inlineStr":
		return t.cell(c.Inline.String())
	case "str", "e", "d": // a formula's text, an error such as #N/A, an ISO date
		return t.cell(c.Value)
	case "b":
		return t.cell(c.Value == "1")
	}
	if c.Value == "" {
		return null
	}
	f, err := strconv.ParseFloat(c.Value, 64)
	if err != nil {
		return t.cell(c.Value)
	}
	if c.Style >= 0 && c.Style < len(w.dates) && w.dates[c.Style] {
		return t.cell(w.date(f))
	}
	return t.cell(f)
}

// date converts a serial number to a time, or to text if it is only a time of day. It counts
// days since the end of 1899 or 1903. Excel treats 1900 as a leap year. date returns
// numbers that are not dates unchanged.
func (w *workbook) date(serial float64) any {
	if serial < 0 || serial > 2958466 { // beyond the year 9999
		return serial
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case w.from04:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case serial < 1: // a time of day
		return epoch.Add(time.Duration(math.Round(serial*86_400_000)) * time.Millisecond).Format(time.TimeOnly)
	case serial < 60:
		epoch = epoch.AddDate(0, 0, 1)
	}
	days, part := math.Modf(serial)
	return epoch.AddDate(0, 0, int(days)).Add(time.Duration(math.Round(part*86_400_000)) * time.Millisecond)
}
