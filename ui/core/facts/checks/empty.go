package checks

import (
	"math"
	"slices"
)

// empty finds an empty rectangle inside a cloud. Expected are as many points as in the rectangles of the same size on its four
// sides, of which none may be nearly empty: a gap between two clusters has points on two sides only.
func empty(v *view) []Finding {
	n := len(v.x)
	x, y, ok := v.scaled()
	if !ok || n < 80 || len(v.tx) < 40 || len(v.ty) < 40 {
		return nil
	}
	g := newGrid(x, y)
	best, log := [4]int{}, -4.5
	for top := range cells {
		for left := range cells {
			right := cells
			for bottom := top + 1; bottom <= cells && right > left; bottom++ {
				for c := left; c < right; c++ {
					if g.count(c, bottom-1, c+1, bottom) > 0 {
						right = c
					}
				}
				if right <= left || right-left < 2 || bottom-top < 2 {
					continue
				}
				if l := g.missing(left, top, right, bottom); l < log {
					best, log = [4]int{left, top, right, bottom}, l
				}
			}
		}
	}
	if best[2] == 0 {
		return nil
	}
	f := v.finding(Empty, v.rim(x, y, best), log)
	f.Axis, f.Of = "both", n
	f.Next = g.around(best[0], best[1], best[2], best[3])
	f.N = 0
	at := func(sorted []float64, values, scaled []float64, c int) float64 {
		return back(values, scaled, float64(c)/cells, sorted)
	}
	f.From, f.To = at(v.sx, v.x, x, best[0]), at(v.sx, v.x, x, best[2])
	f.Low, f.High = at(v.sy, v.y, y, best[1]), at(v.sy, v.y, y, best[3])
	return []Finding{f}
}

const cells = 48

// A grid has the counts of points above and left of each corner of its cells.
type grid [cells + 1][cells + 1]int

func newGrid(x, y []float64) *grid {
	var g grid
	for i := range x {
		c, r := int(math.Floor(x[i]*cells)), int(math.Floor(y[i]*cells))
		if c >= 0 && r >= 0 && c < cells && r < cells {
			g[r+1][c+1]++
		}
	}
	for r := 1; r <= cells; r++ {
		for c := 1; c <= cells; c++ {
			g[r][c] += g[r-1][c] + g[r][c-1] - g[r-1][c-1]
		}
	}
	return &g
}

func (g *grid) count(left, top, right, bottom int) int {
	left, top = max(0, left), max(0, top)
	right, bottom = min(cells, right), min(cells, bottom)
	if right <= left || bottom <= top {
		return 0
	}
	return g[bottom][right] - g[top][right] - g[bottom][left] + g[top][left]
}

// sides returns the counts of the rectangles of the same size beside one.
func (g *grid) sides(left, top, right, bottom int) [4]int {
	w, h := right-left, bottom-top
	return [4]int{
		g.count(left-w, top, left, bottom), g.count(right, top, right+w, bottom),
		g.count(left, top-h, right, top), g.count(left, bottom, right, bottom+h),
	}
}

func (g *grid) around(left, top, right, bottom int) int {
	s := g.sides(left, top, right, bottom)
	return slices.Min(s[:])
}

// missing returns the logarithm of the probability that a rectangle is empty, over all rectangles.
func (g *grid) missing(left, top, right, bottom int) float64 {
	s := g.sides(left, top, right, bottom)
	least := slices.Min(s[:])
	if least < 6 {
		return 0
	}
	mean := math.Min(float64(s[0]+s[1]), float64(s[2]+s[3])) / 2
	// Of n points, about n·log n empty rectangles are as large as they can be.
	n := float64(g[cells][cells])
	return -math.Min(mean, 2*float64(least))/math.Ln10 + math.Log10(n*math.Log(n))
}

// rim returns the points around a rectangle, in a frame of two cells.
func (v *view) rim(x, y []float64, r [4]int) []int {
	return v.where(func(i int) bool {
		c, d := x[i]*cells, y[i]*cells
		return c > float64(r[0]-2) && c < float64(r[2]+2) && d > float64(r[1]-2) && d < float64(r[3]+2)
	})
}

// back returns the value whose scaled value is nearest to a place.
func back(values, scaled []float64, place float64, sorted []float64) float64 {
	best, at := math.Inf(1), sorted[0]
	for i, s := range scaled {
		if d := math.Abs(s - place); d < best {
			best, at = d, values[i]
		}
	}
	return at
}
