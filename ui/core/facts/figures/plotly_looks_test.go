package figures

import (
	"slices"
	"testing"

	"easel/ui/core/facts/checks"
)

// TestTracesWithOtherLooksAreApart: opacity, patterns, and the fill of a band whose line is transparent.
func TestTracesWithOtherLooksAreApart(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want bool
	}{
		"pattern": {`{"type":"bar","name":"a","y":[1,2],"marker":{"color":"#636efa","pattern":{"shape":""}}},
			{"type":"bar","name":"b","y":[1,3],"marker":{"color":"#636efa","pattern":{"shape":"/"}}}`, false},
		"opacity": {`{"name":"a","y":[1,2],"opacity":0.4,"mode":"markers","marker":{"color":"red"}},
			{"name":"b","y":[2,3],"mode":"markers","marker":{"color":"red"}}`, false},
		"bands": {`{"name":"a","x":[1,2,2,1],"y":[1,2,3,2],"fill":"toself","fillcolor":"rgba(0,100,80,0.2)","line":{"color":"rgba(255,255,255,0)"}},
			{"name":"b","x":[1,2,2,1],"y":[4,5,6,5],"fill":"toself","fillcolor":"rgba(231,107,243,0.2)","line":{"color":"rgba(255,255,255,0)"}}`, false},
		"alike": {`{"name":"a","y":[1,2],"mode":"markers","marker":{"color":"red"}},{"name":"b","y":[2,3],"mode":"markers","marker":{"color":"red"}}`, true},
	} {
		f, _ := Read("application/vnd.plotly.v1+json", []byte(`{"data":[`+c.data+`]}`))
		if got := slices.ContainsFunc(checks.Find(f), func(g checks.Finding) bool { return g.Check == checks.LookAlike }); got != c.want {
			t.Errorf("%s: found %v, want %v", name, got, c.want)
		}
	}
}
