package folders

import (
	"cmp"
	"slices"
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

// mostDigits is the number of digits from which on numbers are no longer compared by value.
const mostDigits = 60

// nameKey returns the sort key of a name: case is ignored, and numbers are ordered by
// value.
func nameKey(name string) string {
	var b strings.Builder
	s := fold(name)
	for s != "" {
		if n := digits(s); n > 0 {
			number := strings.TrimLeft(s[:n], "0")
			b.WriteByte(byte('0' + min(len(number), mostDigits))) // a number with fewer digits is smaller
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

// compareNames compares two names by their keys.
func compareNames(a, b string) int {
	if isASCII(a) && isASCII(b) {
		if c, sure := compareASCII(a, b); sure {
			return cmp.Or(c, strings.Compare(a, b))
		}
	}
	return cmp.Or(strings.Compare(nameKey(a), nameKey(b)), strings.Compare(a, b))
}

// compareASCII compares the keys of two names in ASCII without making them, which takes ten times as long. It is not
// sure of a few strange names.
func compareASCII(a, b string) (c int, sure bool) {
	for a != "" && b != "" {
		n, m := digits(a), digits(b)
		switch {
		case n > 0 && m > 0:
			x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
			if max(len(x), len(y)) >= mostDigits {
				return 0, false
			}
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c, true
			}
			a, b = a[n:], b[m:]
		case n > 0 || m > 0:
			x, y := first(a, n), first(b, m)
			return cmp.Compare(x, y), x != y
		default:
			if c := cmp.Compare(first(a, 0), first(b, 0)); c != 0 {
				return c, true
			}
			a, b = a[1:], b[1:]
		}
	}
	return cmp.Compare(len(a), len(b)), true
}

// first returns the first byte of the key of a name that begins with some digits.
func first(name string, digits int) byte {
	switch c := name[0]; {
	case digits > 0:
		return byte('0' + min(len(strings.TrimLeft(name[:digits], "0")), mostDigits))
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	default:
		return c
	}
}

// digits returns the number of digits at the beginning of a name.
func digits(name string) (n int) {
	for n < len(name) && name[n] >= '0' && name[n] <= '9' {
		n++
	}
	return n
}

// sortByName sorts entries by their names.
func sortByName(all []*entry) {
	if !slices.ContainsFunc(all, func(e *entry) bool { return !isASCII(e.name) }) {
		slices.SortFunc(all, func(a, b *entry) int { return compareNames(a.name, b.name) })
		return
	}
	type keyed struct {
		key string
		*entry
	}
	keys := make([]keyed, len(all)) // which are not kept: they take much memory
	for i, e := range all {
		keys[i] = keyed{nameKey(e.name), e}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.name, b.name)) })
	for i, k := range keys {
		all[i] = k.entry
	}
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
