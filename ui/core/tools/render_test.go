package tools

import "testing"

func TestMisses(t *testing.T) {
	for name, c := range map[string]struct {
		want, got float64
		misses    bool
	}{
		"as requested": {6, 6, false}, "rounded to pixels": {6, 5.99, false}, "not requested": {0, 4, false},
		"shorter": {6, 4, true}, "longer": {3, 4.5, true},
	} {
		if got := misses(c.want, c.got); got != c.misses {
			t.Errorf("%s: %v", name, got)
		}
	}
}
