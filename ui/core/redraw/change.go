package redraw

import (
	"encoding/json"
	"strings"

	"easel/ui/core/render"
)

// A kind is a format of figure data that can be given a size and colours.
type kind int

const (
	other kind = iota // drawn as it is
	plotly
	vegaLite
	vega
)

func kindOf(mime string) kind {
	switch {
	case strings.HasPrefix(mime, "application/vnd.plotly."):
		return plotly
	case strings.HasPrefix(mime, "application/vnd.vegalite."):
		return vegaLite
	case strings.HasPrefix(mime, "application/vnd.vega."):
		return vega
	}
	return other
}

// object is a JSON object.
type object = map[string]any

// changed is the data of a figure with the request's size and the theme. Data of other kinds
// stays as it is: such a figure is drawn in a space of that size.
func changed(r render.Request, theme string) ([]byte, error) {
	k := kindOf(r.MIME)
	if k == other {
		if theme != "" {
			return nil, &Error{Reason: Theme}
		}
		return r.Data, nil
	}
	if r.Width == 0 && theme == "" {
		return r.Data, nil
	}
	var figure object
	if err := json.Unmarshal(r.Data, &figure); err != nil {
		return r.Data, nil //nolint:nilerr // the engine says what is wrong with it
	}
	switch k {
	case plotly:
		layout := within(figure, "layout")
		if r.Width > 0 {
			layout["width"], layout["height"], layout["autosize"] = r.Width, r.Height, false
		}
		colourPlotly(layout, theme)
	case vegaLite, vega, other:
		if k == vega || single(figure) {
			if r.Width > 0 {
				figure["width"], figure["height"] = r.Width, r.Height
				figure["autosize"] = object{"type": "fit", "contains": "padding"}
			}
		}
		colourVega(figure, theme)
	}
	return json.Marshal(figure)
}

// within is the object at a key, which is made if it is missing.
func within(o object, key string) object {
	inner, ok := o[key].(object)
	if !ok {
		inner = object{}
		o[key] = inner
	}
	return inner
}

// single reports whether a Vega-Lite chart is one view, which can have any size.
func single(spec object) bool {
	_, mark := spec["mark"]
	_, layers := spec["layer"]
	encoding, _ := spec["encoding"].(object)
	for _, facet := range []string{"facet", "row", "column"} {
		if encoding[facet] != nil {
			return false
		}
	}
	for _, side := range []string{"width", "height"} {
		if _, step := spec[side].(object); step {
			return false
		}
	}
	return mark || layers
}

// The colours of the themes: background, text and lines.
var colours = map[string][3]string{"light": {"#ffffff", "#2a3f5f", "#dfe3ea"}, "dark": {"#141414", "#e6e6e6", "#404040"}}

func colourPlotly(layout object, theme string) {
	c, ok := colours[theme]
	if !ok {
		return
	}
	layout["paper_bgcolor"], layout["plot_bgcolor"] = c[0], c[0]
	within(layout, "font")["color"] = c[1]
	if _, ok := layout["title"].(object); ok {
		within(within(layout, "title"), "font")["color"] = c[1]
	}
	axes := []string{"xaxis", "yaxis"}
	for key := range layout {
		if strings.HasPrefix(key, "xaxis") || strings.HasPrefix(key, "yaxis") {
			axes = append(axes, key)
		}
	}
	for _, key := range axes {
		axis := within(layout, key)
		axis["gridcolor"], axis["zerolinecolor"], axis["linecolor"] = c[2], c[2], c[2]
	}
}

func colourVega(spec object, theme string) {
	c, ok := colours[theme]
	if !ok {
		return
	}
	spec["background"] = c[0]
	config := within(spec, "config")
	for _, key := range []string{"axis", "legend", "header"} {
		part := within(config, key)
		part["labelColor"], part["titleColor"] = c[1], c[1]
	}
	axis := within(config, "axis")
	axis["gridColor"], axis["domainColor"], axis["tickColor"] = c[2], c[2], c[2]
	title := within(config, "title")
	title["color"], title["subtitleColor"] = c[1], c[1]
	within(config, "view")["stroke"] = c[2]
	within(config, "text")["color"] = c[1]
}
