package figures

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/image/colornames"

	"easel/ui/core/facts"
)

// decoded reads JSON. A value of another type than expected is as good as absent.
func decoded(data []byte, to any) bool {
	err := json.Unmarshal(data, to)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || other
}

// A list is a list of numbers, or of texts: dates or categories.
type list struct {
	numbers []float64
	texts   []string // nil if they are numbers
}

func (l list) len() int { return max(len(l.numbers), len(l.texts)) }

// first returns the first n values.
func (l list) first(n int) list {
	return list{l.numbers[:min(n, len(l.numbers))], l.texts[:min(n, len(l.texts))]}
}

// text returns a value as text.
func (l list) text(i int) string {
	if l.texts != nil {
		return l.texts[i]
	}
	return strconv.FormatFloat(l.numbers[i], 'g', -1, 64)
}

// listOf reads a JSON list, or a typed array as Plotly writes it.
func listOf(raw json.RawMessage, left *int) (l list, ok bool) {
	var values []any
	if len(raw) > 0 && raw[0] == '{' {
		return typed(raw, left)
	}
	if json.Unmarshal(raw, &values) != nil || len(values) == 0 || len(values) > *left {
		return list{}, false
	}
	*left -= len(values)
	return valuesOf(values), true
}

// valuesOf sorts values into numbers, or texts if one of them is a text.
func valuesOf(values []any) (l list) {
	if slices.ContainsFunc(values, func(v any) bool { _, is := v.(string); return is }) {
		for _, v := range values {
			switch v := v.(type) {
			case string:
				l.texts = append(l.texts, v)
			case nil:
				l.texts = append(l.texts, "")
			default:
				l.texts = append(l.texts, fmt.Sprint(v))
			}
		}
		return l
	}
	for _, v := range values {
		n := math.NaN()
		switch v := v.(type) {
		case float64:
			n = v
		case bool:
			n = map[bool]float64{true: 1}[v]
		}
		l.numbers = append(l.numbers, n)
	}
	return l
}

// typed reads {"dtype": "f8", "bdata": "…"}.
func typed(raw json.RawMessage, left *int) (l list, ok bool) {
	var t struct{ Dtype, Bdata string }
	if json.Unmarshal(raw, &t) != nil || len(t.Dtype) < 2 {
		return list{}, false
	}
	t.Dtype = t.Dtype[:2] // u1c is u1
	data, err := base64.StdEncoding.DecodeString(t.Bdata)
	size := int(t.Dtype[1] - '0')
	if err != nil || size < 1 || size > 8 || len(data)%size != 0 || len(data)/size > *left || len(data) == 0 {
		return list{}, false
	}
	*left -= len(data) / size
	for i := 0; i < len(data); i += size {
		v, ok := one(t.Dtype, data[i:i+size])
		if !ok {
			return list{}, false
		}
		l.numbers = append(l.numbers, v)
	}
	return l, true
}

// matrix reads rows of numbers, or a typed array of two dimensions.
func matrix(raw json.RawMessage, left *int) (rows, across int, values []float64, ok bool) {
	if len(raw) > 0 && raw[0] == '{' {
		var j struct{ Shape string }
		_ = json.Unmarshal(raw, &j)
		l, ok := typed(raw, left)
		if _, err := fmt.Sscanf(strings.ReplaceAll(j.Shape, " ", ""), "%d,%d", &rows, &across); err != nil || !ok {
			return 0, 0, nil, false
		}
		return rows, across, l.numbers, rows > 0 && across > 0 && rows <= l.len() && across <= l.len() && rows*across == l.len()
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return 0, 0, nil, false
	}
	for _, raw := range list {
		row, ok := listOf(raw, left)
		if !ok || row.texts != nil || across > 0 && row.len() != across {
			return 0, 0, nil, false
		}
		across = row.len()
		values = append(values, row.numbers...)
	}
	return len(list), across, values, true
}

func one(dtype string, b []byte) (float64, bool) {
	switch dtype {
	case "f8":
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	case "f4":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case "i1":
		return float64(int8(b[0])), true
	case "u1":
		return float64(b[0]), true
	case "i2":
		return float64(int16(binary.LittleEndian.Uint16(b))), true
	case "u2":
		return float64(binary.LittleEndian.Uint16(b)), true
	case "i4":
		return float64(int32(binary.LittleEndian.Uint32(b))), true
	case "u4":
		return float64(binary.LittleEndian.Uint32(b)), true
	}
	return 0, false
}

// A scale finds the places of values on an axis.
type scale struct {
	axis *facts.Axis
	kind string // as the figure says: date, category, log, linear, or empty
	at   map[string]int
}

// one returns where one value is on the axis. It names no new category.
func (s *scale) one(raw json.RawMessage) (at float64, ok bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return 0, false
	}
	l := valuesOf([]any{v})
	if l.texts != nil && s.axis.Scale != facts.Date {
		place, known := s.at[l.texts[0]]
		return float64(place), known
	}
	numbers, ok := (&scale{axis: new(facts.Axis), kind: s.kind}).places(l)
	return append(numbers, 0)[0], ok
}

// placesOf returns what places does, if ok.
func (s *scale) placesOf(l list, ok bool) ([]float64, bool) {
	if !ok {
		return nil, false
	}
	return s.places(l)
}

// places returns where values are on the axis.
func (s *scale) places(l list) ([]float64, bool) {
	if l.texts != nil && (s.kind == "linear" || s.kind == "log") {
		return parsed(l.texts), true
	}
	if l.texts == nil && s.kind == "date" {
		return s.milliseconds(l.numbers), true
	}
	if l.texts == nil && s.kind != "category" {
		return l.numbers, true
	}
	texts := l.texts
	if texts == nil {
		for _, n := range l.numbers {
			texts = append(texts, strconv.FormatFloat(n, 'g', -1, 64))
		}
	}
	if s.kind != "category" && s.at == nil {
		if seconds, ok := dates(texts); ok {
			s.axis.Scale = facts.Date
			return seconds, true
		}
	}
	if s.kind == "date" {
		return nil, false
	}
	if s.at == nil {
		s.at = make(map[string]int)
	}
	s.axis.Scale = facts.Category
	numbers := make([]float64, len(texts))
	for i, text := range texts {
		at, known := s.at[text]
		if !known {
			if at = len(s.axis.Names); at >= mostNames {
				return nil, false
			}
			s.at[text], s.axis.Names = at, append(s.axis.Names, text)
		}
		numbers[i] = float64(at)
	}
	return numbers, true
}

// parsed returns the numbers that texts say.
func parsed(texts []string) []float64 {
	numbers := make([]float64, len(texts))
	for i, text := range texts {
		var err error
		if numbers[i], err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			numbers[i] = math.NaN()
		}
	}
	return numbers
}

// milliseconds returns the seconds of dates that are milliseconds.
func (s *scale) milliseconds(numbers []float64) []float64 {
	s.axis.Scale = facts.Date
	seconds := make([]float64, len(numbers))
	for i, n := range numbers {
		seconds[i] = n / 1000
	}
	return seconds
}

var layouts = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04", "2006-01",
}

// dates returns the seconds since 1970 of dates. An empty text is missing.
func dates(texts []string) (seconds []float64, ok bool) {
	layout := ""
	seconds = make([]float64, len(texts))
	for i, text := range texts {
		seconds[i] = math.NaN()
		if text == "" {
			continue
		}
		t, err := time.Parse(layout, text)
		if err != nil || layout == "" {
			at := slices.IndexFunc(layouts, func(l string) bool { t, err = time.Parse(l, text); return err == nil })
			if at < 0 {
				return nil, false
			}
			layout = layouts[at]
		}
		seconds[i] = float64(t.Unix()) + float64(t.Nanosecond())/1e9
	}
	return seconds, layout != ""
}

var (
	hexColour = regexp.MustCompile(`^#[0-9a-f]{6}$`)
	rgbColour = regexp.MustCompile(`^rgba?\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})`)
)

// colour returns a colour as #rrggbb; "" if it is none.
func colour(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if hexColour.MatchString(s) {
		return s
	}
	if m := rgbColour.FindStringSubmatch(s); m != nil {
		var rgb [3]int
		for i := range rgb {
			rgb[i], _ = strconv.Atoi(m[i+1])
		}
		return fmt.Sprintf("#%02x%02x%02x", min(rgb[0], 255), min(rgb[1], 255), min(rgb[2], 255))
	}
	if c, ok := colornames.Map[s]; ok {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return ""
}
