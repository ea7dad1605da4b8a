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
)

// A numberStyle is how Excel shows a number.
type numberStyle struct{ date, duration, percent bool }

// excelTable reads the first visible sheet that has rows. The first row contains the names of
// the columns.
func excelTable(ctx context.Context, data []byte, l Limits) (t *Table, err error) {
	b, err := openBook(ctx, data)
	if err == nil {
		t, err = b.table(ctx, l)
	}
	switch {
	case err == nil:
		return t, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errTooLarge):
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
	*excelBook
	*Table
	texts    map[int]string // shared ones
	percent  map[int]bool   // columns
	formulas []string       // cells whose value is not stored
}

// sheet reads a sheet into t.
func (b *excelBook) sheet(ctx context.Context, t *Table, part string, limit int) error {
	s := &sheetScan{limit: limit + 1, texts: make(map[int]string)}
	if err := s.read(ctx, b, part); err != nil {
		if len(s.rows) == 0 || ctx.Err() != nil {
			return err
		}
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("only the first %d rows were read, and there may be more: %v", max(0, s.total-1), err))
	}
	if len(s.rows) == 0 {
		return nil
	}
	missing, err := s.sharedStrings(ctx, b)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if missing > 0 {
		t.cut = true
		t.Notes = append(t.Notes, fmt.Sprintf("%d texts could not be read and are empty here: %v", missing, err))
	}
	t.Notes = append(t.Notes, b.notes...)
	r := &sheetReader{excelBook: b, Table: t, texts: s.texts, percent: make(map[int]bool)}
	t.Total = s.total - 1
	r.read(s, limit)
	return nil
}

// read reads the rows that were kept.
func (r *sheetReader) read(s *sheetScan, limit int) {
	names := r.header(s.rows[0], s.width)
	r.name(names)
	for _, cells := range s.rows[1:] {
		if !r.take(r.values(cells, len(r.Columns)), limit) {
			break
		}
	}
	if s.full && len(r.Rows) == len(s.rows)-1 {
		r.cut = true
		r.Notes = append(r.Notes, fmt.Sprintf("the sheet is large; only its first %d rows are shown", len(r.Rows)))
	}
	r.note(names)
	if s.merges > 0 {
		merged := strings.Join(s.merged, ", ")
		if s.merges > len(s.merged) {
			merged += fmt.Sprintf(" and %d more", s.merges-len(s.merged))
		}
		r.Notes = append(r.Notes, "merged cells have their value in the first cell only: "+merged)
	}
}

// header returns the names of the columns, from the first row, as pandas names them.
func (r *sheetReader) header(cells []sheetCell, width int) []string {
	names := make([]string, width)
	for i, v := range r.values(cells, min(width, maxColumns)) {
		if json.Unmarshal(v, &names[i]) != nil {
			names[i] = string(v) // a number or a boolean
		}
	}
	clear(r.percent)
	return headerNames(names)
}

// values returns the first values of a row.
func (r *sheetReader) values(cells []sheetCell, width int) []json.RawMessage {
	values := make([]json.RawMessage, width)
	for i := range values {
		var v any
		if i < len(cells) {
			v = r.value(i, cells[i])
		}
		values[i] = r.cell(v)
	}
	return values
}

// value returns a cell as what it means: a number is a date, a duration, or itself.
func (r *sheetReader) value(column int, c sheetCell) any {
	if c.kind == "s" {
		n, err := strconv.Atoi(c.value)
		if c.value = r.texts[n]; err != nil {
			c.value = ""
		}
	}
	if c.value == "" {
		if c.formula == "" {
			return nil
		}
		r.formulas = append(r.formulas, c.name)
		return "=" + c.formula
	}
	if c.kind == "b" {
		return c.value == "1" || strings.EqualFold(c.value, "true")
	}
	number, err := strconv.ParseFloat(c.value, 64)
	if err != nil || c.kind != "" && c.kind != "n" {
		return c.value
	}
	var s numberStyle
	if c.style >= 0 && c.style < len(r.styles) {
		s = r.styles[c.style]
	}
	switch {
	case s.duration:
		return hours(number)
	case s.date:
		return r.date(number)
	case s.percent:
		r.percent[column] = true
	}
	return number
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
	whole, part := math.Modf(serial)
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case r.from04:
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case serial < 60: // Excel counts a 29 February 1900
		whole++
	}
	return epoch.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round(part*86_400_000)) * time.Millisecond)
}

// maxListed is the number of cells that a note lists.
const maxListed = 10

func list(items []string) string {
	if len(items) > maxListed {
		return strings.Join(items[:maxListed], ", ") + fmt.Sprintf(" and %d more", len(items)-maxListed)
	}
	return strings.Join(items, ", ")
}

// note says what is not seen in the values.
func (r *sheetReader) note(names []string) {
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
