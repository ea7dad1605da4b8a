package folders

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold makes texts that a person takes for the same equal.
func fold(s string) string {
	return cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, "�")))
}

// tagKey is what makes tags the same. Prompts write a space as an underscore.
func tagKey(s string) string { return strings.ReplaceAll(fold(strings.TrimSpace(s)), "_", " ") }

// nameKey is what names are ordered by: letters in any case, numbers by their value.
func nameKey(name string) string {
	var b strings.Builder
	s := fold(name)
	for s != "" {
		n := 0
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		if n > 0 {
			number := strings.TrimLeft(s[:n], "0")
			fmt.Fprintf(&b, "%c%s", '0'+min(len(number), 60), number) // shorter numbers are smaller
			s = s[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

func compareNames(a, b *entry) int {
	return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.name, b.name))
}

// oneLine makes a text from outside fit to be shown: valid, without control
// characters and those that turn the direction of text.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}

// short cuts a text to n bytes.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
