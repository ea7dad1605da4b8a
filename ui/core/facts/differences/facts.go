package differences

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/facts"
	"easel/ui/core/facts/words"
)

// A Change is one thing in which two plots differ.
type Change struct {
	Axes     int    // number of the axes if there are several; else 0
	Series   string // its name; empty for what concerns the axes
	What     What
	Axis     string // x or y, where that matters
	From, To string
}

// What is the kind of a [Change].
type What string

// The kinds. From or To is empty for what only one of the plots has.
const (
	AxesLost   What = "axes_lost"
	AxesNew    What = "axes_new"
	SeriesLost What = "series_lost"
	LegendLost What = "legend_lost" // the same, of a series that the legend names
	SeriesNew  What = "series_new"
	Title      What = "title"
	Label      What = "label"
	Limits     What = "limits"
	Scale      What = "scale"
	Kind       What = "kind"
	Count      What = "count"
	Missing    What = "missing" // NaN
	Least      What = "least"
	Greatest   What = "greatest"
	Values     What = "values" // From of To differ
	Colour     What = "colour"
)

// mostCompare is how many points of a series are compared one by one.
const mostCompare = 200_000

// Facts returns in what two plots differ.
func Facts(before, after facts.Figure) (list []Change) {
	several := max(len(before.Axes), len(after.Axes)) > 1
	add := func(number int, changes ...Change) {
		for _, c := range changes {
			if several {
				c.Axes = number
			}
			list = append(list, c)
		}
	}
	at := func(f facts.Figure, number int) *facts.Axes {
		if i := slices.IndexFunc(f.Axes, func(a facts.Axes) bool { return a.Number == number }); i >= 0 {
			return &f.Axes[i]
		}
		return nil
	}
	for i := range before.Axes {
		a := &before.Axes[i]
		if b := at(after, a.Number); b != nil {
			add(a.Number, axes(a, b)...)
		} else {
			add(a.Number, Change{What: AxesLost, From: a.Title})
		}
	}
	for _, b := range after.Axes {
		if at(before, b.Number) == nil {
			add(b.Number, Change{What: AxesNew, To: b.Title})
		}
	}
	return list
}

// axes compares axes.
func axes(a, b *facts.Axes) (list []Change) {
	partner := matched(a, b)
	taken := make(map[int]bool)
	for i := range a.Series {
		j := partner[i]
		if j < 0 {
			what := SeriesLost
			if a.Legend && a.Series[i].Label != "" {
				what = LegendLost
			}
			list = append(list, Change{Series: name(a, i), What: what})
			continue
		}
		taken[j] = true
		list = append(list, series(a, b, i, j)...)
	}
	for j := range b.Series {
		if !taken[j] {
			list = append(list, Change{Series: name(b, j), What: SeriesNew})
		}
	}
	if a.Title != b.Title {
		list = append(list, Change{What: Title, From: a.Title, To: b.Title})
	}
	list = append(list, axis("x", a.X, b.X)...)
	return append(list, axis("y", a.Y, b.Y)...)
}

// matched returns for each series of a the one of b that it has become, or -1: by name and kind, then by name, then by order.
func matched(a, b *facts.Axes) []int {
	partner := make([]int, len(a.Series))
	taken := make([]bool, len(b.Series))
	for i := range partner {
		partner[i] = -1
	}
	for _, same := range []func(s, t facts.Series) bool{
		func(s, t facts.Series) bool { return s.Label != "" && s.Label == t.Label && s.Kind == t.Kind },
		func(s, t facts.Series) bool { return s.Label != "" && s.Label == t.Label },
		func(s, t facts.Series) bool { return s.Label == "" && t.Label == "" && s.Kind == t.Kind },
	} {
		for i, s := range a.Series {
			if partner[i] >= 0 {
				continue
			}
			for j, t := range b.Series {
				if !taken[j] && same(s, t) {
					partner[i], taken[j] = j, true
					break
				}
			}
		}
	}
	return partner
}

// name returns what a series is called: its label, or its kind and number.
func name(a *facts.Axes, i int) string {
	s := a.Series[i]
	if s.Label != "" {
		return truncate.Runes(s.Label, 30)
	}
	if len(a.Series) == 1 {
		return string(s.Kind)
	}
	return fmt.Sprintf("%s %d", s.Kind, i+1)
}

// series compares two series.
func series(a, b *facts.Axes, i, j int) (list []Change) {
	s, t := &a.Series[i], &b.Series[j]
	add := func(w What, along, from, to string) {
		if from != to {
			list = append(list, Change{Series: name(a, i), What: w, Axis: along, From: from, To: to})
		}
	}
	add(Kind, "", string(s.Kind), string(t.Kind))
	add(Count, "", strconv.Itoa(s.Count), strconv.Itoa(t.Count))
	p, q := words.Measure(a, s), words.Measure(b, t)
	add(Missing, "", strconv.Itoa(p.NaN), strconv.Itoa(q.NaN))
	along, of, to := "y", a.Y, b.Y
	if p.Horizontal {
		along, of, to = "x", a.X, b.X
	}
	least, least2 := told(of, to, p.Low, q.Low)
	add(Least, along, least, least2)
	greatest, greatest2 := told(of, to, p.High, q.High)
	add(Greatest, along, greatest, greatest2)
	if n, all := unequal(s, t); n > 0 && s.Count == t.Count && s.Kind == t.Kind {
		add(Values, "", strconv.Itoa(n), "of "+strconv.Itoa(all))
	}
	add(Colour, "", s.Colour, t.Colour)
	return list
}

// told returns two values with enough digits that they differ if they do.
func told(a, b facts.Axis, v, w float64) (first, second string) {
	if v == w || math.IsNaN(v) && math.IsNaN(w) {
		return "", ""
	}
	if first, second = words.Value(a, v), words.Value(b, w); first != second {
		return first, second
	}
	for digits := 4; digits <= 17; digits++ {
		first, second = strconv.FormatFloat(v, 'g', digits, 64), strconv.FormatFloat(w, 'g', digits, 64)
		if first != second {
			break
		}
	}
	return first, second
}

// unequal returns at how many points two series differ, and how many they have. It is 0 if that is not known.
func unequal(s, t *facts.Series) (n, all int) {
	if len(s.Columns) != len(t.Columns) || len(s.Columns) == 0 || s.Whole != nil || t.Whole != nil {
		return 0, 0
	}
	all = len(s.Columns[0].Numbers)
	if all > mostCompare {
		return 0, 0
	}
	for i := range all {
		for c := range s.Columns {
			p, q := s.Columns[c].Numbers, t.Columns[c].Numbers
			if len(q) != all {
				return 0, 0
			}
			if p[i] != q[i] && !(math.IsNaN(p[i]) && math.IsNaN(q[i])) {
				n++
				break
			}
		}
	}
	return n, all
}

// axis compares the axes of one direction.
func axis(along string, a, b facts.Axis) (list []Change) {
	if a.Label != b.Label {
		list = append(list, Change{What: Label, Axis: along, From: a.Label, To: b.Label})
	}
	if a.Scale != b.Scale {
		scale := func(s facts.Scale) string {
			if s == facts.Linear {
				return "linear"
			}
			return string(s)
		}
		list = append(list, Change{What: Scale, Axis: along, From: scale(a.Scale), To: scale(b.Scale)})
	}
	if a.Scale == facts.Category && slices.Equal(a.Names, b.Names) {
		return list
	}
	from, from2 := told(a, b, a.From, b.From)
	to, to2 := told(a, b, a.To, b.To)
	if from != "" || to != "" {
		ends := func(x facts.Axis, from, to string) string {
			if from == "" {
				from = words.Value(x, x.From)
			}
			if to == "" {
				to = words.Value(x, x.To)
			}
			if strings.Contains(from+to, "-") {
				return from + " to " + to
			}
			return from + "–" + to
		}
		list = append(list, Change{What: Limits, Axis: along, From: ends(a, from, to), To: ends(b, from2, to2)})
	}
	return list
}
