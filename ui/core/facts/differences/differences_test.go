package differences

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"easel/internal/tokens"
	"easel/ui/core/facts"
)

func line(label string, y ...float64) facts.Series {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	return facts.Series{Kind: facts.Line, Label: label, Colour: "#1f77b4", Count: len(y), Columns: []facts.Column{{Name: "x", Numbers: x}, {Name: "y", Numbers: y}}}
}

func figure(series ...facts.Series) facts.Figure {
	return facts.Figure{Axes: []facts.Axes{{Number: 1, Legend: true, X: facts.Axis{To: 10}, Y: facts.Axis{To: 8}, Series: series}}}
}

func TestLinesThatDiffer(t *testing.T) {
	for _, c := range []struct{ before, after, want string }{
		{"a\nb\nc", "a\nb\nc", ""},
		{"a\n  b\n\nc", "a\nb\nc\n", ""},
		{"a\nb\nc", "a\nB\nc", "-b +B"},
		{"a\nb\nc\nd", "b\nc\nx\nd", "-a +x"},
		{"", "a", "+a"},
		{"a\nb", "", "-a -b"},
		{strings.Repeat("x\n", 2000) + "a", "q\n" + strings.Repeat("x\n", 2000) + "b", "-a +q +b"},
	} {
		var got []string
		for _, l := range Lines(c.before, c.after) {
			got = append(got, map[bool]string{false: "-", true: "+"}[l.Added]+l.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%.20q to %.20q: %v, want %s", c.before, c.after, got, c.want)
		}
	}
}

func TestFactsThatDiffer(t *testing.T) {
	change := func(edit func(f *facts.Figure)) facts.Figure {
		f := figure(line("A", 1, 7.6, 3), line("B", 1, 2))
		edit(&f)
		return f
	}
	before := change(func(*facts.Figure) {})
	for name, c := range map[string]struct {
		after    facts.Figure
		english  string
		japanese string
	}{
		"nothing":    {before, "", ""},
		"a series":   {change(func(f *facts.Figure) { f.Axes[0].Series = []facts.Series{line("A", 1, 5.1)} }), "A: n 3 → 2; y max 7.6 → 5.1 | legend lost B", "A: n 3 → 2; y の最大 7.6 → 5.1 | 凡例から B が消失"},
		"a new one":  {change(func(f *facts.Figure) { f.Axes[0].Series = append(f.Axes[0].Series, line("", 4)) }), "new line 3", "line 3 が追加"},
		"order":      {change(func(f *facts.Figure) { slices.Reverse(f.Axes[0].Series) }), "", ""},
		"one value":  {change(func(f *facts.Figure) { f.Axes[0].Series[0] = line("A", 1, 7.6, 4) }), "A: other values at 1 of 3 points", "A: 3 点のうち 1 点の値が相違"},
		"tiny":       {change(func(f *facts.Figure) { f.Axes[0].Series[0] = line("A", 1, 7.60001, 3) }), "A: y max 7.6 → 7.60001; other values at 1 of 3 points", ""},
		"axes":       {change(func(f *facts.Figure) { f.Axes[0].Y = facts.Axis{Label: "EUR", From: -1, To: 100, Scale: facts.Log} }), `y label "" → "EUR" | y scale linear → log | y axis 0–8 → -1 to 100`, ""},
		"title":      {change(func(f *facts.Figure) { f.Axes[0].Title = "New" }), `title "" → "New"`, `タイトル "" → "New"`},
		"more axes":  {change(func(f *facts.Figure) { f.Axes = append(f.Axes, facts.Axes{Number: 2, Title: "C"}) }), `axes 2: axes new "C"`, ""},
		"the colour": {change(func(f *facts.Figure) { f.Axes[0].Series[0].Colour = "#000000" }), "A: colour #1f77b4 → #000000", ""},
	} {
		changes := Facts(before, c.after)
		if got := strings.Join(English.Say(changes), " | "); got != c.english {
			t.Errorf("%s: %s, want %s", name, got, c.english)
		}
		if got := strings.Join(Japanese.Say(changes), " | "); c.japanese != "" && got != c.japanese {
			t.Errorf("%s: %s, want %s", name, got, c.japanese)
		}
	}
}

func TestTheTextIsShort(t *testing.T) {
	if got, want := Text(Lines("a\nb", "a\nc"), Facts(figure(line("A", 1, 2)), figure(line("A", 1))), true), "Code: - b; + c. Facts: A: n 2 → 1; y max 2 → 1."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Text(nil, nil, true), "Code: the same. Facts: no difference."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var many, others []facts.Series
	var code, other []string
	for i := range 40 {
		many, others = append(many, line(fmt.Sprintf("Station number %d", i), 1, 2.5*float64(i))), append(others, line(fmt.Sprintf("Station number %d", i), 1, 2.7*float64(i), 3))
		code, other = append(code, fmt.Sprintf("ax.plot(stations[%d].temperature)", i)), append(other, fmt.Sprintf("ax.scatter(stations[%d].気温, s=%d)", i, i))
	}
	got := Text(Lines(strings.Join(code, "\n"), strings.Join(other, "\n")), Facts(figure(many...), figure(others...)), true)
	if n := tokens.In(got); n > Most || n < Most/2 || !strings.Contains(got, " more.") || !strings.Contains(got, "Station number 1: n 2 → 3") {
		t.Errorf("%d tokens: %s", n, got)
	}
	long := Text(Lines(strings.Repeat("x", 4000), strings.Repeat("気", 4000)), Facts(figure(line(strings.Repeat("気", 300), 1)), figure()), true)
	if n := tokens.In(long); n > Most+10 {
		t.Errorf("%d tokens: %s", n, long)
	}
}
