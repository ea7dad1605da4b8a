package facts

import (
	"slices"
	"testing"
)

func TestWhatAxesAreCalled(t *testing.T) {
	for name, c := range map[string]struct {
		axes []Axes
		want []string
	}{
		"one":     {[]Axes{{Number: 1}}, []string{""}},
		"two":     {[]Axes{{Number: 1}, {Number: 2}}, []string{"axes 1", "axes 2"}},
		"twinx":   {[]Axes{{Number: 1}, {Number: 2, Twin: 1, Side: Right}}, []string{"left axis", "right axis"}},
		"twiny":   {[]Axes{{Number: 1}, {Number: 2, Twin: 1, Side: Top}}, []string{"bottom axis", "top axis"}},
		"panels":  {[]Axes{{Number: 1}, {Number: 2}, {Number: 3, Twin: 2, Side: Right}}, []string{"axes 1", "axes 2, left axis", "axes 2, right axis"}},
		"three":   {[]Axes{{Number: 1}, {Number: 2, Twin: 1, Side: Right}, {Number: 3, Twin: 1, Side: Right}}, []string{"axes 1, left axis", "axes 2", "axes 3"}},
		"unknown": {[]Axes{{Number: 1}, {Number: 2, Twin: 1}}, []string{"axes 1", "axes 2"}},
	} {
		f, got := Figure{Axes: c.axes}, []string{}
		for _, a := range c.axes {
			got = append(got, f.Call(a.Number))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
