package words

import (
	"fmt"
	"math"

	"easel/ui/core/facts"
)

// cells says the size of an image or mesh, its least and largest value, and where they are.
func (v view) cells(s *facts.Series) string {
	r := measured(v.Axes, s)
	text := fmt.Sprintf(" %d cells", s.Count)
	if s.Shape[0] > 0 {
		text = fmt.Sprintf(" %d × %d", s.Shape[0], s.Shape[1])
	}
	if math.IsNaN(r.high.v) {
		return text
	}
	text += ","
	if s.Values != "" {
		text += " " + label(s.Values)
	}
	span := r.high.v - r.low.v
	low, high := v.cell(s, r.low.at), v.cell(s, r.high.at)
	if low == "" || high == "" || span == 0 || v.terse > 2 {
		return text + fmt.Sprintf(" %s to %s", number(r.low.v, span), number(r.high.v, span))
	}
	return text + fmt.Sprintf(" min %s at %s, max %s at %s", number(r.low.v, span), low, number(r.high.v, span), high)
}

// cell says where a cell is; "" if that is not known.
func (v view) cell(s *facts.Series, at float64) string {
	i := int(at)
	if math.IsNaN(at) || i < 0 {
		return ""
	}
	var x, y float64
	xs, ys := s.Numbers("x"), s.Numbers("y")
	switch rows, columns := s.Shape[0], s.Shape[1]; {
	case s.Whole == nil && i < len(xs) && i < len(ys):
		x, y = xs[i], ys[i]
	case columns > 0 && s.Extent != [4]float64{}:
		place := func(from, to float64, i, of int) float64 {
			return math.Round((from+(to-from)*(float64(i)+0.5)/float64(of))*1e9) / 1e9
		}
		x, y = place(s.Extent[0], s.Extent[1], i%columns, columns), place(s.Extent[2], s.Extent[3], i/columns, rows)
	default:
		return ""
	}
	if v.x().has(x) && v.y().has(y) {
		return fmt.Sprintf("(%s, %s)", v.x().say(x), v.y().say(y))
	}
	return fmt.Sprintf("(x %s, y %s)", v.x().say(x), v.y().say(y))
}
