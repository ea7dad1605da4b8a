package search

import (
	"slices"
	"strings"
	"unicode"
)

// Write returns the text of a term, with quotation marks if its value needs them.
func Write(key Key, value string) string {
	if strings.ContainsFunc(value, unicode.IsSpace) || key == Word && value != "" && (strings.ContainsAny(value[:1], `"-`) || isKeyed(value)) {
		value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
	}
	if key == Word {
		return value
	}
	return string(key) + ":" + value
}

func isKeyed(s string) bool {
	_, _, ok := keyOf(s)
	return ok
}

// Without returns a text without some of its terms.
func Without(text string, drop func(Term) bool) string {
	var kept []string
	for _, t := range Parse(text, Clock{}) {
		if !drop(t) {
			kept = append(kept, text[t.Start:t.End])
		}
	}
	return strings.Join(kept, " ")
}

// With returns a text with a term instead of those for which drop, if not nil, returns true.
func With(text, term string, drop func(Term) bool) string {
	if drop != nil {
		text = Without(text, drop)
	}
	return strings.TrimSpace(strings.TrimSpace(text) + " " + term)
}

// Timed reports whether a term is about the time, so that a preset replaces it.
func (t Term) Timed() bool {
	return slices.Contains([]Key{After, Before, On, Is}, t.Key)
}

// Either reports whether one term with the same key is enough if there are several.
func (t Term) Either() bool {
	return slices.Contains([]Key{Client, Session, Kind, On}, t.Key)
}

// Rated reports whether a number of stars is what a term of Stars asks for.
func (t Term) Rated(stars int) bool {
	switch t.Op {
	case ">=":
		return stars >= t.Count
	case "<=":
		return stars <= t.Count
	case ">":
		return stars > t.Count
	case "<":
		return stars < t.Count
	default:
		return stars == t.Count
	}
}

// Words returns the words and phrases that must occur, folded.
func (ts Terms) Words() (words []string) {
	for _, t := range ts {
		if t.Key == Word && !t.Not && t.Folded != "" {
			words = append(words, t.Folded)
		}
	}
	return words
}

// Has reports whether a term without a problem has a key.
func (ts Terms) Has(key Key) bool {
	return slices.ContainsFunc(ts, func(t Term) bool { return t.Key == key && (t.Problem == Fine || key == Word) })
}

// Wrong returns the terms with a problem.
func (ts Terms) Wrong() (wrong Terms) {
	for _, t := range ts {
		if t.Problem != Fine {
			wrong = append(wrong, t)
		}
	}
	return wrong
}
