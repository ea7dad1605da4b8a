// Package search has what texts of the library are searched and sorted by.
//
// # Goroutines
//
// The package starts none. All of it is safe for concurrent use.
package search

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Fold normalizes case, half and full width, and composition. A search compares folded
// texts.
func Fold(s string) string {
	if isLowerASCII(s) {
		return s
	}
	// SQLite ends texts at a NUL.
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", " ")
	return cases.Fold().String(norm.NFKC.String(s))
}

func isLowerASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] >= 'A' && s[i] <= 'Z' || s[i] == 0 {
			return false
		}
	}
	return true
}

// SortKey returns the key for sorting by name: the title, or the name in resources/list
// if there is none, with numbers ordered by value.
func SortKey(title string, n int) string {
	title = cmp.Or(title, fmt.Sprintf("matplotlib output [%d]", n))
	var b strings.Builder
	digits := 0
	flush := func(s string) {
		if digits > 0 {
			number := strings.TrimLeft(s[len(s)-digits:], "0")
			fmt.Fprintf(&b, "%c%s", '0'+min(len(number), 60), number) // a number with fewer digits is smaller
			digits = 0
		}
	}
	folded := Fold(title)
	for i, r := range folded {
		if r >= '0' && r <= '9' {
			digits++
			continue
		}
		flush(folded[:i])
		b.WriteRune(r)
	}
	flush(folded)
	return b.String()
}

// Clean makes an untrusted text safe for one line: valid UTF-8 in NFC, without control
// characters and surrounding space.
func Clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	return norm.NFC.String(strings.TrimSpace(s))
}

// Card finds a word in the text of a card: title, tags, number, and the name of an
// image without a title.
func Card(word string, untitled []string) (query string, args []any) {
	query, args = `instr(i.words, ?) or instr('#' || i.n`, []any{word}
	for _, name := range untitled {
		before, after, _ := strings.Cut(Fold(name), "%d")
		query += ` || iif(i.title = '', char(10) || ? || i.n || ?, '')`
		args = append(args, before, after)
	}
	return query + `, ?)`, append(args, word)
}

// Runs selects the executions that contain a word. The index has words of three or more
// characters. What it says of executions that are to be indexed again is not used; those are
// scanned. Shorter words, which are common in Japanese, need a full scan.
func Runs(word string) (query string, args []any) {
	if utf8.RuneCountInString(word) < 3 {
		return `select seq from run_words where instr(words, ?)`, []any{word}
	}
	phrase := `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
	return `select rowid from run_index where run_index match ? and rowid not in (select seq from run_words where indexed = 0)
		union all select seq from run_words where indexed = 0 and instr(words, ?)`, []any{phrase, word}
}

// Scanned is how many of the newest executions are searched for words of one or two
// characters, which the index does not have.
const Scanned = 20_000

// RecentRuns is Runs with a bound for words that the index does not have.
func RecentRuns(word string) (query string, args []any) {
	if utf8.RuneCountInString(word) >= 3 {
		return Runs(word)
	}
	return `select seq from (select seq, words from run_words order by seq desc limit ?) where instr(words, ?)`, []any{Scanned, word}
}
