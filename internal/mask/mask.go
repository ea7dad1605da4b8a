// Package mask hides secrets, such as tokens, in text that leaves the program.
//
// A Mask finds a secret as it is, as JSON writes it, also within another JSON text,
// percent-encoded, and in Markdown. It does not find one that was split, or encoded in another way.
//
// # Goroutines
//
// None. Every method may be called from any goroutine.
package mask

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Shortest is the length of the shortest secret that is masked, in bytes. A shorter one may
// be an ordinary word.
const Shortest = 16

// mostKept is how many secrets of one kind are kept; a new one replaces the oldest.
const mostKept = 64

// mostNested is how often a text may be JSON within JSON: a result of MCP is, and code can
// print JSON.
const mostNested = 3

// blob is the length from which text in the alphabet of base64 counts as a picture or
// other data.
const blob = 2000

// A Kind is a kind of secret: the text that replaces it. It is at most Shortest bytes
// long, so that masked text is never longer, and has no character that JSON would escape.
type Kind string

// The kinds of secrets.
const (
	Easel   Kind = "[Easel's token]"
	Jupyter Kind = "[Jupyter token]"
	Client  Kind = "[client's token]" // of one that has a token of its own
)

// A Mask knows secrets and hides them. A nil Mask hides nothing.
type Mask struct {
	mu    sync.Mutex // guards kept
	kept  map[Kind][]string
	forms atomic.Pointer[[]form]
}

// A form is one way in which a secret can be written. Text is often cut somewhere, so its
// beginning or its end alone is masked, too, if it is long enough to be recognised.
type form struct {
	whole      []byte
	head, tail []byte
	quotable   bool // it can be a part of a JSON string
	number     bool // it can also be a JSON number
	dull       bool // it can be a part of a picture by chance
	by         Kind
}

// New returns a Mask without secrets.
func New() *Mask { return &Mask{kept: make(map[Kind][]string)} }

// Set makes secret the only one of its kind.
func (m *Mask) Set(k Kind, secret string) { m.change(k, secret, 1) }

// Add adds a secret of a kind.
func (m *Mask) Add(k Kind, secret string) { m.change(k, secret, mostKept) }

func (m *Mask) change(k Kind, secret string, most int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.kept[k]; most > 1 && slices.Contains(kept, secret) {
		return
	}
	kept := append(slices.Clone(m.kept[k]), secret)
	m.kept[k] = kept[max(0, len(kept)-most):]
	var forms []form
	for _, k := range []Kind{Easel, Client, Jupyter} { // a secret of both kinds is Easel's
		for _, s := range m.kept[k] {
			if len(s) >= Shortest {
				forms = append(forms, formsOf(k, s)...)
			}
		}
	}
	m.forms.Store(&forms)
}

// formsOf returns the ways in which a secret can be written.
func formsOf(k Kind, secret string) []form {
	all := []string{secret}
	add := func(s string) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	add(url.QueryEscape(secret))
	add(url.PathEscape(secret))
	add(markdown(secret))
	for range mostNested {
		for _, s := range slices.Clone(all) {
			add(quoted(s, true))
			add(quoted(s, false))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // a shorter one may be a part of a longer one
	forms := make([]form, len(all))
	for i, s := range all {
		half := len(s)
		if isPlain(s) {
			half = max(Shortest, half/2)
		}
		forms[i] = form{
			whole: []byte(s), head: []byte(s[:half]), tail: []byte(s[len(s)-half:]),
			quotable: json.Valid([]byte(`"` + s + `"`)), number: json.Valid([]byte(s)), dull: isDull(s), by: k,
		}
	}
	return forms
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
	different := make(map[byte]bool)
	for i := range len(s) {
		if !isBase64(s[i]) {
			return false
		}
		different[s[i]] = true
	}
	return len(different) < 8
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
	return string(bytes.Trim(bytes.TrimSpace(b.Bytes()), `"`))
}

// JSON returns a JSON text, or several, with each secret in it replaced by its kind. It
// returns text itself if there is none, and never changes it.
func (m *Mask) JSON(text []byte) []byte { return m.mask(text, true) }

// String returns a text with each secret in it replaced by its kind.
func (m *Mask) String(text string) string {
	if m == nil || len(text) < Shortest {
		return text
	}
	return string(m.mask([]byte(text), false))
}

func (m *Mask) mask(text []byte, isJSON bool) []byte {
	if m == nil || len(text) < Shortest {
		return text
	}
	forms := m.forms.Load()
	if forms == nil {
		return text
	}
	heads := false
	for _, f := range *forms { // whole secrets first: another may begin in the same way
		if (f.quotable || !isJSON) && bytes.Contains(text, f.head) {
			heads = true
			text = f.replace(text, f.whole, isJSON)
		}
	}
	for _, f := range *forms {
		if isJSON && !f.quotable {
			continue
		}
		if heads && bytes.Contains(text, f.head) {
			text = f.replace(text, f.head, isJSON)
		}
		if bytes.Contains(text, f.tail) {
			text = f.replace(text, f.tail, isJSON)
		}
	}
	return text
}

// replace replaces each part of a text that has needle, which is the secret, its beginning or
// its end, with as much of the secret as there is around it.
func (f form) replace(text, needle []byte, isJSON bool) []byte {
	offset := bytes.Index(f.whole, needle) // of needle in the secret
	if bytes.Equal(needle, f.tail) {
		offset = len(f.whole) - len(needle)
	}
	out := make([]byte, 0, len(text))
	finder := stringFinder{text: text}
	done := 0 // bytes of text that are in out
	for from := 0; ; {
		i := bytes.Index(text[from:], needle)
		if i < 0 {
			return append(out, text[done:]...)
		}
		at := from + i
		if f.dull {
			if end := blobEnd(text, at); end > 0 {
				from = end
				continue
			}
		}
		from = at + len(needle)
		for n := offset + len(needle); n < len(f.whole) && from < len(text) && text[from] == f.whole[n]; n++ {
			from++
		}
		for n := offset; n > 0 && at > done && text[at-1] == f.whole[n-1]; n-- {
			at--
		}
		if isJSON && f.number && !finder.inside(at) {
			continue
		}
		at = escapeEnd(text, at)
		out = append(append(out, text[done:at]...), f.by...)
		done = from
	}
}

// escapeEnd returns the end of the escape sequence of JSON in which a position is, or the
// position if it is in none. In \nabc, the n is a part of a line break, also if the secret
// is nabc.
func escapeEnd(text []byte, at int) int {
	for i := at - 1; i >= max(0, at-5); i-- {
		switch {
		case text[i] != '\\':
		case text[i+1] == 'u':
			return max(at, i+6)
		default:
			return max(at, i+2)
		}
	}
	return at
}

// blobEnd returns the end of the base64 around a position, or 0 if it is too short to be
// a picture.
func blobEnd(text []byte, at int) int {
	begin, end := at, at
	for begin > 0 && at-begin < blob && isBase64(text[begin-1]) {
		begin--
	}
	for end < len(text) && isBase64(text[end]) {
		end++
	}
	if end-begin < blob {
		return 0
	}
	return end
}

func isBase64(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '='
}

// A stringFinder tells whether a position of a JSON text is in a string. Ask in rising order.
type stringFinder struct {
	text []byte
	at   int
	in   bool
}

func (f *stringFinder) inside(at int) bool {
	for ; f.at < at; f.at++ {
		switch {
		case f.in && f.text[f.at] == '\\':
			f.at++ // what follows is escaped
		case f.text[f.at] == '"':
			f.in = !f.in
		}
	}
	return f.in
}

// Writer returns a writer that hides secrets in what it passes to w. Each Write must get a
// whole text.
func (m *Mask) Writer(w io.Writer) io.Writer { return writer{m, w} }

type writer struct {
	m *Mask
	w io.Writer
}

// Write implements io.Writer.
func (w writer) Write(b []byte) (int, error) {
	if _, err := w.w.Write(w.m.JSON(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
