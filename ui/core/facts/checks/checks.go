// Package checks looks for what a careful reader of a plot would notice in its values: a value that
// occurs too often, points exactly on a line, a pile below a threshold; and for what its drawing
// hides: points beyond the axes, bars that do not begin at zero, series that look alike.
//
// A check counts, and compares the count with what smooth data of the same kind would give. It reports
// what it counted, never what that means. Most thresholds are a probability under such a null model,
// corrected for the number of places that were looked at, so that they hold for every size and unit.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package checks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"easel/ui/core/facts"
)

// Version is to be raised when the checks find something else in the same figures, or call it by another key: what
// they found in the plots of a library is then found again.
const Version = 7

// A Check is the stable name of a check. Settings and marks of the user store it.
type Check string

// The checks of the data.
const (
	Repeats   Check = "repeats"   // one value occurs far more often than those near it
	Strings   Check = "strings"   // several values do, among values that are otherwise all different
	Round     Check = "round"     // values heap at multiples of a round number
	OnLine    Check = "on_line"   // points exactly on a straight line, among others that are not
	Equal     Check = "equal"     // points of which x and y are equal
	Copies    Check = "copies"    // points in the same place as another point
	Clumps    Check = "clumps"    // groups of points that almost coincide
	Lattice   Check = "lattice"   // all points on a coarse grid
	Tight     Check = "tight"     // a thin, short streak with far more points than beside it
	Smooth    Check = "smooth"    // neighbours that vary far less than the rest
	Flat      Check = "flat"      // a run of equal neighbours
	Held      Check = "held"      // a series that changes only every nth time
	Block     Check = "block"     // a run of values that occurs twice
	Same      Check = "same"      // two series or boxes with the same values
	Threshold Check = "threshold" // a pile on one side of a value and a hole on the other
	Wall      Check = "wall"      // many values are exactly the largest or smallest
	Spike     Check = "spike"     // one bin of a histogram is far higher than those near it
	Empty     Check = "empty"     // an empty rectangle inside a cloud
	Edge      Check = "edge"      // a cloud ends sharply along a diagonal
	Bands     Check = "bands"     // points in two bands
)

// The checks of the drawing.
const (
	CutBars     Check = "cut_bars"     // the axis of bars does not begin at their base
	LogDrops    Check = "log_drops"    // values that a log axis cannot show
	OffAxis     Check = "off_axis"     // points beyond the axes
	LookAlike   Check = "look_alike"   // series with the same colour and style
	NearColour  Check = "near_colour"  // series with colours that are hard to tell apart
	ColourBlind Check = "colour_blind" // the same for a colour-blind reader
	Invisible   Check = "invisible"    // what is drawn, but nobody can see
	LegendOver  Check = "legend_over"  // a legend over what is drawn
	TextCut     Check = "text_cut"     // a text that leaves the picture
	TextOver    Check = "text_over"    // texts that overlap
	TextAstray  Check = "text_astray"  // texts that reach into other axes
	TextSmall   Check = "text_small"   // texts that nobody can read in the picture that models get
)

// All lists the checks, in the order of settings.
var All = []Check{
	Repeats, Strings, Round, OnLine, Equal, Copies, Clumps, Lattice, Tight, Smooth, Flat, Held, Block, Same, Threshold, Wall, Spike,
	Empty, Edge, Bands, CutBars, LogDrops, OffAxis, Invisible, LookAlike, NearColour, ColourBlind,
	LegendOver, TextCut, TextOver, TextAstray, TextSmall,
}

// Data reports whether the check is one of the data; otherwise it is one of the drawing.
func (c Check) Data() bool { return slices.Index(All, c) < slices.Index(All, CutBars) }

// A Finding is what a check counted.
type Finding struct {
	Check  Check
	Axes   int   // their number, from 1; 0 for the figure
	Series []int // places in [facts.Axes].Series
	Counts
	Points []PointSet
	Boxes  [][4]float64 // where it is, as [facts.Overlap] says; nil if it is about values
	// Strength orders findings: the negative decimal logarithm of the probability of such a count
	// in smooth data, at most 99. Findings of the drawing are certain and have 50.
	Strength float64
	// Key is the same when the figure is drawn again from the same data, or from somewhat changed data.
	Key string
}

// Counts are the numbers in the sentence of a finding. Each check uses some of them.
type Counts struct {
	Axis      string  // x, y or both
	N, Of     int     // how many points or values, of how many
	Next      int     // what N is compared with
	Groups    int     // how many values, clumps, bands or runs
	Value     float64 // the value, threshold, intercept, or step in x
	Slope     float64 // of a line, or the step in y
	From, To  float64 // the range in x
	Low, High float64 // the range in y
	A, B      string  // labels of series, or their numbers
	Beyond    facts.Beyond
	// Others is how many other series have findings that were joined with this one, and More what N is in all of these.
	Others, More int
	// Named means that the sentence begins with the label A: the axes have several labelled series.
	Named bool
	// DateX and DateY mean that values of this axis are seconds since 1970.
	DateX, DateY bool
}

// A PointSet is some points of a series, at most 1,000.
type PointSet struct {
	Series int   // the place in [facts.Axes].Series
	Points []int // places in the series' columns, ascending
}

const (
	mostInSet   = 1000
	maxFindings = 12 // of one figure; more help nobody
	maxSeries   = 40 // of one axes that are checked one by one
	maxAxes     = 36
)

// Find checks a figure. Findings are sorted by strength, the strongest first.
func Find(f facts.Figure) []Finding {
	var all []Finding
	budget := maxValues
	for i := range f.Axes {
		if i == maxAxes {
			break
		}
		a := &f.Axes[i]
		found := drawing(a)
		if a.Projection == "" || a.Projection == "rectilinear" {
			found = append(found, data(a, &budget)...)
		}
		for j := range found {
			found[j].Axes = a.Number
			found[j].finish(a)
		}
		all = append(all, found...)
	}
	all = append(all, texts(f.Drawing, f.Shrunk)...)
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(b.Strength, a.Strength) })
	all = once(f, all)
	if len(all) > maxFindings {
		all = all[:maxFindings]
	}
	return all
}

// data runs the checks of the data on the series of axes.
func data(a *facts.Axes, budget *int) []Finding {
	found := same(a)
	found = append(found, sameGroups(a)...)
	found = append(found, held(a)...)
	for i := range a.Series {
		if i == maxSeries {
			break
		}
		s := &a.Series[i]
		switch s.Kind {
		case facts.Points, facts.Line:
			if v := look(a, i, *budget); v != nil {
				*budget -= len(v.x)
				found = append(found, v.check()...)
			}
		case facts.Histogram:
			found = append(found, histogram(a, i)...)
		default:
		}
	}
	found = merge(independent(found))
	for _, f := range pooled(a, budget, found) {
		if !slices.ContainsFunc(found, func(k Finding) bool { return covers(&k, &f) }) {
			found = append(found, f)
		}
	}
	return slices.DeleteFunc(found, func(f Finding) bool {
		return f.Check == Repeats && slices.ContainsFunc(found, func(g Finding) bool { return heaped(&f, &g) })
	})
}

// merge joins findings of one check about several series: what is in one group is often in all. The counts are those of the
// strongest; the sentence says how many there are in the others.
func merge(found []Finding) []Finding {
	var merged []Finding
	for _, f := range found {
		i := slices.IndexFunc(merged, func(m Finding) bool {
			return m.Check == f.Check && m.Axis == f.Axis && len(f.Series) == 1 && f.Check != Held && f.Check != Same
		})
		if i < 0 {
			merged = append(merged, f)
			continue
		}
		m := &merged[i]
		if f.Strength > m.Strength {
			f, *m = *m, f
		}
		if !slices.Contains(m.Series, f.Series[0]) {
			m.Series, m.Points = append(m.Series, f.Series...), append(m.Points, f.Points...)
			m.Others, m.More = m.Others+1+f.Others, m.More+f.N+f.More
		}
	}
	return merged
}

// independent removes findings that mark mostly the points of an earlier one: points on y = x are on a line, too.
func independent(found []Finding) []Finding {
	var kept []Finding
	for _, f := range found {
		if !slices.ContainsFunc(kept, func(k Finding) bool { return covers(&k, &f) }) {
			kept = append(kept, f)
		}
	}
	return kept
}

func covers(k, f *Finding) bool {
	if k.Check == f.Check && k.Axis == f.Axis && k.Value == f.Value && slices.Equal(k.Series, f.Series) {
		return true
	}
	if k.Check == Bands && f.Check == Empty && slices.Equal(k.Series, f.Series) {
		return true // the room between bands
	}
	for _, mf := range f.Points {
		n := 0
		for _, mk := range k.Points {
			if mk.Series == mf.Series {
				for _, p := range mf.Points {
					if _, ok := slices.BinarySearch(mk.Points, p); ok {
						n++
					}
				}
			}
		}
		if 2*n <= len(mf.Points) {
			return false
		}
	}
	return len(f.Points) > 0
}

// finish fills in what every finding has.
func (f *Finding) finish(a *facts.Axes) {
	f.Strength = math.Min(f.Strength, 99)
	for i := range f.Points {
		slices.Sort(f.Points[i].Points)
		f.Points[i].Points = thin(f.Points[i].Points)
	}
	f.Key = fmt.Sprintf("%s/%d/%s", f.Check, a.Number, f.Axis)
	f.DateX, f.DateY = a.X.Scale == facts.Date, a.Y.Scale == facts.Date
	f.Named = f.Check.Data() && len(f.Series) > 0 && f.A != "" && f.A == a.Series[f.Series[0]].Label && labelled(a) > 1
	for _, s := range f.Series {
		f.Key += "/" + name(a, s)
	}
	if len(f.Series) == 0 {
		f.Key += "/" + f.A
	}
	switch f.Check {
	case Repeats, Flat, Threshold, Wall, Spike:
		f.Key += "/" + strconv.FormatFloat(f.Value, 'g', 3, 64)
	default:
	}
}

// labelled counts the series with a label.
func labelled(a *facts.Axes) (n int) {
	for i := range a.Series {
		if a.Series[i].Label != "" {
			n++
		}
	}
	return n
}

// thin returns at most mostInSet of the points, evenly spread.
func thin(at []int) []int {
	if len(at) <= mostInSet {
		return at
	}
	few := make([]int, mostInSet)
	for i := range few {
		few[i] = at[i*len(at)/mostInSet]
	}
	return few
}

// name returns the label of a series, or its number from 1.
func name(a *facts.Axes, i int) string {
	if l := a.Series[i].Label; l != "" {
		return l
	}
	return "#" + strconv.Itoa(i+1)
}
