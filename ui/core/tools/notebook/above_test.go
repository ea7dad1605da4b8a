package notebook

import "testing"

func TestEnumerate(t *testing.T) {
	t.Parallel()
	for want, ns := range map[string][]int{
		"3": {3}, "0 and 2": {0, 2}, "0, 1 and 4": {0, 1, 4}, "0 to 20": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20},
	} {
		if got := enumerate(ns); got != want {
			t.Errorf("%v: got %q, want %q", ns, got, want)
		}
	}
}
