package figures

import (
	"encoding/json"
	"regexp"
	"slices"

	"easel/ui/core/facts"
)

// A trace is what the package reads of Plotly's traces.
type trace struct {
	Type, Mode, Name, Orientation, Fill string
	X, Y, Z, Values, Labels, Base       json.RawMessage
	R, Theta, X0, Y0                    json.RawMessage
	Q1, Median, Q3, LowerFence          json.RawMessage
	UpperFence                          json.RawMessage
	XAxis, YAxis, ColorAxis             string
	Visible                             any
	ShowLegend                          *bool
	StackGroup, GroupNorm               string
	ConnectGaps                         bool
	BinGroup, HistFunc, HistNorm        string
	QuartileMethod                      string
	BoxPoints, Points                   any
	NBinsX, NBinsY                      int
	XBins, YBins                        *binsJSON
	Cumulative                          struct{ Enabled bool }
	Line, Marker                        style
	FillColor                           json.RawMessage
	ColorBar                            struct{ Title json.RawMessage }
	ErrorX                              *errorsJSON `json:"error_x"`
	ErrorY                              *errorsJSON `json:"error_y"`
	Domain, Opacity                     json.RawMessage

	group   string // of bins
	unknown bool   // how its stack of areas is drawn
}

type style struct {
	Color, Size, Symbol, Opacity json.RawMessage
	ColorAxis, Dash              string
	ColorBar                     struct{ Title json.RawMessage }
	Pattern                      struct{ Shape json.RawMessage }
}

// A plotlyFigure is a figure of Plotly.
type plotlyFigure struct {
	Data   []trace
	Layout map[string]json.RawMessage
}

// A plotlyReader reads the traces of a figure.
type plotlyReader struct {
	layout  map[string]json.RawMessage
	colours []string
	left    int // numbers that may still be read
	axes    []*plotlyAxes
	by      map[string]*plotlyAxes
	barMode string
	drawn   int // traces that are drawn, of which each has a colour
	legend  int // those with an entry in the legend
	bins    map[string]*bins
	scales  map[string]*scale
}

// plotlyAxes are axes, and what was drawn on them so far.
type plotlyAxes struct {
	*facts.Axes

	x, y     *scale // of all axes with this axis, or with one that it matches
	xID, yID string
	stacked  map[stackPlace]float64 // the ends of bars and areas
}

// defaultColours are those of plotly.js, for a figure without a template.
var defaultColours = []string{"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"}

func plotly(data []byte) (f facts.Figure) {
	var j plotlyFigure
	if !decoded(data, &j) {
		return f
	}
	r := &plotlyReader{
		layout: j.Layout, left: mostNumbers, by: make(map[string]*plotlyAxes), bins: make(map[string]*bins), scales: make(map[string]*scale),
	}
	var template struct {
		Layout struct{ Colorway []string }
	}
	_ = json.Unmarshal(j.Layout["template"], &template)
	_ = json.Unmarshal(j.Layout["colorway"], &r.colours)
	if len(r.colours) == 0 {
		r.colours = template.Layout.Colorway
	}
	if len(r.colours) == 0 {
		r.colours = defaultColours
	}
	_ = json.Unmarshal(j.Layout["barmode"], &r.barMode)
	shareStacks(j.Data)
	traces := slices.DeleteFunc(j.Data, func(t trace) bool { return t.Visible == false || t.Visible == "legendonly" })
	r.shareBins(traces)
	for i := range traces {
		a := r.on(&traces[i])
		if a == nil {
			f.More++
			continue
		}
		r.read(a, &traces[i])
	}
	r.finish()
	for _, a := range r.axes {
		f.Axes = append(f.Axes, *a.Axes)
	}
	return f
}

// read adds the series that a trace draws to its axes.
func (r *plotlyReader) read(a *plotlyAxes, t *trace) {
	s := facts.Series{Label: clean(t.Name), Colour: r.colour(t)}
	if t.ShowLegend == nil && t.Type != "heatmap" || t.ShowLegend != nil && *t.ShowLegend {
		r.legend++
	}
	list, ok := r.series(a, s, t)
	if !ok || len(a.Series)+len(list) > mostSeries {
		a.More++
		return
	}
	var hatch string
	_ = json.Unmarshal(t.Marker.Pattern.Shape, &hatch)
	for i := range list {
		s := &list[i]
		s.Alpha = t.alpha(s.Kind == facts.Points)
		if s.Kind == facts.Bars || s.Kind == facts.BarsH || s.Kind == facts.Histogram {
			s.Style += hatch
		}
	}
	a.Series = append(a.Series, list...)
}

// alpha returns how opaque a trace is, as in [facts.Series].
func (t *trace) alpha(markers bool) float64 {
	all := 1.0
	for _, raw := range []json.RawMessage{t.Opacity, t.Marker.Opacity} {
		one := 1.0
		if _ = json.Unmarshal(raw, &one); one > 0 && one < 1 {
			all *= one
		}
		if !markers && t.Type != "bar" && t.Type != "histogram" {
			break
		}
	}
	if all == 1 {
		return 0
	}
	return all
}

// series returns what a trace draws.
func (r *plotlyReader) series(a *plotlyAxes, s facts.Series, t *trace) ([]facts.Series, bool) {
	switch t.Type {
	case "", "scatter", "scattergl", "scatterpolar", "scatterpolargl":
		return r.scatter(a, s, t)
	case "bar":
		return r.bars(a, s, t)
	case "histogram":
		return r.histogram(a, s, t)
	case "box", "violin":
		return r.boxes(a, s, t)
	case "pie":
		return r.pie(s, t)
	case "heatmap", "heatmapgl", "contour":
		return r.heatmap(a, s, t)
	}
	return nil, false
}

// finish adds what depends on all traces.
func (r *plotlyReader) finish() {
	var shown *bool
	_ = json.Unmarshal(r.layout["showlegend"], &shown)
	r.twins()
	for _, a := range r.axes {
		a.Legend = r.legend > 1 || slices.ContainsFunc(a.Series, func(s facts.Series) bool { return s.Kind == facts.Pie })
		if shown != nil {
			a.Legend = *shown
		}
		if a.Projection == "" {
			r.rules(a)
		}
		labelX, labelY := a.X.Label, a.Y.Label
		a.X, a.Y = *a.x.axis, *a.y.axis
		a.X.Label, a.Y.Label = labelX, labelY
	}
}

// rules reads the lines over whole axes, as of add_hline.
func (r *plotlyReader) rules(a *plotlyAxes) {
	var shapes []struct {
		Type, XRef, YRef string
		X0, X1, Y0, Y1   json.RawMessage
		Line             struct{ Color json.RawMessage }
	}
	_ = json.Unmarshal(r.layout["shapes"], &shapes)
	for _, s := range shapes[:min(len(shapes), mostSeries)] {
		for _, way := range []struct {
			name, ref, id, over, overID string
			scale                       *scale
			from, to                    json.RawMessage
		}{{"y", s.YRef, a.yID, s.XRef, a.xID, a.y, s.Y0, s.Y1}, {"x", s.XRef, a.xID, s.YRef, a.yID, a.x, s.X0, s.X1}} {
			if s.Type != "line" || way.ref != way.id || way.over != "paper" && way.over != way.overID+" domain" {
				continue
			}
			at, ok := way.scale.one(way.from)
			if end, ok2 := way.scale.one(way.to); !ok || !ok2 || at != end || len(a.Series) == mostSeries {
				continue
			}
			a.Series = append(a.Series, facts.Series{
				Kind: facts.Rules, Colour: colourOf(s.Line.Color), Count: 1, Columns: []facts.Column{{Name: way.name, Numbers: []float64{at}}},
			})
		}
	}
}

// titleOf returns a title, which is a text or has one.
func titleOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return clean(text)
	}
	var title struct{ Text string }
	_ = json.Unmarshal(raw, &title)
	return clean(title.Text)
}

// colour returns the colour of a trace: its own, or the next of the figure's; "" if it has several.
func (r *plotlyReader) colour(t *trace) string {
	r.drawn++
	own := []json.RawMessage{t.Line.Color, t.Marker.Color, t.FillColor}
	if t.Type == "box" || t.Type == "violin" { // the lines of a strip plot are transparent
		own[0], own[1] = own[1], own[0]
	}
	for _, raw := range own {
		if len(raw) > 0 && !transparent.Match(raw) {
			return colourOf(raw)
		}
	}
	if t.Marker.ColorAxis != "" {
		return ""
	}
	return colour(r.colours[(r.drawn-1)%len(r.colours)])
}

// transparent matches a colour that nobody sees, as that of the line round a band.
var transparent = regexp.MustCompile(`^"rgba\([^)]*,\s*0(?:\.0*)?\s*\)"$`)

func colourOf(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text) // a list has several
	return colour(text)
}
