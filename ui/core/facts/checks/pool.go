package checks

import (
	"slices"

	"easel/ui/core/facts"
)

// pooled finds in all points of axes together what is in none of their groups alone: colours for groups spread what is wrong with the data
// over several series, of which each has little. What lies in some of the groups only is explained by these.
func pooled(a *facts.Axes, budget *int, found []Finding) []Finding {
	p := newPool(a)
	if p == nil || len(p.at) > *budget {
		return nil
	}
	v := look(&p.axes, 0, *budget)
	if v == nil {
		return nil
	}
	*budget -= len(v.x)
	v.near = min(v.near, nearbyPool)
	var all []Finding
	// Checks that compare a place with those beside it are left out: where groups lie close together, density changes at their edges.
	cs := []func(*view) []Finding{equal, onLine, heavy, walls, round, copies, lattice, clumps, bands}
	if v.category("x") || v.category("y") {
		cs = []func(*view) []Finding{heavy, walls, round}
	}
	for _, c := range cs {
		for _, f := range c(v) {
			known := slices.ContainsFunc(found, func(g Finding) bool { return g.Check == f.Check && g.Axis == f.Axis })
			if !known && p.give(&f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// A pool is axes with all points of other axes in one series.
type pool struct {
	axes  facts.Axes
	from  *facts.Axes
	at    []spot
	sizes map[int]int // points of each series
}

// A spot is a point of a series.
type spot struct{ series, point int }

// newPool returns the points of axes; nil if these are not in several series.
func newPool(a *facts.Axes) *pool {
	p := &pool{axes: *a, from: a, sizes: map[int]int{}}
	var x, y []float64
	for i := range a.Series {
		s := &a.Series[i]
		sx, sy := s.Numbers("x"), s.Numbers("y")
		if s.Kind != facts.Points || len(sx) != len(sy) || s.Whole != nil || i == maxSeries {
			continue
		}
		for j := range sx {
			if finite(sx[j]) && finite(sy[j]) {
				x, y, p.at = append(x, sx[j]), append(y, sy[j]), append(p.at, spot{i, j})
				p.sizes[i]++
			}
		}
	}
	if len(p.sizes) < 2 || len(x) > maxPoints {
		return nil
	}
	p.axes.Series = []facts.Series{{Kind: facts.Points, Columns: []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}}}
	return p
}

// give gives the points of a finding back to their series. ok is false if the series explain it: of the variance of being marked, a
// part that is not by chance is between them.
func (p *pool) give(f *Finding) (ok bool) {
	marked := map[int][]int{}
	n := 0
	for _, set := range f.Points {
		for _, i := range set.Points {
			at := p.at[i]
			marked[at.series] = append(marked[at.series], at.point)
			n++
		}
	}
	share := float64(n) / float64(len(p.at))
	var between float64
	for i := range p.from.Series {
		if size := float64(p.sizes[i]); size > 0 {
			d := float64(len(marked[i]))/size - share
			between += size * d * d
		}
	}
	most := 0.2 + 2*float64(len(p.sizes)-1)/float64(len(p.at))
	if len(marked) < 2 || share < 1 && between > most*float64(len(p.at))*share*(1-share) {
		return false
	}
	f.Series, f.Points, f.A = nil, nil, ""
	for i := range p.from.Series {
		if len(marked[i]) > 0 {
			f.Series, f.Points = append(f.Series, i), append(f.Points, PointSet{i, marked[i]})
		}
	}
	return true
}
