package checks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
)

// TestExtremeValues: whatever is plotted, the checks come to an end. Ratios of such values are larger than any int.
func TestExtremeValues(t *testing.T) {
	t.Parallel()
	extremes := []float64{0.1 + 0.2, math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64, -math.MaxFloat64, 1<<53 + 2, math.NaN(), math.Inf(1), math.Inf(-1)}
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 1))
		wild := func() float64 { return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(600)-300)) }
		var count, tame, spread, other []float64
		for i := range 200 {
			count, tame, spread, other = append(count, float64(i)/3), append(tame, rng.NormFloat64()), append(spread, wild()), append(other, wild())
			if i%5 == 0 {
				other[i] = spread[i]
			}
		}
		spread, tame = append(spread, extremes...), append(tame, extremes...)
		for len(count) < len(spread) {
			count, other = append(count, float64(len(count))/3), append(other, wild())
		}
		for _, xy := range [][2][]float64{{count, spread}, {spread, count}, {tame, tame}, {tame, spread}, {other, spread}, {spread, spread}} {
			for _, kind := range []facts.Kind{facts.Line, facts.Points} {
				s := facts.Series{Kind: kind, Columns: []facts.Column{{Name: "x", Numbers: xy[0]}, {Name: "y", Numbers: xy[1]}}}
				for _, scale := range []facts.Scale{facts.Linear, facts.Log} {
					axis := facts.Axis{Scale: scale}
					checks.Find(facts.Figure{Axes: []facts.Axes{{Number: 1, X: axis, Y: axis, Series: []facts.Series{s, s}}}})
				}
			}
		}
	}
}
