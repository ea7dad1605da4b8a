package search

import (
	"strings"
	"unicode/utf8"
)

// A Text is one of the texts in which a search may have found a plot.
type Text struct{ Where, Text string }

// A Hit is where a search has found a plot.
type Hit struct {
	Where                string // as in Text
	Line                 int    // from 1
	Before, Match, After string // of that line
}

// Find returns the first place in texts where one of the words of a search occurs. It reports whether there is one.
func (ts Terms) Find(texts []Text) (Hit, bool) {
	words := ts.Words()
	for _, t := range texts {
		for _, word := range words {
			if !strings.Contains(Fold(t.Text), word) {
				continue
			}
			n := 0
			for line := range strings.Lines(t.Text) {
				n++
				line = strings.TrimRight(line, "\r\n")
				if from, to, ok := find(line, word); ok {
					return Hit{t.Where, n, line[:from], line[from:to], line[to:]}, true
				}
			}
		}
	}
	return Hit{}, false
}

// find returns where a folded word is in a line that is not folded.
func find(line, word string) (from, to int, ok bool) {
	if !strings.Contains(Fold(line), word) {
		return 0, 0, false
	}
	var folded strings.Builder
	var starts []int // of what each byte was folded from
	for i, r := range line {
		part := Fold(string(r))
		for range len(part) {
			starts = append(starts, i)
		}
		folded.WriteString(part)
	}
	at := strings.Index(folded.String(), word)
	if at < 0 { // characters that were composed
		return 0, 0, false
	}
	last := starts[at+len(word)-1]
	_, size := utf8.DecodeRuneInString(line[last:])
	return starts[at], last + size, true
}
