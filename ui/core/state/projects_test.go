package state_test

import (
	"encoding/json"
	"slices"
	"testing"

	"easel/ui/core/state"
)

func TestProjectsAreKeptByRoot(t *testing.T) {
	t.Parallel()
	var p state.Projects
	p = p.With(state.Project{Root: "/b", Python: "/b/.venv/bin/python"}).With(state.Project{Root: "/a データ"}).With(state.Project{Root: "/c"}).Without("/c")
	raw, err := json.Marshal(p)
	if want := `{"/a データ":"","/b":"/b/.venv/bin/python"}`; err != nil || string(raw) != want {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
	var again state.Projects
	if err := json.Unmarshal(raw, &again); err != nil || again != p {
		t.Errorf("read again: %v, %v", again, err)
	}
	want := []state.Project{{Root: "/a データ"}, {Root: "/b", Python: "/b/.venv/bin/python"}}
	if got := p.All(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if x, ok := p.Find("/b"); !ok || x != want[1] {
		t.Errorf("found %v, %v", x, ok)
	}
	if p.Without("/a データ").Without("/b") != (state.Projects{}) {
		t.Error("without projects it is not the zero value")
	}
}

func TestProjectsRefuseWhatCannotBe(t *testing.T) {
	t.Parallel()
	var p state.Projects
	for _, x := range []state.Project{{}, {Root: "a"}, {Root: "/a\tb"}, {Root: "/a", Python: "python"}} {
		if p.With(x) != p {
			t.Errorf("%q was taken", x)
		}
	}
	if err := json.Unmarshal([]byte(`{"/a": "", "b": "", "/c": 3, "/d": "python"}`), &p); err != nil || p != (state.Projects{}).With(state.Project{Root: "/a"}) {
		t.Errorf("got %v, %v", p, err)
	}
	if json.Unmarshal([]byte(`"/a"`), &p) == nil {
		t.Error("a text was taken for an object")
	}
}
