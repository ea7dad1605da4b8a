package tool

import (
	"slices"
	"strings"
	"unicode"
)

// longestGuess is the length above which a name is not compared, because it cannot be a
// misspelt parameter.
const longestGuess = 64

// meant returns the parameter in free that name resembles, or "". other maps further
// names to parameters.
func meant(name string, free []string, other map[string]string) string {
	if len(name) > longestGuess {
		return ""
	}
	for o, p := range other {
		if slices.Contains(free, p) && likeness(name, o) == sameLetters {
			return p
		}
	}
	best, least := "", unlike
	for _, p := range free {
		if d := likeness(name, p); d < least {
			best, least = p, d
		}
	}
	return best
}

// How much a name resembles a parameter, best first.
const (
	sameLetters = iota // sessionId, session-id
	sameWords          // timeout_seconds for timeout, session for session_id
	oneSlip            // timout
	twoSlips           // varable_nme
	lastWord           // file_path for path, uri for resource_uri
	unlike
)

// likeness returns how much the given name resembles a parameter.
func likeness(given, parameter string) int {
	g, p := words(given), words(parameter)
	d := slips(strings.Join(g, ""), strings.Join(p, ""))
	switch {
	case d == sameLetters:
		return d
	case len(meaning(p)) > 0 && slices.Equal(meaning(g), meaning(p)):
		return sameWords
	case d != unlike:
		return d
	}
	// In English, the last word of a compound says what kind of thing it is.
	// wait_for_previous, for example, is not a kind of wait.
	if len(g) == 0 || len(p) == 0 || g[len(g)-1] != p[len(p)-1] || len(g) > 1 && len(p) > 1 {
		return unlike
	}
	return lastWord
}

// slips returns how much a name without separators resembles another by its letters.
func slips(given, other string) int {
	switch d := distance(given, other); {
	case d == 0:
		return sameLetters
	case d == 1 && len(other) > 3:
		return oneSlip
	case d == 2 && len(other) > 5:
		return twoSlips
	}
	return unlike
}

// hollow lists words that models add to a parameter's name or omit from it.
var hollow = map[string]bool{
	"s": true, "sec": true, "secs": true, "second": true, "seconds": true, "ms": true, "minutes": true, "in": true,
	"id": true, "name": true, "path": true, "uri": true, "url": true, "value": true, "max": true,
}

// meaning returns words without the hollow ones.
func meaning(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return hollow[w] })
}

// words splits snake_case, kebab-case and camelCase into lower-case words.
func words(name string) []string {
	var ws []string
	var w strings.Builder
	flush := func() {
		if w.Len() > 0 {
			ws = append(ws, w.String())
			w.Reset()
		}
	}
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		case unicode.IsUpper(r) && lower:
			flush()
			fallthrough
		default:
			w.WriteRune(unicode.ToLower(r))
		}
		lower = unicode.IsLower(r)
	}
	flush()
	return ws
}

// distance returns how many letters of a must be inserted, deleted, replaced or swapped
// with their neighbour to get b (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// Resembles reports whether name is probably a misspelling of another name.
func Resembles(name, other string) bool { return meant(name, []string{other}, nil) != "" }

// Misspelt returns the first of the names that differ from a given one only by a slip, or "".
func Misspelt(name string, names []string) string {
	best, least := "", unlike
	if len(name) > longestGuess {
		return ""
	}
	for _, n := range names {
		if d := slips(strings.Join(words(name), ""), strings.Join(words(n), "")); d < least && n != name {
			best, least = n, d
		}
	}
	return best
}
