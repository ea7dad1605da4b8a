package words

import (
	"fmt"
	"math"
	"strings"

	"easel/ui/core/facts"
)

// A spread is what the values of a series come to.
type spread struct {
	low, high, at, last float64 // at is where the highest value is
	nan, outside        int
}

// along returns the columns of the places and of the values of a series.
func along(s *facts.Series) (at, values []float64, horizontal bool) {
	switch s.Kind {
	case facts.BarsH:
		return s.Numbers("y"), s.Numbers("x"), true
	case facts.Area, facts.ErrorBars:
		if at := s.Numbers("x"); at != nil {
			return at, s.Numbers("high"), false
		}
		return s.Numbers("y"), s.Numbers("high"), true
	case facts.Box:
		if at := s.Numbers("x"); at != nil {
			return at, s.Numbers("median"), false
		}
		return s.Numbers("y"), s.Numbers("median"), true
	case facts.Image, facts.Mesh, facts.Pie:
		return nil, s.Numbers("value"), false
	default:
	}
	return s.Numbers("x"), s.Numbers("y"), false
}

// measured returns the spread of a series between axes.
func measured(a *facts.Axes, s *facts.Series) spread {
	nan := math.NaN()
	r := spread{low: nan, high: nan, at: nan, last: nan}
	places, values, horizontal := along(s)
	across, up := a.X, a.Y
	if horizontal {
		across, up = a.Y, a.X
	}
	if places == nil {
		up = facts.Axis{From: nan, To: nan}
	}
	outside, dropped := 0, false
	for i, v := range values {
		at := nan
		if i < len(places) {
			at = places[i]
		}
		if math.IsNaN(v) || places != nil && math.IsNaN(at) {
			r.nan++
			continue
		}
		if unshown(across, at) || unshown(up, v) { // a finding of its own
			dropped = true
		} else if across.Outside(at) || up.Outside(v) {
			outside++
		}
		if !(v >= r.low) {
			r.low = v
		}
		if !(v <= r.high) {
			r.high, r.at = v, at
		}
		r.last = v
	}
	for _, v := range s.Numbers("low") {
		if v < r.low {
			r.low = v
		}
	}
	r.outside = outside
	if w := s.Whole; w != nil {
		r.whole(w, horizontal)
	}
	if dropped { // which the figures of the whole count, too
		r.outside = outside
	}
	if s.Kind != facts.Line && s.Kind != facts.Points && s.Kind != facts.ErrorBars {
		r.outside = 0 // bars and areas reach into the axes
	}
	if s.Kind == facts.Image || s.Kind == facts.Mesh || s.Kind == facts.Rules {
		r.nan = 0
	}
	return r
}

// unshown reports whether a log axis cannot show a value.
func unshown(a facts.Axis, v float64) bool { return a.Scale == facts.Log && v <= 0 }

// whole takes the figures of all values instead of those of the sample.
func (r *spread) whole(w *facts.Whole, horizontal bool) {
	r.nan, r.outside = w.NaN, w.Outside
	of := func(p facts.Point) (at, v float64) {
		if horizontal {
			return p.Y, p.X
		}
		return p.X, p.Y
	}
	if _, v := of(w.Min); !math.IsNaN(v) {
		r.low = v
	}
	if at, v := of(w.Max); !math.IsNaN(v) {
		r.high, r.at = v, at
	}
	if _, v := of(w.Last); !math.IsNaN(v) {
		r.last = v
	}
}

// line describes axes: the range in x, then each series, or all of a kind if they are many.
func (v view) line() string {
	kinds := make(map[facts.Kind][]*facts.Series)
	var order []facts.Kind
	for i := range v.Series {
		s := &v.Series[i]
		if kinds[s.Kind] == nil {
			order = append(order, s.Kind)
		}
		kinds[s.Kind] = append(kinds[s.Kind], s)
	}
	var said []string
	for _, k := range order {
		list := kinds[k]
		if k == facts.Rules {
			said = append(said, v.rules(list))
			continue
		}
		if len(list) > v.each {
			said = append(said, v.group(k, list))
			continue
		}
		for _, s := range list {
			said = append(said, v.one(s))
		}
	}
	if v.More > 0 {
		said = append(said, fmt.Sprintf("%d more series", v.More))
	}
	if len(said) == 0 {
		return ""
	}
	return v.name() + v.across() + strings.Join(said, "; ")
}

// across says the range of the x axis, if the series say nothing of it.
func (v view) across() string {
	if math.IsNaN(v.X.From) || len(v.Series) == 0 || v.Series[0].Kind == facts.Histogram || v.Series[0].Kind == facts.BarsH {
		return ""
	}
	for _, s := range v.Series {
		if s.Kind == facts.Line || s.Kind == facts.Points || s.Kind == facts.Area {
			if n := len(v.X.Names); n > 1 && v.X.Scale == facts.Category {
				return fmt.Sprintf("x %d names from %s to %s; ", n, label(v.X.Names[0]), label(v.X.Names[n-1]))
			}
			return fmt.Sprintf("x %s to %s; ", v.x().say(v.X.From), v.x().say(v.X.To))
		}
	}
	return ""
}

func (v view) x() axis { return axis{v.X} }
func (v view) y() axis { return axis{v.Y} }

// one describes a series.
func (v view) one(s *facts.Series) string {
	r := measured(v.Axes, s)
	_, _, horizontal := along(s)
	over, up := v.x(), v.y()
	if horizontal {
		over, up = up, over
	}
	name := v.of(s)
	switch s.Kind {
	case facts.Bars, facts.BarsH, facts.Box:
		if list := v.listed(s, over, up); list != "" {
			return name + " " + list
		}
		if s.Kind == facts.Box {
			return fmt.Sprintf("%s %d, medians %s", name, s.Count, v.span(r, over, up))
		}
		return fmt.Sprintf("%s %d, %s", name, s.Count, v.span(r, over, up))
	case facts.Histogram:
		return v.histogram(name, s, up)
	case facts.Pie:
		return v.pie(name, s)
	case facts.Image, facts.Mesh:
		return name + cells(s, r)
	case facts.Line:
		text := fmt.Sprintf("%s %d points, %s", name, s.Count, v.span(r, over, up))
		if !math.IsNaN(r.last) && s.Count > 2 && r.last != r.high {
			text += ", last " + up.say(r.last)
		}
		return text
	default:
	}
	text := fmt.Sprintf("%d points, %s", s.Count, v.span(r, over, up))
	if name == string(facts.Points) {
		return text
	}
	return name + " " + text
}

// span says from where to where values go, and where the highest is.
func (v view) span(r spread, over, up axis) string {
	if math.IsNaN(r.high) {
		return "no values"
	}
	up.From, up.To = r.low, r.high // the digits that matter are those of the values
	if r.low == r.high {
		return "all " + up.say(r.low)
	}
	text := fmt.Sprintf("%s to %s", up.say(r.low), up.say(r.high))
	if !math.IsNaN(r.at) {
		text += " (max at " + over.say(r.at) + ")"
	}
	return text
}

// listed returns the values of a few bars or boxes.
func (v view) listed(s *facts.Series, over, up axis) string {
	places, values, _ := along(s)
	if len(values) == 0 || s.Count > mostValues || len(values) < s.Count || len(places) != len(values) {
		return ""
	}
	r := measured(v.Axes, s)
	up.From, up.To = min(0, r.low), r.high
	said := make([]string, len(values))
	for i, value := range values {
		said[i] = over.say(places[i]) + " " + up.say(value)
	}
	return strings.Join(said, ", ")
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
	top, sum := 0, 0.0
	for i, h := range heights {
		sum += h
		if h > heights[top] {
			top = i
		}
	}
	last := len(xs) - 1
	over.From, over.To = xs[0], xs[last]+widths[last]
	up.From, up.To = 0, heights[top]
	text := fmt.Sprintf("%s %d bins from %s to %s, highest %s at %s to %s", name, s.Count, over.say(over.From), over.say(over.To),
		up.say(heights[top]), over.say(xs[top]), over.say(xs[top]+widths[top]))
	if sum == math.Trunc(sum) && sum > 1 {
		text += ", sum " + number(sum, sum)
	}
	return text
}

func (v view) pie(name string, s *facts.Series) string {
	shares := s.Numbers("value")
	var said []string
	for i, share := range shares[:min(len(shares), mostValues)] {
		text := number(100*share, 100) + "%"
		if i < len(s.Names) && s.Names[i] != "" {
			text = label(s.Names[i]) + " " + text
		}
		said = append(said, text)
	}
	if n := len(shares) - len(said); n > 0 {
		said = append(said, fmt.Sprintf("%d more", n))
	}
	if s.Label == "" {
		name = "pie"
	}
	return name + " " + strings.Join(said, ", ")
}

// cells says the size of an image or mesh and its values.
func cells(s *facts.Series, r spread) string {
	text := fmt.Sprintf(" %d cells", s.Count)
	if s.Shape[0] > 0 {
		text = fmt.Sprintf(" %d × %d", s.Shape[0], s.Shape[1])
	}
	if math.IsNaN(r.high) {
		return text
	}
	span := r.high - r.low
	if s.Values != "" {
		text += ", " + label(s.Values)
	}
	return text + fmt.Sprintf(" %s to %s", number(r.low, span), number(r.high, span))
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
	all := spread{low: math.NaN(), high: math.NaN(), at: math.NaN()}
	var lowest, highest string
	least, most := math.MaxInt, 0
	up := v.y()
	for _, s := range list {
		r := measured(v.Axes, s)
		if _, _, horizontal := along(s); horizontal {
			up = v.x()
		}
		least, most = min(least, s.Count), max(most, s.Count)
		if !math.IsNaN(r.low) && !(r.low >= all.low) {
			all.low, lowest = r.low, s.Label
		}
		if !math.IsNaN(r.high) && !(r.high <= all.high) {
			all.high, highest = r.high, s.Label
		}
	}
	count := fmt.Sprint(most)
	if least != most {
		count = fmt.Sprintf("%d–%d", least, most)
	}
	text := fmt.Sprintf("%d × %s of %s, %s", len(list), k, count, v.span(all, v.x(), up))
	if highest != "" && lowest != "" {
		text += fmt.Sprintf(" (highest %s, lowest %s)", label(highest), label(lowest))
	}
	return text
}
