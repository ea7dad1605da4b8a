// Package truncate shortens texts.
//
// Who reads the text decides how. A person reads a label, which ends with an ellipsis after so
// many characters (Runes, Line). A model reads the head and the tail of an output, and how much
// lies between them (Middle). A size that must not be exceeded is one in bytes (Bytes, Excerpt).
// No character is cut in two.
//
// # Goroutines
//
// None. Every function may be called from any goroutine.
package truncate

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type text interface{ ~string | ~[]byte }

// Runes returns s, or its beginning and an ellipsis, together n characters.
func Runes(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Line returns the first line of s that is not blank, without spaces around it and at most n
// characters long.
func Line(s string, n int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return Runes(strings.TrimSpace(line), n)
}

// Bytes returns the first n bytes of s, without a mark.
func Bytes[T text](s T, n int) T {
	if len(s) <= n {
		return s
	}
	return TrimEnd(s[:n])
}

// Excerpt returns s, or its first n bytes and an ellipsis.
func Excerpt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Bytes(s, n) + "…"
}

// Middle returns s, or its head and its tail, together n bytes, and between them how much is
// left out. The head is twice as long as the tail.
func Middle(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Join(s[:n-n/3], s[len(s)-n/3:], int64(len(s)))
}

// Join joins the head and the tail of a text with a line that says how many of its total bytes
// are missing.
func Join[T text](head, tail T, total int64) string {
	h, t := string(TrimEnd(head)), string(TrimStart(tail))
	return strings.ToValidUTF8(fmt.Sprintf("%s\n… %d bytes left out …\n%s", h, total-int64(len(h)+len(t)), t), "\ufffd")
}

// TrimEnd removes an incomplete character at the end.
func TrimEnd[T text](s T) T {
	for i := 1; i <= min(utf8.UTFMax-1, len(s)); i++ {
		if end := s[len(s)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune([]byte(end)) {
				return s[:len(s)-i]
			}
			break
		}
	}
	return s
}

// TrimStart removes the rest of an incomplete character at the start.
func TrimStart[T text](s T) T {
	n := 0
	for n < min(utf8.UTFMax-1, len(s)) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}
