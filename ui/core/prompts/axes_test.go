package prompts

import "testing"

// TestAxesAreNoOrigin: a saved plot describes its axes, which does not say how it was made.
func TestAxesAreNoOrigin(t *testing.T) {
	if info := interpret(map[string]string{"easel:axes": `{"v":1}`}); info.Raw != "" {
		t.Errorf("%q", info.Raw)
	}
}
