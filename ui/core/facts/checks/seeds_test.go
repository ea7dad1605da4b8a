package checks

import (
	"math/rand/v2"
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

func TestTunedArtefactsAreFound(t *testing.T) {
	const seeds = 10
	for _, m := range tuned {
		hits, others := m.rate(seeds)
		t.Logf("%-28s %2d of %d, others %v", m.name, hits, seeds, others)
		if hits < seeds*6/10 {
			t.Errorf("%s: found at %d of %d seeds", m.name, hits, seeds)
		}
	}
}
