package figures

import (
	"testing"

	"easel/ui/core/render/page"
)

func TestExpect(t *testing.T) {
	f := start(t, 1)
	for _, c := range []struct{ code, mime string }{
		{"import plotly.express as px", plotlyMIME},
		{"fig = px.line(x=[1, 2], y=[1, 2])", plotlyMIME},
		{"using PlotlyJS", plotlyMIME},
		{"from bokeh.plotting import figure", "text/html"},
		{"m = folium.Map()", "text/html"},
		{"alt.Chart(df)", "application/vnd.vegalite.v5+json"},
	} {
		f.Expect("import matplotlib.pyplot as plt; plt.plot([1, 2])\nexpx.y = goal.Figure # plot")
		f.Expect(c.code)
		if got := <-f.fake.prepared; got != c.mime {
			t.Errorf("%s: prepared %s", c.code, got)
		}
	}
	for _, code := range []string{"px.scatter_3d(df, x='a', y='b', z='c')", "go.Figure(go.Surface(z=z))"} {
		f.Expect(code)
		if got := []string{<-f.fake.prepared, <-f.fake.prepared}; got[0] != plotlyMIME || got[1] != page.Plotly3DType {
			t.Errorf("%s: prepared %s", code, got)
		}
	}
	f.Expect("import plotly, altair, folium")
	for _, mime := range []string{plotlyMIME, "text/html", "application/vnd.vegalite.v5+json"} {
		if got := <-f.fake.prepared; got != mime {
			t.Errorf("prepared %s, want %s", got, mime)
		}
	}
}
