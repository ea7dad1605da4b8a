package kernels_test

import (
	"fmt"
	"strings"
	"testing"

	"easel/mcphost/catalog"
)

// TestLiveThreadsPrintWhileEaselReads checks that nothing is lost of what threads print and display while Easel asks the
// kernel about variables, tables and figures, and that what a question prints itself is nobody's.
func TestLiveThreadsPrintWhileEaselReads(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	s := d.session()
	d.run(s, `
import threading, time, sys, numpy as np, pandas as pd
table = pd.DataFrame(np.random.default_rng(1).normal(size=(200_000, 12)))
many = {f"v{i}": list(range(50)) for i in range(800)}
globals().update(many)
`)
	const ticks = 300
	for _, while := range []string{"idle", "busy"} {
		x := d.start(s, fmt.Sprintf(`
def work():
    for i in range(%d):
        print("tick", i)
        time.sleep(0.005)
    print("done")
threading.Thread(target=work).start()
if %q == "busy":
    time.sleep(2)
`, ticks, while))
		if while == "idle" {
			d.wait(x)
		}
		for range 8 {
			if _, err := d.Variables(d.context(), s.ID, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := d.DataFrame(d.context(), s.ID, "table", 5, nil); err != nil {
				t.Fatal(err)
			}
		}
		v := d.until(x, func(v catalog.Execution) bool { return strings.Contains(v.Stdout, "done") })
		for i := range ticks {
			if !strings.Contains(v.Stdout, fmt.Sprintf("tick %d\n", i)) {
				t.Errorf("%s: tick %d is lost", while, i)
			}
		}
		d.wait(x)
	}
	if v := d.run(s, "1"); v.Stdout+v.Stderr != "" {
		t.Errorf("other code got %q", v.Stdout+v.Stderr)
	}
}
