package state_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"easel/ui/core/state"
)

func TestFoldersAreRememberedInTheOrderOfTheirUse(t *testing.T) {
	t.Parallel()
	var f state.Folders
	for i := range 10 {
		f = f.Opened(at(fmt.Sprintf("/写真/%d", i)))
	}
	f = f.Opened(at("/写真/5")).Opened("relative").Opened(at("/a\nb"))
	want := []string{"5", "9", "8", "7", "6", "4", "3", "2"}
	for i := range want {
		want[i] = at("/写真/" + want[i])
	}
	if got := f.Recent(); !slices.Equal(got, want) {
		t.Errorf("recent: %q, want %q", got, want)
	}
	f = f.Pin(at("/写真/9"), true).Pin(at("/b"), true).Opened(at("/b"))
	if got := f.AllPinned(); !slices.Equal(got, []string{at("/写真/9"), at("/b")}) || slices.Contains(f.Recent(), at("/写真/9")) {
		t.Errorf("pinned %q, recent %q", got, f.Recent())
	}
	raw, err := json.Marshal(f)
	var again state.Folders
	if err != nil || json.Unmarshal(raw, &again) != nil || again != f {
		t.Errorf("read again: %v, %v", again, err)
	}
	f = f.Pin(at("/b"), false)
	if got := f.Recent()[0]; got != at("/b") || f.Pinned(at("/b")) {
		t.Errorf("the last of %q is not the one that is no longer pinned", f.Recent())
	}
	for _, path := range append(f.Recent(), f.AllPinned()...) {
		f = f.Without(path)
	}
	if f = f.Without(at("/写真/9")); f != (state.Folders{}) {
		t.Errorf("without folders it is not the zero value: %v", f)
	}
}

func TestFoldersRefuseWhatCannotBe(t *testing.T) {
	t.Parallel()
	var f state.Folders
	kept, err := json.Marshal(map[string]any{"recent": []any{at("/a"), at("/a"), 3, "b"}, "pinned": []any{at("/c"), nil}})
	if err != nil || json.Unmarshal(kept, &f) != nil || f != (state.Folders{}).Opened(at("/a")).Pin(at("/c"), true) {
		t.Errorf("got %v, %v", f, err)
	}
	if json.Unmarshal([]byte(`"/a"`), &f) == nil {
		t.Error("a text was taken for an object")
	}
}
