// Package pycode reads Python code without running it. It finds the titles of plots, and
// what may affect others or change between runs: files, network, shell, clock, randomness.
// It parses only names, calls, strings and blocks. It never fails, and ignores what it does
// not understand.
//
// # Goroutines
//
// The package starts none and has no state. Its functions are safe for concurrent use.
package pycode

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A kind is the kind of a token.
type kind int

const (
	name  kind = iota
	text       // a string literal
	other      // a number or an operator
)

// A token is a token of the code.
type token struct {
	kind   kind
	word   string   // source text; of a string literal, its value
	plain  bool     // of a string literal: its value is known
	fields []string // of an f-string: the source text of the expressions in its replacement fields
	column int      // offset in the line, in bytes
	at     int      // offset in the code, in bytes
	match  int      // of a bracket: offset to its partner, in tokens; otherwise 0
}

func (t token) is(word string) bool { return t.kind != text && t.word == word }

// A scanner splits code into statements.
type scanner struct {
	code   string
	at     int // current offset
	start  int // offset of the current line
	depth  int // number of open brackets
	tokens []token
	joined bool // the statement follows a semicolon in its line
	out    []statement
	magics []magic
	work   *int // bytes of literals that were scanned, also inside of others; see mostLiterals
	inner  int  // how many f-strings are around this place
	indent int  // of a statement that begins after a backslash, plus 1
	odd    bool // a literal does not end, or brackets do not match: Python may read the code in another way
}

// A magic is a line in IPython's own syntax, such as %cd or !ls.
type magic struct {
	text string
	at   int // offset in the code
}

// A statement is a logical line, or a part of one that ends with a semicolon.
type statement struct {
	tokens []token
	joined bool // it follows a semicolon in its line
	column int  // where its first line begins, as Python counts it
}

// statements returns the statements in code. It omits comments and lines in IPython's own
// syntax, such as %matplotlib and !ls.
func statements(code string) []statement {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	return scan(code).out
}

// mostNested is how deep f-strings are read, and mostLiterals how many bytes of literals, each counted as often as it is inside of
// another one. Nobody writes more, and what follows is not read.
const (
	mostNested   = 12
	mostLiterals = 8 << 20
)

func scan(code string) *scanner {
	s := &scanner{code: code, work: new(int)}
	for s.at < len(code) {
		s.next()
	}
	s.odd = s.odd || s.depth > 0 || *s.work > mostLiterals
	s.end()
	return s
}

func (s *scanner) next() {
	c := s.code[s.at]
	switch {
	case c == '\n':
		s.at++
		s.start = s.at
		if s.depth == 0 {
			s.end()
			s.joined = false
		}
	case c == '\\' && strings.HasPrefix(s.code[s.at+1:], "\n"):
		if len(s.tokens) == 0 && s.indent == 0 {
			s.indent = 1 + s.at - s.start
		}
		s.at += 2
	case c == '#':
		s.skipLine()
	case len(s.tokens) == 0 && (c == '%' || c == '!' || c == '?'):
		from := s.at
		s.skipLine()
		s.magics = append(s.magics, magic{s.code[from:s.at], from})
	case c == ';' && s.depth == 0:
		begins := strings.TrimLeft(s.code[s.start:s.at], " \t") == "" // IPython calls what follows
		s.at++
		s.end()
		s.joined = !begins
		if begins {
			s.indent = s.at - s.start
		}
	case c == ' ', c == '\t', c == '\r', c == '\f':
		s.at++
	case c == '"', c == '\'':
		s.literal("")
	case isNameStart(s.code[s.at:]):
		s.word()
	default:
		s.operator()
	}
}

func (s *scanner) skipLine() {
	n := strings.IndexByte(s.code[s.at:], '\n')
	if n < 0 {
		n = len(s.code) - s.at
	}
	s.at += n
}

// end ends a statement.
func (s *scanner) end() {
	tokens := s.tokens
	s.tokens, s.depth = nil, 0
	if len(tokens) == 0 {
		return
	}
	if !pair(tokens) {
		s.odd = true
	}
	st := statement{tokens: tokens, joined: s.joined, column: tokens[0].column}
	if s.indent > 0 {
		st.column = s.indent - 1
	}
	s.indent = 0
	s.out = append(s.out, st)
}

func (s *scanner) add(t token) {
	t.at = s.start + t.column
	s.tokens = append(s.tokens, t)
}

func (s *scanner) word() {
	from := s.at
	for s.at < len(s.code) {
		r, n := utf8.DecodeRuneInString(s.code[s.at:])
		if !unicode.In(r, unicode.L, unicode.Nl, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc,
			unicode.Other_ID_Start, unicode.Other_ID_Continue) {
			break
		}
		s.at += n
	}
	word := s.code[from:s.at]
	if s.at < len(s.code) && (s.code[s.at] == '"' || s.code[s.at] == '\'') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbuft") == "" {
		s.literal(strings.ToLower(word))
		return
	}
	s.add(token{kind: name, word: word, column: from - s.start})
}

// operator scans an operator of one or two characters, or a number.
func (s *scanner) operator() {
	_, n := utf8.DecodeRuneInString(s.code[s.at:])
	word := s.code[s.at : s.at+n]
	if c := word[0]; c >= '0' && c <= '9' {
		word = number.FindString(s.code[s.at:])
		n = len(word)
	} else if two := s.code[s.at:min(s.at+2, len(s.code))]; two == "==" || two == "!=" || two == "<=" || two == ">=" || two == ":=" {
		word, n = two, 2
	}
	switch word {
	case "(", "[", "{":
		s.depth++
	case ")", "]", "}":
		s.depth = max(0, s.depth-1)
	}
	s.add(token{kind: other, word: word, column: s.at - s.start})
	s.at += n
}

// number matches a numeric literal at the beginning of a text. What follows may be an attribute, as in 1..real.
var number = regexp.MustCompile(`^(?i:0[xob][0-9a-f_]+|[0-9][0-9_]*(?:\.[0-9_]*)?(?:e[+-]?[0-9_]+)?j?)`)

func isNameStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start)
}

// literal scans a string literal. The scanner is at the first quote.
func (s *scanner) literal(prefix string) {
	column := s.at - len(prefix) - s.start
	quote := s.code[s.at : s.at+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(s.code[s.at:], three) {
		quote = three
	}
	s.at += len(quote)
	from := s.at
	if *s.work > mostLiterals {
		s.at = len(s.code)
	}
	defer func() { *s.work += s.at - from }()
	var fields []string
	formatted := strings.ContainsAny(prefix, "ft")
	if s.inner++; s.inner > mostNested { // nobody writes this
		s.odd, formatted = true, false
	}
	defer func() { s.inner-- }()
	for s.at < len(s.code) && !strings.HasPrefix(s.code[s.at:], quote) {
		switch {
		case s.code[s.at] == '\\' && formatted && strings.HasPrefix(s.code[s.at+1:], "{"): // a field all the same
		case s.code[s.at] == '\\' && formatted && !strings.Contains(prefix, "r") && strings.HasPrefix(s.code[s.at+1:], "N{"):
			s.at += 2
		case s.code[s.at] == '\\':
			s.at++
		case s.code[s.at] == '\n' && len(quote) == 1: // it is not terminated
			s.odd = true
			s.add(token{kind: text, column: column})
			return
		case s.code[s.at] == '{' && formatted:
			if strings.HasPrefix(s.code[s.at:], "{{") {
				s.at++
				break
			}
			n, inner := replacementField(s.code[s.at:], s.inner, s.work)
			fields = append(fields, inner...)
			s.at += n - 1
		}
		s.at++
	}
	s.odd = s.odd || s.at >= len(s.code)
	s.at = min(s.at, len(s.code))
	body := s.code[from:s.at]
	s.at = min(s.at+len(quote), len(s.code))
	t := token{kind: text, word: body, plain: true, fields: fields, column: column}
	if strings.ContainsAny(prefix, "ft") {
		t.plain = !strings.ContainsAny(body, "{}")
	}
	if strings.Contains(prefix, "b") {
		t.plain = false
	}
	if !strings.Contains(prefix, "r") && t.plain {
		t.word, t.plain = unescape(body)
	}
	s.add(t)
}

// replacementField returns the number of bytes of an f-string's replacement field up to its closing bracket, which is
// not counted, and the expressions in it. They may contain strings with the same quotes (PEP 701), and brackets; a
// format may have fields of its own.
func replacementField(code string, inner int, work *int) (length int, expressions []string) {
	s := &scanner{code: code, at: 1, inner: inner, work: work}
	if inner > mostNested {
		return len(code), []string{code[1:]}
	}
	for depth := 1; s.at < len(code); {
		switch c := code[s.at]; c {
		case '"', '\'':
			from := s.at
			for from > 1 && strings.ContainsRune("rRbBuUfFtT", rune(code[from-1])) {
				from--
			}
			s.literal(strings.ToLower(code[from:s.at]))
			continue
		case '#':
			s.skipLine()
			continue
		case ':':
			if depth == 1 {
				n, fields := formatFields(code[s.at:], inner+1, work)
				return s.at + n, append([]string{code[1:s.at]}, fields...)
			}
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth == 0 {
				return s.at, []string{code[1:s.at]}
			}
		}
		s.at++
	}
	return len(code), []string{code[1:]}
}

// formatFields returns the number of bytes of the format in a replacement field, up to the closing bracket, and the
// expressions in it.
func formatFields(code string, inner int, work *int) (length int, expressions []string) {
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '{':
			n, fields := replacementField(code[i:], inner, work)
			expressions = append(expressions, fields...)
			i += n
		case '}':
			return i, expressions
		}
	}
	return len(code), expressions
}

// unescape returns the value of a string literal. It returns false if the literal has escapes
// that Go does not have, such as \N{…}.
func unescape(body string) (string, bool) {
	if !strings.Contains(body, `\`) {
		return body, true
	}
	var b strings.Builder
	for rest := body; rest != ""; {
		switch {
		case rest[0] != '\\':
			_, n := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:n])
			rest = rest[n:]
		case strings.HasPrefix(rest, "\\\n"):
			rest = rest[2:]
		case len(rest) > 1 && !strings.ContainsRune(`abfnrtvxuU\'"01234567N`, rune(rest[1])):
			b.WriteByte('\\') // Python keeps unknown escapes, as in '\alpha'
			rest = rest[1:]
		default:
			r, _, tail, err := strconv.UnquoteChar(rest, 0)
			if err != nil && len(rest) > 1 && (rest[1] == '\'' || rest[1] == '"') {
				r, tail, err = rune(rest[1]), rest[2:], nil
			}
			if err != nil {
				return "", false
			}
			b.WriteRune(r)
			rest = tail
		}
	}
	return b.String(), true
}

// pair sets match of each bracket, and reports whether all have one of the same kind.
func pair(tokens []token) bool {
	var open []int
	good := true
	for i := range tokens {
		if tokens[i].kind != other {
			continue
		}
		switch w := tokens[i].word; w {
		case "(", "[", "{":
			open = append(open, i)
		case ")", "]", "}":
			n := len(open)
			if n == 0 {
				good = false
				continue
			}
			good = good && strings.Index("([{", tokens[open[n-1]].word) == strings.Index(")]}", w)
			tokens[i].match, tokens[open[n-1]].match = open[n-1]-i, i-open[n-1]
			open = open[:n-1]
		}
	}
	return good && len(open) == 0
}

// partner returns the index of a bracket's partner, or -1 if it is not in tokens.
func partner(tokens []token, i int) int {
	if j := i + tokens[i].match; j != i && j >= 0 && j < len(tokens) {
		return j
	}
	return -1
}

// past returns the index of the closing bracket if a bracket opens at i, and i otherwise.
func past(tokens []token, i int) int { return max(i, partner(tokens, i)) }
