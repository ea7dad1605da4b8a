package figures

import (
	"fmt"
	"math"
	"testing"

	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
)

// TestBinsThatLieAreBars: as horizontal histograms of matplotlib are.
func TestBinsThatLieAreBars(t *testing.T) {
	f := read(t, plotlyMIME, `{"data":[
		{"type":"histogram","y":[1,1,2,3],"orientation":"h"}, {"type":"histogram","y":[1,2,2,3]}
	],"layout":{"barmode":"relative"}}`)
	list := f.Axes[0].Series
	for i, want := range []string{
		"barsh [{y [1 2 3]} {width [1 1 1]} {x [2 1 1]}]",
		"barsh [{y [1 2 3]} {width [1 1 1]} {x [3 3 2]} {base [2 1 1]}]",
	} {
		if got := fmt.Sprint(list[i].Kind, " ", list[i].Columns); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	apart := read(t, plotlyMIME, `{"data":[{"type":"histogram","x":[1,1,2,3]}]}`).Axes[0].Series[0]
	if apart.Kind != facts.Histogram || apart.Columns[0].Name != "x" {
		t.Errorf("got %+v", apart)
	}
}

// TestALineOverGapsHasNoLonePoints: one with connectgaps is drawn from each point to the next.
func TestALineOverGapsHasNoLonePoints(t *testing.T) {
	for more, want := range map[string]int{"": 1, `,"connectgaps":true`: 0} {
		f := read(t, plotlyMIME, `{"data":[{"mode":"lines","x":[1,2,3,4,5],"y":[1,null,2,null,3]`+more+`}]}`)
		n := 0
		for _, found := range checks.Find(f) {
			if found.Check == checks.Invisible {
				n++
			}
		}
		if y := f.Axes[0].Series[0].Numbers("y"); n != want || len(y) != 5 || !math.IsNaN(y[1]) {
			t.Errorf("%q: %d findings, y %v", more, n, y)
		}
	}
}

// TestStacksOfAreas: what is said of one area holds for its whole stack, and nothing is known of those on one that is not read.
func TestStacksOfAreas(t *testing.T) {
	const plain = `{"stackgroup":"1","x":[1,2],"y":[3,4]}`
	for data, want := range map[string]string{
		plain + "," + plain: "0: [{x [1 2]} {low [0 0]} {high [3 4]}][{x [1 2]} {low [3 4]} {high [6 8]}]",
		plain + `,{"stackgroup":"1","x":[1,2],"y":[5,6],"groupnorm":"percent"}`:                        "2: ",
		plain + `,{"stackgroup":"1","x":[1,2],"y":[5,6],"orientation":"h"}`:                            "2: ",
		plain + `,{"stackgroup":"1","x":[1,2],"y":[5,6],"visible":"legendonly","groupnorm":"percent"}`: "1: ",
		plain + `,{"stackgroup":"1","x":[1,2],"y":[5,6],"visible":false,"groupnorm":"percent"}`:        "0: [{x [1 2]} {low [0 0]} {high [3 4]}]",
		plain + `,{"stackgroup":"2","x":[1,2],"y":[5,6],"groupnorm":"percent"}`:                        "1: [{x [1 2]} {low [0 0]} {high [3 4]}]",
		plain + `,{"stackgroup":"1","x":[1,9],"y":[5,6]},` + plain:                                     "2: [{x [1 2]} {low [0 0]} {high [3 4]}]",
		plain + `,{"stackgroup":"1","x":"?","y":[5,6]},` + plain:                                       "2: [{x [1 2]} {low [0 0]} {high [3 4]}]",
		`{"stackgroup":"1","x":[1,1],"y":[5,6]}`:                                                       "1: ",
	} {
		f := plotly([]byte(`{"data":[` + data + `]}`))
		got := fmt.Sprint(f.Axes[0].More, ": ")
		for _, s := range f.Axes[0].Series {
			got += fmt.Sprint(s.Columns)
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", data, got, want)
		}
	}
}
