package checks

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
	"easel/ui/core/facts"
)

// A storedPlot is a line of a file of plots, which a person who changes the checks makes from data of their own.
type storedPlot struct {
	Source string   `json:"src"`
	Kind   string   `json:"kind"` // points, line, histogram, box or bars
	X      string   `json:"x"`
	Y      string   `json:"y"`
	Expect []string `json:"expect"` // checks of which one should find something; empty if the data is clean
	Series []struct {
		Label string     `json:"label"`
		X     []*float64 `json:"x"`
		Y     []*float64 `json:"y"`
	} `json:"series"`
	Edges  []float64 `json:"edges"`
	Counts []float64 `json:"h"`
	Groups []struct {
		Label  string    `json:"label"`
		Values []float64 `json:"v"`
	} `json:"groups"`
	Names  []string   `json:"names"`
	Values []*float64 `json:"v"`
}

func (p *storedPlot) figure() facts.Figure {
	switch facts.Kind(p.Kind) {
	case facts.Histogram:
		return one(histogramOf(p.Edges, p.Counts))
	case facts.Box:
		labels, values := make([]string, len(p.Groups)), make([][]float64, len(p.Groups))
		for i, g := range p.Groups {
			labels[i], values[i] = g.Label, g.Values
		}
		return boxes(labels, values)
	case facts.Bars:
		x := make([]float64, len(p.Values))
		for i := range x {
			x[i] = float64(i)
		}
		f := one(xy(facts.Bars, "", x, pointers(p.Values)))
		f.Axes[0].X.Scale, f.Axes[0].X.Names = facts.Category, p.Names
		return f
	default:
	}
	var ss []facts.Series
	for _, s := range p.Series {
		ss = append(ss, xy(facts.Kind(p.Kind), s.Label, pointers(s.X), pointers(s.Y)))
	}
	return one(ss...)
}

func pointers(ps []*float64) []float64 {
	v := make([]float64, len(ps))
	for i, p := range ps {
		if v[i] = math.NaN(); p != nil {
			v[i] = *p
		}
	}
	return v
}

// one returns a figure with one axes.
func one(ss ...facts.Series) facts.Figure {
	nan := math.NaN()
	return facts.Figure{Axes: []facts.Axes{{Number: 1, X: facts.Axis{From: nan, To: nan}, Y: facts.Axis{From: nan, To: nan}, Series: ss}}}
}

func xy(k facts.Kind, label string, x, y []float64) facts.Series {
	return facts.Series{Kind: k, Label: label, Count: len(x), Columns: []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}}
}

func histogramOf(edges, counts []float64) facts.Series {
	w := make([]float64, len(counts))
	for i := range w {
		w[i] = edges[i+1] - edges[i]
	}
	return facts.Series{Kind: facts.Histogram, Count: len(counts), Columns: []facts.Column{
		{Name: "x", Numbers: edges[:len(counts)]}, {Name: "width", Numbers: w}, {Name: "y", Numbers: counts},
	}}
}

// boxes computes the five numbers as matplotlib does.
func boxes(labels []string, groups [][]float64) facts.Figure {
	names := []string{"x", "min", "q1", "median", "q3", "max"}
	columns := make([]facts.Column, len(names))
	var ox, oy []float64
	for i, g := range groups {
		s := slices.Sorted(slices.Values(g))
		q := func(p float64) float64 {
			k := p * float64(len(s)-1)
			lo := int(k)
			return s[lo] + (k-float64(lo))*(s[min(lo+1, len(s)-1)]-s[lo])
		}
		q1, q2, q3 := q(0.25), q(0.5), q(0.75)
		lo, hi := q1, q3
		for _, v := range s {
			switch {
			case v < q1-1.5*(q3-q1) || v > q3+1.5*(q3-q1):
				ox, oy = append(ox, float64(i+1)), append(oy, v)
			default:
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		for k, v := range []float64{float64(i + 1), lo, q1, q2, q3, hi} {
			columns[k].Name, columns[k].Numbers = names[k], append(columns[k].Numbers, v)
		}
	}
	f := one(facts.Series{Kind: facts.Box, Count: len(groups), Columns: columns}, xy(facts.Points, "", ox, oy))
	f.Axes[0].X.Names, f.Axes[0].X.Scale = labels, facts.Category
	return f
}

// BenchmarkPlots counts the findings in files of plots, and measures what one takes:
// EASEL_PLOTS=a.jsonl:b.jsonl go test -run ^$ -bench Plots -benchtime 1x. With EASEL_PLOTS_SHOW it lists each plot
// that has findings, or that lacks an expected one.
func BenchmarkPlots(b *testing.B) {
	if os.Getenv("EASEL_PLOTS") == "" {
		b.Skip("EASEL_PLOTS names no files of plots")
	}
	for b.Loop() {
		for file := range strings.SplitSeq(os.Getenv("EASEL_PLOTS"), ":") {
			measureFile(b, file)
		}
	}
}

func measureFile(b *testing.B, file string) {
	b.Helper()
	r, err := os.Open(file)
	require.NoError(b, err)
	defer r.Close()
	show := os.Getenv("EASEL_PLOTS_SHOW") != ""
	var plots, clean, with, hits, expected int
	by := map[Check]int{}
	var slowest time.Duration
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<28)
	for lines.Scan() {
		var p storedPlot
		require.NoError(b, json.Unmarshal(lines.Bytes(), &p))
		f := p.figure()
		begin := time.Now()
		found := Find(f)
		slowest = max(slowest, time.Since(begin))
		plots++
		if len(p.Expect) == 0 {
			clean++
			with += min(1, len(found))
			for _, g := range found {
				by[g.Check]++
			}
		} else {
			expected++
			if slices.ContainsFunc(found, func(g Finding) bool { return slices.Contains(p.Expect, string(g.Check)) }) {
				hits++
			} else {
				fmt.Printf("MISSED %s (expected %s)\n", p.Source, strings.Join(p.Expect, ", "))
			}
		}
		if show {
			for _, g := range found {
				fmt.Printf("%s: %s [%s, %.1f]\n", p.Source, g.Text(), g.Check, g.Strength)
			}
		}
	}
	all := 0
	for _, n := range by {
		all += n
	}
	fmt.Printf("%s: %d plots, slowest %v; expected %d, found %d; clean %d: %d findings in %d plots, %.3f a plot\n",
		file, plots, slowest.Round(time.Microsecond), expected, hits, clean, all, with, float64(all)/float64(max(1, clean)))
	for _, c := range slices.SortedFunc(maps.Keys(by), func(a, b Check) int { return by[b] - by[a] }) {
		fmt.Printf("    %-12s %d\n", c, by[c])
	}
}
