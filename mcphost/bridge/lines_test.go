package bridge

import (
	"bufio"
	"strings"
	"testing"
)

func TestSkimFindsIDAndMethod(t *testing.T) {
	for message, want := range map[string][2]string{
		`{"id":1,"method":"a"}`: {"1", "a"},
		`{ "method" : "a" , "params" : {"id":2,"method":"b"} , "id" : "x" }`:  {`"x"`, "a"},
		`{"params":[{"id":2},"id",3],"id":-7.5}`:                              {"-7.5", ""},
		`{"params":{"a":"\"}],{\"id\":3"},"id":"a\"b","method":"tools/call"}`: {`"a\"b"`, "tools/call"},
		`{"id":{"id":1},"method":["a"]}`:                                      {"", ""},
		`{"id":null}`:                                                         {"null", ""},
		`{"id":"` + strings.Repeat("x", 2*maxToken) + `"}`:                    {"", ""},
		`[{"id":1,"method":"a"}]`:                                             {"", ""},
		`"id"`:                                                                {"", ""},
		`}}}{"id":1}`:                                                         {"", ""},
		``:                                                                    {"", ""},
	} {
		for _, size := range []int{1, 3, 1000} { // parts
			var s skim
			for rest := message; rest != ""; {
				n := min(size, len(rest))
				s.read([]byte(rest[:n]))
				rest = rest[n:]
			}
			if got := [2]string{string(s.id), s.method}; got != want {
				t.Errorf("%.100s in parts of %d: %q, want %q", message, size, got, want)
			}
		}
	}
}

func TestLinesEndWithOrWithoutANewline(t *testing.T) {
	r := bufio.NewReaderSize(strings.NewReader("one\n\n  \r\ntwo\r\nthree"), 16)
	var got []string
	for {
		l, err := readLine(r)
		if l.size > 0 {
			got = append(got, string(l.raw))
		}
		if err != nil {
			break
		}
	}
	if strings.Join(got, ",") != "one,two,three" {
		t.Errorf("got %q", got)
	}
}
