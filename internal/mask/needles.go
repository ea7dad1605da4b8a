package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// mostNested is how often a text may be JSON within JSON: a result of MCP is, and code can
	// print JSON.
	mostNested = 3
	// shortestValue is the length of the shortest value with a name that is masked, in bytes.
	shortestValue = 6
	// edge is how many bytes of a value are enough where a text ends or begins.
	edge = 8
	// unbounded is the length from which a value is also found within a longer word.
	unbounded = 12
)

// A needle is one way in which a secret can be written.
type needle struct {
	text       []byte
	mark, name string
	half       int  // so many bytes at its beginning or its end are enough
	quotable   bool // it can be a part of a JSON string
	dull       bool // it can be a part of a picture by chance
	bounded    bool // it may be a part of an ordinary word
	base64     bool // its last characters also have bits of what follows
}

// needlesOf returns the ways in which a secret can be written.
func needlesOf(secret, mark, name string) []*needle {
	all := []string{secret}
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	add(url.QueryEscape(secret))
	add(url.PathEscape(secret))
	add(markdown(secret))
	add(html.EscapeString(secret))
	add(strings.ReplaceAll(strings.ReplaceAll(secret, `\`, `\\`), `'`, `\'`)) // as Python's repr may have it
	for range mostNested {
		for _, s := range slices.Clone(all) {
			add(quoted(s, true))
			add(quoted(s, false))
		}
	}
	ns := make([]*needle, 0, len(all)+7)
	for _, s := range all {
		n := newNeedle(s, mark, name)
		n.bounded = len(secret) < unbounded
		ns = append(ns, n)
	}
	if len(secret) < edge { // short ones would be found by chance
		return ns
	}
	ns = append(ns, newNeedle(hex.EncodeToString([]byte(secret)), mark, name))
	for _, s := range inBase64(secret) {
		n := newNeedle(s, mark, name)
		n.base64 = true
		ns = append(ns, n)
	}
	return ns
}

func newNeedle(s, mark, name string) *needle {
	n := &needle{
		text: []byte(s), mark: mark, name: name, half: len(s),
		quotable: json.Valid([]byte(`"` + s + `"`)), dull: isDull(s),
	}
	if isPlain(s) {
		n.half = min(len(s), max(Shortest, len(s)/2))
	}
	return n
}

// inBase64 returns what a secret is within text in base64, wherever it begins there: the
// characters that depend on nothing else.
func inBase64(secret string) (all []string) {
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before, skip := range []int{0, 2, 3} {
			s := e.EncodeToString(append(make([]byte, before), secret...))[skip : (before+len(secret))*8/6]
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// markdown returns s as Easel writes it in the Markdown that it makes of HTML. There, a character
// at the end is no emphasis.
func markdown(s string) string {
	if s == "" {
		return s
	}
	last := len(s) - 1
	return emphasis.Replace(s[:last]) + s[last:]
}

var emphasis = strings.NewReplacer("_", `\_`, "*", `\*`)

// isDull reports whether s has so few different characters that pictures in base64 may have
// it, for example AAAAAAAAAAAAAAAA.
func isDull(s string) bool {
	for i := range len(s) {
		if !isBase64(s[i]) {
			return false
		}
	}
	return different([]byte(s)) < 8
}

// different returns how many different bytes a text has.
func different(s []byte) (n int) {
	var seen [256]bool
	for _, b := range s {
		if !seen[b] {
			seen[b] = true
			n++
		}
	}
	return n
}

// isPlain reports whether s can be cut anywhere: it has no escapes, and only ASCII.
func isPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf })
}

// quoted returns s as encoding/json writes it, without the quotes around it.
func quoted(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(s) != nil { // a string can always be encoded
		return s
	}
	text := bytes.TrimSpace(b.Bytes())
	return string(text[1 : len(text)-1])
}

// find returns where a needle is around a position of a text, at which its part from offset
// begins; ok is false if too little of it is there. It takes nothing before floor.
func (n *needle) find(text []byte, i, offset, floor int) (from, to int, ok bool) {
	from, to = i, i
	for k := offset; k < len(n.text) && to < len(text) && text[to] == n.text[k]; k++ {
		to++
	}
	for k := offset; k > 0 && from > floor && text[from-1] == n.text[k-1]; k-- {
		from--
	}
	size, first := to-from, offset-(i-from)
	switch {
	case size == len(n.text):
		if n.bounded && (!begins(text, from) || to < len(text) && isWord(text[to])) {
			return 0, 0, false
		}
	case n.half == len(n.text) || n.bounded:
		return 0, 0, false
	case size >= n.half:
	case size >= edge && first == 0 && cutAfter(text, to):
	case size >= edge && first+size == len(n.text) && cutBefore(text, from):
	default:
		return 0, 0, false
	}
	if n.base64 {
		for k := 0; k < 2 && to < len(text) && isBase64(text[to]); k++ {
			to++
		}
	}
	return from, to, true
}
