package checks

import (
	"fmt"
	"math"
	"slices"

	"easel/ui/core/facts"
)

// Of what is wrong with the places of texts, less than this is not worth a finding.
const (
	leastCovered = 0.01 // of the points, by a legend
	leastCutOff  = 0.05 // of a text, by the edge of the picture
	leastHeight  = 7.0  // pixels of a font, of which a capital letter has two thirds
)

// likely is the strength of findings about texts: what is certain or improbable about the values comes first.
const likely = certain / 2

var textChecks = map[facts.OverlapKind]Check{
	facts.LegendOverData: LegendOver, facts.TextCut: TextCut, facts.TextOverText: TextOver,
	facts.TextOverAxes: TextAstray, facts.SmallText: TextSmall,
}

// texts says what is wrong with the places of texts and legends, as the kernel measured it: one finding for each kind and axes.
func texts(list []facts.Overlap, shrunk float64) (found []Finding) {
	if shrunk == 0 {
		shrunk = 1
	}
	for _, o := range list {
		check, ok := textChecks[o.Kind]
		if !ok || check == LegendOver && o.Share < leastCovered || check == TextCut && o.Share < leastCutOff ||
			check == TextSmall && o.Share*shrunk >= leastHeight {
			continue
		}
		if check == TextSmall { // the smallest of the figure, wherever it is
			o.Axes = 0
		}
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Check == check && f.Axes == o.Axes })
		if i < 0 {
			i = len(found)
			f := Finding{Check: check, Axes: o.Axes, Strength: likely, Key: fmt.Sprintf("%s/%d", check, o.Axes)}
			f.A, f.B, f.Value = o.A, o.B, math.Round(o.Share*shrunk*10)/10
			found = append(found, f)
		}
		f := &found[i]
		f.N += 1 + o.More
		if check == LegendOver {
			f.N = int(math.Round(100 * o.Share))
		}
		f.Boxes = append(f.Boxes, o.Box)
	}
	return together(found)
}

// mostAlike is in how many axes the same is wrong with texts before it is said once.
const mostAlike = 3

// together joins what is in many axes: the labels of small panels overlap in all of them.
func together(found []Finding) (joined []Finding) {
	axes := map[Check]int{}
	for _, f := range found {
		axes[f.Check]++
	}
	for _, f := range found {
		if f.Check == LegendOver || axes[f.Check] <= mostAlike {
			joined = append(joined, f)
			continue
		}
		i := slices.IndexFunc(joined, func(j Finding) bool { return j.Check == f.Check })
		if i < 0 {
			f.Axes, f.Key = 0, string(f.Check)+"/0"
			joined = append(joined, f)
			continue
		}
		joined[i].N += f.N
		joined[i].Boxes = append(joined[i].Boxes, f.Boxes...)
	}
	return joined
}
