// Package mask hides secrets in text that leaves the program: tokens that Easel holds, values
// that look secret in environment variables and .env files, and tokens whose form is known.
//
// A Mask finds a value as it is, as JSON writes it, also within another JSON text,
// percent-encoded, in HTML and Markdown, in base64 and as hexadecimal digits. Text is often cut
// somewhere, so half of a value is enough; at the end or the beginning of a string, or beside an
// ellipsis, a few characters are. It does not find one that was split, or encoded in another way.
//
// # Goroutines
//
// None. Every method may be called from any goroutine.
package mask

import (
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Shortest is the length of the shortest token of Easel or Jupyter that is masked, in bytes. A
// shorter one may be an ordinary word.
const Shortest = 16

// mostKept is how many tokens of one kind are kept; a new one replaces the oldest.
const mostKept = 64

// A Kind is a kind of token that Easel holds: the text that replaces it.
type Kind string

// The kinds of tokens.
const (
	Easel   Kind = "[Easel's token]"
	Jupyter Kind = "[Jupyter token]"
	Client  Kind = "[client's token]" // of one that has a token of its own
)

// A Secret is a value that has a name: the environment variable, for example.
type Secret struct{ Name, Value string }

// Tally counts what was masked, by its name.
type Tally map[string]int

// Total returns how often something was masked.
func (t Tally) Total() (n int) {
	for _, count := range t {
		n += count
	}
	return n
}

// Add adds what was found elsewhere and returns the sum, which may be t itself.
func (t Tally) Add(other Tally) Tally {
	if t == nil {
		return other
	}
	for name, n := range other {
		t[name] += n
	}
	return t
}

// A Mask knows secrets and hides them. A nil Mask hides nothing.
type Mask struct {
	mu     sync.Mutex // guards kept and named
	kept   map[Kind][]string
	named  []Secret
	tokens atomic.Pointer[scanner] // for what Easel holds
	all    atomic.Pointer[scanner] // for everything
}

// New returns a Mask that knows the forms of tokens only.
func New() *Mask {
	m := &Mask{kept: make(map[Kind][]string)}
	m.compile()
	return m
}

// Set makes token the only one of its kind.
func (m *Mask) Set(k Kind, token string) { m.change(k, token, 1) }

// Add adds a token of a kind.
func (m *Mask) Add(k Kind, token string) { m.change(k, token, mostKept) }

func (m *Mask) change(k Kind, token string, most int) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.kept[k]; most > 1 && slices.Contains(kept, token) {
		return
	}
	kept := append(slices.Clone(m.kept[k]), token)
	m.kept[k] = kept[max(0, len(kept)-most):]
	m.compile()
}

// Know replaces the secrets that have names. Their values are masked whatever they are; see
// IsSecret for which are worth it.
func (m *Mask) Know(secrets []Secret) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Equal(m.named, secrets) {
		return
	}
	m.named = slices.Clone(secrets)
	m.compile()
}

// compile is called with mu locked.
func (m *Mask) compile() {
	var held []*needle
	for _, k := range []Kind{Easel, Client, Jupyter} { // a token of several kinds is Easel's
		for _, s := range m.kept[k] {
			if len(s) >= Shortest {
				held = append(held, needlesOf(s, string(k), strings.Trim(string(k), "[]"))...)
			}
		}
	}
	m.tokens.Store(newScanner(held, nil))
	all := held
	for _, s := range m.named {
		if len(s.Value) >= shortestValue {
			name := plainName(s.Name)
			all = append(all, needlesOf(s.Value, mark(name), name)...)
		}
	}
	m.all.Store(newScanner(all, forms))
}

// mark returns what replaces a secret.
func mark(name string) string { return "[masked: " + name + "]" }

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// plainName returns a name without characters that JSON would escape, and not too long.
func plainName(name string) string {
	name = notPlain.ReplaceAllString(name, "_")
	return name[:min(len(name), 60)]
}

var marks = regexp.MustCompile(`\[masked: [A-Za-z0-9_.' -]{1,60}\]|\[Easel's token\]|\[client's token\]|\[Jupyter token\]`)

// MarkIn returns the first mark in a text, or "". Who has read a masked text and writes it back
// would replace the secret by its mark.
func MarkIn(text []byte) string { return string(marks.Find(text)) }

// SameBut reports whether a text is another one in which marks stand for some parts.
func SameBut(masked, whole string) bool {
	at := marks.FindAllStringIndex(masked, -1)
	if len(at) == 0 {
		return masked == whole
	}
	begin, end := masked[:at[0][0]], masked[at[len(at)-1][1]:]
	if len(begin)+len(end) > len(whole) || !strings.HasPrefix(whole, begin) || !strings.HasSuffix(whole, end) {
		return false
	}
	rest := whole[len(begin) : len(whole)-len(end)]
	for i := 1; i < len(at); i++ {
		between := masked[at[i-1][1]:at[i][0]]
		_, after, found := strings.Cut(rest, between)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

// JSON returns a JSON text, or several, with each secret in it replaced by its mark. It
// returns text itself if there is none, and never changes it.
func (m *Mask) JSON(text []byte) []byte {
	text, _ = m.Hide(text)
	return text
}

// Hide is JSON, and says what it has masked.
func (m *Mask) Hide(text []byte) ([]byte, Tally) {
	if m == nil {
		return text, nil
	}
	return m.all.Load().hide(text, true)
}

// Tokens returns a JSON text with the tokens masked that Easel holds, and nothing else.
func (m *Mask) Tokens(text []byte) []byte {
	if m == nil {
		return text
	}
	text, _ = m.tokens.Load().hide(text, true)
	return text
}

// Holds reports whether a text has a token that Easel holds.
func (m *Mask) Holds(text string) bool {
	if m == nil {
		return false
	}
	_, found := m.tokens.Load().hide([]byte(text), false)
	return found != nil
}

// String returns a text with each secret in it replaced by its mark.
func (m *Mask) String(text string) string {
	text, _ = m.Text(text)
	return text
}

// Text is String, and says what it has masked.
func (m *Mask) Text(text string) (string, Tally) {
	if m == nil || len(text) < gram {
		return text, nil
	}
	masked, found := m.all.Load().hide([]byte(text), false)
	if found == nil {
		return text, nil
	}
	return string(masked), found
}

// Names returns the names of the secrets that are known, sorted and without repetition.
func (m *Mask) Names() []string {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	names := make(map[string]bool)
	for _, s := range m.named {
		names[s.Name] = true
	}
	return slices.Sorted(maps.Keys(names))
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
