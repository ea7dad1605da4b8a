package figures

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"

	"easel/ui/core/facts"
)

// A glyph is what a renderer draws, and the data that it draws.
type glyph struct {
	*bokehPlot

	model model
	data  map[string]any // columns by their names
}

// series returns what a renderer draws.
func (p *bokehPlot) series(a *bokehAxes, renderer model) (s facts.Series, ok bool) {
	g := &glyph{p, p.model(p.attribute(renderer, "glyph")), p.columnsOf(p.model(p.attribute(renderer, "data_source")))}
	if p.left < 0 {
		return s, false
	}
	view := p.model(p.attribute(renderer, "view"))
	if filter := p.model(p.attribute(view, "filter")); filter != nil && filter.name() != "AllIndices" {
		return s, false // only a part of the data is drawn
	}
	s.Colour = g.colour("line_color", "fill_color")
	switch g.model.name() {
	case "Line", "Step":
		s.Kind, s.Style = facts.Line, "-"
		if dash := g.raw("line_dash"); dash != nil && dash != "solid" {
			s.Style = "--"
		}
		return g.columns(s, a, "x x", "y y")
	case "Scatter", "Circle":
		s.Kind, s.Style, s.Colour = facts.Points, "o", g.colour("fill_color", "line_color")
		if marker, ok := g.raw("marker").(map[string]any); ok && marker["value"] != nil {
			s.Style = strings.Replace(text(marker["value"]), "circle", "o", 1)
		}
		return g.columns(s, a, "x x", "y y")
	case "VBar":
		s.Kind, s.Colour = facts.Bars, g.colour("fill_color", "line_color")
		return g.columns(s, a, "x x", "y top", "width width", "base bottom")
	case "HBar":
		s.Kind, s.Colour = facts.BarsH, g.colour("fill_color", "line_color")
		return g.columns(s, a, "y y", "x right", "width height", "base left")
	case "Quad":
		s.Kind, s.Colour = facts.Histogram, g.colour("fill_color", "line_color")
		return g.bins(s, a)
	case "VArea":
		s.Kind, s.Colour = facts.Area, g.colour("fill_color", "line_color")
		return g.columns(s, a, "x x", "low y1", "high y2")
	case "Image":
		return g.image(s)
	}
	return s, false
}

// columns adds columns to a series, each as "column attribute".
func (g *glyph) columns(s facts.Series, a *bokehAxes, names ...string) (facts.Series, bool) {
	for _, pair := range names {
		name, attribute, _ := strings.Cut(pair, " ")
		l, ok := g.values(g.raw(attribute), attribute)
		if !ok {
			return s, false
		}
		on := a.y
		if name == "x" || (name == "base") == (s.Kind == facts.BarsH) && name == "base" {
			on = a.x
		}
		numbers := l.numbers
		if name == "width" {
			numbers = widths(s, a, numbers)
		} else {
			if numbers, ok = on.places(l); !ok {
				return s, false
			}
		}
		s.Columns = append(s.Columns, facts.Column{Name: name, Numbers: numbers})
	}
	n := 0
	for _, c := range s.Columns {
		n = max(n, len(c.Numbers))
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		if len(c.Numbers) == 1 {
			c.Numbers = slices.Repeat(c.Numbers, n) // the same for all
		}
		if len(c.Numbers) != n {
			return s, false
		}
	}
	s.Columns = slices.DeleteFunc(s.Columns, func(c facts.Column) bool {
		return c.Name == "base" && !slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != 0 })
	})
	s.Count = n
	return s, n > 0
}

// widths returns widths in the unit of the axis that bars stand on: dates are seconds, which Bokeh has in milliseconds.
func widths(s facts.Series, a *bokehAxes, numbers []float64) []float64 {
	on := a.x
	if s.Kind == facts.BarsH {
		on = a.y
	}
	if on.kind != "date" {
		return numbers
	}
	seconds := make([]float64, len(numbers))
	for i, v := range numbers {
		seconds[i] = v / 1000
	}
	return seconds
}

// bins reads rectangles that are bins of a histogram: side by side, from zero.
func (g *glyph) bins(s facts.Series, a *bokehAxes) (facts.Series, bool) {
	s, ok := g.columns(s, a, "x left", "right right", "y top", "base bottom")
	if !ok || len(s.Columns) != 3 {
		return s, false
	}
	left, right := s.Columns[0].Numbers, s.Columns[1].Numbers
	width := make([]float64, len(left))
	for i := range left {
		if width[i] = right[i] - left[i]; i > 0 && math.Abs(left[i]-right[i-1]) > width[i]/100 {
			return s, false
		}
	}
	s.Columns[1] = facts.Column{Name: "width", Numbers: width}
	return s, true
}

// image reads an image of values.
func (g *glyph) image(s facts.Series) (facts.Series, bool) {
	field, _ := g.raw("image").(map[string]any)
	all, _ := g.data[text(field["field"])].([]any)
	if len(all) != 1 {
		return s, false
	}
	l, shape, ok := g.array(all[0])
	if !ok || len(shape) != 2 {
		return s, false
	}
	s.Kind, s.Colour, s.Count, s.Shape = facts.Image, "", l.len(), [2]int{shape[0], shape[1]}
	s.Columns = []facts.Column{{Name: "value", Numbers: l.numbers}}
	var at [4]float64
	for i, name := range []string{"x", "y", "dw", "dh"} {
		v, ok := g.values(g.raw(name), name)
		if !ok || len(v.numbers) != 1 {
			return s, true
		}
		at[i] = v.numbers[0]
	}
	s.Extent = [4]float64{at[0], at[0] + at[2], at[1], at[1] + at[3]}
	return s, true
}

func (g *glyph) raw(attribute string) any { return g.attribute(g.model, attribute) }

// colour returns the first colour that is one for all.
func (g *glyph) colour(attributes ...string) string {
	for _, name := range attributes {
		v := g.raw(name)
		if m, ok := v.(map[string]any); ok {
			if m["field"] != nil {
				return "" // it has several
			}
			v = m["value"]
		}
		if c := colour(text(v)); c != "" {
			return c
		}
	}
	return ""
}

// values returns the values of an attribute: of a column, of a stack of columns, or one for all.
func (g *glyph) values(v any, attribute string) (l list, ok bool) {
	m, _ := v.(map[string]any)
	switch {
	case v == nil && (attribute == "bottom" || attribute == "left"):
		return list{numbers: []float64{0}}, true
	case m == nil:
		n, ok := v.(float64)
		return list{numbers: []float64{n}}, ok
	case m["field"] != nil:
		if t := g.bokehPlot.model(m["transform"]); t != nil && t.name() != "Dodge" {
			return l, false
		}
		l, _, ok = g.array(g.data[text(m["field"])])
		return l, ok
	case m["expr"] != nil:
		return g.stack(g.bokehPlot.model(m["expr"]))
	case m["value"] != nil:
		n, ok := m["value"].(float64)
		return list{numbers: []float64{n}}, ok
	}
	return l, false
}

// stack returns the sums of columns.
func (g *glyph) stack(m model) (l list, ok bool) {
	fields, _ := g.attribute(m, "fields").([]any)
	if m.name() != "Stack" {
		return l, false
	}
	sums := []float64{0}
	for i, f := range fields {
		c, _, ok := g.array(g.data[text(f)])
		if !ok || c.texts != nil || i > 0 && c.len() != len(sums) {
			return l, false
		}
		if i == 0 {
			sums = make([]float64, c.len())
		}
		for k, v := range c.numbers {
			sums[k] += v
		}
	}
	return list{numbers: sums}, true
}

// array reads a list, or an array of NumPy's in base64, which may be compressed.
func (g *glyph) array(v any) (l list, shape []int, ok bool) {
	if all, is := v.([]any); is {
		if g.left -= len(all); g.left < 0 || len(all) == 0 {
			return l, nil, false
		}
		values := slices.Clone(all)
		for i, each := range values {
			switch each := each.(type) {
			case map[string]any:
				values[i] = special(each)
			case []any:
				values[i] = factor(each)
			}
		}
		return valuesOf(values), []int{len(all)}, true
	}
	m, _ := v.(map[string]any)
	bytesOf, _ := m["array"].(map[string]any)
	if text(m["type"]) != "ndarray" {
		return l, nil, false
	}
	if bytesOf == nil {
		return g.array(m["array"])
	}
	dims, _ := m["shape"].([]any)
	size := 1.0
	for _, d := range dims {
		n, _ := d.(float64)
		if !(n >= 1 && n <= mostNumbers) {
			return l, nil, false
		}
		size, shape = size*n, append(shape, int(n))
	}
	dtype, known := dtypes[text(m["dtype"])]
	if !known || !(size >= 1 && size <= float64(g.left)) {
		return l, nil, false
	}
	data, ok := unpacked(text(bytesOf["data"]), int64(size)*int64(dtype[1]-'0'))
	if !ok {
		return l, nil, false
	}
	g.left -= int(size)
	big := text(m["order"]) == "big"
	step := int(dtype[1] - '0')
	for i := 0; i < len(data); i += step {
		if big {
			slices.Reverse(data[i : i+step])
		}
		n, ok := number(dtype, data[i:i+step])
		if !ok {
			return l, nil, false
		}
		l.numbers = append(l.numbers, n)
	}
	return l, shape, true
}

// dtypes are the names of NumPy's types, as Plotly calls them.
var dtypes = map[string]string{
	"float64": "f8", "float32": "f4", "int8": "i1", "uint8": "u1", "bool": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
	"int64": "i8", "uint64": "u8",
}

// number reads a number of a type.
func number(dtype string, b []byte) (float64, bool) {
	switch dtype {
	case "i8":
		return float64(int64(binary.LittleEndian.Uint64(b))), true
	case "u8":
		return float64(binary.LittleEndian.Uint64(b)), true
	}
	return one(dtype, b)
}

// unpacked returns that many bytes of base64, which may be compressed with gzip.
func unpacked(packed string, size int64) ([]byte, bool) {
	data, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, false
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) && int64(len(data)) != size {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, false
		}
		if data, err = io.ReadAll(io.LimitReader(z, size+1)); err != nil {
			return nil, false
		}
	}
	return data, int64(len(data)) == size
}

// special returns a number that JSON has no text for.
func special(m map[string]any) any {
	switch text(m["value"]) {
	case "+inf", "inf":
		return math.Inf(1)
	case "-inf":
		return math.Inf(-1)
	}
	return math.NaN()
}
