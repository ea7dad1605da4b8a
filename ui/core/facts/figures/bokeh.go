package figures

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// A model is an object of Bokeh: its name, and its attributes as JSON says them.
type model map[string]any

func (m model) name() string { return text(m["name"]) }

func text(v any) string {
	s, _ := v.(string)
	return s
}

// A bokehReader reads the plots of a document.
type bokehReader struct {
	models map[string]model // by their id
	left   int
	figure facts.Figure
}

// docsAssigned matches where the documents begin in a script of Bokeh, docsElement where they do in a page.
var (
	docsAssigned = regexp.MustCompile(`docs_json\s*=\s*(['{])`)
	docsElement  = regexp.MustCompile(`<script type="application/json"[^<>]*>\s*(\{)`)
)

// bokehDocs returns the documents in a script or a page of Bokeh.
func bokehDocs(source []byte) (docs map[string]struct{ Roots []any }, ok bool) {
	for _, pattern := range []*regexp.Regexp{docsAssigned, docsElement} {
		at := pattern.FindSubmatchIndex(source)
		if at == nil {
			continue
		}
		begin := source[at[2]:]
		if begin[0] == '\'' {
			begin = quoted(begin)
		}
		if json.NewDecoder(bytes.NewReader(begin)).Decode(&docs) == nil {
			return docs, true
		}
	}
	return nil, false
}

// quoted returns the text in quotes with which a script begins.
func quoted(script []byte) (s []byte) {
	for i := 1; i < len(script) && script[i] != script[0]; i++ {
		if script[i] == '\\' && i+1 < len(script) {
			if i++; script[i] == 'n' {
				s = append(s, '\n')
				continue
			}
		}
		s = append(s, script[i])
	}
	return s
}

// bokeh reads a script or a page that draws plots with Bokeh.
func bokeh(source []byte) facts.Figure {
	docs, ok := bokehDocs(source)
	if !ok {
		return facts.Figure{}
	}
	r := &bokehReader{models: make(map[string]model), left: mostNumbers}
	var plots []model
	for _, doc := range docs {
		r.collect(doc.Roots, &plots, 0)
	}
	for _, p := range plots {
		if len(r.figure.Axes) >= mostAxes {
			r.figure.More++
			continue
		}
		r.plot(p)
	}
	return r.figure
}

// collect finds all models, and the plots among them in their order.
func (r *bokehReader) collect(v any, plots *[]model, depth int) {
	const deepest = 60
	if depth > deepest {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			r.collect(each, plots, depth+1)
		}
	case map[string]any:
		if id := text(v["id"]); id != "" && v["name"] != nil {
			r.models[id] = v
			if name := text(v["name"]); name == "Figure" || name == "Plot" || strings.HasSuffix(name, "figure.Figure") {
				*plots = append(*plots, v)
			}
		}
		for key, each := range v {
			if _, is := each.(string); !is && key != "array" {
				r.collect(each, plots, depth+1)
			}
		}
	}
}

// model returns a model that is given whole or by its id; nil if it is none.
func (r *bokehReader) model(v any) model {
	m, _ := v.(map[string]any)
	if m["name"] == nil && m["id"] != nil {
		return r.models[text(m["id"])]
	}
	return m
}

// attribute returns an attribute of a model.
func (r *bokehReader) attribute(m model, name string) any {
	a, _ := m["attributes"].(map[string]any)
	return a[name]
}

func (r *bokehReader) list(m model, name string) (all []model) {
	list, _ := r.attribute(m, name).([]any)
	for _, v := range list {
		if each := r.model(v); each != nil {
			all = append(all, each)
		}
	}
	return all
}

// A bokehPlot is a plot, and its axes by the names of their ranges.
type bokehPlot struct {
	*bokehReader

	plot   model
	axes   map[string]*bokehAxes
	order  []*bokehAxes
	labels map[string]string // of renderers, by their id
}

type bokehAxes struct {
	*facts.Axes

	x, y *scale
}

// plot reads a plot.
func (r *bokehReader) plot(m model) {
	p := &bokehPlot{bokehReader: r, plot: m, axes: make(map[string]*bokehAxes), labels: make(map[string]string)}
	legend := p.legend()
	for _, renderer := range r.list(m, "renderers") {
		if r.attribute(renderer, "visible") == false || renderer.name() != "GlyphRenderer" {
			continue
		}
		a := p.on(renderer)
		if a == nil {
			r.figure.More++
			continue
		}
		var s facts.Series
		ok := false
		if len(a.Series) < mostSeries {
			s, ok = p.series(a, renderer)
		}
		if !ok {
			a.More++
			continue
		}
		s.Label = p.labels[text(renderer["id"])]
		a.Series = append(a.Series, s)
	}
	for _, a := range p.order {
		p.spans(a)
		a.Legend = legend
		a.X.Scale, a.X.Names, a.Y.Scale, a.Y.Names = a.x.axis.Scale, a.x.axis.Names, a.y.axis.Scale, a.y.axis.Names
		r.figure.Axes = append(r.figure.Axes, *a.Axes)
	}
}

// legend reads the labels that the legend gives to renderers.
func (p *bokehPlot) legend() (shown bool) {
	for _, place := range []string{"center", "left", "right", "above", "below"} {
		for _, m := range p.list(p.plot, place) {
			if m.name() != "Legend" {
				continue
			}
			for _, item := range p.list(m, "items") {
				shown = true
				label, _ := p.attribute(item, "label").(map[string]any)
				for _, renderer := range p.list(item, "renderers") {
					p.labels[text(renderer["id"])] = clean(text(label["value"]))
				}
			}
		}
	}
	return shown
}

// columnsOf returns the columns of a source by their names. Many renderers may share many columns, so each counts as a
// number that is read.
func (p *bokehPlot) columnsOf(source model) map[string]any {
	data, _ := p.attribute(source, "data").(map[string]any)
	list, _ := data["entries"].([]any)
	if p.left -= len(list); p.left < 0 {
		return nil
	}
	return entries(data)
}

// on returns the axes of a renderer; nil if there are too many.
func (p *bokehPlot) on(renderer model) *bokehAxes {
	xName, yName := text(p.attribute(renderer, "x_range_name")), text(p.attribute(renderer, "y_range_name"))
	key := xName + " " + yName
	if a := p.axes[key]; a != nil {
		return a
	}
	if len(p.figure.Axes)+len(p.order) >= mostAxes {
		return nil
	}
	a := &bokehAxes{Axes: &facts.Axes{Number: len(p.figure.Axes) + len(p.order) + 1}}
	if len(p.order) > 0 {
		a.Twin = p.order[0].Number
		switch {
		case p.has("right", "y", yName) && !p.has("left", "y", yName):
			a.Side = facts.Right
		case p.has("above", "x", xName) && !p.has("below", "x", xName):
			a.Side = facts.Top
		}
	}
	a.Title = clean(text(p.attribute(p.model(p.attribute(p.plot, "title")), "text")))
	a.x, a.y = p.axis(&a.X, "x", xName), p.axis(&a.Y, "y", yName)
	p.axes[key], p.order = a, append(p.order, a)
	return a
}

// has reports whether there is an axis of a range at a side of the plot.
func (p *bokehPlot) has(side, way, name string) bool {
	return slices.ContainsFunc(p.list(p.plot, side), func(m model) bool {
		return strings.HasSuffix(m.name(), "Axis") && cmp.Or(text(p.attribute(m, way+"_range_name")), "default") == cmp.Or(name, "default")
	})
}

// axis reads an axis: its range, its scale and its label.
func (p *bokehPlot) axis(a *facts.Axis, way, name string) *scale {
	rangeOf, scaleOf := p.model(p.attribute(p.plot, way+"_range")), p.model(p.attribute(p.plot, way+"_scale"))
	if name != "" && name != "default" {
		rangeOf = p.extra("extra_"+way+"_ranges", name)
		if own := p.extra("extra_"+way+"_scales", name); own != nil {
			scaleOf = own
		}
	}
	places := []string{"below", "above"}
	if way == "y" {
		places = []string{"left", "right"}
	}
	s := &scale{axis: a}
	for _, place := range places {
		for _, m := range p.list(p.plot, place) {
			of := text(p.attribute(m, way+"_range_name"))
			if !strings.HasSuffix(m.name(), "Axis") || cmp.Or(of, "default") != cmp.Or(name, "default") {
				continue
			}
			if label := clean(text(p.attribute(m, "axis_label"))); a.Label == "" {
				a.Label = label
			}
			if m.name() == "DatetimeAxis" {
				s.kind = "date"
			}
		}
	}
	if scaleOf.name() == "LogScale" {
		s.kind, a.Scale = "log", facts.Log
	}
	p.ends(s, rangeOf)
	return s
}

func (p *bokehPlot) extra(attribute, name string) model {
	m, _ := p.attribute(p.plot, attribute).(map[string]any)
	return p.model(entries(m)[name])
}

// ends reads the ends of a range.
func (p *bokehPlot) ends(s *scale, m model) {
	a := s.axis
	a.From, a.To = math.NaN(), math.NaN()
	start, end := p.attribute(m, "start"), p.attribute(m, "end")
	switch m.name() {
	case "FactorRange":
		s.kind = "category"
		factors, _ := p.attribute(m, "factors").([]any)
		names := list{texts: []string{}}
		for _, f := range factors[:min(len(factors), mostNames)] {
			names.texts = append(names.texts, factor(f))
		}
		_, _ = s.places(names)
		return
	case "Range1d":
		if start == nil {
			start = 0.0
		}
		if end == nil {
			end = 1.0
		}
	case "DataRange1d":
	default:
		return
	}
	if from, ok := start.(float64); ok {
		a.From = from
	}
	if to, ok := end.(float64); ok {
		a.To = to
	}
	if s.kind == "date" {
		a.From, a.To = a.From/1000, a.To/1000
	}
}

// factor returns the name of a category, which may have several levels.
func factor(v any) string {
	levels, ok := v.([]any)
	if !ok {
		return text(v)
	}
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = factor(l)
	}
	return strings.Join(names, " / ")
}

// entries returns a map of Bokeh's.
func entries(m map[string]any) map[string]any {
	all := make(map[string]any)
	list, _ := m["entries"].([]any)
	for _, e := range list {
		if pair, ok := e.([]any); ok && len(pair) == 2 {
			all[text(pair[0])] = pair[1]
		}
	}
	return all
}

// spans reads the lines over whole axes.
func (p *bokehPlot) spans(a *bokehAxes) {
	for _, m := range slices.Concat(p.list(p.plot, "center"), p.list(p.plot, "renderers")) {
		at, ok := p.attribute(m, "location").(float64)
		if m.name() != "Span" || !ok || len(a.Series) >= mostSeries {
			continue
		}
		way, s := "y", a.y
		if text(p.attribute(m, "dimension")) == "height" {
			way, s = "x", a.x
		}
		numbers, _ := s.places(list{numbers: []float64{at}})
		a.Series = append(a.Series, facts.Series{
			Kind: facts.Rules, Colour: colour(text(p.attribute(m, "line_color"))), Count: 1, Columns: []facts.Column{{Name: way, Numbers: numbers}},
		})
	}
}
