// Package facts is what a plot shows in numbers: its axes, and the values of each series that its
// artists draw.
//
// A kernel that keeps its figures reads them from a matplotlib figure while it is displayed
// (jupyter/kernelside/python/easel_facts.py) and sends them in the display's transient data, which
// no notebook stores. For figures of Plotly, Vega and Bokeh, Easel reads them from their JSON. What
// a kernel sends may be hostile: reading it is bounded, and what makes no sense is as good as absent.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package facts

import "math"

// A Figure is what a plot shows.
type Figure struct {
	Axes    []Axes
	More    int       // axes that are not described
	Drawing []Overlap // what is wrong with the places of texts and legends
	Shrunk  float64   // the scale of the picture that models get of it, at most 1; 0 if unknown. No kernel says it
}

// Axes are the axes of a plot within a figure.
type Axes struct {
	Number     int // as in fig.axes, from 1
	Title      string
	X, Y       Axis
	Projection string // for example polar or 3d; empty if rectilinear
	Legend     bool
	Twin       int // the number of the axes on which these lie, as after twinx; 0 if there are none
	Side       Side
	Series     []Series
	More       int // series that are not described
	Unseen     []Unseen
}

// A Side is where the axis of twin axes is, which is not that of the axes on which they lie.
type Side string

// The sides.
const (
	Right Side = "right"
	Top   Side = "top"
)

// An Unseen is an artist that draws data, but nothing that anybody can see. It is no series.
type Unseen struct {
	Kind  string // line, points, bars and so on
	Label string
	Why   Why
	Count int // points
}

// A Why is why an artist cannot be seen.
type Why string

// The reasons.
const (
	Transparent Why = "alpha"
	Lineless    Why = "width"  // neither a line nor markers
	OnGround    Why = "ground" // in the colour of what is behind it
)

// An Axis is one axis of a plot.
type Axis struct {
	Label    string
	From, To float64 // the values at the left or bottom, and at the right or top; for dates, seconds since 1970; NaN if unknown
	Scale    Scale
	Names    []string  // of categories, or of single places; nil if there are none
	At       []float64 // where the names are; nil if at 0, 1, 2, …
}

// Outside reports whether a value lies beyond the ends of the axis.
func (a Axis) Outside(v float64) bool {
	return v < math.Min(a.From, a.To) || v > math.Max(a.From, a.To)
}

// A Scale says how values are spread over an axis.
type Scale string

// The scales.
const (
	Linear   Scale = ""
	Log      Scale = "log"
	Symlog   Scale = "symlog"
	Logit    Scale = "logit"
	Date     Scale = "date"
	Category Scale = "category"
	Other    Scale = "other"
)

// A Kind is a kind of series.
type Kind string

// The kinds. Areas, error bars and boxes that lie horizontally have y instead of x.
const (
	Line      Kind = "line"      // x, y
	Points    Kind = "points"    // x, y; also size and value (the mapped colour)
	Bars      Kind = "bars"      // x, y, width, base; y is the bar's end
	BarsH     Kind = "barsh"     // the same, horizontally: y, x, width, base; x is the bar's end
	Histogram Kind = "histogram" // x (the bin's left edge), width, y (count or density); also base
	Box       Kind = "box"       // x (place), min, q1, median, q3, max; outliers are a series of points. A violin has the style violin
	Area      Kind = "area"      // x, low, high
	ErrorBars Kind = "errorbars" // x, low, high
	Image     Kind = "image"     // value, row by row; no columns if the pixels are colours
	Pie       Kind = "pie"       // value: the share of the circle, from 0 to 1
	Rules     Kind = "rules"     // horizontal or vertical lines over the whole axes: x or y
	Mesh      Kind = "mesh"      // value: hexbin, pcolormesh; x, y if known. A contour has only level and Whole
)

// A Series is what one artist or group of artists draws.
type Series struct {
	Kind    Kind
	Label   string  // as in the legend; empty if it has none
	Colour  string  // #rrggbb; empty if it has several
	Alpha   float64 // how opaque the colour is, above 0; 0 if it is wholly opaque
	Style   string  // what else distinguishes it: marker, line style (dashes in brackets) or hatch as in matplotlib, and hollow
	Count   int     // points, bars, boxes or cells, including those that are not in Columns
	Columns []Column
	Whole   *Whole // exact figures of all values if Columns has only a sample; else nil

	// Spills means that what lies beyond the axes is drawn there, as Vega does, and matplotlib if it is told to.
	Spills bool

	Names  []string   // of the wedges of a pie; nil if they have none
	Values string     // what the mapped values are, as the colorbar says
	Shape  [2]int     // rows and columns of an image or mesh; 0 if it has none
	Extent [4]float64 // of an image or mesh in data coordinates: left, right, and where the first row begins and the last one ends
}

// Column returns a column by its name; ok is false if there is none.
func (s *Series) Column(name string) (c Column, ok bool) {
	for _, c := range s.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}

// Numbers returns the values of a column; nil if there is none.
func (s *Series) Numbers(name string) []float64 {
	c, _ := s.Column(name)
	return c.Numbers
}

// A Column is the values of a series in one respect. All columns of a series have the same length.
type Column struct {
	Name    string    // see [Kind]
	Numbers []float64 // NaN where there is none; for dates, seconds since 1970; for categories, the place
}

// A Whole is what is known of all values of a series of which only a sample is kept.
type Whole struct {
	NaN      int    // points of which a value is missing
	Outside  int    // points beyond the axes
	Min, Max Point  // of y, or x for horizontal bars. For values of an image or mesh, X is the place in Shape, row by row, and Y the value
	Last     Point  // NaN where there is none
	Shape    [2]int // rows and columns of the sample of an image or mesh; 0 if it has none
}

// A Point is a place in a plot.
type Point struct{ X, Y float64 }

// An Overlap is something wrong with the place of a text or legend, measured in the drawn picture.
type Overlap struct {
	Kind OverlapKind
	Axes int    // 0 for the figure
	A, B string // the texts or parts; B is empty if there is only one
	// Box is where it is, in pixels of the picture from its top left corner: left, top, right, bottom.
	Box   [4]float64
	Share float64 // of A's area, or of the points that are covered; from 0 to 1
	More  int     // others of its kind, between the same texts, that are not listed
}

// An OverlapKind is a kind of [Overlap].
type OverlapKind string

// The kinds of overlap.
const (
	TextOverText   OverlapKind = "text_over_text"
	TextOverAxes   OverlapKind = "text_over_axes" // it reaches into other axes
	TextCut        OverlapKind = "text_cut"       // it leaves the picture
	LegendOverData OverlapKind = "legend_over_data"
	SmallText      OverlapKind = "small_text" // Share is the height in pixels instead
)
