package checks

import (
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

const (
	maxValues  = 40_000 // of a figure; the rest has no room in the time that a drawing may take
	maxPoints  = 10_000 // of a series; of more, evenly spread ones are checked
	fewPoints  = 20     // fewer say nothing
	nearby     = 1200   // points of a series that checks of neighbourhoods look at
	nearbyAll  = 2500   // and of all series of axes, but at least fewNearby of each
	fewNearby  = 250
	nearbyPool = 600 // of all points of groups together
)

// A view is a series with x and y, prepared for the checks.
type view struct {
	axes   *facts.Axes
	series int
	line   bool // joined by a line in the order of x
	near   int  // points that checks of neighbourhoods look at
	x, y   []float64
	at     []int // places in the series
	byX    []int // places in x and y, by x
	sx, sy []float64
	tx, ty []tally
	// stepX and stepY are the steps of the values, unitX and unitY the last decimal place; 0 if they have none.
	stepX, stepY, unitX, unitY float64
}

// look prepares a series; nil if it has too few points.
func look(a *facts.Axes, i, budget int) *view {
	s := &a.Series[i]
	x, y := s.Numbers("x"), s.Numbers("y")
	n := min(len(x), len(y))
	if n < fewPoints || budget < fewPoints {
		return nil
	}
	v := &view{axes: a, series: i, near: max(fewNearby, min(nearby, nearbyAll/len(a.Series)))}
	most := min(maxPoints, budget)
	stride := (n + most - 1) / most
	v.x, v.y, v.at = make([]float64, 0, most), make([]float64, 0, most), make([]int, 0, most)
	for j := 0; j < n; j += stride {
		if finite(x[j]) && finite(y[j]) {
			v.x, v.y, v.at = append(v.x, x[j]), append(v.y, y[j]), append(v.at, j)
		}
	}
	if len(v.x) < fewPoints {
		return nil
	}
	v.byX = inOrder(v.x)
	v.sx, v.sy = pick(v.x, v.byX), inSize(v.y)
	v.tx, v.ty = tallies(v.sx), tallies(v.sy)
	if len(v.tx) < 3 || len(v.ty) < 3 {
		return nil
	}
	v.stepX, v.unitX = step(v.sx)
	v.stepY, v.unitY = step(v.sy)
	v.line = s.Kind == facts.Line && (s.Style == "" || strings.ContainsAny(s.Style, "-:")) && slices.IsSorted(v.x)
	return v
}

// check runs the checks of points and lines. The surest come first: later ones that mark the same points give way.
func (v *view) check() []Finding {
	var found []Finding
	for _, c := range v.checks() {
		found = append(found, c(v)...)
	}
	return found
}

func (v *view) checks() []func(*view) []Finding {
	if v.line {
		cs := []func(*view) []Finding{flat, block, heavy, walls, smooth}
		if v.turns() > 0.6 { // noise, not a walk
			cs = append(cs, streaks)
		}
		return cs
	}
	if v.category("x") || v.category("y") { // where a point is within its category says nothing
		return []func(*view) []Finding{heavy, walls, round, copies, flat, thresholds}
	}
	cs := []func(*view) []Finding{equal, onLine, heavy, walls, round, copies, lattice, flat}
	if !v.path() {
		cs = append(cs, smooth, thresholds, clumps, streaks, bands, edge, empty)
	}
	return cs
}

// path reports whether the points, in their own order, follow a smooth curve such as a spiral: it was computed.
func (v *view) path() bool {
	x, y, ok := v.scaled()
	if !ok {
		return false
	}
	var steps, bends float64
	for i := 2; i < len(x); i++ {
		ax, ay, bx, by := x[i-1]-x[i-2], y[i-1]-y[i-2], x[i]-x[i-1], y[i]-y[i-1]
		steps += math.Hypot(bx, by)
		bends += math.Hypot(bx-ax, by-ay)
	}
	return bends < 0.4*steps
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// values returns the values of an axis, sorted, their tallies, step and last decimal place.
func (v *view) values(axis string) (values, sorted []float64, ts []tally, size, unit float64) {
	if axis == "x" {
		return v.x, v.sx, v.tx, v.stepX, v.unitX
	}
	return v.y, v.sy, v.ty, v.stepY, v.unitY
}

// axis returns the facts of an axis.
func (v *view) axis(name string) *facts.Axis {
	if name == "x" {
		return &v.axes.X
	}
	return &v.axes.Y
}

// category reports whether an axis has categories, of which values repeat by nature.
func (v *view) category(axis string) bool {
	a := v.axis(axis)
	return a.Scale == facts.Category || a.Names != nil
}

// finding begins a finding that marks places in x and y.
func (v *view) finding(c Check, marks []int, log float64) Finding {
	at := make([]int, len(marks))
	for i, m := range marks {
		at[i] = v.at[m]
	}
	slices.Sort(at)
	f := Finding{Check: c, Series: []int{v.series}, Strength: -log, Points: []PointSet{{v.series, at}}}
	f.N, f.Of, f.A = len(marks), len(v.x), name(v.axes, v.series)
	return f
}

// where returns the places at which ok holds.
func (v *view) where(ok func(i int) bool) []int {
	var at []int
	for i := range v.x {
		if ok(i) {
			at = append(at, i)
		}
	}
	return at
}

// scaled returns x and y as they are seen: logarithms on log axes, and the middle 98 % at 0 to 1. ok is false if
// they have no extent.
func (v *view) scaled() (x, y []float64, ok bool) {
	x, okX := unit(v.x, v.sx, v.axes.X.Scale)
	y, okY := unit(v.y, v.sy, v.axes.Y.Scale)
	return x, y, okX && okY
}

func unit(values, sorted []float64, scale facts.Scale) ([]float64, bool) {
	lo, hi := quantile(sorted, 0.01), quantile(sorted, 0.99)
	log := scale == facts.Log && sorted[0] > 0
	if log {
		lo, hi = math.Log(lo), math.Log(hi)
	}
	if !(hi > lo) || !finite(hi-lo) {
		return nil, false
	}
	u := make([]float64, len(values))
	for i, f := range values {
		if log {
			f = math.Log(f)
		}
		u[i] = (f - lo) / (hi - lo)
	}
	return u, true
}

// turns returns the share of points, in the order of x, at which y turns round: 2/3 of noise, 1/2 of a random walk,
// almost none of a computed curve.
func (v *view) turns() float64 {
	n := 0
	for i := 1; i < len(v.byX)-1; i++ {
		a, b, c := v.y[v.byX[i-1]], v.y[v.byX[i]], v.y[v.byX[i+1]]
		if (b-a)*(c-b) < 0 {
			n++
		}
	}
	return float64(n) / float64(len(v.byX))
}

// sample returns at most n places, evenly spread.
func (v *view) sample(n int) []int {
	m := len(v.x)
	if m <= n {
		n = m
	}
	at := make([]int, n)
	for i := range at {
		at[i] = i * m / n
	}
	return at
}
