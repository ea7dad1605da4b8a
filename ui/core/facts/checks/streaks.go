package checks

import "math"

// A streak is a thin parallelogram around a point of a cloud, in scaled units.
type streak struct {
	x, y                float64 // its middle
	length, high, slope float64
	beside              int
	log                 float64
}

// streaks finds a short, thin streak with far more points than the streaks of the same shape above and below it, as a sensor that
// drifts slowly leaves among the readings of others.
func streaks(v *view) []Finding {
	n := len(v.x)
	x, y, ok := v.scaled()
	if !ok || n < 60 || len(v.tx) < 40 || len(v.ty) < 40 {
		return nil
	}
	at := v.sample(min(500, v.near))
	px, py := pick(x, at), pick(y, at)
	order := inOrder(px)
	px, py = pick(px, order), pick(py, order)
	stepY := v.stepY / (quantile(v.sy, 0.99) - quantile(v.sy, 0.01))
	best := streak{}
	every := 1 + 4*len(at)/v.near
	for k := 0; k < len(at); k += every {
		for _, length := range []float64{0.06, 0.12, 0.2} {
			lo, hi := k, k
			for lo > 0 && px[k]-px[lo-1] <= length {
				lo--
			}
			for hi < len(at)-1 && px[hi+1]-px[k] <= length {
				hi++
			}
			if hi-lo < 12 {
				continue
			}
			for _, slope := range []float64{0, -0.15, 0.15, -0.4, 0.4, -0.8, 0.8} {
				for _, high := range []float64{0.012, 0.025} {
					if high < 2*stepY {
						continue
					}
					s := streak{x: px[k], y: py[k], length: length, high: high, slope: slope}
					if s.count(px[lo:hi+1], py[lo:hi+1]); s.log < best.log {
						best = s
					}
				}
			}
		}
	}
	best.log += math.Log10(float64(len(at)) * 42)
	if best.log > never+1 {
		return nil
	}
	on := v.where(func(i int) bool {
		return math.Abs(x[i]-best.x) <= best.length && best.off(x[i], y[i]) <= best.high
	})
	f := v.finding(Tight, on, best.log)
	f.Axis, f.Next = "both", best.beside
	f.From, f.To = rangeOf(v.x, on)
	f.Low, f.High = rangeOf(v.y, on)
	return []Finding{f}
}

func rangeOf(values []float64, on []int) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, i := range on {
		lo, hi = math.Min(lo, values[i]), math.Max(hi, values[i])
	}
	return lo, hi
}

// off returns how far a point is above or below the middle of a streak.
func (s *streak) off(x, y float64) float64 { return math.Abs(y - s.y - s.slope*(x-s.x)) }

// full reports whether enough points are in a streak. Few streaks are full, so this is all that most of them take.
func (s *streak) full(x, y []float64) bool {
	in, c := 0, *s
	y = y[:len(x)]
	for i, f := range x {
		if c.off(f, y[i]) <= c.high {
			in++
		}
	}
	return in >= 9 && 6*in >= len(x)
}

// count compares the points in a streak with those of the four streaks on each side. The points on it must be many
// of those in its range of x, spread over it, and at different values.
func (s *streak) count(x, y []float64) {
	if !s.full(x, y) {
		return
	}
	const each = 4
	in := 0
	var far [2]int // points that are not near
	var sides [2][each]int
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range x {
		d := y[i] - s.y - s.slope*(x[i]-s.x)
		if math.Abs(d) <= s.high {
			in++
			lo, hi = math.Min(lo, x[i]), math.Max(hi, x[i])
			continue
		}
		side := 0
		if d > 0 {
			side = 1
		}
		if k := (math.Abs(d) - s.high) / (2 * s.high); k < each { // not yet an int, which may be too small for it
			sides[side][int(k)]++
		}
		if math.Abs(d) > 5*s.high {
			far[side]++
		}
	}
	// The cloud must be wide: on both sides of a streak in it are more points than the streaks beside it have. Where all points
	// lie along a curve, that is what the plot shows.
	if hi-lo < 1.2*s.length || 10*min(far[0], far[1]) < len(x) {
		return
	}
	var sum [2]float64
	for side := range sides {
		for _, c := range sides[side] {
			sum[side] += float64(c) / each
			s.beside = max(s.beside, c)
		}
	}
	if s.beside*2 > in || sum[0]+sum[1] < 1 {
		return
	}
	mean := math.Max(math.Max(sum[0], sum[1]), 0.5*float64(s.beside))
	s.log = poisson(in, mean+0.5)
}
