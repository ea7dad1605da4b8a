package search

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Key says what a term of a search is about. The empty key is a word.
type Key string

// The keys.
const (
	Word    Key = ""
	Client  Key = "client"  // who drew a plot; a part of the name is enough
	Session Key = "session" // the name of its session, or a part of it
	Tag     Key = "tag"
	Stars   Key = "stars"
	Kind    Key = "kind" // what drew it, or the format; one of Kinds
	Has     Key = "has"  // one of Things
	Is      Key = "is"   // only New
	After   Key = "after"
	Before  Key = "before"
	On      Key = "on"
)

// Keys lists the keys in the order in which they are offered.
var Keys = []Key{Client, Session, Tag, Stars, Kind, Has, After, Before, On, Is}

// keyNames are the names of the keys as they may be written, folded.
var keyNames = map[string]Key{
	"client": Client, "クライアント": Client, "session": Session, "セッション": Session, "tag": Tag, "タグ": Tag,
	"stars": Stars, "star": Stars, "rating": Stars, "星": Stars, "kind": Kind, "type": Kind, "種類": Kind, "has": Has, "あり": Has,
	"is": Is, "after": After, "since": After, "以降": After, "before": Before, "until": Before, "以前": Before, "on": On, "日": On,
}

// New is the value of Is: plots that arrived since the user last looked.
const New = "new"

// Kinds lists the values of Kind.
var Kinds = []string{
	"matplotlib", "plotly", "vega", "bokeh", "holoviews", "html", "widget", "table", "latex", "pdf", "animation",
	"png", "jpeg", "svg", "gif", "webp",
}

// Things lists the values of Has.
var Things = []string{"note", "findings", "error", "tags", "stars", "data"}

// A Problem is what is wrong with a term.
type Problem string

// The problems.
const (
	Fine       Problem = ""
	Incomplete Problem = "incomplete" // there is nothing after the colon
	Unclosed   Problem = "unclosed"   // a quotation mark has no second one
	BadTime    Problem = "time"
	BadDay     Problem = "day" // On needs a day, not a time
	BadStars   Problem = "stars"
	BadKind    Problem = "kind"
	BadThing   Problem = "thing"
	BadIs      Problem = "is"
)

// A Term is one condition of a search.
type Term struct {
	Start, End int // what it is in the text, in bytes
	Not        bool
	Key        Key
	Value      string // as written, without quotation marks
	Folded     string // Value, folded
	Problem    Problem

	Op    string    // of Stars: ">=", "<=", "=", ">" or "<"
	Count int       // of Stars
	From  time.Time // of After, Before and On: the beginning of what Value names
	To    time.Time // and its end
	clock bool      // Value is a time of day, without a day
}

// Terms are the conditions of a search. A plot must meet all, except that of several clients,
// sessions, kinds or days one is enough.
type Terms []Term

// A Clock is what the terms about times depend on. The times that a user writes are in the
// location of Now.
type Clock struct {
	Now    time.Time
	Looked time.Time // when the user last looked; zero if they never did
}

// Parse reads the text of a search. It never fails: a term with a Problem has no effect, unless it
// is a word.
func Parse(text string, c Clock) Terms {
	var terms Terms
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		if unicode.IsSpace(r) {
			at += size
			continue
		}
		t := scan(text, at)
		at = t.End
		t.Folded = Fold(strings.Join(strings.Fields(t.Value), " "))
		t.read(c)
		terms = append(terms, t)
	}
	terms.onTheDay(c)
	return terms
}

// scan returns the term that begins at a position.
func scan(text string, at int) Term {
	t := Term{Start: at}
	rest := text[at:]
	if negates(rest) {
		t.Not, rest = true, rest[1:]
	}
	if key, after, ok := keyOf(rest); ok {
		t.Key, rest = key, after
	}
	value, quoted := strings.CutPrefix(rest, `"`)
	if !quoted {
		n := strings.IndexFunc(rest, unicode.IsSpace)
		if n < 0 {
			n = len(rest)
		}
		t.Value = rest[:n]
		t.End = len(text) - len(rest) + n
		return t
	}
	n := closing(value)
	t.End = len(text) - len(value) + n + 1
	if n < 0 {
		n, t.End, t.Problem = len(value), len(text), Unclosed
	}
	t.Value = strings.ReplaceAll(value[:n], `""`, `"`)
	return t
}

// negates reports whether a term begins with a minus sign that negates it. One before a number, or
// as in --flag and ->, belongs to the word.
func negates(s string) bool {
	if !strings.HasPrefix(s, "-") {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[1:])
	return r == '"' || unicode.IsLetter(r)
}

// closing returns where the quotation mark is that ends a phrase, in which two of them mean one. It
// returns -1 if there is none.
func closing(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] != '"' {
			continue
		}
		if i+1 == len(s) || s[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}

// keyOf returns the key with which a term begins, and what is after the colon.
func keyOf(s string) (key Key, rest string, ok bool) {
	i := strings.IndexAny(s, ":： \t\"　")
	if i <= 0 {
		return "", s, false
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if r != ':' && r != '：' {
		return "", s, false
	}
	key, ok = keyNames[Fold(s[:i])]
	return key, s[i+size:], ok
}

// read reads the value of a term.
func (t *Term) read(c Clock) {
	if t.Key == Word || t.Problem != Fine {
		return
	}
	if t.Folded == "" {
		t.Problem = Incomplete
		return
	}
	switch t.Key {
	case Stars:
		t.Op, t.Count, t.Problem = stars(t.Folded)
	case Kind:
		if t.Folded = kind(t.Folded); t.Folded == "" {
			t.Problem = BadKind
		}
	case Has:
		if t.Folded = thing(t.Folded); t.Folded == "" {
			t.Problem = BadThing
		}
	case Is:
		if t.Folded != New && t.Folded != "新着" {
			t.Problem = BadIs
		}
		t.From, t.To = c.Looked, time.Unix(1<<33, 0)
	case After, Before, On:
		var ok bool
		t.From, t.To, t.clock, ok = moment(t.Folded, c.Now)
		switch {
		case !ok:
			t.Problem = BadTime
		case t.Key == On && t.clock:
			t.Problem = BadDay
		}
	case Word, Client, Session, Tag:
	}
}

// onTheDay moves the times of day to the day of an On, if there is one. Otherwise they are
// today's, and of an After that is still to come, yesterday's.
func (ts Terms) onTheDay(c Clock) {
	var day time.Time
	for _, t := range ts {
		if t.Key == On && t.Problem == Fine && !t.Not {
			day = t.From
		}
	}
	for i := range ts {
		t := &ts[i]
		if !t.clock || t.Problem != Fine {
			continue
		}
		d := t.From
		switch {
		case !day.IsZero():
			d = day
		case t.Key == After && t.From.After(c.Now):
			d = t.From.AddDate(0, 0, -1)
		}
		t.From = time.Date(d.Year(), d.Month(), d.Day(), t.From.Hour(), t.From.Minute(), t.From.Second(), 0, d.Location())
		t.To = t.From
	}
}

// stars reads a comparison with a number of stars, as ">=3" or "4".
func stars(s string) (op string, n int, p Problem) {
	op = "="
	for _, sign := range []struct{ text, op string }{
		{">=", ">="}, {"<=", "<="}, {"≥", ">="}, {"≤", "<="}, {">", ">"}, {"<", "<"}, {"=", "="},
	} {
		if rest, ok := strings.CutPrefix(s, sign.text); ok {
			op, s = sign.op, rest
			break
		}
	}
	if rest, ok := strings.CutSuffix(s, "+"); ok && op == "=" {
		op, s = ">=", rest
	}
	if len(s) != 1 || s[0] < '0' || s[0] > '5' {
		return "", 0, BadStars
	}
	return op, int(s[0] - '0'), Fine
}

// kind returns the kind that a word means, or "".
func kind(s string) string {
	switch s {
	case "vega-lite", "vegalite", "altair":
		return "vega"
	case "jpg":
		return "jpeg"
	case "mpl":
		return "matplotlib"
	case "movie", "動画", "アニメーション":
		return "animation"
	}
	return oneOf(s, Kinds)
}

// thing returns what a word after Has means, or "".
func thing(s string) string {
	for _, x := range []struct{ word, means string }{
		{"notes", "note"},
		{"メモ", "note"},
		{"finding", "findings"},
		{"気になる点", "findings"},
		{"errors", "error"},
		{"エラー", "error"},
		{"tag", "tags"},
		{"タグ", "tags"},
		{"star", "stars"},
		{"rating", "stars"},
		{"星", "stars"},
		{"データ", "data"},
	} {
		if s == x.word {
			return x.means
		}
	}
	return oneOf(s, Things)
}

func oneOf(s string, all []string) string {
	for _, x := range all {
		if s == x {
			return x
		}
	}
	return ""
}
