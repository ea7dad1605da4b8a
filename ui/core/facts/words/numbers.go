package words

import (
	"math"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/facts"
)

// An axis says values of an axis.
type axis struct {
	facts.Axis

	named map[float64]string // what places are called that lie beside their names
}

// has reports whether a value has a name.
func (a axis) has(v float64) bool {
	_, ok := Name(a.Axis, v)
	return ok || a.named[v] != ""
}

// say returns a value as a reader of the axis would say it.
func (a axis) say(v float64) string {
	span := math.Abs(a.To - a.From)
	if name := a.named[v]; name != "" {
		return label(name)
	}
	switch a.Scale {
	case facts.Date:
		return date(v, span)
	default:
		if name, ok := Name(a.Axis, v); ok {
			return label(name)
		}
	}
	return number(v, span)
}

// Value returns a value as a reader of the axis would say it.
func Value(a facts.Axis, v float64) string { return axis{Axis: a}.say(v) }

// Name returns the name of a place on an axis, if it has one.
func Name(a facts.Axis, v float64) (string, bool) {
	if a.At == nil {
		if i := int(v); len(a.Names) > 0 && v >= 0 && v < float64(len(a.Names)) && float64(i) == v {
			return a.Names[i], true
		}
		return "", false
	}
	for i, at := range a.At {
		if at == v && i < len(a.Names) {
			return a.Names[i], true
		}
	}
	return "", false
}

// date returns a date with as much of its time as the span needs.
func date(v, span float64) string {
	const day = 24 * 3600
	if math.IsNaN(v) || math.Abs(v) > 2e11 {
		return number(v, span)
	}
	t := time.UnixMicro(int64(v * 1e6)).UTC()
	switch {
	case span >= 3*day || math.Mod(v, day) == 0:
		return t.Format("2006-01-02")
	case span >= 3600:
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02 15:04:05")
}

// number returns a number with the digits that matter in a range this wide.
func number(v, span float64) string {
	size := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return strings.ToLower(strconv.FormatFloat(v, 'g', -1, 64))
	case size < 1e-12*span: // what is left of a computation
		return "0"
	case v == math.Trunc(v) && size < 1e6:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case span == 0 || math.IsNaN(span) || math.IsInf(span, 0):
		span = size
	}
	digits := 3
	if ratio := size / span; ratio > 1 { // its first digits say nothing
		digits += min(9, int(math.Ceil(math.Log10(ratio))))
	}
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if whole, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(whole) >= 1e-3 && math.Abs(whole) < 1e6 {
		text = strconv.FormatFloat(whole, 'f', -1, 64)
	}
	return strings.Replace(text, "e+0", "e", 1)
}
