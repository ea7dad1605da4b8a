package facts

import "math"

// Beyond is what of a series lies beyond the ends of its axes.
type Beyond struct {
	Points                    []int // places in the columns
	Above, Below, Left, Right Over
}

// An Over is the points beyond one end of the axes: how many, and the value that is farthest away.
type Over struct {
	N        int
	Farthest float64
}

// Beyond returns which points of a series lie beyond the axes. A point beyond two ends counts as above or below. What a log axis cannot
// show is not beyond it.
func (a *Axes) Beyond(s *Series) (b Beyond) {
	x, y := s.Numbers("x"), s.Numbers("y")
	for k := range min(len(x), len(y)) {
		if !plain(x[k]) || !plain(y[k]) || a.X.unshown(x[k]) || a.Y.unshown(y[k]) {
			continue
		}
		switch up, across := a.Y.side(y[k]), a.X.side(x[k]); {
		case up > 0:
			b.Above.add(y[k], a.Y)
		case up < 0:
			b.Below.add(y[k], a.Y)
		case across > 0:
			b.Right.add(x[k], a.X)
		case across < 0:
			b.Left.add(x[k], a.X)
		default:
			continue
		}
		b.Points = append(b.Points, k)
	}
	return b
}

func (o *Over) add(v float64, a Axis) {
	if middle := (a.From + a.To) / 2; o.N == 0 || math.Abs(v-middle) > math.Abs(o.Farthest-middle) {
		o.Farthest = v
	}
	o.N++
}

// side returns 1 if a value lies beyond the upper or right end of the axis, -1 if beyond the other one, by more than the errors of its
// computation, and else 0.
func (a Axis) side(v float64) int {
	slack := 1e-9 * math.Abs(a.To-a.From)
	side := 0
	if v > math.Max(a.From, a.To)+slack {
		side = 1
	} else if v < math.Min(a.From, a.To)-slack {
		side = -1
	}
	if a.From > a.To {
		return -side
	}
	return side
}

func (a Axis) unshown(v float64) bool { return a.Scale == Log && v <= 0 }

func plain(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
