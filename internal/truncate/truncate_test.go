package truncate_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"easel/internal/truncate"
)

func TestRunes(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語", 3, "日本語"}, {"日本語の", 3, "日本…"}, {"ab", 1, "…"},
	} {
		if got := truncate.Runes(c.s, c.n); got != c.want {
			t.Errorf("Runes(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"", ""}, {"\n\n  import os \nprint()", "import os"}, {"a\r\nb", "a"}, {"0123456789 and more", "012345678…"},
	} {
		if got := truncate.Line(c.s, 10); got != c.want {
			t.Errorf("Line(%q) = %q, want %q", c.s, got, c.want)
		}
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		s       string
		n       int
		want    string
		excerpt string
	}{
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc", "abc…"},
		{"日本語", 9, "日本語", "日本語"},
		{"日本語", 8, "日本", "日本…"},
		{"日本語", 6, "日本", "日本…"},
		{"日本語", 1, "", "…"},
		{"\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80", "\x80\x80\x80\x80…"},
	} {
		if got := truncate.Bytes(c.s, c.n); got != c.want {
			t.Errorf("Bytes(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
		if got := string(truncate.Bytes([]byte(c.s), c.n)); got != c.want {
			t.Errorf("Bytes of bytes(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
		if got := truncate.Excerpt(c.s, c.n); got != c.excerpt {
			t.Errorf("Excerpt(%q, %d) = %q, want %q", c.s, c.n, got, c.excerpt)
		}
	}
}

func TestMiddle(t *testing.T) {
	if got, want := truncate.Middle("abcdefghijkl", 6), "abcd\n… 6 bytes left out …\nkl"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	// For each limit, what is left out is counted, and no character is cut.
	const s = "日本語のテキスト"
	for n := range len(s) {
		head, rest, _ := strings.Cut(truncate.Middle(s, n), "\n… ")
		count, tail, _ := strings.Cut(rest, " bytes left out …\n")
		if !utf8.ValidString(head+tail) || !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(head)+len(tail) > n {
			t.Errorf("at most %d bytes: %q and %q", n, head, tail)
		}
		if want := len(s) - len(head) - len(tail); count != strconv.Itoa(want) {
			t.Errorf("at most %d bytes: %s left out, want %d", n, count, want)
		}
	}
	if got := truncate.Middle(s, len(s)); got != s {
		t.Errorf("a text that is not too long became %q", got)
	}
}
