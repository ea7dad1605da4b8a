package language_test

import (
	"strings"
	"testing"

	"easel/ui/core/language"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{"R": "R", "r": "R", "python": "Python", "": "Python", "julia": "Julia", "bash": "Bash"} {
		if got := language.Of(name).Name; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if is := language.Of("julia"); is.Code != nil || is.Titles != nil {
		t.Errorf("a language that Easel does not know: %+v", is)
	}
}

func TestCodeForR(t *testing.T) {
	is := language.Of("R")
	code := is.Code("dataframe", true, "日\n\"\\", 5, []string{"a*"})
	if !language.Asks(code) || language.Asks("# Easel\nplot(1)") {
		t.Errorf("which code is Easel's is not known: %.200s", code)
	}
	if strings.ContainsFunc(code, func(r rune) bool { return r > '~' }) || !strings.Contains(code, `"dataframe", list("\U{65e5}\n\"\\", 5, list("a*"))`) {
		t.Errorf("the end is %s", code[len(code)-200:])
	}
	if code := is.Code("nothing", true); code != "" {
		t.Errorf("a function that does not exist: %s", code)
	}
}
