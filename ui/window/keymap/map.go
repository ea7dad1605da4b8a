package keymap

import (
	"slices"
	"strings"
)

// An Action is what the window can do by a key.
type Action struct {
	ID   string
	Keys []Chord // that it comes with
}

// A Map says which keys do what.
type Map struct {
	actions []Action
	chosen  map[string][]Chord // by the user, instead of what the window comes with
	by      map[Chord]string
}

// New returns the map of the keys that actions come with.
func New(actions []Action) *Map {
	m := &Map{actions: actions}
	m.Choose(nil)
	return m
}

// Choose replaces what the user has chosen. If two actions have the same key, the one that the
// user has chosen it for has it; otherwise, the first.
func (m *Map) Choose(chosen map[string][]Chord) {
	m.chosen, m.by = chosen, make(map[Chord]string)
	for _, chosenOnes := range []bool{true, false} {
		for _, a := range m.actions {
			keys, own := chosen[a.ID]
			if !own {
				keys = a.Keys
			}
			if own != chosenOnes {
				continue
			}
			for _, c := range keys {
				if m.by[c] == "" {
					m.by[c] = a.ID
				}
			}
		}
	}
}

// Action returns the id of what a chord does, or "".
func (m *Map) Action(c Chord) string { return m.by[c] }

// Keys returns the keys of an action. One that does something else is not among them.
func (m *Map) Keys(id string) []Chord {
	i := slices.IndexFunc(m.actions, func(a Action) bool { return a.ID == id })
	if i < 0 {
		return nil
	}
	keys, own := m.chosen[id]
	if !own {
		keys = m.actions[i].Keys
	}
	return slices.DeleteFunc(slices.Clone(keys), func(c Chord) bool { return m.by[c] != id })
}

// Key returns the first key of an action as it is shown; "" if it has none.
func (m *Map) Key(id string) string {
	if keys := m.Keys(id); len(keys) > 0 {
		return string(keys[0])
	}
	return ""
}

// Actions returns the actions, with the keys that they come with.
func (m *Map) Actions() []Action { return m.actions }

// Chosen returns a copy of what the user has chosen.
func (m *Map) Chosen() map[string][]Chord {
	all := make(map[string][]Chord, len(m.chosen))
	for id, keys := range m.chosen {
		all[id] = slices.Clone(keys)
	}
	return all
}

// Own reports whether the user has chosen the keys of an action.
func (m *Map) Own(id string) bool {
	_, own := m.chosen[id]
	return own
}

// All returns all chords that do something.
func (m *Map) All() []Chord {
	all := make([]Chord, 0, len(m.by))
	for c := range m.by {
		all = append(all, c)
	}
	slices.Sort(all)
	return all
}

// Chords reads chords that are separated by spaces. It panics if there is a mistake in them, because
// they are part of the program.
func Chords(text string) []Chord {
	var all []Chord
	for word := range strings.FieldsSeq(text) {
		c, err := Parse(word)
		if err != nil {
			panic(err)
		}
		all = append(all, c)
	}
	return all
}
