package kit

import (
	"image/color"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A PrintLine is a line of a [Printout] before wrapping.
type PrintLine struct {
	Mark string // at its left, not part of the text, for example In [3]
	Text string // without line breaks and tabs
	Ink  color.Color
}

// A spot is a place between two characters.
type spot struct{ line, at int } // at counts bytes

func (s spot) before(t spot) bool { return s.line < t.line || s.line == t.line && s.at < t.at }

// A passage is a part of a line.
type passage struct{ line, from, to int }

// wrappedText is the text of a Printout: lines, wrapped into pieces for a width. It has no objects.
type wrappedText struct {
	lines  []PrintLine
	pieces []passage // the rows
	width  float32   // of the text
	size   float32   // of the characters
	char   float32   // width of an ASCII character
}

// set replaces the lines and wraps those that are new.
func (p *wrappedText) set(lines []PrintLine) {
	same := 0
	for same < min(len(lines), len(p.lines)) && lines[same].Text == p.lines[same].Text {
		same++
	}
	p.lines = lines
	p.pieces = p.pieces[:p.first(same)]
	p.wrapFrom(same)
}

// fit wraps all lines for a width.
func (p *wrappedText) fit(width float32) {
	if p.width != width {
		p.width, p.pieces = width, p.pieces[:0]
		p.wrapFrom(0)
	}
}

// first returns the index of a line's first piece, or how many pieces there are if they do not reach the line.
func (p *wrappedText) first(line int) int {
	return sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].line >= line })
}

func (p *wrappedText) wrapFrom(line int) {
	width := max(p.width, 8*p.char)
	for i := line; i < len(p.lines); i++ {
		text, at := p.lines[i].Text, 0
		for {
			n := prefix(text[at:], width, p.size, p.char)
			if at+n < len(text) {
				if space := strings.LastIndexByte(text[at:at+n], ' ') + 1; text[at+n] == ' ' {
					n++ // a space at the end is not seen
				} else if space > n/2 {
					n = space // prose breaks between words
				}
				n = max(n, firstRune(text[at:]))
			}
			p.pieces = append(p.pieces, passage{i, at, at + n})
			if at += n; at >= len(text) {
				break
			}
		}
	}
}

// wide returns the width of a text.
func (p *wrappedText) wide(s string) (w float32) {
	for _, r := range s {
		if r < utf8.RuneSelf {
			w += p.char
		} else {
			w += runeWidth(r, p.size)
		}
	}
	return w
}

// spotIn returns the place in a piece that is nearest to x.
func (p *wrappedText) spotIn(piece int, x float32) spot {
	if len(p.pieces) == 0 {
		return spot{}
	}
	c := p.pieces[min(max(piece, 0), len(p.pieces)-1)]
	at, text := c.from, p.lines[c.line].Text
	for at < c.to {
		_, n := utf8.DecodeRuneInString(text[at:])
		w := p.wide(text[at : at+n])
		if x < w/2 {
			break
		}
		x -= w
		at += n
	}
	return spot{c.line, at}
}

// pieceOf returns the index of the piece with a place.
func (p *wrappedText) pieceOf(s spot) int {
	i := p.first(s.line)
	for i+1 < len(p.pieces) && p.pieces[i+1].line == s.line && p.pieces[i+1].from <= s.at {
		i++
	}
	return i
}

// end returns the place after the last character.
func (p *wrappedText) end() spot {
	n := len(p.lines) - 1
	if n < 0 {
		return spot{}
	}
	return spot{n, len(p.lines[n].Text)}
}

// between returns the text between two places.
func (p *wrappedText) between(from, to spot) string {
	var b strings.Builder
	for i := from.line; i <= to.line && i < len(p.lines); i++ {
		text := p.lines[i].Text
		if i == to.line {
			text = text[:min(to.at, len(text))]
		}
		if i == from.line {
			text = text[min(from.at, len(text)):]
		} else {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}

// wordAt returns the ends of the word at a place, or of the character after it.
func (p *wrappedText) wordAt(s spot) (from, to spot) {
	if s.line >= len(p.lines) {
		return s, s
	}
	text := p.lines[s.line].Text
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	a, b := s.at, s.at
	for a > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:a])
		if !inWord(r) {
			break
		}
		a -= n
	}
	for b < len(text) {
		r, n := utf8.DecodeRuneInString(text[b:])
		if !inWord(r) {
			break
		}
		b += n
	}
	if a == b {
		b = min(b+firstRune(text[b:]), len(text))
	}
	return spot{s.line, a}, spot{s.line, b}
}

// mostFound is the maximum number of places that a search finds.
const mostFound = 10_000

// find returns the places of a text, in capitals or not.
func (p *wrappedText) find(text string) (found []passage) {
	if text == "" {
		return nil
	}
	index := folded(text)
	for i, l := range p.lines {
		for at := 0; ; {
			from, n := index(l.Text[at:])
			if from < 0 {
				break
			}
			found = append(found, passage{i, at + from, at + from + n})
			at += from + n
		}
		if len(found) >= mostFound {
			return found[:mostFound]
		}
	}
	return found
}

// folded returns a function that finds a text in another one, in capitals or not, and how long it is there.
func folded(text string) func(in string) (at, n int) {
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		form := regexp.MustCompile("(?i)" + regexp.QuoteMeta(text))
		return func(in string) (int, int) {
			if at := form.FindStringIndex(in); at != nil {
				return at[0], at[1] - at[0]
			}
			return -1, 0
		}
	}
	lower := func(c byte) byte {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}
	text = strings.ToLower(text)
	return func(in string) (int, int) { // a regular expression would take ten times as long
	next:
		for at := 0; at+len(text) <= len(in); at++ {
			for i := range len(text) {
				if lower(in[at+i]) != text[i] {
					continue next
				}
			}
			return at, len(text)
		}
		return -1, 0
	}
}

// foundAfter returns the index of the first passage at or after a line, or 0 if there is none.
func foundAfter(found []passage, line int) int {
	i, _ := slices.BinarySearchFunc(found, line, func(f passage, line int) int { return f.line - line })
	if i == len(found) {
		return 0
	}
	return i
}
