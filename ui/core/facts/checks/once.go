package checks

import (
	"math"
	"slices"

	"easel/ui/core/facts"
)

// heaped reports whether a value that repeats is one of the round numbers at which values heap: then the heap says it.
func heaped(repeated, heap *Finding) bool {
	if heap.Check != Round || heap.Axis != repeated.Axis {
		return false
	}
	n := repeated.Value / heap.Value
	return math.Abs(n-math.Round(n)) < 1e-6*math.Max(1, math.Abs(n))
}

// once keeps the strongest of sorted findings that say the same of one variable in several axes, as panels of groups have: that its values
// heap at round numbers, or that a value repeats.
func once(f facts.Figure, found []Finding) []Finding {
	axis := func(g *Finding) *facts.Axis {
		for i := range f.Axes {
			if a := &f.Axes[i]; a.Number == g.Axes && g.Axis == "x" {
				return &a.X
			} else if a.Number == g.Axes {
				return &a.Y
			}
		}
		return &facts.Axis{}
	}
	var kept []Finding
	for _, g := range found {
		if !slices.ContainsFunc(kept, func(k Finding) bool {
			return k.Axes != g.Axes && k.Check == g.Check && k.Axis == g.Axis && (g.Check == Round || g.Check == Repeats && k.Value == g.Value) &&
				oneVariable(axis(&k), axis(&g))
		}) {
			kept = append(kept, g)
		}
	}
	return kept
}

// oneVariable reports whether two axes show one variable: they have the same label, or the same ends and at most one label, as axes that
// are shared.
func oneVariable(a, b *facts.Axis) bool {
	if a.Label != "" && b.Label != "" {
		return a.Label == b.Label
	}
	return a.From == b.From && a.To == b.To
}
