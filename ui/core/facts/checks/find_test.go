package checks

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/facts"
)

func stuck(seed uint64) (f facts.Figure, at []int) {
	r := rand.New(rand.NewPCG(seed, 1))
	x, y := make([]float64, 200), make([]float64, 200)
	for i := range x {
		x[i], y[i] = decimals(20+5*r.NormFloat64(), 1), decimals(50+9*r.NormFloat64(), 2)
		if i%11 == 3 {
			y[i] = 47.31
			at = append(at, i)
		}
	}
	x[0], y[1] = math.NaN(), math.Inf(1) // places are those of the columns
	f = one(xy(facts.Points, "bay", x, y))
	f.Axes[0].Number = 3
	return f, at
}

func TestAFindingSaysWhatWhereAndHowMany(t *testing.T) {
	f, at := stuck(1)
	found := Find(f)
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	g := found[0]
	if g.Check != Repeats || g.Axes != 3 || g.N != len(at) || g.Of != 198 || g.Value != 47.31 || g.Axis != "y" {
		t.Errorf("%+v", g)
	}
	if want := []PointSet{{0, at}}; !reflect.DeepEqual(g.Points, want) {
		t.Errorf("marked %v, want %v", g.Points, want)
	}
	if again := Find(f); !reflect.DeepEqual(again, found) {
		t.Errorf("the second time: %+v", again)
	}
}

func TestAKeySurvivesMoreData(t *testing.T) {
	a, _ := stuck(1)
	b, _ := stuck(2)
	p, q := Find(a), Find(b)
	if len(p) != 1 || len(q) != 1 || p[0].Key != q[0].Key || p[0].Key == "" {
		t.Errorf("%+v, %+v", p, q)
	}
}

func TestALargeSeriesIsSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 200_000), make([]float64, 200_000)
	for i := range x {
		x[i], y[i] = r.NormFloat64(), decimals(r.NormFloat64(), 4)
		if r.Float64() < 0.1 {
			y[i] = 0.3217
		}
	}
	found := Find(one(xy(facts.Points, "", x, y)))
	if len(found) == 0 || found[0].Check != Repeats || found[0].Of > maxPoints {
		t.Fatalf("%+v", found)
	}
	for _, i := range found[0].Points[0].Points {
		if y[i] != 0.3217 {
			t.Fatalf("marked %d, which is %v", i, y[i])
		}
	}
	if n := len(found[0].Points[0].Points); n > mostInSet {
		t.Errorf("marked %d", n)
	}
}

// What a kernel sends may be anything.
func TestOddDataIsNoTrouble(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, 1e308, -1e308, 5e-324, 1, 2, 1e15, -3}
	names := []string{"x", "y", "min", "q1", "median", "q3", "max", "width", "base", "low", "high"}
	kinds := []facts.Kind{facts.Line, facts.Points, facts.Bars, facts.BarsH, facts.Histogram, facts.Box, facts.Area, facts.ErrorBars, facts.Image, "?"}
	scales := []facts.Scale{facts.Linear, facts.Log, facts.Date, facts.Category}
	for range 400 {
		a := facts.Axes{Number: r.IntN(3), X: facts.Axis{From: odd[r.IntN(len(odd))], To: odd[r.IntN(len(odd))], Scale: scales[r.IntN(4)]}}
		a.Y.Scale = scales[r.IntN(4)]
		for range r.IntN(4) {
			s := facts.Series{Kind: kinds[r.IntN(len(kinds))], Label: "s", Colour: "#12zz45"}
			pool := odd[:1+r.IntN(len(odd))]
			for _, name := range names {
				c := facts.Column{Name: name}
				for range r.IntN(120) {
					v := pool[r.IntN(len(pool))]
					if r.IntN(2) == 0 {
						v = r.NormFloat64() * math.Pow(10, float64(r.IntN(600)-300))
					}
					c.Numbers = append(c.Numbers, v)
				}
				s.Columns = append(s.Columns, c)
			}
			a.Series = append(a.Series, s)
		}
		for _, f := range Find(facts.Figure{Axes: []facts.Axes{a}}) {
			if f.Text() == "" || f.Sentence("ja") == "" || f.Key == "" {
				t.Fatalf("%+v", f)
			}
		}
	}
}

func BenchmarkTenThousandPoints(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 10_000), make([]float64, 10_000)
	for i := range x {
		x[i] = r.NormFloat64()
		y[i] = x[i] + r.NormFloat64()
	}
	f := one(xy(facts.Points, "", x, y))
	for b.Loop() {
		Find(f)
	}
}

func BenchmarkTenSeries(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var ss []facts.Series
	for range 10 {
		x, y := make([]float64, 1000), make([]float64, 1000)
		for i := range x {
			x[i], y[i] = r.NormFloat64(), r.NormFloat64()
		}
		ss = append(ss, xy(facts.Points, "", x, y))
	}
	f := one(ss...)
	for b.Loop() {
		Find(f)
	}
}

// TestAFindingNamesItsSeries where the axes have several.
func TestAFindingNamesItsSeries(t *testing.T) {
	f, _ := stuck(1)
	if got := Find(f)[0]; strings.Contains(got.Text()+got.Sentence("en")+got.Sentence("ja"), "bay") {
		t.Errorf("the only series is named: %q", got.Text())
	}
	dock := newCloud(rand.New(rand.NewPCG(4, 1))).figure().Axes[0].Series[0]
	dock.Label = "dock"
	f.Axes[0].Series = append(f.Axes[0].Series, dock)
	i := slices.IndexFunc(Find(f), func(g Finding) bool { return g.Check == Repeats })
	if i < 0 {
		t.Fatal("the stuck values are not found beside another series")
	}
	got := Find(f)[i]
	for said, want := range map[string]string{got.Text(): "bay: ", got.Sentence("en"): "“bay”: ", got.Sentence("ja"): "「bay」："} {
		if !strings.HasPrefix(said, want) {
			t.Errorf("got %q, want it to begin with %q", said, want)
		}
	}
}
