package state

import (
	"encoding/json"
	"slices"
	"testing"
	"time"
)

func TestSearchesAreKept(t *testing.T) {
	var s Searches
	s = s.With(SavedSearch{"Good", "stars:>=4"}).With(SavedSearch{" Two\tlines\n", "a\nb"}).With(SavedSearch{"", "x"}).With(SavedSearch{"Empty", " "})
	s = s.With(SavedSearch{"Good", "stars:5"}).With(SavedSearch{"売上", "session:売上"})
	want := []SavedSearch{{"Good", "stars:5"}, {"Two lines", "a b"}, {"売上", "session:売上"}}
	if got := s.All(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	raw, err := json.Marshal(Settings{Searches: s})
	if err != nil {
		t.Fatal(err)
	}
	var read Settings
	if err := json.Unmarshal(raw, &read); err != nil || read.Searches != s {
		t.Errorf("%s is read as %q, %v", raw, read.Searches.All(), err)
	}
	if got := s.Renamed("Good", "売上").All(); !slices.Equal(got, []SavedSearch{{"売上", "stars:5"}, {"Two lines", "a b"}}) {
		t.Errorf("renamed: %q", got)
	}
	if got := s.Renamed("Good", "Good").Renamed("Good", " ").Without("Two lines").Without("none").All(); !slices.Equal(got, []SavedSearch{want[0], want[2]}) {
		t.Errorf("without one: %q", got)
	}
	for _, text := range []string{`7`, `{"a":1}`, `[{"name":3}]`, `null`} {
		if err := json.Unmarshal([]byte(text), &s); err != nil || len(s.All()) > 0 {
			t.Errorf("%s: %q, %v", text, s.All(), err)
		}
	}
}

func TestAShortAbsenceIsNoEndOfALook(t *testing.T) {
	at := func(minutes int) time.Time { return time.Date(2026, 11, 24, 9, minutes, 0, 0, time.UTC) }
	var l Looks
	if l = l.Return(at(0)); !l.Last.IsZero() {
		t.Errorf("before the first look: %v", l.Last)
	}
	if l = l.Leave(at(10)); l.Last != at(10) {
		t.Errorf("after the first look: %v", l.Last)
	}
	l = l.Return(at(30)).Leave(at(31)).Return(at(33)).Leave(at(34))
	if l.Last != at(10) {
		t.Errorf("after a short absence: %v", l.Last)
	}
	if l = l.Return(at(40)); l.Last != at(34) {
		t.Errorf("after a long absence: %v", l.Last)
	}
	var read Looks
	raw, _ := json.Marshal(l)
	if err := json.Unmarshal(raw, &read); err != nil || read != l {
		t.Errorf("%s is read as %+v, %v", raw, read, err)
	}
	if err := json.Unmarshal([]byte(`{"last":"soon"}`), &read); err != nil || read != (Looks{}) {
		t.Errorf("%+v, %v", read, err)
	}
}
