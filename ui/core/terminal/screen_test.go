package terminal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"easel/ui/core/terminal"
)

// shown returns what a screen shows.
func shown(s *terminal.Screen) string {
	var b strings.Builder
	head, tail, left := s.Lines()
	for _, l := range head {
		b.WriteString(l.Text)
	}
	if left > 0 {
		fmt.Fprintf(&b, "<%d>", left)
	}
	for _, l := range tail {
		b.WriteString(l.Text)
	}
	return b.String()
}

func TestScreen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"nothing":                      {"", ""},
		"text":                         {"a\tb\nc 日本語\n", "a\tb\nc 日本語\n"},
		"trailing blanks":              {"a  \n b ", "a  \n b "},
		"a return overwrites":          {"first thing\rlast\n", "lastt thing\n"},
		"a return before a break":      {"a\r\nb\r\n", "a\nb\n"},
		"a return at the end":          {"50%\r", "50%"},
		"a bar":                        {"\r  1%|#    |\r 50%|###  |\r100%|#####|\n", "100%|#####|\n"},
		"a bar that disappears":        {"\r100%|#####|\r           \rdone\n", "done\n"},
		"over a wide character":        {"日本語\rab", "ab本語"},
		"over half a wide character":   {"日本\ra", "a 本"},
		"a wide one over two":          {"abc\r語", "語c"},
		"combining marks":              {"か\u3099x\re\u0301", "e\u0301 x"},
		"backspaces":                   {"10%\b\b\b20%", "20%"},
		"backspaces at the beginning":  {"\b\ba", "a"},
		"colours":                      {"\x1b[1;31mred\x1b[0m and \x1b[38;5;12mblue\x1b[m", "red and blue"},
		"a link":                       {"\x1b]8;;http://x\x1b\\here\x1b]8;;\x07!", "here!"},
		"a title":                      {"\x1b]0;pip\aDone", "Done"},
		"erased to the end":            {"downloading 10 MB\rdone\x1b[K\n", "done\n"},
		"erased line":                  {"spinner\x1b[2K\rok", "ok"},
		"erased to the beginning":      {"abcdef\x1b[3D\x1b[1K", "    ef"},
		"up":                           {"a 1\nb 1\n\x1b[2Aa 2\nb 2\n", "a 2\nb 2\n"},
		"two bars of tqdm":             {"\router: 0%\n\rinner: 0%\x1b[A\n\rinner: 50%\x1b[A\router: 50%\n\rinner: 100%\x1b[A\router: 100%\n", "outer: 100%\ninner: 100%"},
		"up to the top":                {"a\n\x1b[99Ab", "b\n"},
		"down, right, left":            {"abc\nabc\x1b[A\x1b[2D.\x1b[B\x1b[1C!", "a.c\nabc!"},
		"a column":                     {"abc\x1b[2Gx", "axc"},
		"next and previous line":       {"a\nb\x1b[F1\x1b[E2", "1\n2"},
		"a place":                      {"one\ntwo\x1b[1;2HN\x1b[2;1HT", "oNe\nTwo"},
		"cleared":                      {"frame 1\nline\x1b[2J\x1b[Hframe 2", "frame 2\n"},
		"cleared below":                {"a\nb\nc\x1b[2A\x1b[J", "a\n"},
		"remembered places":            {"a\x1b[sb\x1b[uc \x1b7d\x1b8e", "ac e"},
		"removed characters":           {"abcd\r\x1b[2P", "cd"},
		"erased characters":            {"abcd\r\x1b[2X", "  cd"},
		"hidden cursor, other sets":    {"\x1b[?25l\x1b(Bx\x1b[?25h\x1b=\x1b>", "x"},
		"a tab in a bar":               {"a\tb\rx", "x       b"},
		"bells and zeros":              {"a\a\x00b", "ab"},
		"not quite UTF-8":              {"a\xffb\rc", "c\ufffdb"},
		"half a sequence at the end":   {"a\x1b[3", "a"},
		"a sequence that is none":      {"a\x1b[3\nb", "a\nb"},
		"far to the right":             {"\x1b[9999999Cx", strings.Repeat(" ", 240) + "x"},
		"far to the right, repeatedly": {strings.Repeat("\x1b[9999C", 50) + "x", strings.Repeat(" ", 240) + "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := terminal.Text(c.in); got != c.want {
				t.Errorf("at once: got %q, want %q", got, c.want)
			}
			s := terminal.New(1000)
			for i := range len(c.in) { // byte by byte
				s.Write([]byte{c.in[i]})
			}
			if got := shown(s); got != c.want {
				t.Errorf("byte by byte: got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLinesBelongToWhatWasMarked(t *testing.T) {
	t.Parallel()
	s := terminal.New(1000)
	s.Mark(1, true)
	s.Write([]byte("\r10%"))
	s.Mark(2, true)
	s.Write([]byte("\r20%")) // the bar goes on where it is
	s.Mark(3, true)
	s.Write([]byte("done\n"))
	s.Mark(4, true)
	s.Write([]byte("\n"))
	s.Mark(5, false)
	s.Write([]byte("a"))
	s.Mark(6, false)
	s.Write([]byte("b"))
	lines, _, _ := s.Lines()
	var got []string
	for _, l := range lines {
		got = append(got, fmt.Sprintf("%d %q", l.Tag, l.Text))
	}
	if want := `1 "20%", 3 "done\n", 4 "\n", 5 "ab"`; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestAScreenIsBounded(t *testing.T) {
	t.Parallel()
	s := terminal.New(5000)
	for i := range 200_000 {
		s.Write(fmt.Appendf(nil, "line %06d\n", i))
	}
	head, tail, left := s.Lines()
	size := 0
	for _, l := range slices.Concat(head, tail) {
		size += len(l.Text)
	}
	if size > 40_000 || left+int64(size) != 200_000*12 {
		t.Errorf("%d bytes kept, %d left out", size, left)
	}
	if head[0].Text != "line 000000\n" || tail[len(tail)-2].Text != "line 199999\n" || s.Last() != "line 199999" {
		t.Errorf("kept from %q to %q, last %q", head[0].Text, tail[len(tail)-1].Text, s.Last())
	}
	at := head[len(head)-1]
	if at.End != int64(len(head))*12 || !at.Plain || at.Start != at.End-12 {
		t.Errorf("the first part ends at %+v", at)
	}
	s = terminal.New(5000)
	for range 20 {
		s.Write([]byte(strings.Repeat("x", 1<<20))) // one endless line
	}
	head, tail, left = s.Lines()
	if len(head)+len(tail) > 80 || head[0].Text[0] != 'x' {
		t.Errorf("%d and %d lines, %d left out", len(head), len(tail), left)
	}
	s.Write([]byte("\x1b]" + strings.Repeat("y", 10_000) + "\r")) // a title that never ends
	s.Write([]byte("\nz"))
	if s.Last() != "z" {
		t.Errorf("last %.80q", s.Last())
	}
}

// TestHostileTextEnds writes texts whose cost must not grow with the length of a line, or with the
// square of their own length. Otherwise it would take hours.
func TestHostileTextEnds(t *testing.T) {
	const n = 1_000_000
	long := strings.Repeat("x", n)
	for name, text := range map[string]string{
		"the cursor is saved":         long + strings.Repeat("\x1b7", n) + "!",
		"and restored":                long + strings.Repeat("\x1b7\x1b8", n) + "!",
		"backspaces":                  long + strings.Repeat("\b", n) + "!",
		"characters are removed":      long + "\r" + strings.Repeat("\x1b[P", n) + "!",
		"columns are erased":          long + "\r" + strings.Repeat("\x1b[9X", n/10) + "!",
		"lines and screens are":       long + strings.Repeat("\x1b[2K\x1b[2J", n/10) + "!",
		"far to the right":            strings.Repeat("\x1b[999999Ca", n) + "!",
		"above, and without end":      "a\nb\x1b[A" + long + "!",
		"characters without a width":  "a" + strings.Repeat("\u0301", n) + "!",
		"wide ones, without line end": strings.Repeat("日", n) + "!",
	} {
		s := terminal.New(5000)
		s.Write([]byte(text))
		size := func() (n int) {
			head, tail, _ := s.Lines()
			for _, l := range slices.Concat(head, tail) {
				n += len(l.Text)
			}
			return n
		}
		if n := size(); n > 3_000_000 {
			t.Errorf("%s: %d bytes are kept", name, n)
		}
		before := shown(s)
		s.Settle()
		if after := shown(s); after != before || !strings.Contains(after, "!") {
			t.Errorf("%s: settled, it ends with %.80q, not %.80q", name, after[max(0, len(after)-80):], before[max(0, len(before)-80):])
		}
	}
}

// TestTextAfterSettling checks that text goes on where it was.
func TestTextAfterSettling(t *testing.T) {
	for _, c := range [][2]string{
		{"abc\x1b[2D", "X"}, {"abc\r", "X"}, {"abc\r\x1b[5C", "X"}, {"日本\b\b", "x"}, {"one\ntwo\x1b[A", "X"}, {"a\tb\b", "c"}, {"abc  \b", "d"}, {"\x1b[2Kab\x1b[2K", "c"},
	} {
		whole, settled := terminal.New(100), terminal.New(100)
		whole.Write([]byte(c[0] + c[1]))
		settled.Write([]byte(c[0]))
		settled.Settle()
		settled.Settle()
		settled.Write([]byte(c[1]))
		if shown(settled) != shown(whole) {
			t.Errorf("%q, then %q: got %q, want %q", c[0], c[1], shown(settled), shown(whole))
		}
	}
}

// The time for a text grows with its length only.
func BenchmarkScreen(b *testing.B) {
	for name, text := range map[string]string{
		"lines": strings.Repeat("epoch 12 loss 0.1234\n", 5000),
		"bar":   strings.Repeat("\r 45%|####5     | 45/100 [00:01<00:01, 30.12it/s]", 2000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				terminal.Text(text)
			}
		})
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\r\x1b[2Kb\x1b[1A\tc\b日\n"), 3)
	f.Fuzz(func(t *testing.T, p []byte, at int) {
		s, other := terminal.New(100), terminal.New(100)
		s.Write(p)
		at = max(0, min(at, len(p)))
		other.Write(p[:at])
		other.Write(p[at:])
		if shown(s) != shown(other) {
			t.Errorf("got %q and, in two parts, %q", shown(s), shown(other))
		}
	})
}
