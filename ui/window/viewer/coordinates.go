package viewer

import (
	"cmp"
	"fmt"
	"image"
	"strings"

	"easel/mcphost/catalog"
	"easel/ui/core/picture/axes"
	"easel/ui/window/kit"
)

// coordinates say in words where something is in the picture that is shown: in the data of its axes, if they are known.
type coordinates struct {
	k    *kit.Kit
	axes axes.Figure // of the picture; without axes if that is unknown
}

// RegionText returns what a label says about a region: the data coordinates, if the picture has
// them, else the pixels.
func (c *coordinates) RegionText(r image.Rectangle) string {
	rect := axes.Rect{X0: float64(r.Min.X), Y0: float64(r.Min.Y), X1: float64(r.Max.X), Y1: float64(r.Max.Y)}
	pixels := fmt.Sprintf("%d × %d px", r.Dx(), r.Dy())
	parts, more := c.axes.In(rect)
	if len(parts) == 0 {
		return pixels
	}
	words := axes.Words{To: c.k.T("region.to"), Between: c.k.T("region.between"), More: c.k.T("region.more")}
	var list []string
	for _, p := range parts {
		text := p.Ranges(words)
		text = cmp.Or(text, c.k.T("region.no_coordinates"))
		if len(c.axes.Axes) > 1 {
			text += " · " + c.k.T("region.axes", p.Axes.Number)
		}
		list = append(list, text)
	}
	if more > 0 {
		list = append(list, "+"+fmt.Sprint(more))
	}
	return strings.Join(list, "; ")
}

// MarkText returns what a label says about a mark: the data coordinates, if the picture has them,
// else the pixels.
func (c *coordinates) MarkText(m catalog.Mark) string {
	if m.Shape == catalog.Box {
		return c.RegionText(m.Rect)
	}
	text := c.pointText(m.To)
	if m.Shape == catalog.Arrow {
		text = c.k.T("region.arrow_to", c.pointText(m.From), text)
	}
	return text
}

// pointText returns the data coordinates of a place, or its pixels.
func (c *coordinates) pointText(at image.Point) string {
	x, y := float64(at.X), float64(at.Y)
	parts, _ := c.axes.In(axes.Rect{X0: x, Y0: y, X1: x + 1, Y1: y + 1})
	words := axes.Words{To: c.k.T("region.to"), Between: c.k.T("region.between"), More: c.k.T("region.more")}
	var list []string
	for _, p := range parts {
		if text := p.At(words); text != "" {
			list = append(list, text)
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("%d, %d px", at.X, at.Y)
	}
	return strings.Join(list, "; ")
}
