package palette

import (
	"slices"
	"testing"
)

func named(names ...string) (all []Entry) {
	for _, n := range names {
		all = append(all, Entry{ID: n, Name: n})
	}
	return all
}

func namesOf(all []Entry) (names []string) {
	for _, e := range all {
		names = append(names, e.Name)
	}
	return names
}

// TestTheBestMatchIsFirst: the whole name, its start, the start of a word, a part, and then letters.
func TestTheBestMatchIsFirst(t *testing.T) {
	all := named("Show trash", "Trash", "Trash can", "Bookmark", "Show variables", "Save as…", "Copy code", "Copy image", "コードをコピー", "カラー")
	for typed, want := range map[string][]string{
		"trash":     {"Trash", "Trash can", "Show trash"},
		"mark":      {"Bookmark"},
		"sv":        {"Show variables", "Save as…"},
		"copy im":   {"Copy image"},
		"im copy":   {"Copy image"},
		"ｺﾋﾟｰ":      {"コードをコピー"},
		"こーど":       {"コードをコピー"},
		"zzz":       nil,
		"COPY CODE": {"Copy code"},
	} {
		got := namesOf(find(all, typed, nil))
		if typed == "sv" { // letters: in any order
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", typed, got, want)
		}
	}
}

// TestWithoutATextWhatWasUsedIsFirst, then what is possible. What is quiet is not listed.
func TestWithoutATextWhatWasUsedIsFirst(t *testing.T) {
	all := named("a", "b", "c", "d", "e")
	all[0].Why, all[4].Quiet = "not now", true
	if got, want := namesOf(find(all, " ", []string{"d", "gone", "c"})), []string{"d", "c", "b", "a"}; !slices.Equal(got, want) {
		t.Errorf("it lists %q, want %q", got, want)
	}
	if got := namesOf(find(all, "e", nil)); !slices.Equal(got, []string{"e"}) {
		t.Errorf("a text finds %q", got)
	}
}

// TestWhatIsNotShownIsFoundToo: the name in the other language, and the key.
func TestWhatIsNotShownIsFoundToo(t *testing.T) {
	all := []Entry{{Name: "Ctrl group"}, {Name: "検索", Also: []string{"Search"}, Key: "Ctrl+F"}}
	for _, typed := range []string{"search", "ctrl+f", "検"} {
		if got := namesOf(find(all, typed, nil)); len(got) == 0 || got[0] != "検索" {
			t.Errorf("%q finds %q", typed, got)
		}
	}
}

// TestWhatTheNameDoesNotSayKeepsItsOrder: of the sessions of a day, the newest is first, however long its name is.
func TestWhatTheNameDoesNotSayKeepsItsOrder(t *testing.T) {
	all := []Entry{{Name: "Revenue by region, monthly", Also: []string{"Tuesday"}}, {Name: "Churn", Also: []string{"Tuesday"}}, {Name: "Loss", Also: []string{"Monday"}}}
	if got := namesOf(find(all, "tues", nil)); !slices.Equal(got, []string{"Revenue by region, monthly", "Churn"}) {
		t.Errorf("found %q", got)
	}
}
