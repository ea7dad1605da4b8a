package mimebundle_test

import (
	"slices"
	"testing"

	"easel/ui/core/mimebundle"
	"easel/ui/core/picture"
)

func TestBlockedReadsADescription(t *testing.T) {
	kind, _ := picture.InteractiveOf(picture.HTML)
	for name, c := range map[string]struct{ blocked, want []string }{
		"none":     {nil, nil},
		"one":      {[]string{"https://a.example/cars.json"}, []string{"a.example"}},
		"no host":  {[]string{"data.csv", "file:///etc/passwd"}, []string{"data.csv", "file:///etc/passwd"}},
		"one host": {[]string{"https://a.example/1.png", "https://a.example/2.png", "https://b.example:81/x?y=1,2"}, []string{"a.example", "b.example:81"}},
		"many": {
			[]string{"https://a.example/1", "https://b.example/this and that", "https://c.example/3", "https://d.example/4", "https://e.example/5"},
			[]string{"a.example", "b.example", "c.example"},
		},
	} {
		if got := mimebundle.Blocked(mimebundle.DescribeDrawn(kind, 2, c.blocked)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := mimebundle.Blocked("Plot 1 in this run"); got != nil {
		t.Errorf("a plot: %q", got)
	}
}
