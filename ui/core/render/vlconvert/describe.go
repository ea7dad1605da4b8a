package vlconvert

import (
	"easel/ui/core/facts"
	"easel/ui/core/facts/figures"
	"easel/ui/core/picture/axes"
	"easel/ui/core/render"
)

// describe adds to a picture what it shows, and to its PNG where the axes are.
func (a *answer) describe(p *render.Picture, marks []byte) {
	if len(marks) == 0 || a.Size[0] <= 0 || a.Size[1] <= 0 {
		return
	}
	f, places := figures.Drawn(marks)
	if len(f.Axes) == 0 {
		return
	}
	p.Facts = facts.Write(f)
	sx, sy := float64(p.Width)/a.Size[0], float64(p.Height)/a.Size[1]
	var drawn []axes.DrawnAxes
	for _, at := range places {
		box := [4]float64{at.Box[0] * sx, at.Box[1] * sy, at.Box[2] * sx, at.Box[3] * sy}
		drawn = append(drawn, axes.DrawnAxes{N: at.Number, Box: box, X: drawnAxis(at.X), Y: drawnAxis(at.Y)})
	}
	p.PNG = axes.Add(p.PNG, drawn)
}

func drawnAxis(a *facts.Axis) *axes.DrawnAxis {
	if a == nil {
		return nil
	}
	return &axes.DrawnAxis{Lim: [2]float64{a.From, a.To}, Scale: axes.Scale(a.Scale)}
}
