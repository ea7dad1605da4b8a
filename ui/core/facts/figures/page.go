package figures

import (
	"bytes"
	"encoding/json"
	"regexp"

	"easel/ui/core/facts"
	"easel/ui/core/mimebundle"
)

// plotlyCalled matches where a page draws a figure with Plotly.
var plotlyCalled = regexp.MustCompile(`Plotly\.(?:newPlot|react|plot)\(\s*(?:"[^"]*"|'[^']*'|[\w$.]+)\s*,\s*`)

// inPage reads the figure in a page of Altair, Plotly or Bokeh.
func inPage(page []byte) facts.Figure {
	if mime, spec, ok := mimebundle.VegaSpec(page); ok {
		f, _ := Read(mime, spec)
		return f
	}
	if bytes.Contains(page, []byte("Plotly.")) {
		if figure, ok := plotlyIn(page); ok {
			return plotly(figure)
		}
	}
	return bokeh(page)
}

// plotlyIn returns the figure that a page of Plotly draws. The page may be hostile, so few places are tried.
func plotlyIn(page []byte) (figure []byte, ok bool) {
	const most = 8
	var found struct {
		Data   json.RawMessage `json:"data"`
		Layout json.RawMessage `json:"layout"`
	}
	for _, at := range plotlyCalled.FindAllIndex(page, most) {
		d := json.NewDecoder(bytes.NewReader(page[at[1]:]))
		if d.Decode(&found.Data) != nil || len(found.Data) == 0 || found.Data[0] != '[' {
			continue
		}
		rest := bytes.TrimLeft(page[at[1]+int(d.InputOffset()):], " \t\r\n")
		if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok || json.NewDecoder(bytes.NewReader(rest)).Decode(&found.Layout) != nil {
			found.Layout = nil
		}
		figure, err := json.Marshal(found)
		return figure, err == nil
	}
	return nil, false
}
