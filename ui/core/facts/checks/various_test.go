package checks

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestVariousIsNeverWrong: a series that various leaves out can hold no value, in whatever order its points are.
func TestVariousIsNeverWrong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	left := 0
	for range 2000 {
		y := make([]float64, 9+r.IntN(400))
		different := map[float64]bool{}
		kinds := 1 + r.IntN(40*len(y))
		for i := range y {
			y[i] = float64(r.IntN(kinds)) / 8
			if y[i] == 0 && r.IntN(2) == 0 {
				y[i] = math.Copysign(0, -1)
			}
			different[y[i]] = true
		}
		if various(y) {
			left++
			if 10*len(different) < 9*len(y) {
				t.Fatalf("%d of %d values are different", len(different), len(y))
			}
		}
	}
	if left == 0 {
		t.Error("no series is left out")
	}
}
