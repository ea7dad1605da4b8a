package checks

import (
	"math/rand/v2"
	"slices"
	"testing"

	"easel/ui/core/facts"
)

// grouped draws the points of the only series in a colour for each of n groups.
func grouped(f facts.Figure, n int, group func(i int) int) facts.Figure {
	s := f.Axes[0].Series[0]
	x, y := s.Numbers("x"), s.Numbers("y")
	gx, gy := make([][]float64, n), make([][]float64, n)
	for i := range x {
		g := group(i)
		gx[g], gy[g] = append(gx[g], x[i]), append(gy[g], y[i])
	}
	var ss []facts.Series
	for g := range n {
		ss = append(ss, xy(facts.Points, string(rune('A'+g)), gx[g], gy[g]))
	}
	return one(ss...)
}

// TestGroupsHideNothing draws artefacts with a colour for each of six groups, of which each has too few of it.
func TestGroupsHideNothing(t *testing.T) {
	for _, m := range slices.Concat(tuned, tunedToo) {
		if !slices.Contains([]string{"a stuck sensor", "a bad join", "filled in by regression", "equal answers", "parallel bands", "rows twice", "a coarse grid"}, m.name) {
			continue
		}
		hits, alone := 0, 0
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 5))
			f := grouped(m.make(r), 6, func(int) int { return r.IntN(6) })
			found := Find(f)
			if slices.ContainsFunc(found, func(g Finding) bool { return slices.Contains(m.expect, g.Check) }) {
				hits++
			}
			for _, g := range found {
				for _, set := range g.Points {
					if last := set.Points[len(set.Points)-1]; last >= len(f.Axes[0].Series[set.Series].Numbers("x")) {
						t.Fatalf("%s: marks point %d of series %d", m.name, last, set.Series)
					}
				}
			}
			for _, s := range f.Axes[0].Series {
				if slices.ContainsFunc(Find(one(s)), func(g Finding) bool { return slices.Contains(m.expect, g.Check) }) {
					alone++
					break
				}
			}
		}
		t.Logf("%s: found at %d of 5 seeds; in a group alone at %d", m.name, hits, alone)
		if hits < 3 {
			t.Errorf("%s: found at %d of 5 seeds", m.name, hits)
		}
	}
}

func TestWhatGroupsExplainIsNoFinding(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 38))
	for range 8 {
		f := banded(r, 1, 5)
		s := f.Axes[0].Series[0]
		x, y := s.Numbers("x"), s.Numbers("y")
		// The bands are the groups, or nearly so.
		f = grouped(f, 2, func(i int) int {
			if y[i]-3*(x[i]-50)-100 > 7.5 != (r.IntN(30) == 0) {
				return 1
			}
			return 0
		})
		for _, g := range Find(f) {
			if g.Check == Bands {
				t.Error(g.Text())
			}
		}
	}
	// A highlighted part is drawn over all points.
	c := newCloud(r)
	f := c.figure()
	f.Axes[0].Series = append(f.Axes[0].Series, xy(facts.Points, "selected", c.x[:40], c.y[:40]))
	for _, g := range Find(f) {
		if g.Check == Copies {
			t.Error(g.Text())
		}
	}
}

func TestCategoriesWithTheSameValues(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 38))
	strip := func(apart bool) facts.Figure {
		var ss []facts.Series
		all := xy(facts.Points, "", nil, nil)
		copied := sampled(30, func() float64 { return decimals(50+9*r.NormFloat64(), 2) })
		for k := range 5 {
			values := sampled(30, func() float64 { return decimals(50+9*r.NormFloat64(), 2) })
			if k == 1 || k == 4 {
				values = slices.Clone(copied)
				r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			}
			at := sampled(30, func() float64 { return float64(k) + 0.3*(r.Float64()-0.5) })
			ss = append(ss, xy(facts.Points, "", at, values))
			for i := range all.Columns {
				all.Columns[i].Numbers = append(all.Columns[i].Numbers, [][]float64{at, values}[i]...)
			}
		}
		f := one(all)
		if apart {
			f = one(ss...)
		}
		f.Axes[0].X.Names = []string{"Ash", "Elm", "Fir", "Oak", "Yew"}
		return f
	}
	for _, apart := range []bool{false, true} {
		found := Find(strip(apart))
		i := slices.IndexFunc(found, func(g Finding) bool { return g.Check == Same })
		if i < 0 || found[i].Text() != "Elm and Yew have the same 30 values" {
			t.Errorf("%v: %+v", apart, found)
		}
	}
	f := strip(true)
	f.Axes[0].Series = append(f.Axes[0].Series[:1], f.Axes[0].Series[2:4]...)
	if found := Find(f); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}
