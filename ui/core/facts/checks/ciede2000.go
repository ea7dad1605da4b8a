package checks

import "math"

// ciede2000 returns how different two colours in L*a*b* look (CIE 142-2001). Sharma, Wu and Dalal (2005) give the formula and the values of
// its test.
func ciede2000(p, q [3]float64) float64 {
	const far = 6103515625 // 25⁷
	seventh := func(c float64) float64 { return math.Sqrt(math.Pow(c, 7) / (math.Pow(c, 7) + far)) }
	g := 0.5 * (1 - seventh((math.Hypot(p[1], p[2])+math.Hypot(q[1], q[2]))/2))
	polar := func(c [3]float64) (chroma, hue float64) {
		a := c[1] * (1 + g)
		if a == 0 && c[2] == 0 {
			return 0, 0
		}
		hue = math.Atan2(c[2], a) * 180 / math.Pi
		if hue < 0 {
			hue += 360
		}
		return math.Hypot(a, c[2]), hue
	}
	c1, h1 := polar(p)
	c2, h2 := polar(q)
	turn, mean := h2-h1, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		turn, mean = 0, h1+h2
	case math.Abs(turn) > 180 && h1+h2 < 360:
		mean += 180
	case math.Abs(turn) > 180:
		mean -= 180
	}
	if turn > 180 {
		turn -= 360
	} else if turn < -180 {
		turn += 360
	}
	cos := func(degrees float64) float64 { return math.Cos(degrees * math.Pi / 180) }
	sin := func(degrees float64) float64 { return math.Sin(degrees * math.Pi / 180) }
	light, chroma := (p[0]+q[0])/2-50, (c1+c2)/2
	t := 1 - 0.17*cos(mean-30) + 0.24*cos(2*mean) + 0.32*cos(3*mean+6) - 0.20*cos(4*mean-63)
	dl := (q[0] - p[0]) / (1 + 0.015*light*light/math.Sqrt(20+light*light))
	dc := (c2 - c1) / (1 + 0.045*chroma)
	dh := 2 * math.Sqrt(c1*c2) * sin(turn/2) / (1 + 0.015*chroma*t)
	bend := (mean - 275) / 25
	return math.Sqrt(dl*dl + dc*dc + dh*dh - sin(60*math.Exp(-bend*bend))*2*seventh(chroma)*dc*dh)
}
