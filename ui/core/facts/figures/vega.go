package figures

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"easel/internal/truncate"
	"easel/ui/core/facts"
)

var tag = regexp.MustCompile(`<[^<>]*>`)

// clean returns a text without the HTML that Plotly allows in it.
func clean(s string) string {
	return truncate.Runes(strings.Join(strings.Fields(tag.ReplaceAllString(s, " ")), " "), 300)
}

// A chart is what the package reads of a chart of Vega-Lite.
type chart struct {
	Title     json.RawMessage
	Data      *chartData
	Datasets  map[string][]map[string]any
	Mark      json.RawMessage
	Encoding  map[string]channel
	Transform []json.RawMessage

	Layer, Concat, HConcat, VConcat []chart
	Facet, Repeat                   json.RawMessage
}

// scaleBound matches a selection that moves the axes, such as that of Altair's interactive.
var scaleBound = regexp.MustCompile(`"bind":\s*"scales"`)

// clips reports whether a chart hides what lies beyond its axes.
func (c *chart) clips(bound bool) bool {
	var m struct{ Clip *bool }
	if _ = json.Unmarshal(c.Mark, &m); m.Clip != nil {
		return *m.Clip
	}
	return bound
}

type chartData struct {
	Values json.RawMessage
	Name   string
}

// A channel says which field is shown as x, y or colour, and how.
type channel struct {
	Field, Type      string
	Title            json.RawMessage
	Aggregate, Bin   any
	TimeUnit, Impute any
	Value            any
	Scale            *struct {
		Type   string
		Domain []any
	}
}

// plain reports whether the values of the field are shown as they are.
func (c channel) plain() bool {
	return c.Field != "" && c.Aggregate == nil && (c.Bin == nil || c.Bin == false) && c.TimeUnit == nil && c.Impute == nil
}

// A vegaReader reads a chart.
type vegaReader struct {
	datasets map[string][]map[string]any
	left     int
	figure   facts.Figure
	bound    bool // a selection moves axes, so that marks are clipped
}

func vegaLite(spec []byte) facts.Figure {
	var c chart
	if !decoded(spec, &c) {
		return facts.Figure{}
	}
	r := &vegaReader{datasets: c.Datasets, left: mostNumbers}
	r.bound = scaleBound.Match(spec)
	r.read(&c, nil, nil, 0)
	return r.figure
}

// read reads a chart and those within it. It inherits data and channels of the chart around it.
func (r *vegaReader) read(c *chart, data *chartData, around map[string]channel, depth int) {
	const deepest = 5
	if c.Data == nil {
		c.Data = data
	}
	c.Encoding = inherited(c.Encoding, around)
	parts := slices.Concat(c.Concat, c.HConcat, c.VConcat)
	if depth == deepest || len(c.Facet) > 0 || len(c.Repeat) > 0 || len(r.figure.Axes)+len(parts) > mostAxes {
		r.figure.More++
		return
	}
	for i := range parts {
		r.read(&parts[i], c.Data, c.Encoding, depth+1)
	}
	if len(parts) > 0 {
		return
	}
	nan := math.NaN()
	a := facts.Axes{Number: len(r.figure.Axes) + 1, Title: titleOf(c.Title)}
	a.X, a.Y = facts.Axis{From: nan, To: nan}, facts.Axis{From: nan, To: nan}
	v := &vegaAxes{r, &a, &scale{axis: &a.X}, &scale{axis: &a.Y}}
	v.layers(c, depth)
	r.figure.Axes = append(r.figure.Axes, a)
}

func inherited(own, around map[string]channel) map[string]channel {
	all := make(map[string]channel)
	maps.Copy(all, around)
	maps.Copy(all, own)
	return all
}

// vegaAxes reads the layers of one chart.
type vegaAxes struct {
	*vegaReader
	a    *facts.Axes
	x, y *scale
}

func (v *vegaAxes) layers(c *chart, depth int) {
	const deepest = 8
	for i := range c.Layer {
		l := &c.Layer[i]
		if l.Data == nil {
			l.Data = c.Data
		}
		l.Encoding = inherited(l.Encoding, c.Encoding)
		l.Transform = append(l.Transform, c.Transform...)
		if depth < deepest {
			v.layers(l, depth+1)
		}
	}
	if len(c.Layer) == 0 && !v.layer(c) {
		v.a.More++
	}
}

var kinds = map[string]facts.Kind{
	"line": facts.Line, "point": facts.Points, "circle": facts.Points, "square": facts.Points, "bar": facts.Bars,
}

// layer reads a chart without layers. It returns false if it does not know what that shows.
func (v *vegaAxes) layer(c *chart) bool {
	kind, known := kinds[markOf(c.Mark)]
	x, y := c.Encoding["x"], c.Encoding["y"]
	rows := v.rows(c.Data)
	if !known || !x.plain() || !y.plain() || len(c.Transform) > 0 || len(rows) == 0 {
		return false
	}
	if kind == facts.Bars && (x.Type == "quantitative" || x.Type == "") && y.Type != "quantitative" {
		kind = facts.BarsH
	}
	apart, groups := c.Encoding["color"], []string{""}
	byGroup := map[string][]map[string]any{"": rows}
	if apart.Field != "" && apart.plain() && apart.Type == "nominal" {
		groups, byGroup = grouped(rows, apart.Field)
		v.a.Legend = true
	} else if apart.Field != "" && (kind == facts.Bars || kind == facts.BarsH) {
		return false // it may be stacked
	}
	if len(groups) > 1 && (kind == facts.Bars || kind == facts.BarsH) &&
		c.Encoding["xOffset"].Field == "" && c.Encoding["yOffset"].Field == "" {
		return false // they are stacked
	}
	v.axis(&v.a.X, v.x, x)
	v.axis(&v.a.Y, v.y, y)
	for _, g := range groups {
		s, ok := v.series(kind, byGroup[g], x, y)
		s.Spills = !c.clips(v.bound)
		if s.Label = clean(g); !ok || len(v.a.Series) >= mostSeries {
			v.a.More++
			continue
		}
		v.a.Series = append(v.a.Series, s)
	}
	return true
}

func markOf(raw json.RawMessage) string {
	var mark string
	if json.Unmarshal(raw, &mark) == nil {
		return mark
	}
	var m struct{ Type string }
	_ = json.Unmarshal(raw, &m)
	return m.Type
}

func (v *vegaAxes) rows(d *chartData) (rows []map[string]any) {
	if d == nil {
		return nil
	}
	if d.Name != "" {
		return v.datasets[d.Name]
	}
	_ = json.Unmarshal(d.Values, &rows) // other forms are not read
	return rows
}

// grouped divides rows by the values of a field, in their order.
func grouped(rows []map[string]any, field string) (groups []string, by map[string][]map[string]any) {
	by = make(map[string][]map[string]any)
	for _, row := range rows {
		g := fmt.Sprint(row[field])
		if by[g] == nil {
			groups = append(groups, g)
		}
		by[g] = append(by[g], row)
	}
	slices.Sort(groups)
	return groups, by
}

// axis reads what a channel says of its axis.
func (v *vegaAxes) axis(a *facts.Axis, s *scale, c channel) {
	if a.Label = clean(c.Field); len(c.Title) > 0 {
		a.Label = titleOf(c.Title)
	}
	switch c.Type {
	case "nominal", "ordinal":
		s.kind = "category"
	case "temporal":
		s.kind = "date"
	}
	if c.Scale == nil {
		return
	}
	if c.Scale.Type == "log" {
		a.Scale = facts.Log
	}
	if ends := valuesOf(c.Scale.Domain); ends.len() == 2 && s.kind != "category" {
		if at, ok := s.places(ends); ok {
			a.From, a.To = at[0], at[1]
		}
	}
}

func (v *vegaAxes) series(kind facts.Kind, rows []map[string]any, x, y channel) (s facts.Series, ok bool) {
	if v.left -= 2 * len(rows); v.left < 0 {
		return s, false
	}
	var xs, ys []any
	for _, row := range rows {
		xs, ys = append(xs, row[x.Field]), append(ys, row[y.Field])
	}
	atX, ok := v.x.places(valuesOf(xs))
	atY, ok2 := v.y.places(valuesOf(ys))
	if s = (facts.Series{Kind: kind, Count: len(rows)}); kind == facts.Line {
		s.Style = "-"
	}
	s.Columns = []facts.Column{{Name: "x", Numbers: atX}, {Name: "y", Numbers: atY}}
	return s, ok && ok2
}
