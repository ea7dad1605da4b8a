package words

import (
	"fmt"
	"math"
	"slices"

	"easel/ui/core/facts"
)

// Limits of what [Drawing] says.
const (
	leastShare  = 0.01 // of the points that a legend covers
	leastPoints = 5.0  // height of a text that is not small, in points of 1/72 inch
	mostDrawing = 6
)

// Drawing says what is wrong with the places of texts and legends in a picture of so many pixels per inch. What hides data comes first.
func Drawing(list []facts.Overlap, dpi float64) (said []string) {
	for _, kind := range []facts.OverlapKind{facts.LegendOverData, facts.TextCut, facts.TextOverText, facts.TextOverAxes, facts.SmallText} {
		for _, o := range list {
			if o.Kind != kind {
				continue
			}
			where := ""
			if o.Axes > 0 {
				where = fmt.Sprintf(" (axes %d)", o.Axes)
			}
			percent := max(1, math.Round(o.Share*100))
			text := ""
			switch points := o.Share * 72 / dpi; {
			case kind == facts.LegendOverData && o.Share >= leastShare:
				text = fmt.Sprintf("the legend covers %.0f %% of the drawn points%s", percent, where)
			case kind == facts.TextCut:
				text = fmt.Sprintf("%q leaves the picture by %.0f %%%s", label(o.A), percent, where)
			case kind == facts.TextOverText:
				text = fmt.Sprintf("%q overlaps %q%s", label(o.A), label(o.B), where)
			case kind == facts.TextOverAxes:
				text = fmt.Sprintf("%q reaches into other axes%s", label(o.A), where)
			case kind == facts.SmallText && dpi > 0 && points < leastPoints:
				text = fmt.Sprintf("%q is only %.1f points high%s", label(o.A), points, where)
			}
			if text != "" && !slices.Contains(said, text) && len(said) < mostDrawing {
				said = append(said, text)
			}
		}
	}
	return said
}
