package execution

import (
	"strings"
	"testing"
	"unicode/utf8"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
)

func TestHeadTailKeepsBothEnds(t *testing.T) {
	for _, size := range []int{1, 3, 7, 100} {
		h := headTail{half: 10}
		text := strings.Repeat("0123456789", 10)
		for i := 0; i < len(text); i += size {
			h.write([]byte(text[i:min(i+size, len(text))]))
		}
		head, tail, seen := h.within(20)
		if string(head) != "0123456789" || string(tail) != "0123456789" || seen != 10 || h.total != 100 {
			t.Errorf("writes of %d: got %q … %q, %d, %d", size, head, tail, seen, h.total)
		}
	}
	h := newStream()
	h.write([]byte("0123456789abcdefghij"))
	if got, seen := within(&h, 20); got != "0123456789abcdefghij" || seen != 20 {
		t.Errorf("what fits is whole: got %q, %d", got, seen)
	}
	if got, seen := within(&h, 6); got != "012\n… 14 bytes left out …\nhij" || seen != 3 {
		t.Errorf("within less: got %q, %d", got, seen)
	}
}

func within(s *stream, limit int) (text string, seen int64) {
	e := s.excerpt(limit, false, nil)
	return e.text(), e.seen
}

func TestCutsFallBetweenCharacters(t *testing.T) {
	h := newStream()
	h.write([]byte(strings.Repeat("日本語", 40)))
	for limit := 6; limit <= 20; limit++ {
		got, seen := within(&h, limit)
		if !utf8.ValidString(got) || strings.Contains(got, "\ufffd") || seen%3 != 0 || seen > int64(limit/2) {
			t.Errorf("within %d: got %q, %d", limit, got, seen)
		}
	}
}

func TestCursors(t *testing.T) {
	c := cursor{10, 0, 3, 0, 0}
	if got, err := parseCursor(c.String()); err != nil || got != c {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"1.2", "a.b.c", "-1.0.0", "1.2.3.4.5.6", "1.2.3.x", "99999999999999999999.0.0"} {
		if _, err := parseCursor(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestHints(t *testing.T) {
	ok := library.Execution{Status: catalog.StatusOK, Code: "plt.savefig('a.png')"}
	if !strings.Contains(hintFor(ok, 0, ""), "plt.show()") || hintFor(ok, 1, "") != "" {
		t.Error("savefig without a display wants a hint, with one none")
	}
}
