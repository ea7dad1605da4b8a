package axes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MostIn is the largest number of axes that a region names.
const MostIn = 6

// A Part is the part of a region that lies in one of the figure's axes.
type Part struct {
	Axes Axes
	X, Y *Range // nil if there are no coordinates
}

// A Range is a range of data, From ≤ To.
type Range struct {
	From, To   float64 // seconds since 1970 for dates
	Texts      [2]string
	Names      []string // of positions in the range
	Date       bool
	Categories bool // only Names have a meaning

	point bool // it is as wide as a pixel, so its text has one value
}

// In returns what a rectangle of the picture covers, in the order of the axes, and how many more
// axes there are in it. An inset hides the axes below it if it contains the whole rectangle.
func (f Figure) In(r Rect) (parts []Part, more int) {
	hidden := make(map[int]bool)
	for _, a := range f.Axes {
		if a.Kind == "inset" && a.Of > 0 && r.In(a.Box) {
			hidden[a.Of] = true
		}
	}
	for _, a := range f.Axes {
		part := r.Intersect(a.Box)
		if part.Empty() || hidden[a.Number] || a.Kind == "twin" && hidden[a.Of] {
			continue
		}
		p := Part{Axes: a}
		if a.Projection == "" {
			w, h := a.Box.X1-a.Box.X0, a.Box.Y1-a.Box.Y0
			p.X = a.X.between((part.X0-a.Box.X0)/w, (part.X1-a.Box.X0)/w, w)
			p.Y = a.Y.between((a.Box.Y1-part.Y1)/h, (a.Box.Y1-part.Y0)/h, h)
		}
		parts = append(parts, p)
	}
	f.dropShared(parts)
	if len(parts) <= MostIn {
		return parts, 0
	}
	area := func(p Part) float64 { i := r.Intersect(p.Axes.Box); return (i.X1 - i.X0) * (i.Y1 - i.Y0) }
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(area(b), area(a)) })
	more = len(parts) - MostIn
	parts = parts[:MostIn]
	slices.SortFunc(parts, func(a, b Part) int { return cmp.Compare(a.Axes.Number, b.Axes.Number) })
	return parts, more
}

// dropShared removes the range that twin axes share with the first ones.
func (f Figure) dropShared(parts []Part) {
	for i, p := range parts {
		first := slices.IndexFunc(parts, func(o Part) bool { return p.Axes.Kind == "twin" && o.Axes.Number == p.Axes.Of })
		if first < 0 {
			continue
		}
		o := parts[first].Axes
		if p.Axes.X != nil && o.X != nil && p.Axes.X.From == o.X.From && p.Axes.X.To == o.X.To {
			parts[i].X = nil
		} else if p.Axes.Y != nil && o.Y != nil && p.Axes.Y.From == o.Y.From && p.Axes.Y.To == o.Y.To {
			parts[i].Y = nil
		}
	}
}

// between returns the values between two fractions of an axis that is that many pixels long.
func (a *Axis) between(from, to, pixels float64) *Range {
	if !a.Measured() {
		return nil
	}
	low, high := a.value(from), a.value(to)
	steps := [2]float64{math.Abs(a.value(from+1/pixels) - low), math.Abs(high - a.value(to-1/pixels))}
	if low > high {
		low, high, steps = high, low, [2]float64{steps[1], steps[0]}
	}
	if !finite(low, high, steps[0], steps[1]) {
		return nil
	}
	r := &Range{Date: a.Scale == Date, Categories: a.Scale == Category}
	for _, n := range a.Names {
		if n.At >= low && n.At <= high {
			r.Names = append(r.Names, n.Text)
		}
	}
	if r.Date {
		r.From, r.To = low, high
		r.Texts = [2]string{a.date(low, steps[0]), a.date(high, steps[1])}
		if r.Texts[0] == "" || r.Texts[1] == "" {
			return nil
		}
		return r
	}
	r.From, r.Texts[0] = rounded(low, steps[0])
	r.To, r.Texts[1] = rounded(high, steps[1])
	return r
}

// rounded returns a value with as many digits as a step of one pixel distinguishes.
func rounded(v, step float64) (float64, string) {
	digits := 6 // that are significant
	if step > 0 && v != 0 {
		digits = int(math.Floor(math.Log10(math.Abs(v)))-math.Floor(math.Log10(step))) + 1
	}
	if digits < 1 && v != 0 { // less than a pixel from zero
		return 0, "0"
	}
	text := strconv.FormatFloat(v, 'g', min(digits, 15), 64)
	short, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return v, text
	}
	if abs := math.Abs(short); abs >= 1e-4 && abs < 1e7 {
		text = strconv.FormatFloat(short, 'f', -1, 64)
	}
	if short == 0 {
		short, text = 0, "0"
	}
	return short, text
}

// Words are the words in a text about ranges, in one language.
type Words struct {
	To      string // between dates or numbers with a minus, with spaces
	Between string // instead of a category
	More    string // after a list of names; a format with a number
}

// English contains the words in texts for models.
var English = Words{To: " to ", Between: "between categories", More: "and %d more"}

// text returns the range, for example "3.1–4.2".
func (r Range) text(w Words) string {
	if r.Categories {
		return w.quoted(r.Names)
	}
	text := r.Texts[0] + "–" + r.Texts[1]
	if r.point {
		text = r.Texts[0]
	} else if r.Date || strings.Contains(text, "-") {
		text = r.Texts[0] + w.To + r.Texts[1]
	}
	if len(r.Names) > 0 {
		text += " (" + w.quoted(r.Names) + ")"
	}
	return text
}

// mostQuoted is the largest number of names in a text.
const mostQuoted = 8

func (w Words) quoted(names []string) string {
	if len(names) == 0 {
		return w.Between
	}
	var list []string
	for _, n := range names[:min(len(names), mostQuoted)] {
		list = append(list, strconv.Quote(n))
	}
	if more := len(names) - len(list); more > 0 {
		list = append(list, fmt.Sprintf(w.More, more))
	}
	return strings.Join(list, ", ")
}

// String returns the part for people and models, for example "x 3.1–4.2, y 0–0.5 of axes 1".
func (p Part) String() string {
	text := p.Ranges(English)
	if text == "" {
		text = "no coordinates"
		if p.Axes.Projection != "" {
			text += " (" + p.Axes.Projection + ")"
		}
	}
	return text + " of " + p.Axes.name()
}

// Ranges returns the ranges of the part, for example "x 3.1–4.2, y 0–0.5"; empty if it has no
// coordinates.
func (p Part) Ranges(w Words) string {
	var list []string
	for _, a := range []struct {
		name, label string
		r           *Range
		axis        *Axis
	}{{"x", p.Axes.XLabel, p.X, p.Axes.X}, {"y", p.Axes.YLabel, p.Y, p.Axes.Y}} {
		if a.r == nil {
			continue
		}
		name := a.name
		if a.label != "" {
			name += " (" + a.label + ")"
		}
		text := name + " " + a.r.text(w)
		if s := a.axis.Scale; s != Linear && s != Date && s != Category {
			text += " [" + string(s) + "]"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// name returns what a text calls the axes.
func (a Axes) name() string {
	text := fmt.Sprintf("axes %d", a.Number)
	switch {
	case a.Kind == "twin":
		text += fmt.Sprintf(" (twin of axes %d)", a.Of)
	case a.Kind != "" && a.Of > 0:
		text += fmt.Sprintf(" (%s of axes %d)", a.Kind, a.Of)
	case a.Kind != "":
		text += " (" + a.Kind + ")"
	}
	if a.Title != "" {
		text += " " + strconv.Quote(a.Title)
	}
	return text
}

// Text returns what a rectangle of the picture covers, for people and models; empty if it covers
// no axes.
func (f Figure) Text(r Rect) string {
	parts, more := f.In(r)
	var list []string
	for _, p := range parts {
		list = append(list, p.String())
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("%d more axes", more))
	}
	return strings.Join(list, "; ")
}
