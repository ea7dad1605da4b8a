package kernels

import (
	"testing"

	"easel/ui/core/library"
)

func TestSessionsBesideEachOtherHaveTheirOwnColours(t *testing.T) {
	var last []library.Session // newest first
	for i := range 40 {
		c := unlike(3, last[:min(len(last), colours-1)]) // the worst case: all ids have the same hash
		for j, s := range last[:min(len(last), colours-1)] {
			if s.Colour == c {
				t.Fatalf("session %d has the colour of the one %d before it", i, j+1)
			}
		}
		last = append([]library.Session{{Colour: c}}, last...)
	}
}
