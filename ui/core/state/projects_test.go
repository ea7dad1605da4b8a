package state_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"easel/ui/core/state"
)

// at returns a path that is absolute on this system, also on Windows.
func at(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		panic(err)
	}
	return abs
}

func TestProjectsAreKeptByRoot(t *testing.T) {
	t.Parallel()
	var p state.Projects
	a, b, c := at("/a データ"), at("/b"), at("/c")
	python := filepath.Join(b, ".venv", "bin", "python")
	p = p.With(state.Project{Root: b, Python: python}).With(state.Project{Root: a}).With(state.Project{Root: c}).Without(c)
	raw, err := json.Marshal(p)
	if want, _ := json.Marshal(map[string]string{a: "", b: python}); err != nil || !bytes.Equal(raw, want) {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
	var again state.Projects
	if err := json.Unmarshal(raw, &again); err != nil || again != p {
		t.Errorf("read again: %v, %v", again, err)
	}
	want := []state.Project{{Root: a}, {Root: b, Python: python}}
	if got := p.All(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if x, ok := p.Find(b); !ok || x != want[1] {
		t.Errorf("found %v, %v", x, ok)
	}
	for _, root := range []string{b + "/sub", b[:len(b)-1], b[1:], "", a + "\t\n" + b, c} {
		if x, ok := p.Find(root); ok || x != (state.Project{Root: root}) {
			t.Errorf("%q: found %v", root, x)
		}
	}
	if p.Without(a).Without(b) != (state.Projects{}) {
		t.Error("without projects it is not the zero value")
	}
}

func TestProjectsRefuseWhatCannotBe(t *testing.T) {
	t.Parallel()
	var p state.Projects
	for _, x := range []state.Project{{}, {Root: "a"}, {Root: at("/a\tb")}, {Root: at("/a"), Python: "python"}} {
		if p.With(x) != p {
			t.Errorf("%q was taken", x)
		}
	}
	kept, err := json.Marshal(map[string]any{at("/a"): "", "b": "", at("/c"): 3, at("/d"): "python"})
	if err != nil || json.Unmarshal(kept, &p) != nil || p != (state.Projects{}).With(state.Project{Root: at("/a")}) {
		t.Errorf("got %v, %v", p, err)
	}
	if json.Unmarshal([]byte(`"/a"`), &p) == nil {
		t.Error("a text was taken for an object")
	}
}
