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

	"github.com/xuri/excelize/v2"
)

// A numberStyle is how Excel shows a number.
type numberStyle struct{ date, duration, percent bool }

// excelTable reads the first visible sheet that has rows. The first row contains the names of
// the columns.
func excelTable(ctx context.Context, data []byte, l Limits) (*Table, error) {
	b, err := openBook(ctx, data)
	var t *Table
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
		name := shortName(s.name)
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
		t.Sheet, t.Sheets = shortName(s.name), names[:min(len(names), maxSheetNames)]
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

// shortName cuts the name of a sheet; Excel allows 31 characters.
func shortName(name string) string {
	if len(name) > maxName {
		return strings.ToValidUTF8(name[:maxName], "") + "…"
	}
	return name
}

// A sheetReader writes the rows of a sheet into a table.
type sheetReader struct {
	*excelBook
	*Table

	row      int
	percent  map[int]bool // columns
	formulas []string     // cells whose value is not stored
}

// sheet reads a sheet into t.
func (b *excelBook) sheet(ctx context.Context, t *Table, part string, limit int) error {
	s := &sheetStream{limit: limit + 1, room: 2 * t.budget}
	err := s.read(ctx, b, part)
	if err != nil && (len(s.rows) == 0 || ctx.Err() != nil) {
		return err
	}
	if len(s.rows) == 0 {
		return nil
	}
	if err != nil {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows were read, and there may be more: %v", max(0, s.total-1), err))
	}
	missing, err := b.resolve(ctx, s.rows)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if missing > 0 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("%d texts could not be read and are empty here: %v", missing, err))
	}
	t.Notes = append(t.Notes, b.notes...)
	r := &sheetReader{excelBook: b, Table: t, percent: make(map[int]bool)}
	names := r.header(s.rows[0], s.width)
	t.Total = s.total - 1
	t.name(names)
	for _, row := range s.rows[1:] {
		if !t.take(r.rowValues(row, len(t.Columns)), limit) {
			break
		}
	}
	if s.full && len(t.Rows) == len(s.rows)-1 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("the sheet is large; only its first %d rows are shown", len(t.Rows)))
	}
	r.notes(names)
	if s.merges > 0 {
		merged := strings.Join(s.merged, ", ")
		if s.merges > len(s.merged) {
			merged += fmt.Sprintf(" and %d more", s.merges-len(s.merged))
		}
		t.Notes = append(t.Notes, "merged cells have their value in the first cell only: "+merged)
	}
	return nil
}

// header returns the names of the columns, from the first row.
func (r *sheetReader) header(row rawRow, width int) []string {
	names := make([]string, width)
	for i, v := range r.rowValues(row, width) {
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

func (r *sheetReader) rowValues(row rawRow, width int) []json.RawMessage {
	r.row = row.number
	values := make([]json.RawMessage, width)
	for i := range values {
		values[i] = null
		if i < len(row.cells) {
			values[i] = r.value(i, row.cells[i])
		}
	}
	return values
}

func (r *sheetReader) at(column int) string {
	name, err := excelize.CoordinatesToCellName(column+1, r.row)
	if err != nil {
		return "A1" // not reached: columns and rows are within Excel's limits
	}
	return name
}

// value encodes a cell.
func (r *sheetReader) value(column int, c rawCell) json.RawMessage {
	if c.text == "" {
		if c.formula != "" {
			r.formulas = append(r.formulas, r.at(column))
			return r.cell("=" + c.formula)
		}
		return null
	}
	switch c.kind {
	case "b":
		return r.cell(c.text == "1" || strings.EqualFold(c.text, "true"))
	case "", "n":
		f, err := strconv.ParseFloat(c.text, 64)
		if err != nil {
			return r.cell(c.text)
		}
		return r.number(column, c.style, f)
	default:
		return r.cell(unescape(c.text))
	}
}

// number encodes a number as what it means: a date, a duration, or itself.
func (r *sheetReader) number(column, style int, f float64) json.RawMessage {
	var s numberStyle
	if style >= 0 && style < len(r.styles) {
		s = r.styles[style]
	}
	switch {
	case s.duration:
		return r.cell(hours(f))
	case s.date:
		return r.cell(r.date(f))
	case s.percent:
		r.percent[column] = true
	}
	return r.cell(f)
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
}
