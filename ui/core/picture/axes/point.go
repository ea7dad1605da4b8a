package axes

import "strings"

// At returns the text of a point, for example "x 3.1, y 0.5"; empty if the part has no coordinates.
// The part is that of one pixel.
func (p Part) At(w Words) string {
	for _, r := range []**Range{&p.X, &p.Y} {
		if *r != nil && !(*r).Categories {
			single := **r
			single.point = true
			*r = &single
		}
	}
	return p.Ranges(w)
}

// TextAt returns what is at a point of the picture, for people and models; empty if it is in no axes.
func (f Figure) TextAt(x, y float64) string {
	parts, _ := f.In(Rect{X0: x - 0.5, Y0: y - 0.5, X1: x + 0.5, Y1: y + 0.5})
	var list []string
	for _, p := range parts {
		if text := p.At(English); text != "" {
			list = append(list, text+" of "+p.Axes.name())
		}
	}
	return strings.Join(list, "; ")
}
