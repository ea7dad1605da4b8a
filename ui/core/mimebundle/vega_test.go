package mimebundle_test

import (
	"encoding/json"
	"testing"

	"easel/ui/core/mimebundle"
)

func TestTheChartInAPageOfAltairsIsFound(t *testing.T) {
	const spec = `{"mark": "bar", "title": "a })({ in a text", "$schema": "https://vega.github.io/schema/vega-lite/v6.1.0.json"}`
	inCell := `<div id="v"></div><script>(function(spec, embedOpt){ let x = {}; (function(){})({"no": 1}); vegaEmbed(outputDiv, spec, embedOpt); })(` + spec + `, {"mode": "vega-lite"});</script>`
	saved := `<script>var spec = ` + spec + `; vegaEmbed("#vis", spec, {"mode": "vega-lite"});</script>`
	for page, want := range map[string]string{
		inCell: "application/vnd.vegalite.v6+json",
		saved:  "application/vnd.vegalite.v6+json",
		`<script>const spec = {"$schema":"https://vega.github.io/schema/vega/v5.json"}; vegaEmbed("#a", spec)</script>`: "application/vnd.vega.v5+json",
		`<script>var spec = ` + spec + `;</script>`:                                         "",
		`<script>vegaEmbed("#a", "https://example.org/chart.json")</script>`:                "",
		`<script>var spec = {"$schema":"https://example.org/x.json"}; vegaEmbed()</script>`: "",
		`<script>var spec = {broken; vegaEmbed()</script>`:                                  "",
	} {
		mime, got, ok := mimebundle.VegaSpec([]byte(page))
		if mime != want || ok != (want != "") || ok && !json.Valid(got) {
			t.Errorf("%s\nis %q %s", page, mime, got)
		}
	}
}
