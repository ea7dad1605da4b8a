package axes

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Place returns the part of the picture that a wish names. It is at least partly inside of it. The
// error says what is wrong, and which ranges there are.
func (f Figure) Place(w Wish) (Rect, error) {
	whole := Rect{X1: float64(f.Width), Y1: float64(f.Height)}
	if !w.Pixels.Empty() {
		r := Rect{float64(w.Pixels.Min.X), float64(w.Pixels.Min.Y), float64(w.Pixels.Max.X), float64(w.Pixels.Max.Y)}.Intersect(whole)
		if r.Empty() {
			return r, fmt.Errorf("these pixels are outside of the picture, which has %d × %d", f.Width, f.Height)
		}
		return r, nil
	}
	if len(f.Axes) == 0 {
		return Rect{}, fmt.Errorf("this picture says nothing of its axes: name the region in pixels of its %d × %d, as x,y,width,height", f.Width, f.Height)
	}
	if w.X == nil && w.Y == nil {
		for _, a := range f.Axes {
			if a.Number == w.Axes {
				return f.around(a).Intersect(whole), nil
			}
		}
		return Rect{}, fmt.Errorf("there are no axes %d: %s", w.Axes, f.ranges())
	}
	return f.spanned(w, whole)
}

// spanned returns the part of the picture with ranges of data.
func (f Figure) spanned(w Wish, whole Rect) (Rect, error) {
	var found []Rect
	var first error
	for _, a := range f.Axes {
		if w.Axes > 0 && a.Number != w.Axes || w.Axes == 0 && a.Kind != "" {
			continue
		}
		r, err := a.spanned(w)
		if r = r.Intersect(whole); err == nil && r.Empty() {
			err = errors.New("the region is outside of the picture")
		}
		if err == nil {
			found = append(found, r)
		} else if first == nil {
			first = fmt.Errorf("%w: %s", err, f.ranges())
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Rect{}, fmt.Errorf("several axes have such a region, so begin it with one of them, as in axes %d: x=…: %s", f.Axes[0].Number, f.ranges())
	case first == nil:
		return Rect{}, fmt.Errorf("there are no axes %d: %s", w.Axes, f.ranges())
	}
	return Rect{}, first
}

// spanned returns the part of axes with ranges of data.
func (a Axes) spanned(w Wish) (Rect, error) {
	r := a.Box
	if a.Projection != "" {
		return r, fmt.Errorf("axes %d have no coordinates (%s)", a.Number, a.Projection)
	}
	for _, of := range []struct {
		name      string
		axis      *Axis
		span      *Span
		low, high *float64 // in the picture
		turned    bool
	}{{"x", a.X, w.X, &r.X0, &r.X1, false}, {"y", a.Y, w.Y, &r.Y0, &r.Y1, true}} {
		if of.span == nil {
			continue
		}
		from, to, err := of.axis.fractions(*of.span)
		if err != nil {
			return r, fmt.Errorf("%s of axes %d %w", of.name, a.Number, err)
		}
		if of.turned {
			from, to = 1-to, 1-from
		}
		length := *of.high - *of.low
		*of.low, *of.high = *of.low+from*length, *of.low+to*length
	}
	return r, nil
}

// fractions returns where a range begins and ends, as fractions of the axis from its left or bottom end.
func (a *Axis) fractions(s Span) (from, to float64, err error) {
	if !a.Measured() {
		return 0, 1, errors.New("has no coordinates")
	}
	low, high := min(a.From, a.To), max(a.From, a.To)
	half := 0.0
	if a.Scale == Category {
		half = 0.5
	}
	first, last := low, high
	named := false
	if s.From != "" {
		if first, named, err = a.read(s.From); err != nil {
			return 0, 1, err
		}
	}
	if s.To != "" {
		var also bool
		if last, also, err = a.read(s.To); err != nil {
			return 0, 1, err
		}
		named = named || also
	}
	if first > last {
		first, last = last, first
	}
	if named && half > 0 {
		first, last = first-half, last+half
	}
	if first == last {
		return 0, 1, fmt.Errorf("needs two values, as in 3..4, not only %q", s.From)
	}
	if last <= low || first >= high {
		return 0, 1, fmt.Errorf("has nothing from %q to %q", s.From, s.To)
	}
	forward, _ := a.functions()
	begin, end := forward(a.From), forward(a.To)
	at := func(v float64) float64 { return (forward(min(max(v, low), high)) - begin) / (end - begin) }
	from, to = at(first), at(last)
	if from > to {
		from, to = to, from
	}
	if !finite(from, to) || !(from < to) {
		return 0, 1, fmt.Errorf("cannot tell %q from %q", s.From, s.To)
	}
	return from, to, nil
}

// dateLayouts are the forms of a date that a range may have.
var dateLayouts = []string{
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "2006-01", "2006",
}

// read returns the value that a text names on the axis, and whether by its name.
func (a *Axis) read(text string) (v float64, named bool, err error) {
	for _, n := range a.Names {
		if n.Text == text {
			return n.At, true, nil
		}
	}
	for _, n := range a.Names {
		if strings.EqualFold(n.Text, text) {
			return n.At, true, nil
		}
	}
	if a.Scale == Date {
		for _, layout := range dateLayouts {
			if t, err := time.ParseInLocation(layout, text, time.FixedZone("", int(a.offset))); err == nil {
				return float64(t.Unix()) + float64(t.Nanosecond())/1e9, false, nil
			}
			if t, err := time.Parse(layout+"Z07:00", text); err == nil {
				return float64(t.Unix()) + float64(t.Nanosecond())/1e9, false, nil
			}
		}
		return 0, false, fmt.Errorf("has dates, as in 2026-01-31T12:00, and %q is none", text)
	}
	v, err = strconv.ParseFloat(strings.Replace(text, "−", "-", 1), 64)
	if err != nil || math.IsNaN(v) {
		if len(a.Names) > 0 {
			return 0, false, fmt.Errorf("has no %q", text)
		}
		return 0, false, fmt.Errorf("has numbers, and %q is none", text)
	}
	return v, false, nil
}

// ranges says which axes there are, with their ranges.
func (f Figure) ranges() string {
	var list []string
	for _, a := range f.Axes[:min(len(f.Axes), MostIn)] {
		p := Part{Axes: a}
		if a.Projection == "" {
			p.X, p.Y = a.X.between(0, 1, a.Box.X1-a.Box.X0), a.Y.between(0, 1, a.Box.Y1-a.Box.Y0)
		}
		list = append(list, p.String())
	}
	if more := len(f.Axes) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("%d more axes", more))
	}
	return "the picture has " + strings.Join(list, "; ")
}

// around returns axes with their title and labels: up to the next axes in each direction.
func (f Figure) around(a Axes) Rect {
	within := a.Box
	for _, o := range f.Axes { // its colorbar, insets and twins
		if o.Of == a.Number {
			within = Rect{min(within.X0, o.Box.X0), min(within.Y0, o.Box.Y0), max(within.X1, o.Box.X1), max(within.Y1, o.Box.Y1)}
		}
	}
	r := Rect{X1: float64(f.Width), Y1: float64(f.Height)}
	for _, o := range f.Axes {
		if o.Number == a.Number || o.Of == a.Number || a.Of == o.Number && a.Kind != "colorbar" {
			continue
		}
		const own = 0.15 // of a gap at the right, which has the labels of the next axes
		rows, columns := o.Box.Y0 < within.Y1 && within.Y0 < o.Box.Y1, o.Box.X0 < within.X1 && within.X0 < o.Box.X1
		switch {
		case rows && o.Box.X1 <= within.X0:
			r.X0 = max(r.X0, o.Box.X1)
		case rows && o.Box.X0 >= within.X1:
			r.X1 = min(r.X1, within.X1+own*(o.Box.X0-within.X1))
		case columns && o.Box.Y1 <= within.Y0:
			r.Y0 = max(r.Y0, o.Box.Y1)
		case columns && o.Box.Y0 >= within.Y1:
			r.Y1 = min(r.Y1, o.Box.Y0)
		}
	}
	return r
}

// Scaled returns the figure in a picture with k times as many pixels in each direction, so that values have more digits.
func (f Figure) Scaled(k float64) Figure {
	out := Figure{Width: int(float64(f.Width) * k), Height: int(float64(f.Height) * k), More: f.More, Axes: make([]Axes, len(f.Axes))}
	for i, a := range f.Axes {
		a.Box = a.Box.scale(k, k)
		out.Axes[i] = a
	}
	return out
}

// Scale returns the rectangle in a picture with k times as many pixels in each direction.
func (r Rect) Scale(k float64) Rect { return r.scale(k, k) }
