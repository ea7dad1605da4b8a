package data

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"easel/ui/core/command"
)

// A format is how the values of a column are written in cells.
type format struct {
	decimals int  // of numbers; -1: as they are
	power    bool // with an exponent
	days     bool // dates without a time
	seconds  bool // times with seconds
}

func itoa(n int) string { return strconv.Itoa(n) }

// significant is how many digits of a number are shown.
const significant = 6

// formatOf returns how to write values that are like some.
func formatOf(kind string, some []json.RawMessage) format {
	switch kind {
	case command.KindNumber:
		return numberFormat(some)
	case command.KindDate:
		f := format{decimals: -1, days: true}
		for _, raw := range some {
			_, clock, ok := strings.Cut(plain(raw), "T")
			if !ok {
				continue
			}
			clock = clock[:min(len(clock), 8)]
			f.days = f.days && clock == "00:00:00"
			f.seconds = f.seconds || len(clock) == 8 && clock[6:] != "00"
		}
		return f
	default:
		return format{decimals: -1}
	}
}

// numberFormat returns how to write numbers so that their points are below each other.
func numberFormat(some []json.RawMessage) format {
	f := format{decimals: -1}
	most, least, needed, whole := 0.0, math.Inf(1), 0, true
	for _, raw := range some {
		text := string(raw)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		most, least = max(most, math.Abs(v)), min(least, math.Abs(v))
		mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		_, after, point := strings.Cut(mantissa, ".")
		whole = whole && !point && exponent == ""
		n, _ := strconv.Atoi(exponent) // 0 if there is none
		needed = max(needed, len(strings.TrimRight(after, "0"))-n)
	}
	switch {
	case most == 0:
		return f
	case whole:
		return f
	case most >= 1e15 || most < 1e-5:
		f.power = true
		f.decimals = 4
		return f
	}
	f.decimals = max(min(significant-1-int(math.Floor(math.Log10(most))), needed, 8), min(needed, 1), 0)
	return f
}

// A rawValue is a value as the kernel has answered it.
type rawValue = json.RawMessage

// plain returns a value as text: a string without its quotes, anything else as it is.
func plain(raw json.RawMessage) string {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			return s
		}
	}
	return string(raw)
}

// missing reports whether a value is missing.
func missing(raw json.RawMessage) bool { return string(raw) == "null" }

// shortened reports whether a value may be a text of which the kernel has left something out.
func shortened(raw json.RawMessage) bool {
	text := plain(raw)
	return strings.Contains(text, "…") || strings.HasPrefix(text, "array of ")
}

// isNumber reports whether a value is a number.
func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

var breaks = strings.NewReplacer("\r\n", "⏎", "\n", "⏎", "\r", "⏎", "\t", "⇥", "\x00", "␀")

// text writes a value for a cell.
func (f format) text(kind string, raw json.RawMessage) string {
	switch {
	case missing(raw):
		return "NA"
	case string(raw) == "true":
		return "True"
	case string(raw) == "false":
		return "False"
	case isNumber(raw):
		return f.number(string(raw))
	case kind == command.KindDate:
		return f.date(plain(raw))
	}
	return breaks.Replace(plain(raw))
}

func (f format) number(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || f.decimals < 0 {
		return text
	}
	if f.power {
		return strconv.FormatFloat(v, 'e', f.decimals, 64)
	}
	if v != 0 && math.Abs(v) < 0.5*math.Pow10(-f.decimals) || math.Abs(v) >= 1e15 {
		return strconv.FormatFloat(v, 'e', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', f.decimals, 64)
}

func (f format) date(text string) string {
	day, clock, ok := strings.Cut(text, "T")
	if !ok {
		return text
	}
	if f.days && strings.HasPrefix(clock, "00:00:00") {
		return day
	}
	if !f.seconds && len(clock) >= 8 && clock[5:8] == ":00" {
		clock = clock[:5] + clock[8:]
	}
	return day + " " + clock
}
