package checks

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"easel/ui/core/facts"
)

// Title returns the name of a check for a setting or a filter, in English or Japanese.
func (c Check) Title(lang string) string {
	if t, ok := titles[c]; ok {
		if lang == "ja" {
			return t[1]
		}
		return t[0]
	}
	return string(c)
}

var titles = map[Check][2]string{
	Repeats:     {"Repeated value", "同じ値の繰り返し"},
	Strings:     {"Repeated values", "繰り返される複数の値"},
	Round:       {"Round numbers", "切りのよい値への集中"},
	OnLine:      {"Points exactly on a line", "直線上に並ぶ点"},
	Equal:       {"x equals y", "x と y が等しい点"},
	Copies:      {"Coinciding points", "重なる点"},
	Clumps:      {"Clumps", "点の塊"},
	Lattice:     {"Coarse grid", "粗い格子"},
	Tight:       {"Narrow streak", "細い筋"},
	Smooth:      {"Smooth run", "なめらかな区間"},
	Flat:        {"Constant run", "一定の区間"},
	Held:        {"Held values", "据え置かれた値"},
	Block:       {"Repeated run", "繰り返される区間"},
	Same:        {"Same values", "同一の値"},
	Threshold:   {"Pile beside a gap", "しきい値での偏り"},
	Wall:        {"Values at a limit", "限界値への集中"},
	Spike:       {"High bin", "突出した階級"},
	Empty:       {"Empty rectangle", "空白の長方形"},
	Edge:        {"Diagonal edge", "斜めの境界"},
	Bands:       {"Two bands", "2 本の帯"},
	CutBars:     {"Cut bars", "途中から始まる棒"},
	LogDrops:    {"Values not on a log axis", "対数軸に表示できない値"},
	OffAxis:     {"Points outside the axes", "軸の範囲外の点"},
	LookAlike:   {"Series that look alike", "見分けのつかない系列"},
	NearColour:  {"Similar colours", "よく似た色"},
	Invisible:   {"Invisible data", "見えないデータ"},
	ColourBlind: {"Colours for colour-blind readers", "色覚により区別しにくい色"},
	LegendOver:  {"Legend over data", "データに重なる凡例"},
	TextCut:     {"Text cut off", "端で切れた文字"},
	TextOver:    {"Overlapping text", "重なる文字"},
	TextAstray:  {"Text over other axes", "ほかの軸に重なる文字"},
	TextSmall:   {"Text too small", "小さすぎる文字"},
}

// Text returns the sentence for the model: short, in English.
func (f *Finding) Text() string { return f.sentence(&short) }

// Sentence returns the sentence for the user, in English or Japanese.
func (f *Finding) Sentence(lang string) string {
	if lang == "ja" {
		return f.sentence(&japanese)
	}
	return f.sentence(&english)
}

// sentence fills in the pattern of the check: {n} and so on are fields of [Counts].
func (f *Finding) sentence(patterns *map[string]string) string {
	variant := string(f.Check)
	switch {
	case f.Check == Bands:
		variant += "." + f.B
	case f.Check == Threshold && f.Groups < 0:
		variant += ".above"
	case f.Check == OffAxis && f.Groups > 0:
		variant += ".drawn"
	case f.Check == Same && f.Groups > 0:
		variant += ".boxes"
	case f.Check == OffAxis && len(f.Beyond.Points) > 0:
		variant += ".sides"
	case f.Check == Invisible:
		variant += "." + f.Axis
		if f.Axis == "lone" && f.N == 1 {
			variant += ".one"
		}
	case f.N > 1 && slices.Contains([]Check{LookAlike, TextCut, TextOver, TextAstray, TextSmall}, f.Check):
		variant += ".many"
	}
	pattern, ok := (*patterns)[variant]
	if !ok {
		pattern = (*patterns)[string(f.Check)]
	}
	if f.Named && !strings.Contains(pattern, "{a}") {
		pattern = (*patterns)["named"] + pattern
	}
	switch {
	case f.Others > 0 && f.Check == Empty: // its points lie around it, and are not counted
		pattern += (*patterns)["others.empty"]
	case f.Others > 0:
		pattern += (*patterns)["others"]
	}
	if f.Next == 1 {
		pattern = strings.ReplaceAll(pattern, "{next} times", "once")
	}
	at := func(v float64) string { return formatted(v, f.DateX) }
	up := func(v float64) string { return formatted(v, f.DateY) }
	value, low := f.dates()
	line := "y = " + formatted(f.Slope, false) + "·x"
	switch {
	case f.Value > 0:
		line += " + " + formatted(f.Value, false)
	case f.Value < 0:
		line += " − " + formatted(-f.Value, false)
	}
	return strings.NewReplacer(
		"{n}", strconv.Itoa(f.N), "{of}", strconv.Itoa(f.Of), "{next}", strconv.Itoa(f.Next), "{groups}", strconv.Itoa(max(f.Groups, -f.Groups)),
		"{axis}", f.Axis, "{value}", formatted(f.Value, value), "{slope}", formatted(f.Slope, f.DateY && f.Check == Clumps),
		"{from}", at(f.From), "{to}", at(f.To),
		"{low}", formatted(f.Low, low), "{high}", formatted(f.High, low), "{a}", cut(f.A), "{b}", cut(f.B),
		"{line}", line, "{times}", fmt.Sprintf("%.0f", f.Value), "{sides}", sides(f.Beyond, patterns, at, up),
		"{more}", strconv.Itoa(f.More), "{others}", strconv.Itoa(f.Others),
	).Replace(pattern)
}

// dates reports whether the value of a finding is a date, and whether its second range is one of dates.
func (f *Finding) dates() (value, second bool) {
	switch f.Check {
	case Repeats, Wall, Threshold:
		return f.Axis == "x" && f.DateX || f.Axis == "y" && f.DateY, f.DateY
	case Clumps:
		return f.DateX, false
	case Block, Spike: // both of its ranges are in x
		return false, f.DateX
	default:
	}
	return false, f.DateY
}

// sides says how many points are beyond each end of the axes.
func sides(b facts.Beyond, patterns *map[string]string, x, y func(float64) string) string {
	var said []string
	for _, end := range []struct {
		facts.Over

		name string
		say  func(float64) string
	}{{b.Above, "above", y}, {b.Below, "below", y}, {b.Left, "left", x}, {b.Right, "right", x}} {
		if end.N > 0 {
			text := strings.ReplaceAll((*patterns)["side."+end.name], "{n}", strconv.Itoa(end.N))
			said = append(said, strings.ReplaceAll(text, "{to}", end.say(end.Farthest)))
		}
	}
	return strings.Join(said, (*patterns)["side.and"])
}

func formatted(v float64, date bool) string {
	if date && math.Abs(v) < 1e12 {
		at := time.Unix(int64(v), 0).UTC()
		if at.Equal(at.Truncate(24 * time.Hour)) {
			return at.Format(time.DateOnly)
		}
		return at.Format("2006-01-02 15:04")
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e7 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

func number(n int) string { return "#" + strconv.Itoa(n) }

// cut shortens a label: it is the user's, and may be long.
func cut(label string) string {
	const most = 24
	if r := []rune(label); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return label
}
