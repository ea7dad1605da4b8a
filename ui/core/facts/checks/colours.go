package checks

import (
	"fmt"
	"math"
	"strconv"

	"easel/ui/core/facts"
)

// Distances of colours below which lines and points that lie apart are hard to match with a legend.
const (
	nearColours  = 9 // CIEDE2000. The nearest of ordinary palettes are at 9.2 or more: those of tab10 at 16, of Set2 at 17, of pastel at 9.4
	blindColours = 4 // CIE 1976; a warning on every plot with the default colours, of which the nearest are at 4.6, would help nobody
	leastShades  = 5 // series whose colours are ordered, as samples of a colour map are: a reader finds them by their order
)

// colours finds series of one kind and style whose colours are the same or hard to tell apart.
func colours(a *facts.Axes) []Finding {
	var alike, near, blind *Finding
	seen := map[string]bool{}
	many, ordered := 0, shades(a)
	for j := range a.Series {
		t := &a.Series[j]
		if j == maxSeries {
			break
		}
		if _, ok := rgb(t.Colour); !ok || t.Label == "" {
			continue
		}
		many++
		seen[fmt.Sprint(t.Colour, t.Alpha, t.Style)] = true
		for i := range j {
			s := &a.Series[i]
			if s.Label == "" || s.Label == t.Label || s.Kind != t.Kind || s.Style != t.Style {
				continue
			}
			switch {
			case s.Colour == t.Colour && s.Alpha == t.Alpha:
				alike = pairOf(a, alike, LookAlike, i, j)
			case ordered:
			case seenApart(s, t) < nearColours:
				near = pairOf(a, near, NearColour, i, j)
			case distance(s.Colour, t.Colour, protan) < blindColours || distance(s.Colour, t.Colour, deutan) < blindColours:
				if s.Alpha == t.Alpha {
					blind = pairOf(a, blind, ColourBlind, i, j)
				}
			}
		}
	}
	var found []Finding
	for _, f := range []*Finding{alike, near, blind} {
		if f != nil {
			f.Of, f.Next = many, len(seen)
			found = append(found, *f)
		}
	}
	return found
}

// pairOf counts a pair; the finding names the first one.
func pairOf(a *facts.Axes, f *Finding, c Check, i, j int) *Finding {
	if f == nil {
		f = &Finding{Check: c, Series: []int{i, j}, Strength: certain}
		f.A, f.B = name(a, i), name(a, j)
	}
	f.N++
	return f
}

// shades reports whether the colours of the series go from dark to light or back.
func shades(a *facts.Axes) bool {
	var light []float64
	for _, s := range a.Series {
		if c, ok := rgb(s.Colour); ok && s.Label != "" {
			light = append(light, lab(c)[0])
		}
	}
	if len(light) < leastShades {
		return false
	}
	up, down := true, true
	for i := 1; i < len(light); i++ {
		up, down = up && light[i] > light[i-1], down && light[i] < light[i-1]
	}
	return up || down
}

// seenApart returns how far apart the colours of two series are on a white ground.
func seenApart(s, t *facts.Series) float64 {
	p, okP := seen(s)
	q, okQ := seen(t)
	if !okP || !okQ {
		return math.Inf(1)
	}
	return ciede2000(lab(p), lab(q))
}

// seen returns the colour of a series on a white ground, in linear RGB.
func seen(s *facts.Series) (c [3]float64, ok bool) {
	if c, ok = rgb(s.Colour); !ok || s.Alpha == 0 {
		return c, ok
	}
	for i := range c { // matplotlib blends what monitors show
		v, err := strconv.ParseUint(s.Colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return c, false
		}
		c[i] = linear(1 - s.Alpha + s.Alpha*float64(v)/255)
	}
	return c, true
}

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func rgb(hex string) (c [3]float64, ok bool) {
	if len(hex) != 7 || hex[0] != '#' {
		return c, false
	}
	for i := range c {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return c, false
		}
		c[i] = linear(float64(n) / 255)
	}
	return c, true
}

// A vision is what a reader who lacks one kind of cone sees, in linear RGB (Machado, Oliveira and Fernandes, 2009).
type vision [3][3]float64

var (
	protan = &vision{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}
	deutan = &vision{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}
)

func (v *vision) see(c [3]float64) (seen [3]float64) {
	for i := range seen {
		seen[i] = min(1, max(0, v[i][0]*c[0]+v[i][1]*c[1]+v[i][2]*c[2]))
	}
	return seen
}

// distance returns how far apart two colours are, as seen; large if one is unknown.
func distance(a, b string, v *vision) float64 {
	p, okP := rgb(a)
	q, okQ := rgb(b)
	if !okP || !okQ {
		return math.Inf(1)
	}
	if v != nil {
		p, q = v.see(p), v.see(q)
	}
	l, m := lab(p), lab(q)
	return math.Sqrt((l[0]-m[0])*(l[0]-m[0]) + (l[1]-m[1])*(l[1]-m[1]) + (l[2]-m[2])*(l[2]-m[2]))
}

func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*c[0] + 0.3575761*c[1] + 0.1804375*c[2]) / 0.95047)
	y := f(0.2126729*c[0] + 0.7151522*c[1] + 0.0721750*c[2])
	z := f((0.0193339*c[0] + 0.1191920*c[1] + 0.9503041*c[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}
