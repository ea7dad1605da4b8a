package checks

import (
	"math"
	"math/rand/v2"

	"easel/ui/core/facts"
)

func pointsOf(n int, digits int, make func(k int) (x, y float64)) facts.Figure {
	var x, y []float64
	for k := range n {
		a, b := make(k)
		x, y = append(x, decimals(a, digits)), append(y, decimals(b, digits))
	}
	return one(xy(facts.Points, "", x, y))
}

// The makers of artefacts on which nothing was tuned: they say what the checks find of artefacts that nobody has seen. Don't
// change a check to raise their rate; write a new maker for the tuned ones instead.
var heldOut = []maker{
	{"missing as -99", []Check{Repeats, Wall}, func(r *rand.Rand) facts.Figure {
		return pointsOf(220, 1, func(int) (float64, float64) {
			a := 20 + 4*r.NormFloat64()
			b := 60 + 2*a + 9*r.NormFloat64()
			if r.Float64() < 0.05 {
				b = -99
			}
			return a, b
		})
	}},
	{"below the detection limit", []Check{Wall}, func(r *rand.Rand) facts.Figure {
		return pointsOf(260, 3, func(int) (float64, float64) {
			a := r.Float64() * 30
			return a, math.Max(0.25, math.Exp(-1.2+0.05*a+0.7*r.NormFloat64()))
		})
	}},
	{"a clipped series", []Check{Wall, Flat}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 300, 8)
		limit := decimals(quantileOf(y, 0.9), 2)
		for k := range y {
			y[k] = math.Min(limit, y[k])
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"degrees of two kinds", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		return pointsOf(240, 1, func(int) (float64, float64) {
			a := 5 + 25*r.Float64()
			b := a + 2*r.NormFloat64()
			if r.Float64() < 0.3 {
				b = b*1.8 + 32
			}
			return a, b
		})
	}},
	{"pounds among kilograms", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		return pointsOf(200, 1, func(int) (float64, float64) {
			a := 170 + 9*r.NormFloat64()
			b := 70 + (a-170)*0.8 + 7*r.NormFloat64()
			if r.Float64() < 0.35 {
				b *= 2.2046
			}
			return a, b
		})
	}},
	{"a slipped decimal", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		return pointsOf(220, 2, func(int) (float64, float64) {
			a := r.Float64() * 8
			b := 3 + a*0.4 + 0.5*r.NormFloat64()
			if r.Float64() < 0.15 {
				b *= 10
			}
			return a, b
		})
	}},
	{"quarter hours", []Check{Round}, func(r *rand.Rand) facts.Figure {
		return pointsOf(260, 0, func(int) (float64, float64) {
			b := 120 + 35*r.NormFloat64()
			if r.Float64() < 0.35 {
				b = math.Round(b/15) * 15
			}
			return 1000 * r.Float64(), b
		})
	}},
	{"salaries to the thousand", []Check{Round}, func(r *rand.Rand) facts.Figure {
		return pointsOf(300, 0, func(int) (float64, float64) {
			b := 42000 * math.Exp(0.3*r.NormFloat64())
			if r.Float64() < 0.3 {
				b = math.Round(b/1000) * 1000
			}
			return 20 + 400*r.Float64(), b
		})
	}},
	{"a copied series", []Check{Same}, func(r *rand.Rand) facts.Figure {
		x, a := series(r, 48, 3)
		_, b := series(r, 48, 3)
		return one(xy(facts.Line, "north", x, a), xy(facts.Line, "south", x, b), xy(facts.Line, "west", x, a))
	}},
	{"a copied group of points", []Check{Same, Copies}, func(r *rand.Rand) facts.Figure {
		var ss []facts.Series
		for k := range 4 {
			var x, y []float64
			for range 60 {
				x, y = append(x, float64(k)+0.2*r.Float64()), append(y, decimals(12+3*r.NormFloat64(), 2))
			}
			if k == 3 {
				copy(y, ss[0].Numbers("y"))
			}
			ss = append(ss, xy(facts.Points, string(rune('p'+k)), x, y))
		}
		return one(ss...)
	}},
	{"a fortnight pasted again", []Check{Block}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 365, 5)
		copy(y[200:214], y[40:54])
		return one(xy(facts.Line, "", x, y))
	}},
	{"a bridged outage", []Check{Smooth}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 400, 2)
		at := 50 + r.IntN(250)
		for k := range 30 {
			y[at+k] = decimals(y[at-1]+(y[at+30]-y[at-1])*float64(k+1)/31, 2)
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"carried forward", []Check{Flat}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 90, 2)
		at := 10 + r.IntN(60)
		for k := at; k < at+8; k++ {
			y[k] = y[at]
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"rows pasted again", []Check{Copies}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		n := len(c.x) / 8
		c.x, c.y = append(c.x, c.x[:n]...), append(c.y, c.y[:n]...)
		return c.figure()
	}},
	{"just significant", []Check{Threshold, Spike}, func(r *rand.Rand) facts.Figure {
		var v []float64
		for range 500 {
			p := math.Pow(r.Float64(), 1.5) * 0.2
			if p > 0.05 && p < 0.075 && r.Float64() < 0.85 {
				p = 0.042 + 0.008*r.Float64()
			}
			v = append(v, p)
		}
		return binned(v, 0.01)
	}},
	{"just old enough", []Check{Threshold}, func(r *rand.Rand) facts.Figure {
		return pointsOf(420, 1, func(int) (float64, float64) {
			a := 63 + 7*r.NormFloat64()
			if a < 65 && a > 62 && r.Float64() < 0.85 {
				a = 65 + 1.2*r.Float64()
			}
			return a, 3*a + 60*r.NormFloat64()
		})
	}},
	{"just passed", []Check{Threshold, Spike}, func(r *rand.Rand) facts.Figure {
		var v []float64
		for range 700 {
			s := math.Round(58 + 15*r.NormFloat64())
			if s < 50 && s >= 45 && r.Float64() < 0.85 {
				s = 50 + float64(r.IntN(2))
			}
			v = append(v, s)
		}
		return binned(v, 2)
	}},
	{"a part of the whole", []Check{Edge}, func(r *rand.Rand) facts.Figure {
		return pointsOf(260, 1, func(int) (float64, float64) {
			a := 100 + 30*r.NormFloat64()
			b := a - 4 + 22*r.NormFloat64()
			for b > a {
				b = a - 4 + 22*r.NormFloat64()
			}
			return a, b
		})
	}},
	{"dropped quadrant", []Check{Empty}, func(r *rand.Rand) facts.Figure {
		return pointsOf(320, 2, func(int) (float64, float64) {
			for {
				a, b := 5+2*r.NormFloat64(), 30+9*r.NormFloat64()
				if !(a > 5.2 && a < 6.9 && b > 27 && b < 38) {
					return a, b
				}
			}
		})
	}},
	{"one patient again and again", []Check{Clumps}, func(r *rand.Rand) facts.Figure {
		return pointsOf(240, 2, func(int) (float64, float64) {
			if r.Float64() < 0.1 {
				return 62 + 0.2*r.NormFloat64(), 130.5 + 0.4*r.NormFloat64()
			}
			a := 55 + 14*r.NormFloat64()
			return a, 100 + 0.6*a + 12*r.NormFloat64()
		})
	}},
	{"a damped month", []Check{Smooth, Tight}, func(r *rand.Rand) facts.Figure {
		return pointsOf(365, 2, func(k int) (float64, float64) {
			sd := 3.0
			if k >= 120 && k < 150 {
				sd = 0.35
			}
			return float64(k), 15 + 8*math.Sin(float64(k)/58) + sd*r.NormFloat64()
		})
	}},
	{"steps of 20 and 0.5", []Check{Lattice}, func(r *rand.Rand) facts.Figure {
		return pointsOf(160, 1, func(int) (float64, float64) {
			a := 300 + 70*r.NormFloat64()
			return math.Round(a/20) * 20, math.Round((a/60+1.1*r.NormFloat64())*2) / 2
		})
	}},
	{"on a curve", []Check{OnLine, Smooth, Tight}, func(r *rand.Rand) facts.Figure {
		return pointsOf(220, 3, func(int) (float64, float64) {
			a := r.Float64() * 10
			b := 2 + 0.3*a*a
			if r.Float64() < 0.8 {
				b += 4 * r.NormFloat64()
			}
			return a, b
		})
	}},
	{"full marks", []Check{Wall}, func(r *rand.Rand) facts.Figure {
		return pointsOf(240, 1, func(int) (float64, float64) {
			a := r.Float64() * 12
			return a, math.Min(100, 55+5*a+9*r.NormFloat64())
		})
	}},
	{"signs flipped", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		return pointsOf(200, 2, func(int) (float64, float64) {
			a := r.Float64()*16 - 8
			b := 1.4*a + 1.5*r.NormFloat64()
			if r.Float64() < 0.35 {
				b = -b
			}
			return a, b
		})
	}},
	{"a year pasted as the next", []Check{Same}, func(r *rand.Rand) facts.Figure {
		var x, a, b []float64
		for k := range 12 {
			v := decimals(30+8*r.NormFloat64(), 1)
			x, a, b = append(x, float64(k)), append(a, v), append(b, v)
		}
		return one(xy(facts.Bars, "2023", x, a), xy(facts.Bars, "2024", x, b))
	}},
	{"a default weight", []Check{Spike, Repeats}, func(r *rand.Rand) facts.Figure {
		var v []float64
		for range 400 {
			f := 82 + 14*r.NormFloat64()
			if r.Float64() < 0.13 {
				f = 70
			}
			v = append(v, f)
		}
		return binned(v, 2.5)
	}},
	{"quarters among months", []Check{Held}, func(r *rand.Rand) facts.Figure {
		var ss []facts.Series
		for k := range 3 {
			x, y := series(r, 40, 6)
			for m := range y {
				if k == 1 && m%4 != 0 {
					y[m] = y[m-1]
				}
			}
			ss = append(ss, xy(facts.Line, string(rune('x'+k)), x, y))
		}
		return one(ss...)
	}},
	{"four postcodes", []Check{Strings, Repeats}, func(r *rand.Rand) facts.Figure {
		at := []float64{48.137, 48.214, 48.093, 48.181}
		return pointsOf(230, 3, func(int) (float64, float64) {
			a := 48.15 + 0.06*r.NormFloat64()
			if r.Float64() < 0.2 {
				a = at[r.IntN(4)]
			}
			return a, 800 + 300*r.NormFloat64()
		})
	}},
	{"ends in 0 in bins", []Check{Spike, Round}, func(r *rand.Rand) facts.Figure {
		var v []float64
		for range 800 {
			f := math.Round(70 + 12*r.NormFloat64())
			if r.Float64() < 0.4 {
				f = math.Round(f/10) * 10
			}
			v = append(v, f)
		}
		return binned(v, 2)
	}},
}
