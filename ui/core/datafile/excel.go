package datafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// Limits of workbooks, in bytes. A small file may decompress to a huge one. The rows of a sheet
// are streamed, but only a whole sheet has the types of its cells, at many times its size.
const (
	maxBook  = 512 << 20 // decompressed
	maxPart  = 16 << 20  // of a part that is kept in memory; larger ones are in a temporary file
	maxTyped = 8 << 20   // of a sheet, or of its beginning, whose cells' types are read
)

// An excelBook reads the values of a workbook.
type excelBook struct {
	*excelize.File                // with the beginnings of large sheets only
	whole          *excelize.File // nil if File is whole
	from04         bool           // dates count from 1904
	styles         map[int]numberStyle
}

// A numberStyle is how Excel shows a number.
type numberStyle struct{ date, duration, percent bool }

// excelTable reads the first visible sheet that has rows. The first row contains the names of
// the columns.
func excelTable(data []byte, l Limits) (t *Table, err error) {
	defer func() {
		if v := recover(); v != nil { // the library panics on some damaged files
			t, err = nil, fmt.Errorf("the Excel file is damaged: %v", v)
		}
	}()
	short, cut, err := shortened(data)
	if err != nil {
		return nil, fmt.Errorf("the Excel file is damaged: %w", err)
	}
	f, err := openBook(short)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := &excelBook{File: f, styles: make(map[int]numberStyle)}
	if cut {
		if b.whole, err = openBook(data); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, b.whole.Close()) }()
	}
	if props, err := f.GetWorkbookProps(); err == nil && props.Date1904 != nil {
		b.from04 = *props.Date1904
	}
	return b.table(l)
}

func openBook(data []byte) (*excelize.File, error) {
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxBook, UnzipXMLSizeLimit: maxPart, TmpDir: os.TempDir()})
	if err != nil {
		return nil, fmt.Errorf("the Excel file is damaged: %w", err)
	}
	return f, nil
}

func (b *excelBook) table(l Limits) (*Table, error) {
	var visible, names []string
	for _, name := range b.GetSheetList() {
		if shown, err := b.GetSheetVisible(name); err == nil && !shown {
			names = append(names, name+" (hidden)")
			continue
		}
		visible, names = append(visible, name), append(names, name)
	}
	if len(visible) == 0 {
		return nil, errors.New("the Excel file is damaged: it has no visible sheet")
	}
	var t *Table
	for i, name := range visible {
		t = newTable(l)
		t.Sheet, t.Sheets = name, names
		if err := b.sheet(t, l.Rows); err != nil {
			if i < len(visible)-1 {
				continue // a sheet of charts
			}
			return nil, fmt.Errorf("the Excel file is damaged: sheet %q: %w", name, err)
		}
		if len(t.Columns) > 0 {
			break
		}
	}
	if len(names) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("this is sheet %q; the others are read with code (pandas.read_excel)", t.Sheet))
	}
	return t, nil
}

// A sheetReader reads the rows of a sheet into a table.
type sheetReader struct {
	*excelBook
	*Table
	row      int
	percent  map[int]bool // columns
	formulas []string     // cells whose value is not stored
}

// sheet streams the rows of t.Sheet into t.
func (b *excelBook) sheet(t *Table, limit int) (err error) {
	rows, err := b.Rows(t.Sheet)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	r := &sheetReader{excelBook: b, Table: t, percent: make(map[int]bool)}
	var names []string
	var shown [][]string // raw
	var numbers []int    // of the rows shown
	for rows.Next() {
		r.row++
		raw, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return err
		}
		if len(raw) > excelize.MaxColumns || !slices.ContainsFunc(raw, func(s string) bool { return s != "" }) && (len(shown) >= limit || !r.hasFormula(len(raw))) {
			continue
		}
		if names == nil {
			names = r.header(raw)
			continue
		}
		t.Total++
		for len(names) < len(raw) {
			names = append(names, fmt.Sprintf("column_%d", len(names)+1))
		}
		if len(shown) < limit {
			shown, numbers = append(shown, raw), append(numbers, r.row)
		}
	}
	if err := rows.Error(); err != nil {
		return err
	}
	if b.whole != nil {
		if t.Total, err = rowsIn(b.whole, t.Sheet); err != nil {
			return err
		}
	}
	t.name(names)
	if int64(len(shown)) < min(int64(limit), t.Total) {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("the sheet is large; only its first %d rows were read", len(shown)))
	}
	for i, raw := range shown {
		r.row = numbers[i]
		if !t.take(r.values(raw), limit) {
			break
		}
	}
	r.notes(names)
	return nil
}

// header returns the names of the columns, from the first row.
func (r *sheetReader) header(raw []string) []string {
	names := make([]string, len(raw))
	for i, v := range r.rowValues(raw, len(raw)) {
		if json.Unmarshal(v, &names[i]) != nil {
			names[i] = string(v) // a number or a boolean
		}
		if names[i] == "" || names[i] == "null" {
			names[i] = fmt.Sprintf("column_%d", i+1)
		}
	}
	clear(r.percent)
	return names
}

func (r *sheetReader) values(raw []string) []json.RawMessage { return r.rowValues(raw, len(r.Columns)) }

func (r *sheetReader) rowValues(raw []string, width int) []json.RawMessage {
	values := make([]json.RawMessage, width)
	for i := range values {
		values[i] = null
		if i < len(raw) {
			values[i] = r.value(i, raw[i])
		}
	}
	return values
}

// hasFormula reports whether a row without values has formulas.
func (r *sheetReader) hasFormula(width int) bool {
	for i := range width {
		if r.formula(i) != "" {
			return true
		}
	}
	return false
}

func (r *sheetReader) at(column int) string {
	name, err := excelize.CoordinatesToCellName(column+1, r.row)
	if err != nil {
		return "A1" // not reached: columns and rows are within Excel's limits
	}
	return name
}

func (r *sheetReader) formula(column int) string {
	formula, err := r.GetCellFormula(r.Sheet, r.at(column))
	if err != nil {
		return ""
	}
	return formula
}

// value encodes a cell.
func (r *sheetReader) value(column int, raw string) json.RawMessage {
	if raw == "" {
		if formula := r.formula(column); formula != "" {
			r.formulas = append(r.formulas, r.at(column))
			return r.cell("=" + formula)
		}
		return null
	}
	kind, err := r.GetCellType(r.Sheet, r.at(column))
	if err != nil {
		return r.cell(raw)
	}
	switch kind {
	case excelize.CellTypeBool:
		return r.cell(raw == "1" || strings.EqualFold(raw, "true"))
	case excelize.CellTypeNumber, excelize.CellTypeUnset:
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil {
			return r.cell(raw)
		}
		return r.number(column, f)
	default:
		return r.cell(raw)
	}
}

// number encodes a number as what it means: a date, a duration, or itself.
func (r *sheetReader) number(column int, f float64) json.RawMessage {
	id, err := r.GetCellStyle(r.Sheet, r.at(column))
	if err != nil {
		return r.cell(f)
	}
	switch s := r.style(id); {
	case s.duration:
		return r.cell(hours(f))
	case s.date:
		return r.cell(r.date(f))
	case s.percent:
		r.percent[column] = true
	}
	return r.cell(f)
}

func (b *excelBook) style(id int) numberStyle {
	s, ok := b.styles[id]
	if !ok {
		if style, err := b.GetStyle(id); err == nil {
			code := ""
			if style.CustomNumFmt != nil {
				code = *style.CustomNumFmt
			}
			s = styleOf(style.NumFmt, code)
		}
		b.styles[id] = s
	}
	return s
}

// quoted matches the parts of a number format that are not codes: texts, escapes, colours.
// elapsed matches hours, minutes or seconds that are not limited to a day.
var (
	quoted  = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.`)
	elapsed = regexp.MustCompile(`(?i)\[(h+|m+|s+)\]`)
)

// styleOf returns what a number format is for. Built-in formats have known ids (ECMA-376
// 18.8.30, including the East Asian ones), others have codes.
func styleOf(id int, code string) numberStyle {
	if code == "" {
		return numberStyle{
			duration: id == 46,
			date:     id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58,
			percent:  id == 9 || id == 10,
		}
	}
	bare := quoted.ReplaceAllString(strings.ToLower(code), "")
	return numberStyle{
		duration: elapsed.MatchString(code),
		date:     bare != "general" && strings.ContainsAny(bare, "ymdhs"),
		percent:  strings.Contains(bare, "%"),
	}
}

// hours writes a number of days as hours, minutes and seconds.
func hours(days float64) string {
	sign := ""
	if days < 0 {
		sign, days = "-", -days
	}
	ms := int64(math.Round(days * 86_400_000))
	s := fmt.Sprintf("%s%d:%02d:%02d", sign, ms/3_600_000, ms/60_000%60, ms/1000%60)
	if ms%1000 != 0 {
		s += fmt.Sprintf(".%03d", ms%1000)
	}
	return s
}

// date converts a serial number to a time, or to text if it is only a time of day. It returns
// numbers that are not dates unchanged.
func (b *excelBook) date(serial float64) any {
	if serial < 0 || serial > 2958466 { // beyond the year 9999
		return serial
	}
	if serial < 1 {
		return time.Time{}.Add(time.Duration(math.Round(serial*86_400_000)) * time.Millisecond).Format("15:04:05.999")
	}
	at, err := excelize.ExcelDateToTime(serial, b.from04)
	if err != nil {
		return serial
	}
	return at.Round(time.Millisecond)
}

// maxListed is the number of cells that a note lists.
const maxListed = 10

func list(items []string) string {
	if len(items) > maxListed {
		return strings.Join(items[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(items)-maxListed)
	}
	return strings.Join(items, ", ")
}

// notes says what is not seen in the values.
func (r *sheetReader) notes(names []string) {
	r.say()
	if len(r.formulas) > 0 {
		r.Notes = append(r.Notes, "formulas without a stored value are shown as formulas (pandas reads NaN; Excel calculates them when it saves the file): "+list(r.formulas))
	}
	var percent []string
	for i := range r.Columns {
		if r.percent[i] {
			percent = append(percent, names[i])
		}
	}
	if len(percent) > 0 {
		r.Notes = append(r.Notes, "Excel shows these columns in percent (0.5 is 50 %): "+list(percent))
	}
	if merged, err := r.GetMergeCells(r.Sheet); err == nil && len(merged) > 0 {
		var ranges []string
		for _, m := range merged {
			ranges = append(ranges, m.GetStartAxis()+":"+m.GetEndAxis())
		}
		r.Notes = append(r.Notes, "merged cells have their value in the first cell only: "+list(ranges))
	}
}
