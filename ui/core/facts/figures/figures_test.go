package figures

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/facts"
	"easel/ui/core/facts/checks"
	"easel/ui/core/facts/words"
)

const plotlyMIME, vegaMIME = "application/vnd.plotly.v1+json", "application/vnd.vegalite.v5+json"

func read(t *testing.T, mime, data string) facts.Figure {
	t.Helper()
	f, ok := Read(mime, []byte(data))
	if !ok {
		t.Fatalf("nothing was read from %s", data)
	}
	return f
}

func TestPlotly(t *testing.T) {
	f := read(t, plotlyMIME, `{"data":[
		{"type":"scatter","mode":"lines+markers","name":"North","x":["2024-01-01","2024-01-02T12:00:00"],"y":[1.5,null],"line":{"color":"rgb(255, 127, 14)"}},
		{"type":"scatter","mode":"markers","name":"<b>South</b>","y":{"dtype":"i2","bdata":"AQD//w=="},"xaxis":"x2","yaxis":"y2"},
		{"type":"bar","x":["a","b","a"],"y":{"dtype":"f8","bdata":"AAAAAAAA8D8AAAAAAAAAQAAAAAAAAAhA"},"xaxis":"x3","yaxis":"y3"},
		{"type":"bar","orientation":"h","y":["a"],"x":[3],"xaxis":"x4","yaxis":"y4"},
		{"type":"pie","values":[1,3],"labels":["p","q"]},
		{"type":"heatmap","z":[[1,2],[3,null]],"xaxis":"x5","yaxis":"y5"},
		{"type":"sunburst","labels":["a"]}, {"type":"scatter","y":[1],"visible":false}
	],"layout":{"title":{"text":"Sales"},"xaxis":{"title":{"text":"day"}},"yaxis":{"title":"EUR","range":[0,9.95]},"yaxis2":{"type":"log","range":[0,2]},
		"template":{"layout":{"colorway":["#636efa","#EF553B"]}}}}`)
	if len(f.Axes) != 6 || f.Axes[0].Title != "Sales" || f.Axes[0].More != 1 {
		t.Fatalf("got %+v", f)
	}
	a, log := f.Axes[0], f.Axes[1]
	north := a.Series[0]
	if a.X.Scale != facts.Date || a.X.Label != "day" || a.Y.To != 9.95 || !math.IsNaN(a.X.From) || north.Colour != "#ff7f0e" || north.Kind != facts.Line {
		t.Errorf("got %+v", a)
	}
	if x, y := north.Numbers("x"), north.Numbers("y"); x[1]-x[0] != 129_600 || y[0] != 1.5 || !math.IsNaN(y[1]) {
		t.Errorf("got %v, %v", x, y)
	}
	south := log.Series[0]
	if log.Y.Scale != facts.Log || log.Y.From != 1 || log.Y.To != 100 || south.Kind != facts.Points || south.Label != "South" || south.Colour != "#ef553b" ||
		fmt.Sprint(south.Columns) != "[{x [0 1]} {y [1 -1]}]" {
		t.Errorf("got %+v", log)
	}
	if bars := f.Axes[2]; bars.X.Scale != facts.Category || !slices.Equal(bars.X.Names, []string{"a", "b"}) || fmt.Sprint(bars.Series[0].Columns) != "[{x [0 1 0]} {y [1 2 3]}]" {
		t.Errorf("got %+v", bars)
	}
	if s := f.Axes[3].Series[0]; s.Kind != facts.BarsH {
		t.Errorf("got %+v", s)
	}
	if s := f.Axes[4].Series[0]; s.Kind != facts.Pie || fmt.Sprint(s.Columns, s.Names) != "[{value [0.25 0.75]}] [p q]" {
		t.Errorf("got %+v", s)
	}
	if s := f.Axes[5].Series[0]; s.Kind != facts.Image || s.Shape != [2]int{2, 2} || fmt.Sprint(s.Columns) != "[{value [1 2 3 NaN]}]" {
		t.Errorf("got %+v", s)
	}
}

func TestVegaLite(t *testing.T) {
	f := read(t, vegaMIME, `{"title":"Prices","data":{"name":"d"},"datasets":{"d":[
			{"day":"2024-01-01","price":1,"symbol":"B"},{"day":"2024-01-02","price":2,"symbol":"A"},{"day":"2024-01-03","price":null,"symbol":"A"}]},
		"mark":{"type":"line"},"encoding":{"x":{"field":"day","type":"temporal"},"y":{"field":"price","type":"quantitative","title":"EUR","scale":{"domain":[0,1.5]}},
		"color":{"field":"symbol","type":"nominal"}}}`)
	a := f.Axes[0]
	if a.Title != "Prices" || a.X.Label != "day" || a.X.Scale != facts.Date || a.Y.Label != "EUR" || a.Y.To != 1.5 || len(a.Series) != 2 || !a.Legend {
		t.Fatalf("got %+v", a)
	}
	if s := a.Series[0]; s.Label != "A" || s.Count != 2 || s.Numbers("y")[0] != 2 || !math.IsNaN(s.Numbers("y")[1]) {
		t.Errorf("got %+v", s)
	}
	layered := read(t, vegaMIME, `{"data":{"values":[{"a":"x","b":3},{"a":"y","b":4}]},"hconcat":[{"layer":[
		{"mark":"bar","encoding":{"x":{"field":"a","type":"nominal"},"y":{"field":"b","type":"quantitative"}}},
		{"mark":"rule","encoding":{"y":{"aggregate":"mean","field":"b"}}}]}, {"mark":"point","encoding":{"x":{"field":"b","type":"quantitative"},"y":{"field":"b","type":"quantitative"}}}]}`)
	if len(layered.Axes) != 2 || layered.Axes[0].More != 1 || layered.Axes[0].Series[0].Kind != facts.Bars || !slices.Equal(layered.Axes[0].X.Names, []string{"x", "y"}) {
		t.Errorf("got %+v", layered)
	}
}

// TestVegaDrawsBeyondTheAxes: only a clipped mark hides what lies beyond them.
func TestVegaDrawsBeyondTheAxes(t *testing.T) {
	const chart = `{"data":{"values":[{"a":1,"b":3},{"a":2,"b":99}]},"mark":%s,"encoding":{"x":{"field":"a","type":"quantitative"},
		"y":{"field":"b","type":"quantitative","scale":{"domain":[0,10]}}}%s}`
	for _, c := range []struct{ mark, more, want string }{
		{`"point"`, "", "drawn outside of the axes: points 1 of 2 points (1 above, up to 99, axis to 10). x 1 to 2; 2 points, min 3 at 1, max 99 at 2."},
		{`{"type":"point","clip":true}`, "", "OFF-AXIS: points 1 of 2 points (1 above, up to 99, axis to 10). x 1 to 2; 2 points, min 3 at 1, max 99 at 2."},
		{`"point"`, `,"params":[{"name":"p","select":"interval","bind":"scales"}]`, "OFF-AXIS: points 1 of 2 points (1 above, up to 99, axis to 10). x 1 to 2; 2 points, min 3 at 1, max 99 at 2."},
	} {
		f := read(t, vegaMIME, fmt.Sprintf(chart, c.mark, c.more))
		if got := words.Brief(f, nil, nil); got != c.want {
			t.Errorf("%s%s: %q", c.mark, c.more, got)
		}
		f.Axes[0].Number = 1
		for _, found := range checks.Find(f) {
			if drawn := strings.Contains(found.Text(), "drawn outside"); found.Check == checks.OffAxis && drawn != strings.HasPrefix(c.want, "drawn") {
				t.Errorf("%s%s: %q", c.mark, c.more, found.Text())
			}
		}
	}
}

// TestWhatABrowserComputesIsLeftOut covers charts whose data is not what they show.
func TestWhatABrowserComputesIsLeftOut(t *testing.T) {
	const data, y = `"data":{"values":[{"a":1,"b":3}]},`, `"y":{"field":"b","type":"quantitative"}`
	for mime, charts := range map[string][]string{
		plotlyMIME: {
			"", "[]", `{"data":3}`, `{"data":[{"type":"histogram","x":["2024-01-01"]}]}`, `{"data":[{"type":"histogram","x":[1,2],"cumulative":{"enabled":true}}]}`,
			`{"data":[{"y":{"dtype":"f8","bdata":"AAA="}}]}`,
		},
		vegaMIME: {
			"{}", `{` + data + `"mark":"bar","encoding":{"x":{"field":"a","bin":true},` + y + `}}`,
			`{` + data + `"transform":[{"filter":"a"}],"mark":"point","encoding":{"x":{"field":"a","type":"quantitative"},` + y + `}}`,
			`{` + data + `"mark":"point","encoding":{"x":{"field":"a","timeUnit":"year"},` + y + `}}`,
			`{"data":{"url":"x.csv"},"mark":"point","encoding":{"x":{"field":"a"},` + y + `}}`,
		},
		"text/html": {"<html>"},
	} {
		for _, chart := range charts {
			if f, ok := Read(mime, []byte(chart)); ok {
				t.Errorf("%s was read as %+v", chart, f)
			}
		}
	}
}

// TestHostileFigures reads figures that ask for more than they have: nothing may panic, or take memory or time for it.
func TestHostileFigures(t *testing.T) {
	many := strings.Repeat(`{"type":"histogram","x":[0,4998],"xbins":{"start":0,"size":1}},`, 3000)
	renderers := strings.Repeat(`{"id":"r"},`, 20_000)
	columns := strings.Repeat(`["a",0],`, 20_000)
	for name, c := range map[string]struct{ mime, data string }{
		"no place":     {plotlyMIME, `{"data":[{"type":"histogram","x":[null],"xbins":{"start":0,"size":1}},{"type":"histogram","x":[1,2,3]}]}`},
		"no group":     {plotlyMIME, `{"data":[{"type":"histogram","x":[1,2,3]},{"type":"histogram","x":[null,null]}]}`},
		"a long image": {plotlyMIME, `{"data":[{"type":"heatmap","z":{"dtype":"u1","bdata":"AQIDBAU=","shape":"3, 6148914691236517207"}}]}`},
		"many bins":    {plotlyMIME, `{"data":[` + strings.TrimSuffix(many, ",") + `],"layout":{"barmode":"overlay"}}`},
		"many columns": {scriptType, `const docs_json = '{"d":{"roots":[{"type":"object","name":"Figure","id":"f","attributes":{"renderers":[` +
			`{"type":"object","name":"GlyphRenderer","id":"r","attributes":{"data_source":{"type":"object","name":"ColumnDataSource","id":"s",` +
			`"attributes":{"data":{"type":"map","entries":[` + strings.TrimSuffix(columns, ",") + `]}}},"glyph":{"type":"object","name":"Line","id":"g"}}},` +
			strings.TrimSuffix(renderers, ",") + `]}}]}}';`},
	} {
		f, _ := Read(c.mime, []byte(c.data))
		numbers := 0
		for _, a := range f.Axes {
			for _, s := range a.Series {
				for _, col := range s.Columns {
					numbers += len(col.Numbers)
				}
			}
		}
		if numbers > 4*mostNumbers {
			t.Errorf("%s: %d numbers", name, numbers)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(true, []byte(`{"data":[{"x":["a"],"y":{"dtype":"f8","bdata":"AAAAAAAA8D8="}}],"layout":{"xaxis":{"range":["2024-01-01",1]}}}`))
	f.Add(false, []byte(`{"layer":[{"mark":"bar","data":{"values":[{"a":1}]},"encoding":{"x":{"field":"a"},"y":{"field":"a"}}}]}`))
	f.Fuzz(func(t *testing.T, ofPlotly bool, data []byte) {
		mime := vegaMIME
		if ofPlotly {
			mime = plotlyMIME
		}
		got, _ := Read(mime, data)
		for _, a := range got.Axes {
			for _, s := range a.Series {
				for _, c := range s.Columns {
					if len(c.Numbers) != len(s.Columns[0].Numbers) {
						t.Errorf("%+v", s)
					}
				}
			}
		}
	})
}
