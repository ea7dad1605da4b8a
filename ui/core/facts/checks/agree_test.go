package checks

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/facts"
)

// marked returns how many points a finding marks.
func marked(f *Finding) (n int) {
	for _, set := range f.Points {
		n += len(slices.Compact(slices.Clone(set.Points)))
	}
	return n
}

// agree reports whether the number in the sentence of a finding is the number of points that it marks.
func agree(t *testing.T, name string, f *Finding, fig facts.Figure) {
	t.Helper()
	said, n := f.N+f.More, marked(f)
	kind := fig.Axes[max(0, f.Axes-1)].Series[f.Series[0]].Kind
	switch {
	case kind == facts.Histogram || kind == facts.Box: // bins and boxes are marked, not values
		return
	case f.Check == Empty || f.Check == Held: // the sentence has no number of points
		if strings.Contains(short[string(f.Check)], "{n}") {
			t.Errorf("%s: the text of %s has a number", name, f.Check)
		}
		return
	case f.Check == Block || f.Check == Same: // both are marked
		said *= 2
	}
	if said > mostInSet {
		return
	}
	if said != n {
		t.Errorf("%s: says %d and marks %d: %s", name, said, n, f.Text())
	}
	if f.Others > 0 != strings.Contains(f.Text(), "other series") {
		t.Errorf("%s: %d other series: %s", name, f.Others, f.Text())
	}
}

// TestWhatIsSaidIsMarked draws each artefact in one series, in groups, and twice, so that what is found in several series is joined.
func TestWhatIsSaidIsMarked(t *testing.T) {
	seeds := uint64(seedsOf(1, 40))
	joined, seen := 0, map[Check]int{}
	for _, m := range slices.Concat(tuned, tunedToo, heldOut, clean) {
		for seed := range seeds {
			r := rand.New(rand.NewPCG(seed, 7))
			f, again := m.make(r), m.make(r)
			figures := []facts.Figure{f}
			if s := f.Axes[0].Series[0]; len(f.Axes[0].Series) == 1 && (s.Kind == facts.Points || s.Kind == facts.Line) {
				s.Label, again.Axes[0].Series[0].Label = "A", "B"
				two := one(s, again.Axes[0].Series[0])
				two.Axes[0].X, two.Axes[0].Y = f.Axes[0].X, f.Axes[0].Y
				figures = append(figures, two)
				if s.Kind == facts.Points {
					figures = append(figures, grouped(f, 3, func(i int) int { return i % 3 }))
				}
			}
			for _, f := range figures {
				for _, found := range Find(f) {
					seen[found.Check]++
					if found.Others > 0 {
						joined++
					}
					agree(t, m.name, &found, f)
				}
			}
		}
	}
	t.Log(joined, "joined; ", seen)
	if joined == 0 {
		t.Errorf("%d joined findings", joined)
	}
}

// TestOnlyEqualValuesAreMarked draws two series of which a few values differ.
func TestOnlyEqualValuesAreMarked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	x, p := series(r, 40, 3)
	q := slices.Clone(p)
	q[0], q[7] = q[0]+1, q[7]-1
	for _, f := range Find(one(xy(facts.Line, "A", x, p), xy(facts.Line, "B", x, q))) {
		if f.Check == Same {
			if f.N != 38 || marked(&f) != 76 || slices.Contains(f.Points[0].Points, 7) {
				t.Errorf("%d said, %v marked", f.N, f.Points)
			}
			return
		}
	}
	t.Error("not found")
}
