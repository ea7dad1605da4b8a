package state

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
)

// maxSearches is the largest number of saved searches.
const maxSearches = 50

// A SavedSearch is a search that the user has named.
type SavedSearch struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Searches are the searches that the user has saved. A Searches is immutable and comparable; the
// zero value is empty.
type Searches struct{ lines string } // "name\ttext\n", in the order of saving

// All returns the searches, in the order of saving.
func (s Searches) All() (all []SavedSearch) {
	for line := range strings.Lines(s.lines) {
		name, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, SavedSearch{name, text})
	}
	return all
}

// With returns s with a search, in the place of one with the same name. Without a name or a text,
// With returns s.
func (s Searches) With(x SavedSearch) Searches {
	x.Name, x.Text = oneLine(x.Name), oneLine(x.Text)
	if x.Name == "" || x.Text == "" {
		return s
	}
	all := s.All()
	if i := slices.IndexFunc(all, func(o SavedSearch) bool { return o.Name == x.Name }); i >= 0 {
		all[i] = x
	} else {
		all = append(all, x)
	}
	return searchesOf(all)
}

// Without returns s without the search with a name.
func (s Searches) Without(name string) Searches {
	return searchesOf(slices.DeleteFunc(s.All(), func(x SavedSearch) bool { return x.Name == name }))
}

// Renamed returns s with another name for a search. Another search with that name is replaced.
func (s Searches) Renamed(was, name string) Searches {
	if name = oneLine(name); name == "" || name == was {
		return s
	}
	all := s.Without(name).All()
	for i := range all {
		if all[i].Name == was {
			all[i].Name = name
		}
	}
	return searchesOf(all)
}

// oneLine replaces control characters, which could be parts of the lines, by spaces.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "")))
}

func searchesOf(all []SavedSearch) Searches {
	var b strings.Builder
	for _, x := range all[:min(len(all), maxSearches)] {
		b.WriteString(x.Name + "\t" + x.Text + "\n")
	}
	return Searches{b.String()}
}

// MarshalJSON encodes the searches as a list.
func (s Searches) MarshalJSON() ([]byte, error) { return json.Marshal(s.All()) }

// UnmarshalJSON decodes what MarshalJSON writes. It skips what is invalid, so that it does not lose
// the other settings.
func (s *Searches) UnmarshalJSON(raw []byte) error {
	var read []SavedSearch
	*s = Searches{}
	if json.Unmarshal(raw, &read) == nil {
		for _, x := range read {
			*s = s.With(x)
		}
	}
	return nil
}

// Looks says when the user looked at the window. Absences shorter than shortAbsence do not count: a
// look at another window does not make everything old.
type Looks struct {
	Last time.Time `json:"last,omitzero"` // the end of the look before the current one
	Left time.Time `json:"left,omitzero"` // when the user last left the window
}

const shortAbsence = 5 * time.Minute

// Return returns the looks when the user looks again.
func (l Looks) Return(now time.Time) Looks {
	if !l.Left.IsZero() && now.Sub(l.Left) >= shortAbsence {
		l.Last = l.Left
	}
	return l
}

// Leave returns the looks when the user leaves the window.
func (l Looks) Leave(now time.Time) Looks {
	l.Left = now.UTC().Truncate(time.Millisecond)
	if l.Last.IsZero() { // at the end of the first look, all is seen
		l.Last = l.Left
	}
	return l
}

// UnmarshalJSON decodes the looks. It never fails: invalid ones are as if the user never looked.
func (l *Looks) UnmarshalJSON(raw []byte) error {
	type plain Looks
	var p plain
	if json.Unmarshal(raw, &p) != nil {
		p = plain{}
	}
	*l = Looks(p)
	return nil
}
