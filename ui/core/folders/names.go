package folders

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// fold normalizes a text so that spellings that look the same are equal.
func fold(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Fold().String(norm.NFKC.String(strings.ToValidUTF8(s, "�")))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// tagKey returns the key by which tags are compared. Prompts write an underscore for a
// space.
func tagKey(s string) string { return strings.ReplaceAll(fold(strings.TrimSpace(s)), "_", " ") }

// nameKey returns the sort key of a name: case is ignored, and numbers are ordered by
// value.
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
			b.WriteByte(byte('0' + min(len(number), 60))) // a number with fewer digits is smaller
			b.WriteString(number)
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
	if c := strings.Compare(a.key, b.key); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

// oneLine makes an untrusted text safe to show: valid UTF-8 without control
// characters or characters that change the text direction.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '�'
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
}
