package checks

import (
	"math"
	"math/rand/v2"

	"easel/ui/core/facts"
)

// series returns a line of n noisy values.
func series(r *rand.Rand, n int, noise float64) (x, y []float64) {
	v := 50 + r.Float64()*100
	for k := range n {
		v += r.NormFloat64() * noise / 4
		x, y = append(x, float64(k)), append(y, decimals(v+r.NormFloat64()*noise, 2))
	}
	return x, y
}

// cycle returns n hours of a line that rises and falls every day, with little noise.
func cycle(r *rand.Rand, n int) (x, y []float64) {
	for k := range n {
		x, y = append(x, float64(k)), append(y, decimals(14+6*math.Sin(float64(k)*math.Pi/12)+0.1*r.NormFloat64(), 2))
	}
	return x, y
}

// More makers of artefacts on which the thresholds were tuned.
var tunedToo = []maker{
	{"a removed rectangle", []Check{Empty}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		cx, cy := 0.35+0.3*r.Float64(), 0.35+0.3*r.Float64()
		for len(x) < 350 {
			a, b := r.Float64(), r.Float64()
			if math.Abs(a-cx) < 0.13 && math.Abs(b-cy) < 0.13 {
				continue
			}
			x, y = append(x, decimals(a*60, 2)), append(y, decimals(b*900, 1))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"a hole in a round cloud", []Check{Empty}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for len(x) < 300 {
			a, b := r.NormFloat64(), r.NormFloat64()
			if math.Abs(a) < 0.45 && math.Abs(b-0.2) < 0.5 {
				continue
			}
			x, y = append(x, decimals(a*8+40, 1)), append(y, decimals(b*2+3, 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"cut along a diagonal", []Check{Edge}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for len(x) < 300 {
			a, b := r.NormFloat64(), r.NormFloat64()
			if a+b > 0.6 {
				continue
			}
			x, y = append(x, decimals(a*12+70, 1)), append(y, decimals(b*3+20, 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"no more than the whole", []Check{Edge}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for len(x) < 240 {
			a := 40 + 12*r.NormFloat64()
			if b := a + 9*r.NormFloat64(); b >= a {
				x, y = append(x, decimals(a, 2)), append(y, decimals(b, 2))
			}
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"rows twice", []Check{Copies}, func(r *rand.Rand) facts.Figure {
		c := newCloud(r)
		at := c.some(r, 0.2)
		for k := 0; k+1 < len(at); k += 2 {
			c.x[at[k]], c.y[at[k]] = c.x[at[k+1]], c.y[at[k+1]]
		}
		return c.figure()
	}},
	{"a stuck stretch", []Check{Flat, Repeats}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 150, 3)
		at := 20 + r.IntN(100)
		for k := at; k < at+10; k++ {
			y[k] = y[at]
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"a stuck stretch of a daily cycle", []Check{Flat}, func(r *rand.Rand) facts.Figure {
		x, y := cycle(r, 24*14)
		at := 20 + r.IntN(200)
		for k := at; k < at+14; k++ {
			y[k] = y[at]
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"a default here and there in a daily cycle", []Check{Repeats}, func(r *rand.Rand) facts.Figure {
		x, y := cycle(r, 24*14)
		for k := range y {
			if r.IntN(12) == 0 {
				y[k] = 12.34
			}
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"a gap filled by a straight line", []Check{Smooth}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 180, 3)
		at, n := 20+r.IntN(120), 18
		a, b := y[at], y[at+n]
		for k := range n {
			y[at+k] = decimals(a+(b-a)*float64(k)/float64(n), 2)
		}
		return one(xy(facts.Line, "", x, y))
	}},
	{"a copied week", []Check{Block}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 120, 4)
		copy(y[80:92], y[30:42])
		return one(xy(facts.Line, "", x, y))
	}},
	{"a threshold of the running variable", []Check{Threshold}, func(r *rand.Rand) facts.Figure {
		v := amounts(r, 400, 60)
		y := make([]float64, len(v))
		for i := range v {
			y[i] = decimals(v[i]*0.2+10*r.NormFloat64(), 1)
		}
		return one(xy(facts.Points, "", v, y))
	}},
	{"a default in bins", []Check{Spike}, func(r *rand.Rand) facts.Figure {
		var v []float64
		for range 600 {
			f := 100 + 25*r.NormFloat64()
			if r.Float64() < 0.12 {
				f = 120
			}
			v = append(v, decimals(f, 1))
		}
		return binned(v, 4)
	}},
	{"two units", []Check{Bands}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for range 260 {
			a := 40 + 60*r.Float64()
			b := a*0.8 + 5*r.NormFloat64()
			if r.Float64() < 0.4 {
				b *= 2.2
			}
			x, y = append(x, decimals(a, 1)), append(y, decimals(b, 1))
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"a saturated sensor", []Check{Wall}, func(r *rand.Rand) facts.Figure {
		x, y := series(r, 250, 6)
		limit := decimals(quantileOf(y, 0.85), 2)
		for k := range y {
			y[k] = math.Min(y[k], limit)
		}
		return one(xy(facts.Points, "", x, y))
	}},
	{"a quiet stretch", []Check{Smooth, Tight}, func(r *rand.Rand) facts.Figure {
		var x, y []float64
		for k := range 240 {
			sd := 5.0
			if k >= 100 && k < 130 {
				sd = 0.5
			}
			x, y = append(x, decimals(float64(k)+r.Float64(), 2)), append(y, decimals(30+sd*r.NormFloat64(), 2))
		}
		return one(xy(facts.Points, "", x, y))
	}},
}

func quantileOf(v []float64, q float64) float64 {
	s := append([]float64(nil), v...)
	for i := range s { // a short insertion sort keeps the makers free of what they test
		for j := i; j > 0 && s[j] < s[j-1]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	return s[int(q*float64(len(s)))]
}
