package table

import (
	"math"
	"strings"
	"testing"

	"easel/ui/core/facts"
)

func series(kind facts.Kind, label string, columns ...facts.Column) facts.Series {
	return facts.Series{Kind: kind, Label: label, Count: len(columns[0].Numbers), Columns: columns}
}

func TestTables(t *testing.T) {
	nan := math.NaN()
	x := facts.Column{Name: "x", Numbers: []float64{0, 1}}
	y := facts.Column{Name: "y", Numbers: []float64{0.30000000000000004, nan}}
	sampled := series(facts.Points, "p", x, y)
	sampled.Count = 9
	image := series(facts.Image, "", facts.Column{Name: "value", Numbers: []float64{1, 2, 3, 4}})
	image.Shape, image.Values = [2]int{2, 2}, "K"
	pie := series(facts.Pie, "", facts.Column{Name: "value", Numbers: []float64{0.25, 0.75}})
	pie.Names = []string{"=A1", "b,c"}
	for name, c := range map[string]struct {
		figure facts.Figure
		want   string
	}{
		"nothing": {facts.Figure{Axes: []facts.Axes{{}}}, ""},
		"one line": {
			facts.Figure{Axes: []facts.Axes{{X: facts.Axis{Label: "t"}, Series: []facts.Series{series(facts.Line, "", x, y)}}}},
			"t,y\n0,0.30000000000000004\n1,\n",
		},
		"several": {
			facts.Figure{Axes: []facts.Axes{{
				X:      facts.Axis{Scale: facts.Category, Names: []string{"Jan", "+Feb"}},
				Series: []facts.Series{series(facts.Bars, "North", x, y), series(facts.Line, "", x, y)},
			}}},
			"series,x,y\nNorth,Jan,0.30000000000000004\nNorth,'+Feb,\nline 2,Jan,0.30000000000000004\nline 2,'+Feb,\n",
		},
		"dates": {
			facts.Figure{Axes: []facts.Axes{{X: facts.Axis{Label: "day", Scale: facts.Date}, Y: facts.Axis{Scale: facts.Date}, Series: []facts.Series{series(
				facts.Line, "", facts.Column{Name: "x", Numbers: []float64{0, 86400}}, facts.Column{Name: "y", Numbers: []float64{-0.5, 1e9 + 0.25}})}}}},
			"day,y\n1970-01-01,1969-12-31T23:59:59.5\n1970-01-02,2001-09-09T01:46:40.25\n",
		},
		"axes with other labels": {
			facts.Figure{Axes: []facts.Axes{
				{Number: 1, Title: "a", Y: facts.Axis{Label: "K"}, Series: []facts.Series{series(facts.Line, "l", x, facts.Column{Name: "y", Numbers: []float64{0, 1}})}},
				{Number: 2, Y: facts.Axis{Label: "Pa"}, Series: []facts.Series{series(facts.Line, "l", x, facts.Column{Name: "y", Numbers: []float64{0, 1}})}},
			}},
			"axes,series,x,y,x label,y label\n1 a,l,0,0,,K\n1 a,l,1,1,,K\n2,l,0,0,,Pa\n2,l,1,1,,Pa\n",
		},
		"a sample": {
			facts.Figure{Axes: []facts.Axes{{Series: []facts.Series{sampled}}}},
			"series,x,y,sample_of\np,0,0.30000000000000004,9\np,1,,9\n",
		},
		"an image": {facts.Figure{Axes: []facts.Axes{{Series: []facts.Series{image}}}}, "row,column,K\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"},
		"a pie":    {facts.Figure{Axes: []facts.Axes{{Series: []facts.Series{pie}}}}, "name,value\n'=A1,0.25\n\"b,c\",0.75\n"},
	} {
		if got := string(CSV(c.figure)); strings.ReplaceAll(got, "\r\n", "\n") != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
	}
}
