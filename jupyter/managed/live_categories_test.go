package managed

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLivePanelsShareTheNamesOfTheirCategories: seaborn gives the categories to the first of axes that share them.
func TestLivePanelsShareTheNamesOfTheirCategories(t *testing.T) {
	_, s := shared(t)
	id, _ := startKernel(t, s)
	k := follow(t, s, id)
	stdoutOf(t, k, "import matplotlib.pyplot as plt, numpy as np, pandas as pd, seaborn as sns\n"+
		"d = pd.DataFrame({'g': ['ash', 'oak'] * 40, 'h': ['N'] * 40 + ['S'] * 40, 'v': np.arange(80) ** 1.5})")
	_, shown := displaysOf(t, k, "sns.catplot(data=d, x='g', y='v', col='h', kind='box'); plt.show()")
	if len(shown) != 1 {
		t.Fatalf("%d displays", len(shown))
	}
	axes := plain(t, shown[0]).(map[string]any)["axes"].([]any)
	if len(axes) != 2 {
		t.Fatalf("%d axes", len(axes))
	}
	for _, a := range axes {
		x := a.(map[string]any)["x"].(map[string]any)
		if diff := cmp.Diff([]any{"ash", "oak"}, x["names"]); diff != "" || x["scale"] != "category" {
			t.Errorf("scale %v, names (-want +got):\n%s", x["scale"], diff)
		}
	}
	// The boxes of a letter-value plot are no bars.
	for _, s := range factsOf(t, k, "fig, a = plt.subplots(); sns.boxenplot(data=d, x='g', y='v', ax=a); plt.show()") {
		if strings.Contains(s, `"kind":"bars`) {
			t.Error(s)
		}
	}
	// What tells long names apart is often their end.
	_, shown = displaysOf(t, k, "plt.figure(); plt.barh(['A very long category name indeed %d' % i for i in range(3)] + ['z' * 200], [1, 2, 3, 4]); plt.show()")
	if len(shown) != 1 {
		t.Fatalf("%d displays of bars", len(shown))
	}
	y := plain(t, shown[0]).(map[string]any)["axes"].([]any)[0].(map[string]any)["y"].(map[string]any)
	want := []any{"A very long category name indeed 0", "A very long category name indeed 1", "A very long category name indeed 2", strings.Repeat("z", 99) + "…"}
	if diff := cmp.Diff(want, y["names"]); diff != "" {
		t.Errorf("long names (-want +got):\n%s", diff)
	}
}
