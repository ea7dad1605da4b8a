package figures

import (
	"cmp"
	"math"
	"slices"

	"easel/ui/core/facts"
)

// mostEmptyBins is how many bins without a row may lie between two others.
const mostEmptyBins = 1000

// sortRows sorts the rows of a series by a column.
func sortRows(s *facts.Series, by int) {
	keys := s.Columns[by].Numbers
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	for c := range s.Columns {
		sorted := make([]float64, len(order))
		for i, at := range order {
			sorted[i] = s.Columns[c].Numbers[at]
		}
		s.Columns[c].Numbers = sorted
	}
}

// binned puts the bins of histograms in order, and adds those between them that are empty: Vega has rows for the others only, in the
// order of the data.
func (m *drawnReading) binned(list []facts.Series) {
	for i := range list {
		s := &list[i]
		sortRows(s, 0)
		x, width := s.Columns[0].Numbers, s.Columns[1].Numbers
		filled := make([][]float64, len(s.Columns))
		for k := range x {
			for n := range gap(x, width, k) {
				for c, v := range []float64{x[k-1] + float64(n+1)*width[k], width[k], 0, 0} {
					filled[c] = append(filled[c], v)
				}
			}
			for c := range filled {
				filled[c] = append(filled[c], s.Columns[c].Numbers[k])
			}
		}
		added := len(filled[0]) - len(x)
		if added == 0 || 4*added > m.left {
			continue
		}
		m.left -= 4 * added
		s.Count += added
		for c := range filled {
			s.Columns[c].Numbers = filled[c]
		}
	}
}

// gap returns how many bins of the same width have room between a bin and the one before it.
func gap(x, width []float64, k int) int {
	if k == 0 || math.Abs(width[k]-width[k-1]) > 1e-6*width[k] {
		return 0
	}
	n := (x[k]-x[k-1])/width[k] - 1
	if whole := math.Round(n); whole > 0 && whole <= mostEmptyBins && math.Abs(n-whole) < 1e-6*whole {
		return int(whole)
	}
	return 0
}
