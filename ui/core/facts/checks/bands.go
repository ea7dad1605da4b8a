package checks

import (
	"math"
	"slices"
)

const maxBanded = 350 // points that the search for bands uses

// bands finds points that form two bands: parallel, crossing, or mirrored across y = x. Two lines are fitted to the
// points. Between them, where they are well apart, there must be a valley: on a cloud without bands there are at least as many
// points half way as on the thinner of both lines.
func bands(v *view) []Finding {
	x, y, ok := v.scaled()
	n := len(v.x)
	if !ok || n < 60 || len(v.tx) < 20 || len(v.ty) < 20 {
		return nil
	}
	at := v.sample(min(maxBanded, v.near))
	px, py := make([]float64, len(at)), make([]float64, len(at))
	for k, i := range at {
		px[k], py[k] = x[i], y[i]
	}
	order := inOrder(px)
	px, py = pick(px, order), pick(py, order)
	var best pair
	seen := map[[2]ruler]bool{}
	for _, start := range starts(px, py) {
		p, ok := start.fit(px, py, seen)
		if !ok {
			continue
		}
		if p.test(px, py); p.log < p.limit() && p.log < best.log {
			best = p
		}
	}
	if best.log == 0 {
		return nil
	}
	second := v.where(func(i int) bool { return math.Abs(best.b.miss(x[i], y[i])) < math.Abs(best.a.miss(x[i], y[i])) })
	if 2*len(second) > n {
		first := v.where(func(i int) bool { return math.Abs(best.b.miss(x[i], y[i])) >= math.Abs(best.a.miss(x[i], y[i])) })
		second = first
	}
	shape := best.shape(v)
	if shape == "values" || shape == "" && best.parts < 4 {
		return nil // two clusters
	}
	f := v.finding(Bands, second, best.log)
	f.Axis, f.Groups, f.Next = "both", 2, best.valley
	f.B = shape
	return []Finding{f}
}

// A pair is two lines through scaled points.
type pair struct {
	a, b   ruler
	sd     float64
	parts  int // quarters of the points along x in which both bands are
	valley int // points half way between the lines
	log    float64
}

// starts returns pairs of lines from which fits begin: parallel to the regression and to steeper lines, and crossing in
// the middle or at either end.
func starts(x, y []float64) []pair {
	var ps []pair
	r, ok := regress(x, y)
	if !ok {
		return nil
	}
	inv, okInv := regress(y, x)
	slopes := []float64{r.slope}
	if okInv && math.Abs(inv.slope) > 0.05 {
		slopes = append(slopes, 1/inv.slope, (r.slope+1/inv.slope)/2)
	}
	slopes = append(slopes, 1, -1, 0.5, -0.5, 0)
	rest := make([]float64, len(x))
	for _, s := range slopes {
		for i := range x {
			rest[i] = y[i] - s*x[i]
		}
		slices.Sort(rest)
		ps = append(ps, pair{a: ruler{s, quantile(rest, 0.25)}, b: ruler{s, quantile(rest, 0.75)}},
			pair{a: ruler{s, quantile(rest, 0.1)}, b: ruler{s, quantile(rest, 0.6)}},
			pair{a: ruler{s, quantile(rest, 0.4)}, b: ruler{s, quantile(rest, 0.9)}})
	}
	my := median(y)
	for _, at := range []float64{0, 0.5, 1} {
		for _, s := range []float64{0.4, 1} {
			c := r.at + r.slope*at
			ps = append(ps, pair{a: ruler{r.slope + s, c - (r.slope+s)*at}, b: ruler{r.slope - s, c - (r.slope-s)*at}})
		}
		ps = append(ps, pair{a: ruler{1, my - at}, b: ruler{-1, my + at}})
	}
	return ps
}

// fit moves the lines to the points that are nearest to each, until they no longer move. ok is false if they come to lines that
// were seen before: then the rest would be the same.
func (p pair) fit(x, y []float64, seen map[[2]ruler]bool) (fit pair, ok bool) {
	side := make([]bool, len(x))
	for round := range 12 {
		moved := false
		var a, b sums
		for i, f := range x {
			near := math.Abs(p.b.miss(f, y[i])) < math.Abs(p.a.miss(f, y[i]))
			moved = moved || near != side[i]
			if side[i] = near; near {
				b.add(f, y[i])
			} else {
				a.add(f, y[i])
			}
		}
		if !moved && round > 0 {
			break
		}
		var okA, okB bool
		p.a, okA = a.regress()
		p.b, okB = b.regress()
		lines := [2]ruler{p.a, p.b}
		if !okA || !okB || seen[lines] {
			return pair{}, false
		}
		seen[lines] = true
	}
	miss := make([]float64, len(x))
	for i := range x {
		miss[i] = math.Min(math.Abs(p.a.miss(x[i], y[i])), math.Abs(p.b.miss(x[i], y[i])))
	}
	p.sd = 1.48 * median(miss)
	return p, true
}

// sums are those of scaled points, as regress needs them.
type sums struct{ n, x, y, xx, xy float64 }

func (s *sums) add(x, y float64) {
	s.n, s.x, s.y, s.xx, s.xy = s.n+1, s.x+x, s.y+y, s.xx+x*x, s.xy+x*y
}

func (s *sums) regress() (ruler, bool) {
	xx, xy := s.n*s.xx-s.x*s.x, s.n*s.xy-s.x*s.y
	if s.n < 2 || xx <= 1e-12*s.n*s.xx {
		return ruler{}, false
	}
	return ruler{xy / xx, (s.y - xy/xx*s.x) / s.n}, true
}

// test counts the points, which are in the order of x, on each line and half way between them, where the lines are well apart. In a
// cloud without bands, half way there are at least as many as on the thinner line, so that two thirds on the lines is the most that is
// expected.
func (p *pair) test(x, y []float64) {
	n := len(x)
	if p.sd <= 0 || n == 0 {
		return
	}
	var onA, onB, between, parts int
	for part := range 4 {
		var a, b, m int
		for i := part * n / 4; i < (part+1)*n/4; i++ {
			da, db := p.a.miss(x[i], y[i]), p.b.miss(x[i], y[i])
			if math.Abs(da-db) < 2.8*p.sd {
				continue
			}
			// 0 on one line, 1 on the other.
			switch t := da / (da - db); {
			case math.Abs(t) < 1.0/6:
				a++
			case math.Abs(t-1) < 1.0/6:
				b++
			case math.Abs(t-0.5) < 1.0/6:
				m++
			}
		}
		onA, onB, between = onA+a, onB+b, between+m
		if a >= 2 && b >= 2 && 2*m <= a+b {
			parts++
		}
	}
	thin := min(onA, onB)
	if parts < 3 || thin < n/12 || thin < 10 || 17*between > 10*thin {
		return
	}
	p.valley, p.parts = between, parts
	p.log = binomial(onA+onB, onA+onB+between, 2.0/3)
}

// limit returns the logarithm that a pair has to reach. Parallel lines are nearly given by the direction of the cloud; crossing ones
// were sought with more freedom.
func (p *pair) limit() float64 {
	if math.Abs(p.a.slope-p.b.slope)*0.5 < math.Abs(p.a.at+p.a.slope/2-p.b.at-p.b.slope/2) {
		return -3
	}
	return -5
}

// shape names how the bands lie.
func (p *pair) shape(v *view) string {
	at := func(r ruler, x float64) float64 { return r.at + r.slope*x }
	lo, hi := at(p.a, 0)-at(p.b, 0), at(p.a, 1)-at(p.b, 1)
	const flat, thin = 0.1, 0.1 // of the room between
	if room := math.Abs(lo+hi) / 2; p.sd < thin*room && math.Abs(p.a.slope) < flat*room && math.Abs(p.b.slope) < flat*room {
		return "values" // of a variable that has two, which were moved apart to be seen
	}
	switch {
	case lo*hi < 0 && math.Min(math.Abs(lo), math.Abs(hi)) > 0.2*math.Max(math.Abs(lo), math.Abs(hi)):
		return "crossing"
	case v.mirrored():
		return "mirrored"
	case math.Abs(lo-hi) < 0.5*math.Max(math.Abs(lo), math.Abs(hi)):
		return "parallel"
	}
	return ""
}

// mirrored reports whether x and y have the same range, and the points lie on both sides of y = x in about equal distances.
func (v *view) mirrored() bool {
	q := func(s []float64) (float64, float64) { return quantile(s, 0.1), quantile(s, 0.9) }
	xl, xh := q(v.sx)
	yl, yh := q(v.sy)
	wide := math.Max(xh-xl, yh-yl)
	if math.Abs(xl-yl) > 0.25*wide || math.Abs(xh-yh) > 0.25*wide {
		return false
	}
	var above, below []float64
	for i := range v.x {
		if d := v.y[i] - v.x[i]; d > 0 {
			above = append(above, d)
		} else if d < 0 {
			below = append(below, -d)
		}
	}
	few := len(v.x) / 6
	if len(above) < few || len(below) < few {
		return false
	}
	a, b := median(above), median(below)
	return a < 1.6*b && b < 1.6*a
}
