package checks

import "testing"

// TestHeldOutArtefacts reports the rate, which is no threshold to tune towards.
func TestHeldOutArtefacts(t *testing.T) {
	seeds := seedsOf(1, 30)
	found, all := 0, 0
	for _, m := range heldOut {
		hits, others := m.rate(seeds)
		if seeds > 1 {
			t.Logf("%-28s %2d of %d, others %v", m.name, hits, seeds, others)
		}
		found, all = found+hits, all+seeds
	}
	t.Logf("found %d of %d", found, all)
	if 10*found < 6*all {
		t.Errorf("found %d of %d artefacts", found, all)
	}
}
