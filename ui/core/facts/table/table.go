// Package table writes the values that a plot shows as CSV.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package table

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/facts"
	"easel/ui/core/facts/words"
)

// CSV writes the values of all series of a figure, one row for each point, with the names that axes and
// legend give them (RFC 4180). Numbers are exact, dates are in ISO 8601, and what is missing is empty. If
// there is only a sample of a series, its rows have the number of all its points in the column sample_of.
// CSV returns nil if the figure has no values.
func CSV(f facts.Figure) []byte {
	w := newWriter(f)
	if len(w.keys) == 0 {
		return nil
	}
	var b bytes.Buffer
	w.csv = csv.NewWriter(&b)
	w.csv.UseCRLF = true
	w.head()
	for i := range f.Axes {
		for j := range f.Axes[i].Series {
			w.series(&f.Axes[i], j)
		}
	}
	w.csv.Flush()
	return b.Bytes()
}

// Sampled reports whether the values of a series are not all there.
func Sampled(f facts.Figure) bool {
	for _, a := range f.Axes {
		if slices.ContainsFunc(a.Series, func(s facts.Series) bool { return sampleOf(&s) != "" }) {
			return true
		}
	}
	return false
}

func sampleOf(s *facts.Series) string {
	if len(s.Columns) > 0 && s.Count > len(s.Columns[0].Numbers) {
		return strconv.Itoa(s.Count)
	}
	return ""
}

type writer struct {
	csv     *csv.Writer
	keys    []string // of the columns, as in facts.Series
	names   []string // of the columns, in the head
	several bool     // there are several axes
	grouped bool     // a column says which series
	labels  bool     // axes have different labels, so that columns say them
	sampled bool
}

// newWriter finds out which columns there are and what they are called.
func newWriter(f facts.Figure) *writer {
	w := &writer{several: len(f.Axes) > 1, sampled: Sampled(f)}
	called := make(map[string]string)
	count := 0
	add := func(key, name string) {
		if !slices.Contains(w.keys, key) {
			w.keys = append(w.keys, key)
		}
		if former, known := called[key]; known && former != name {
			w.labels, name = true, key
		}
		called[key] = name
	}
	for i := range f.Axes {
		a := &f.Axes[i]
		for j := range a.Series {
			s := &a.Series[j]
			count++
			w.grouped = w.grouped || s.Label != ""
			for _, key := range keysOf(s) {
				add(key, nameOf(a, s, key))
			}
		}
	}
	w.grouped = w.grouped || count > 1
	slices.SortStableFunc(w.keys, func(a, b string) int { return rank(a) - rank(b) })
	for _, key := range w.keys {
		name := called[key]
		if w.labels {
			name = key
		}
		for slices.Contains(w.names, name) || name == "axes" || name == "series" {
			name += " (" + key + ")"
		}
		w.names = append(w.names, Text(name))
	}
	return w
}

// rank sorts columns: places first.
func rank(key string) int {
	if i := slices.Index([]string{"name", "row", "column", "x", "y"}, key); i >= 0 {
		return i
	}
	return 9
}

// keysOf returns the columns that the rows of a series have.
func keysOf(s *facts.Series) (keys []string) {
	if len(s.Columns) == 0 || len(s.Columns[0].Numbers) == 0 {
		return nil
	}
	if acrossOf(s) > 0 {
		keys = append(keys, "row", "column")
	}
	if len(s.Names) > 0 {
		keys = append(keys, "name")
	}
	for _, c := range s.Columns {
		keys = append(keys, c.Name)
	}
	return keys
}

// acrossOf returns the columns of what is there of an image or mesh.
func acrossOf(s *facts.Series) int {
	shape := s.Shape
	if s.Whole != nil && s.Whole.Shape[0] > 0 {
		shape = s.Whole.Shape
	}
	if shape[0]*shape[1] != len(s.Columns[0].Numbers) {
		return 0
	}
	return shape[1]
}

func nameOf(a *facts.Axes, s *facts.Series, key string) string {
	switch {
	case key == "x" && a.X.Label != "":
		return a.X.Label
	case key == "y" && a.Y.Label != "":
		return a.Y.Label
	case key == "value" && s.Values != "":
		return s.Values
	}
	return key
}

func (w *writer) head() {
	var row []string
	if w.several {
		row = append(row, "axes")
	}
	if w.grouped {
		row = append(row, "series")
	}
	row = append(row, w.names...)
	if w.labels {
		row = append(row, "x label", "y label")
	}
	if w.sampled {
		row = append(row, "sample_of")
	}
	w.write(row)
}

func (w *writer) write(row []string) {
	_ = w.csv.Write(row) // a buffer cannot fail
}

// Text returns s so that a spreadsheet does not take it for a formula.
func Text(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func (w *writer) series(a *facts.Axes, n int) {
	s := &a.Series[n]
	if len(keysOf(s)) == 0 {
		return
	}
	var first, last []string
	if w.several {
		name := strconv.Itoa(a.Number)
		if a.Title != "" {
			name += " " + a.Title
		}
		first = append(first, Text(name))
	}
	if w.grouped {
		name := s.Label
		if name == "" {
			name = fmt.Sprintf("%s %d", s.Kind, n+1)
		}
		first = append(first, Text(name))
	}
	if w.labels {
		last = append(last, Text(a.X.Label), Text(a.Y.Label))
	}
	if w.sampled {
		last = append(last, sampleOf(s))
	}
	cells := make([]func(i int) string, len(w.keys))
	for k, key := range w.keys {
		cells[k] = cellsOf(a, s, key)
	}
	row := make([]string, 0, len(first)+len(cells)+len(last))
	for i := range s.Columns[0].Numbers {
		row = append(row[:0], first...)
		for _, cell := range cells {
			row = append(row, cell(i))
		}
		w.write(append(row, last...))
	}
}

// cellsOf returns the function that says what a series has in a column.
func cellsOf(a *facts.Axes, s *facts.Series, key string) func(i int) string {
	across := acrossOf(s)
	switch {
	case across > 0 && key == "row":
		return func(i int) string { return strconv.Itoa(i / across) }
	case across > 0 && key == "column":
		return func(i int) string { return strconv.Itoa(i % across) }
	case key == "name":
		return func(i int) string {
			if i < len(s.Names) {
				return Text(s.Names[i])
			}
			return ""
		}
	}
	c, ok := s.Column(key)
	if !ok {
		return func(int) string { return "" }
	}
	axis := axisOf(a, s, key)
	switch axis.Scale {
	case facts.Date:
		layout := layoutOf(c.Numbers)
		return func(i int) string { return date(c.Numbers[i], layout) }
	case facts.Category:
		return func(i int) string {
			if name, ok := words.Name(axis, c.Numbers[i]); ok {
				return Text(name)
			}
			return number(c.Numbers[i])
		}
	default:
	}
	return func(i int) string { return number(c.Numbers[i]) }
}

// axisOf returns the axis along which a column lies; widths and values lie along none.
func axisOf(a *facts.Axes, s *facts.Series, key string) facts.Axis {
	_, lies := s.Column("y")
	lies = lies && (s.Kind == facts.Area || s.Kind == facts.ErrorBars || s.Kind == facts.Box)
	switch key {
	case "x":
		return a.X
	case "y":
		return a.Y
	case "low", "high", "min", "q1", "median", "q3", "max":
		if lies {
			return a.X
		}
		return a.Y
	case "base":
		if s.Kind == facts.BarsH {
			return a.X
		}
		return a.Y
	}
	return facts.Axis{}
}

// number returns the shortest text that is read as the same number.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, 64), "+"))
}

// layoutOf returns the form of dates: without times if all are midnights.
func layoutOf(values []float64) string {
	const day = 24 * 3600
	for _, v := range values {
		if !math.IsNaN(v) && math.Mod(v, day) != 0 {
			return "2006-01-02T15:04:05.999999"
		}
	}
	return time.DateOnly
}

func date(v float64, layout string) string {
	const most = 2e11 // seconds; about the year 8300
	if math.IsNaN(v) || math.Abs(v) > most {
		return number(v)
	}
	whole := math.Floor(v)
	return time.Unix(int64(whole), 0).Add(time.Duration(math.Round((v-whole)*1e6)) * time.Microsecond).UTC().Format(layout)
}
