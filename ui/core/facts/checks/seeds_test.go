package checks

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// rate returns the share of seeds at which a maker's figure gives one of the expected checks.
func (m *maker) rate(seeds int) (hits int, others map[Check]int) {
	others = map[Check]int{}
	for seed := range seeds {
		found := Find(m.make(rand.New(rand.NewPCG(uint64(seed), 38))))
		hit := false
		for _, f := range found {
			if slices.Contains(m.expect, f.Check) {
				hit = true
			} else {
				others[f.Check]++
			}
		}
		if hit {
			hits++
		}
	}
	return hits, others
}

// seedsOf returns how many seeds a test takes: few, or with EASEL_SEEDS=all so many that rates mean something.
func seedsOf(few, all int) int {
	if os.Getenv("EASEL_SEEDS") == "all" {
		return all
	}
	return few
}

func TestTunedArtefactsAreFound(t *testing.T) {
	seeds := seedsOf(5, 40)
	for _, m := range slices.Concat(tuned, tunedToo) {
		hits, others := m.rate(seeds)
		t.Logf("%-28s %2d of %d, others %v", m.name, hits, seeds, others)
		if 5*hits < 2*seeds {
			t.Errorf("%s: found at %d of %d seeds", m.name, hits, seeds)
		}
	}
}
