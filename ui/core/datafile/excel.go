package datafile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"easel/internal/truncate"

	"github.com/xuri/excelize/v2"
)

// A numberStyle is how Excel shows a number.
type numberStyle struct{ date, duration, percent bool }

// excelTable reads the first visible sheet that has rows. The first row contains the names of
// the columns.
func excelTable(ctx context.Context, data []byte, l Limits) (t *Table, err error) {
	defer func() {
		if v := recover(); v != nil { // the library panics on some damaged files
			t, err = nil, fmt.Errorf("the Excel file is damaged: %v", v)
		}
	}()
	b, err := openBook(ctx, data)
	if err == nil {
		t, err = b.table(ctx, l)
	}
	switch {
	case err == nil:
		return t, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errTooLarge), errors.Is(err, errLongValue):
		return nil, fmt.Errorf("the Excel file is beyond what can be shown: %w", err)
	default:
		return nil, fmt.Errorf("the Excel file is damaged: %w", err)
	}
}

func (b *excelBook) table(ctx context.Context, l Limits) (*Table, error) {
	var visible []bookSheet
	var names []string
	for _, s := range b.sheets {
		name := truncate.Excerpt(s.name, maxName)
		if s.hidden {
			name += " (hidden)"
		} else {
			visible = append(visible, s)
		}
		names = append(names, name)
	}
	if len(visible) == 0 {
		return nil, errors.New("it has no visible sheet")
	}
	var t *Table
	for i, s := range visible {
		t = newTable(l)
		t.Sheet, t.Sheets = truncate.Excerpt(s.name, maxName), names[:min(len(names), maxSheetNames)]
		if err := b.sheet(ctx, t, s.part, l.Rows); err != nil {
			if i < len(visible)-1 && ctx.Err() == nil && b.left > 0 {
				continue // a sheet of charts
			}
			return nil, fmt.Errorf("sheet %q: %w", t.Sheet, err)
		}
		if len(t.Columns) > 0 {
			break
		}
	}
	if len(names) > maxSheetNames {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("the file has %d sheets; the names of the first %d are shown", len(names), maxSheetNames))
	}
	if len(names) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("this is sheet %q; the others are read with code (pandas.read_excel)", t.Sheet))
	}
	return t, nil
}

const maxSheetNames = 200

// A sheetReader reads the rows of a sheet into a table.
type sheetReader struct {
	book *excelize.File
	*Table

	from04   bool
	styles   map[int]numberStyle
	row      int
	percent  map[int]bool // columns
	formulas []string     // cells whose value is not stored
}

// sheet reads a sheet into t.
func (b *excelBook) sheet(ctx context.Context, t *Table, part string, limit int) (err error) {
	s := newSheetCopy(limit + 1)
	if err := s.read(ctx, b, part); err != nil {
		if len(s.copied) == 0 || ctx.Err() != nil {
			return err
		}
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows were read, and there may be more: %v", max(0, s.total-1), err))
	}
	if len(s.copied) == 0 {
		if s.total > 0 {
			return errTooLarge // its first row is too far below
		}
		return nil
	}
	texts, missing, err := b.sharedStrings(ctx, s.texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if missing > 0 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("%d texts could not be read and are empty here: %v", missing, err))
	}
	f, err := b.copied(s.rows.String(), texts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	t.Notes = append(t.Notes, b.notes...)
	r := &sheetReader{book: f, Table: t, from04: b.from04, styles: make(map[int]numberStyle), percent: make(map[int]bool)}
	t.Total = s.total - 1
	return r.read(ctx, s, limit)
}

// read reads the rows that were copied.
func (r *sheetReader) read(ctx context.Context, s *sheetCopy, limit int) error {
	names, err := r.header(s.copied[0], s.width)
	if err != nil {
		return err
	}
	r.name(names)
	for _, r.row = range s.copied[1:] {
		values, err := r.values(len(r.Columns))
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if !r.take(values, limit) {
			break
		}
	}
	if s.full && len(r.Rows) == len(s.copied)-1 {
		r.cut = true
		r.Notes = append(r.Notes, fmt.Sprintf("the sheet is large; only its first %d rows are shown", len(r.Rows)))
	}
	r.notes(names)
	if s.merges > 0 {
		merged := strings.Join(s.merged, ", ")
		if s.merges > len(s.merged) {
			merged += fmt.Sprintf(" and %d more", s.merges-len(s.merged))
		}
		r.Notes = append(r.Notes, "merged cells have their value in the first cell only: "+merged)
	}
	return nil
}

// header returns the names of the columns, from the first row, as pandas names them.
func (r *sheetReader) header(row, width int) ([]string, error) {
	r.row = row
	values, err := r.values(min(width, maxColumns))
	names := make([]string, width)
	for i := range names {
		if i < len(values) && json.Unmarshal(values[i], &names[i]) != nil {
			names[i] = string(values[i]) // a number or a boolean
		}
	}
	clear(r.percent)
	return headerNames(names), err
}

// values reads the first cells of a row.
func (r *sheetReader) values(width int) ([]json.RawMessage, error) {
	values := make([]json.RawMessage, width)
	for i := range values {
		at, err := excelize.CoordinatesToCellName(i+1, r.row)
		var v any
		if err == nil {
			v, err = r.value(i, at)
		}
		if err != nil {
			return nil, err
		}
		values[i] = r.cell(v)
	}
	return values, nil
}

// value returns a cell as what it means: a number is a date, a duration, or itself.
func (r *sheetReader) value(column int, at string) (any, error) {
	raw, err := r.book.GetCellValue(copyName, at, excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, err
	}
	if raw == "" {
		formula, err := r.book.GetCellFormula(copyName, at)
		if formula == "" || err != nil {
			return nil, err
		}
		r.formulas = append(r.formulas, at)
		return "=" + formula, nil
	}
	kind, err := r.book.GetCellType(copyName, at)
	number, nan := strconv.ParseFloat(raw, 64)
	switch {
	case kind == excelize.CellTypeBool:
		return raw == "1" || strings.EqualFold(raw, "true"), err
	case err != nil, nan != nil, kind != excelize.CellTypeNumber && kind != excelize.CellTypeUnset:
		return raw, err
	}
	id, err := r.book.GetCellStyle(copyName, at)
	switch s := r.style(id); {
	case s.duration:
		return hours(number), err
	case s.date:
		return r.date(number), err
	case s.percent:
		r.percent[column] = true
	}
	return number, err
}

func (r *sheetReader) style(id int) numberStyle {
	s, ok := r.styles[id]
	if !ok {
		if style, err := r.book.GetStyle(id); err == nil { // else a number that the file does not have
			code := ""
			if style.CustomNumFmt != nil {
				code = *style.CustomNumFmt
			}
			s = styleOf(style.NumFmt, code)
		}
		r.styles[id] = s
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
func (r *sheetReader) date(serial float64) any {
	if serial < 0 || serial > 2958466 { // beyond the year 9999
		return serial
	}
	if serial < 1 {
		return time.Time{}.Add(time.Duration(math.Round(serial*86_400_000)) * time.Millisecond).Format("15:04:05.999")
	}
	at, err := excelize.ExcelDateToTime(serial, r.from04)
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
}
