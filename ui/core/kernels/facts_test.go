package kernels_test

import (
	"bytes"
	"testing"

	"easel/internal/require"
	"easel/jupyter/jupytertest"
	"easel/ui/core/facts"
)

// TestTheNumbersOfAPlotAreStoredWithIt checks that what a kernel says of them is there when the code has
// ended, and that nonsense does not keep a picture from being stored.
func TestTheNumbersOfAPlotAreStoredWithIt(t *testing.T) {
	t.Parallel()
	d, s, k, _ := fakeSession(t)
	said := facts.Write(facts.Figure{Axes: []facts.Axes{{Number: 1, Series: []facts.Series{
		{Kind: facts.Line, Columns: []facts.Column{{Name: "x", Numbers: []float64{1, 2}}, {Name: "y", Numbers: []float64{3, 4}}}},
	}}}})
	k.OnExecute(func(x *jupytertest.Execution) {
		x.Usual(func() {
			x.DisplayFacts(map[string]any{"image/png": drawn(t, 4, 4, pngOf)}, said)
			x.DisplayFacts(map[string]any{"image/png": drawn(t, 5, 5, pngOf)}, []byte(`{"v":1,"axes":"none"}`))
			x.DisplayFacts(map[string]any{"image/png": drawn(t, 6, 6, pngOf)}, nil)
		})
	})
	v := d.run(s, "plot()")
	if len(v.Images) != 3 {
		t.Fatalf("got %+v", v.Images)
	}
	for i, want := range [][]byte{said, nil, nil} {
		im, err := d.lib.Images.Image(t.Context(), v.Images[i].ImageID)
		require.NoError(t, err)
		got, err := d.lib.Images.ReadFacts(t.Context(), im)
		if !bytes.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("picture %d: %q, %v", i, got, err)
		}
	}
}
