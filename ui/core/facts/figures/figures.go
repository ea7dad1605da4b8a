// Package figures reads what plots of Plotly, Bokeh and Vega-Lite show in numbers from their JSON. Bins and quartiles it computes
// as Plotly does. Of a drawn chart of Vega, it reads what the marks say. What it cannot know without a browser, such as a
// smoothed line, it leaves out.
//
// # Goroutines
//
// The package has no state. Its functions are safe for concurrent use.
package figures

import (
	"strings"

	"easel/ui/core/facts"
)

const (
	plotlyType   = "application/vnd.plotly."
	vegaLiteType = "application/vnd.vegalite."
	htmlType     = "text/html"
	scriptType   = "application/javascript"
)

// Bounds of what is read.
const (
	mostNumbers = 1 << 20
	mostSeries  = 200
	mostAxes    = 100
	mostNames   = 4096
)

// Reads reports whether data of a type may be read.
func Reads(mime string) bool {
	return strings.HasPrefix(mime, plotlyType) || strings.HasPrefix(mime, vegaLiteType) || mime == htmlType || mime == scriptType
}

// Read reads a figure from its data. ok is false if it shows nothing that is known.
func Read(mime string, data []byte) (f facts.Figure, ok bool) {
	switch {
	case strings.HasPrefix(mime, plotlyType):
		f = plotly(data)
	case strings.HasPrefix(mime, vegaLiteType):
		f = vegaLite(data)
	case mime == htmlType:
		f = inPage(data)
	case mime == scriptType:
		f = bokeh(data)
	}
	for _, a := range f.Axes {
		ok = ok || len(a.Series) > 0
	}
	return f, ok
}
