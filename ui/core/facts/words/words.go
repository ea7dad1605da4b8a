// Package words says in a few words what a plot shows in numbers, for models: first what a reader of the
// picture is likely to miss or misread, then ranges.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package words

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"easel/internal/tokens"
	"easel/internal/truncate"
	"easel/ui/core/facts"
)

// Bounds of a text, in tokens as estimated by [Tokens].
const (
	MostBrief   = 250 // facts and findings together
	mostRanges  = 140 // of them, what is not a finding
	mostWhole   = 2500
	mostSeries  = 4 // of one kind that are described one by one
	mostValues  = 6 // of bars, boxes and wedges that are listed
	mostLabel   = 40
	mostFinding = 3 // in a brief text
)

// Brief returns the text beside a picture: what is likely to be missed, then ranges as far as there is
// room. It is empty if there is nothing to say. findings are sentences, the most important first.
func Brief(f facts.Figure, findings []string, silent Silent) string {
	return compose(f, findings[:min(len(findings), mostFinding)], silent, MostBrief, mostRanges, mostSeries)
}

// Silent is what is not said, although a reader of the picture may miss it. Its names are those of package checks:
// off_axis, look_alike and cut_bars.
type Silent map[string]map[int]bool

// everywhere stands for all axes.
const everywhere = -1

// All leaves something out for all axes.
func (s Silent) All(what string) { s.In(what, everywhere) }

// In leaves something out for axes with a number.
func (s Silent) In(what string, axes int) {
	if s[what] == nil {
		s[what] = make(map[int]bool)
	}
	s[what][axes] = true
}

func (s Silent) has(what string, axes int) bool { return s[what][everywhere] || s[what][axes] }

// Whole returns the text of all axes and series, within a bound that is far from any brief one.
func Whole(f facts.Figure, findings []string, silent Silent) string {
	return compose(f, findings, silent, mostWhole, mostWhole, 20)
}

func compose(f facts.Figure, findings []string, silent Silent, most, ranges, each int) string {
	var missed []string
	for i := range f.Axes {
		v := viewOf(f, i, each, 0)
		missed = append(missed, v.missed(silent)...)
	}
	missed = append(missed, findings...)
	text, all := fill("", missed, most-20)
	if !all {
		text += " (more)"
	}
	left := min(most-20, tokens.In(text)+ranges)
	for terse := range tersest + 1 {
		var said []string
		for i := range f.Axes {
			if line := viewOf(f, i, each, terse).line(); line != "" {
				said = append(said, line)
			}
		}
		whole, all := fill(text, said, left)
		if all || terse == tersest {
			if text = whole; !all || f.More > 0 {
				text += " …"
			}
			break
		}
	}
	return text
}

// fill appends sentences as long as there is room, and reports whether there was room for all. The first
// one is cut rather than left out.
func fill(text string, sentences []string, most int) (string, bool) {
	for i, s := range sentences {
		next := strings.TrimSpace(text + " " + s + ".")
		if tokens.In(next) <= most {
			text = next
			continue
		}
		if room := (most - tokens.In(text)) * 2; i == 0 && room > 60 {
			text = strings.TrimSpace(text + " " + truncate.Runes(s, room))
		}
		return text, false
	}
	return text, true
}

// A view describes axes.
type view struct {
	*facts.Axes
	each   int    // series of one kind that are described one by one
	terse  int    // how much is left out: 0 for nothing, at most [tersest]
	called string // the axes; empty if the figure has no others
	boxed  bool   // it has boxes, so its points are outliers
}

// tersest leaves out, in this order: the values of single bars, single series, and places.
const tersest = 3

func viewOf(f facts.Figure, i, each, terse int) view {
	a := &f.Axes[i]
	if terse > 1 {
		each = 1
	}
	boxed := slices.ContainsFunc(a.Series, func(s facts.Series) bool { return s.Kind == facts.Box })
	return view{a, each, terse, f.Call(a.Number), boxed}
}

// name says which axes they are, if there are others.
func (v view) name() string {
	if v.called == "" {
		return ""
	}
	name := strings.ToUpper(v.called[:1]) + v.called[1:]
	if v.Title != "" && v.Twin == 0 {
		name += " (" + label(v.Title) + ")"
	}
	return name + ": "
}

func label(s string) string { return truncate.Runes(strings.Join(strings.Fields(s), " "), mostLabel) }

func kindName(k facts.Kind) string {
	switch k {
	case facts.BarsH:
		return "bars"
	case facts.ErrorBars:
		return "error bars"
	case facts.Box:
		return "boxes"
	default:
	}
	return string(k)
}

// of names a series.
func (v view) of(s *facts.Series) string {
	kind := kindName(s.Kind)
	switch {
	case s.Label != "":
		return label(s.Label)
	case s.Colour != "" && slices.ContainsFunc(v.Series, func(o facts.Series) bool { return o.Kind == s.Kind && o.Colour != s.Colour }):
		return kind + " " + s.Colour
	}
	return kind
}

// missed returns what a reader of the picture does not see.
func (v view) missed(silent Silent) (said []string) {
	off, free, none := []string{}, []string{}, []string{}
	for i := range v.Series {
		s := &v.Series[i]
		r := measured(v.Axes, s)
		switch {
		case r.outside == 0 || silent.has("off_axis", v.Number):
		case s.Spills:
			free = append(free, v.offAxis(s, r))
		default:
			off = append(off, v.offAxis(s, r))
		}
		if r.nan > 0 {
			none = append(none, fmt.Sprintf("%s %d of %d NaN", v.of(s), r.nan, s.Count))
		}
		if silent.has("cut_bars", v.Number) {
			continue
		}
		if s.Kind == facts.Bars && v.Y.Scale == facts.Linear && cutBars(s, v.Y) {
			said = append(said, v.name()+"bars do not begin at 0 but at "+v.y().say(v.Y.From))
		}
		if s.Kind == facts.BarsH && v.X.Scale == facts.Linear && cutBars(s, v.X) {
			said = append(said, v.name()+"bars do not begin at 0 but at "+v.x().say(v.X.From))
		}
	}
	alike := v.alike()
	if silent.has("look_alike", v.Number) {
		alike = nil
	}
	for _, l := range []struct {
		what string
		list []string
	}{{"OFF-AXIS: ", off}, {"drawn outside of the axes: ", free}, {"", none}, {"look alike: ", alike}} {
		if len(l.list) > 0 {
			said = append(said, v.name()+l.what+join(l.list, 3))
		}
	}
	return said
}

func join(list []string, most int) string {
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(", and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// offAxis says how many points of a series lie beyond the axes, where, and how far.
func (v view) offAxis(s *facts.Series, r spread) string {
	text := fmt.Sprintf("%s %d of %d points", v.of(s), r.outside, s.Count)
	values := v.y()
	values.From, values.To = r.low.v, r.high.v
	places := v.x()
	places.From, places.To = math.NaN(), math.NaN()
	if s.Whole != nil {
		return text + v.farther(r, values)
	}
	b := v.Beyond(s)
	var sides []string
	for _, side := range []struct {
		facts.Over

		name       string
		value, end axis
		at         float64
	}{
		{b.Above, "above", values, v.y(), v.Y.To},
		{b.Below, "below", values, v.y(), v.Y.From},
		{b.Left, "to the left", places, v.x(), v.X.From},
		{b.Right, "to the right", places, v.x(), v.X.To},
	} {
		if side.N == 0 {
			continue
		}
		way := "up"
		if side.Farthest < side.at {
			way = "down"
		}
		farthest, end := side.value.say(side.Farthest), side.end.say(side.at)
		sides = append(sides, fmt.Sprintf("%d %s, %s to %s, axis to %s", side.N, side.name, way, farthest, end))
	}
	if len(sides) == 0 {
		return text
	}
	return text + " (" + strings.Join(sides, "; ") + ")"
}

// farther says how far a series reaches beyond the axes of which only a sample is known, and so not how many points are on which side.
func (v view) farther(r spread, values axis) string {
	low, high := min(v.Y.From, v.Y.To), max(v.Y.From, v.Y.To)
	least, most := values.say(r.low.v), values.say(r.high.v)
	switch {
	case r.high.v > high && r.low.v < low:
		return fmt.Sprintf(" (y from %s to %s, axis from %s to %s)", least, most, v.y().say(low), v.y().say(high))
	case r.high.v > high:
		return fmt.Sprintf(" (y up to %s, axis to %s)", most, v.y().say(high))
	case r.low.v < low:
		return fmt.Sprintf(" (y down to %s, axis to %s)", least, v.y().say(low))
	}
	return ""
}

// alike returns the labels of series that cannot be told apart.
func (v view) alike() (pairs []string) {
	by := make(map[string][]string)
	for i := range v.Series {
		s := &v.Series[i]
		if s.Label == "" || s.Colour == "" || s.Kind == facts.Rules {
			continue
		}
		key := fmt.Sprint(s.Kind, s.Colour, s.Alpha, s.Style)
		if name := label(s.Label); !slices.Contains(by[key], name) {
			by[key] = append(by[key], name)
		}
	}
	for _, names := range by {
		if len(names) > 1 {
			pairs = append(pairs, strings.Join(names[:min(len(names), 4)], " and "))
		}
	}
	slices.Sort(pairs)
	return pairs
}

// cutBars reports whether the axis of bars hides where they begin, at 0.
func cutBars(s *facts.Series, along facts.Axis) bool {
	if slices.ContainsFunc(s.Numbers("base"), func(b float64) bool { return b != 0 }) {
		return false
	}
	low, high := min(along.From, along.To), max(along.From, along.To)
	return low > 0 || high < 0
}
