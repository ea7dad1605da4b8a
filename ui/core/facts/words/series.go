package words

import (
	"fmt"
	"math"
	"strings"

	"easel/ui/core/facts"
)

// line describes axes: the range in x, then each series, or all of a kind if they are many.
func (v view) line() string {
	done := make(map[*facts.Series]bool)
	said := v.violins(done)
	kinds := make(map[facts.Kind][]*facts.Series)
	var order []facts.Kind
	for i := range v.Series {
		s := &v.Series[i]
		if done[s] {
			continue
		}
		if kinds[s.Kind] == nil {
			order = append(order, s.Kind)
		}
		kinds[s.Kind] = append(kinds[s.Kind], s)
	}
	for _, k := range order {
		said = append(said, v.kind(k, kinds[k])...)
	}
	if v.More > 0 {
		said = append(said, fmt.Sprintf("%d more series", v.More))
	}
	if len(said) == 0 {
		return ""
	}
	return v.name() + v.across() + strings.Join(said, "; ")
}

// kind describes the series of one kind.
func (v view) kind(k facts.Kind, list []*facts.Series) (said []string) {
	switch {
	case k == facts.Rules:
		return []string{v.rules(list)}
	case len(list) > v.each:
		said = append(said, v.group(k, list))
	default:
		for _, s := range list {
			said = append(said, v.one(s))
		}
	}
	if k == facts.Bars || k == facts.BarsH {
		if text := v.totals(list); text != "" {
			said = append(said, text)
		}
	}
	return said
}

// across says the range of the values in x, if the series say nothing of it.
func (v view) across() string {
	low, high := math.Inf(1), math.Inf(-1)
	for i := range v.Series {
		s := &v.Series[i]
		switch s.Kind {
		case facts.Histogram, facts.Bars, facts.BarsH, facts.Box:
			return ""
		case facts.Line, facts.Points, facts.Area:
			if _, mirrored := violinOf(s); mirrored {
				return ""
			}
			places := s.Numbers("x")
			for _, x := range places {
				low, high = fmin(low, x), fmax(high, x)
			}
			if s.Whole != nil && len(places) > 0 && (places[0] != low || places[len(places)-1] != high) {
				return fmt.Sprintf("x axis from %s to %s; ", v.x().say(v.X.From), v.x().say(v.X.To)) // of the data, only a sample is known
			}
		default:
		}
	}
	if !(low < high) {
		return ""
	}
	if n := len(v.X.Names); n > 1 && v.X.Scale == facts.Category {
		if n <= mostValues && v.terse == 0 {
			return "" // each is named
		}
		return fmt.Sprintf("x %d names from %s to %s; ", n, label(v.X.Names[0]), label(v.X.Names[n-1]))
	}
	x := v.x()
	x.From, x.To = low, high
	return fmt.Sprintf("x %s to %s; ", x.say(low), x.say(high))
}

func fmin(a, b float64) float64 {
	if b < a {
		return b
	}
	return a
}

func fmax(a, b float64) float64 {
	if b > a {
		return b
	}
	return a
}

func (v view) x() axis { return axis{Axis: v.X} }
func (v view) y() axis { return axis{Axis: v.Y} }

// one describes a series.
func (v view) one(s *facts.Series) string {
	over, up := v.axes(s)
	name := v.of(s)
	switch s.Kind {
	case facts.Bars, facts.BarsH:
		return v.bars(s)
	case facts.Box:
		return v.boxes(s)
	case facts.Histogram:
		return v.histogram(name, s, up)
	case facts.Pie:
		return v.pie(name, s)
	case facts.Image, facts.Mesh:
		return name + v.cells(s)
	case facts.ErrorBars:
		return v.errorBars(s)
	case facts.Line, facts.Points:
		if over.named != nil && v.X.Scale == facts.Category {
			if list := v.listed(s, over, up); list != "" {
				return name + " " + list
			}
		}
	default:
	}
	own := v.lengths(s)
	r := measured(v.Axes, own)
	count := "1 point"
	if s.Count != 1 {
		count = fmt.Sprintf("%d points", s.Count)
	}
	text := count + ", " + v.span(r, over, up)
	if s.Count == 1 && r.nan == 0 && !math.IsNaN(r.high.at) {
		text = fmt.Sprintf("%s at (%s, %s)", count, over.say(r.high.at), up.say(r.high.v))
	}
	if own != s && v.stacked(s, s.Numbers("low")) {
		text += " (stacked)"
	}
	if s.Kind == facts.Line && !math.IsNaN(r.last.v) && s.Count > 2 && r.last != r.high && r.last != r.low {
		text += ", last " + up.say(r.last.v)
	}
	if name == string(facts.Points) {
		return text
	}
	return name + " " + text
}

// span says the lowest and the highest value, and where they are.
func (v view) span(r spread, over, up axis) string {
	if math.IsNaN(r.high.v) {
		return "no values"
	}
	up.From, up.To = r.low.v, r.high.v // the digits that matter are those of the values
	switch {
	case r.low.v == r.high.v:
		return "all " + up.say(r.low.v)
	case math.IsNaN(r.high.at) || math.IsNaN(r.low.at) || v.terse > 2:
		return up.say(r.low.v) + " to " + up.say(r.high.v)
	}
	return fmt.Sprintf("min %s at %s, max %s at %s", up.say(r.low.v), over.say(r.low.at), up.say(r.high.v), over.say(r.high.at))
}

func (v view) histogram(name string, s *facts.Series, up axis) string {
	xs, widths, heights := s.Numbers("x"), s.Numbers("width"), s.Numbers("y")
	over := v.x()
	if xs == nil || heights == nil { // it lies horizontally
		xs, heights, over, up = s.Numbers("y"), s.Numbers("x"), v.y(), v.x()
	}
	if len(xs) == 0 || len(heights) != len(xs) || len(widths) != len(xs) {
		return fmt.Sprintf("%s %d bins", name, s.Count)
	}
	top, least, empty, sum := 0, 0, 0, 0.0
	for i, h := range heights {
		sum += h
		if h > heights[top] {
			top = i
		}
		if h < heights[least] {
			least = i
		}
		if h == 0 {
			empty++
		}
	}
	last := len(xs) - 1
	over.From, over.To = xs[0], xs[last]+widths[last]
	up.From, up.To = 0, heights[top]
	bin := func(i int) string {
		return fmt.Sprintf("%s at %s to %s", up.say(heights[i]), over.say(xs[i]), over.say(xs[i]+widths[i]))
	}
	text := fmt.Sprintf("%s %d bins from %s to %s, highest %s", name, s.Count, over.say(over.From), over.say(over.To), bin(top))
	switch {
	case v.terse > 1:
	case empty > 0:
		text += fmt.Sprintf(", %d empty", empty)
	default:
		text += ", lowest " + bin(least)
	}
	if sum == math.Trunc(sum) && sum > 1 {
		text += ", sum " + number(sum, sum)
	}
	return text
}

func (v view) pie(name string, s *facts.Series) string {
	shares := s.Numbers("value")
	say := func(i int) string {
		text := number(100*shares[i], 100) + "%"
		if i < len(s.Names) && s.Names[i] != "" {
			text = label(s.Names[i]) + " " + text
		}
		return text
	}
	if s.Label == "" {
		name = "pie"
	}
	var said []string
	least, most := 0, 0
	for i := range shares {
		if shares[i] < shares[least] {
			least = i
		}
		if shares[i] > shares[most] {
			most = i
		}
		said = append(said, say(i))
	}
	if len(shares) > mostValues {
		return fmt.Sprintf("%s %d wedges, smallest %s, largest %s", name, len(shares), say(least), say(most))
	}
	return name + " " + strings.Join(said, ", ")
}

// rules says where lines over the whole axes are.
func (v view) rules(list []*facts.Series) string {
	var said []string
	for _, s := range list {
		for _, x := range s.Numbers("x") {
			said = append(said, "x="+v.x().say(x))
		}
		for _, y := range s.Numbers("y") {
			said = append(said, "y="+v.y().say(y))
		}
	}
	return "lines at " + join(said, mostValues)
}

// group describes many series of one kind together.
func (v view) group(k facts.Kind, list []*facts.Series) string {
	all := spread{low: nowhere, high: nowhere}
	lowest, highest := list[0], list[0]
	least, most := math.MaxInt, 0
	for _, s := range list {
		r := measured(v.Axes, v.lengths(s))
		least, most = min(least, s.Count), max(most, s.Count)
		if !math.IsNaN(r.low.v) && !(r.low.v >= all.low.v) {
			all.low, lowest = r.low, s
		}
		if !math.IsNaN(r.high.v) && !(r.high.v <= all.high.v) {
			all.high, highest = r.high, s
		}
	}
	count := fmt.Sprint(most)
	if least != most {
		count = fmt.Sprintf("%d–%d", least, most)
	}
	text := fmt.Sprintf("%d × %s of %s, ", len(list), kindName(k), count)
	over, up := v.axes(lowest)
	if math.IsNaN(all.high.v) || all.low.v == all.high.v || k == facts.Image || k == facts.Mesh || k == facts.Pie {
		over.From = 0
		all.low.at = math.NaN()
		return text + v.span(all, over, up)
	}
	up.From, up.To = all.low.v, all.high.v
	end := func(what string, e end, s *facts.Series) string {
		over, _ := v.axes(s)
		said := what + " " + up.say(e.v)
		if v.terse < 3 && !math.IsNaN(e.at) {
			said += " at " + over.say(e.at)
		}
		if s.Label != "" {
			said += " (" + label(s.Label) + ")"
		}
		return said
	}
	return text + end("min", all.low, lowest) + ", " + end("max", all.high, highest)
}
