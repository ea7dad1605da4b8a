package plotdata

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"easel/ui/core/command"
	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/facts/words"
	"easel/ui/core/library"
	"easel/ui/core/picture"
	"easel/ui/core/picture/axes"
)

const (
	mostRegions = 200 // of a finding
	mostPoints  = 3   // that a model is told
	usual       = 0.8 // of the room for a bar whose width is not known; Plotly and matplotlib draw it as broad
)

// A spot is a point or rectangle in data, with x0 ≤ x1 and y0 ≤ y1.
type spot struct{ x0, x1, y0, y1 float64 }

func (s spot) known() bool {
	return !slices.ContainsFunc([]float64{s.x0, s.x1, s.y0, s.y1}, math.IsNaN)
}

func (s spot) point() bool { return s.x0 == s.x1 && s.y0 == s.y1 }

// axesOf returns the axes of a finding; nil if there are none.
func axesOf(f facts.Figure, found checks.Finding) *facts.Axes {
	i := slices.IndexFunc(f.Axes, func(a facts.Axes) bool { return a.Number == found.Axes })
	if i < 0 {
		return nil
	}
	return &f.Axes[i]
}

// spots returns where a finding is in data, at most that many, evenly spread.
func spots(a *facts.Axes, found checks.Finding, most int) (list []spot) {
	if found.Check == checks.Empty {
		return []spot{{found.From, found.To, found.Low, found.High}}
	}
	sets := found.Points
	if len(sets) == 0 { // it is about whole series
		for _, i := range found.Series {
			if i < len(a.Series) && len(a.Series[i].Columns) > 0 {
				set := checks.PointSet{Series: i}
				for k := range a.Series[i].Columns[0].Numbers {
					set.Points = append(set.Points, k)
				}
				sets = append(sets, set)
			}
		}
	}
	for _, set := range sets {
		if set.Series >= len(a.Series) {
			continue
		}
		at := spotter(&a.Series[set.Series])
		for _, k := range thin(set.Points, max(1, most/len(sets))) {
			if s := at(k); s.known() {
				list = append(list, s)
			}
		}
	}
	return list
}

// thin returns at most that many elements, evenly spread, with the first one.
func thin(all []int, most int) []int {
	if len(all) <= most {
		return all
	}
	few := make([]int, most)
	for i := range few {
		few[i] = all[i*len(all)/most]
	}
	return few
}

// spotter returns where the elements of a series are.
func spotter(s *facts.Series) func(k int) spot {
	nan := math.NaN()
	at := func(name string, otherwise float64) func(int) float64 {
		list := s.Numbers(name)
		return func(k int) float64 {
			if k >= len(list) {
				return otherwise
			}
			return list[k]
		}
	}
	x, y, width, base, low, high := at("x", nan), at("y", nan), at("width", 0), at("base", 0), at("low", nan), at("high", nan)
	if _, has := s.Column("width"); !has && (s.Kind == facts.Bars || s.Kind == facts.BarsH) {
		places := s.Numbers("x")
		if s.Kind == facts.BarsH {
			places = s.Numbers("y")
		}
		broad := usual * nearest(places)
		width = func(int) float64 { return broad }
	}
	switch s.Kind {
	case facts.Line, facts.Points:
		return func(k int) spot { return box(x(k), x(k), y(k), y(k)) }
	case facts.Histogram:
		return func(k int) spot { return box(x(k), x(k)+width(k), base(k), base(k)+y(k)) }
	case facts.Bars:
		return func(k int) spot { return box(x(k)-width(k)/2, x(k)+width(k)/2, base(k), y(k)) }
	case facts.BarsH:
		return func(k int) spot { return box(base(k), x(k), y(k)-width(k)/2, y(k)+width(k)/2) }
	case facts.Box:
		low, high = at("min", nan), at("max", nan)
		width = func(int) float64 { return 0.5 }
	case facts.Area, facts.ErrorBars:
		width = func(int) float64 { return 0 }
	default:
		return func(int) spot { return spot{nan, nan, nan, nan} }
	}
	if _, upright := s.Column("x"); upright {
		return func(k int) spot { return box(x(k)-width(k)/2, x(k)+width(k)/2, low(k), high(k)) }
	}
	return func(k int) spot { return box(low(k), high(k), y(k)-width(k)/2, y(k)+width(k)/2) }
}

// nearest returns the least distance between places; 1 if there is only one.
func nearest(places []float64) float64 {
	least := math.Inf(1)
	sorted := slices.Sorted(slices.Values(places))
	for i := 1; i < len(sorted); i++ {
		if d := sorted[i] - sorted[i-1]; d > 0 {
			least = min(least, d)
		}
	}
	if math.IsInf(least, 1) {
		return 1
	}
	return least
}

func box(x0, x1, y0, y1 float64) spot {
	return spot{min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)}
}

// where says in few words where a finding is in data: the range, and some of the points.
func where(f facts.Figure, found checks.Finding) string {
	a := axesOf(f, found)
	if a == nil {
		return ""
	}
	list := spots(a, found, math.MaxInt)
	if len(list) == 0 {
		return ""
	}
	all := list[0]
	for _, s := range list {
		all = spot{min(all.x0, s.x0), max(all.x1, s.x1), min(all.y0, s.y0), max(all.y1, s.y1)}
	}
	text := fmt.Sprintf("x %s, y %s", between(a.X, all.x0, all.x1), between(a.Y, all.y0, all.y1))
	if len(list) < 2 || !list[0].point() || len(found.Points) == 0 {
		return text
	}
	var points []string
	for i := range min(len(list), mostPoints) {
		s := list[i*len(list)/min(len(list), mostPoints)]
		points = append(points, fmt.Sprintf("(%s, %s)", words.Value(a.X, s.x0), words.Value(a.Y, s.y0)))
	}
	return text + "; e.g. " + strings.Join(points, ", ")
}

func between(a facts.Axis, from, to float64) string {
	if from == to {
		return words.Value(a, from)
	}
	return words.Value(a, from) + " to " + words.Value(a, to)
}

// A place knows where axes are in a picture of a size.
type place struct {
	axes.Figure

	sx, sy float64 // from the pixels of the described picture to those of the stored one
}

// placed reads where the axes of a plot are in its picture; the zero value if that is not known.
func (r *Reader) placed(ctx context.Context, im library.Image) place {
	for _, form := range im.Forms {
		if form.MIME != picture.PNG || form.Bytes > mostData {
			continue
		}
		data, err := r.Images.ReadForm(ctx, im, form.MIME)
		if err != nil {
			continue
		}
		if f, ok := axes.Parse(data); ok {
			p := place{f, 1, 1}
			if im.Width > 0 && im.Height > 0 {
				p.sx, p.sy = float64(im.Width)/float64(f.Width), float64(im.Height)/float64(f.Height)
			}
			return p
		}
	}
	return place{}
}

// regions returns where a finding is in the picture.
func (p place) regions(f facts.Figure, found checks.Finding) (list []command.Region) {
	for _, b := range found.Boxes[:min(len(found.Boxes), mostRegions)] {
		sx, sy := cmp.Or(p.sx, 1), cmp.Or(p.sy, 1)
		list = append(list, command.Region{X0: b[0] * sx, Y0: b[1] * sy, X1: b[2] * sx, Y1: b[3] * sy})
	}
	if len(list) > 0 {
		return list
	}
	a := axesOf(f, found)
	i := slices.IndexFunc(p.Axes, func(a axes.Axes) bool { return a.Number == found.Axes })
	if a == nil || i < 0 {
		return nil
	}
	for _, s := range spots(a, found, mostRegions) {
		x0, y0, ok := p.Axes[i].Pixel(s.x0, s.y1)
		x1, y1, ok1 := p.Axes[i].Pixel(s.x1, s.y0)
		if !ok || !ok1 {
			continue
		}
		list = append(list, command.Region{
			X0: min(x0, x1) * p.sx, Y0: min(y0, y1) * p.sy, X1: max(x0, x1) * p.sx, Y1: max(y0, y1) * p.sy,
		})
	}
	return list
}
