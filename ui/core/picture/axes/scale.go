package axes

import (
	"math"
	"time"
)

// Measured reports whether values on the axis are known.
func (a *Axis) Measured() bool {
	if a == nil {
		return false
	}
	forward, back := a.functions()
	if forward == nil {
		return false
	}
	from, to := forward(a.From), forward(a.To)
	return finite(from, to, back(from), back(to)) && from != to
}

// value returns the value at a fraction of the axis, from its left or bottom end.
func (a *Axis) value(at float64) float64 {
	forward, back := a.functions()
	from, to := forward(a.From), forward(a.To)
	return back(from + (to-from)*at)
}

type function = func(float64) float64

// fraction returns where a value is on the axis, from its left or bottom end at 0 to the other at 1. ok is false if
// the axis has no place for it.
func (a *Axis) fraction(v float64) (at float64, ok bool) {
	if !a.Measured() {
		return 0, false
	}
	forward, _ := a.functions()
	from, to := forward(a.From), forward(a.To)
	at = (forward(v) - from) / (to - from)
	if a.Scale == Log && v <= 0 { // beyond the end with the smaller values
		at = 0
		if from > to {
			at = 1
		}
	}
	if math.IsNaN(at) {
		return 0, false
	}
	return min(max(at, 0), 1), true
}

// Pixel returns where a point of the data is in the picture. What lies beyond the axes is at their edge. ok is
// false if the axes have no coordinates, or no place for the point.
func (a Axes) Pixel(x, y float64) (px, py float64, ok bool) {
	if a.Projection != "" {
		return 0, 0, false
	}
	fx, okX := a.X.fraction(x)
	fy, okY := a.Y.fraction(y)
	return a.Box.X0 + fx*(a.Box.X1-a.Box.X0), a.Box.Y1 - fy*(a.Box.Y1-a.Box.Y0), okX && okY
}

// functions returns what maps values to places on the axis, up to a factor, and its inverse; nil
// for an unknown scale.
func (a *Axis) functions() (forward, back function) {
	arg := func(i int) float64 {
		if i < len(a.args) {
			return a.args[i]
		}
		return math.NaN()
	}
	same := func(v float64) float64 { return v }
	switch a.Scale {
	case Linear, Date, Category:
		return same, same
	case Log:
		return math.Log10, func(v float64) float64 { return math.Pow(10, v) }
	case Logit:
		return func(v float64) float64 { return math.Log10(v / (1 - v)) }, func(v float64) float64 { return 1 / (1 + math.Pow(10, -v)) }
	case Asinh:
		width := arg(0)
		return func(v float64) float64 { return math.Asinh(v / width) }, func(v float64) float64 { return width * math.Sinh(v) }
	case Symlog:
		return symlog(arg(0), arg(1), arg(2))
	default:
		return nil, nil
	}
}

// symlog is linear between -threshold and threshold, and logarithmic beyond.
func symlog(base, threshold, linear float64) (forward, back function) {
	adjusted := linear / (1 - 1/base)
	forward = func(v float64) float64 {
		if math.Abs(v) <= threshold {
			return v * adjusted
		}
		return math.Copysign(threshold*(adjusted+math.Log(math.Abs(v)/threshold)/math.Log(base)), v)
	}
	edge := threshold * adjusted
	back = func(v float64) float64 {
		if math.Abs(v) <= edge {
			return v / adjusted
		}
		return math.Copysign(threshold*math.Pow(base, math.Abs(v)/threshold-adjusted), v)
	}
	return forward, back
}

func finite(values ...float64) bool {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// date returns the time of a value on an axis of dates, as precise as step, the seconds of a pixel.
func (a *Axis) date(v, step float64) string {
	if math.Abs(v) > 2e11 { // beyond the year 8000
		return ""
	}
	whole := math.Floor(v)
	t := time.Unix(int64(whole), int64((v-whole)*1e9)).UTC()
	zone := ""
	if a.offset != 0 {
		t = t.In(time.FixedZone("", int(a.offset)))
		zone = "Z07:00"
	}
	switch {
	case step >= 12*3600:
		return t.Format("2006-01-02")
	case step >= 30:
		return t.Format("2006-01-02T15:04" + zone)
	case step >= 0.5:
		return t.Format("2006-01-02T15:04:05" + zone)
	default:
		return t.Format("2006-01-02T15:04:05.000" + zone)
	}
}
