package catalog

import "testing"

func TestEnvironmentInAFewWords(t *testing.T) {
	dirty, clean := true, false
	few := []Package{{Name: "pandas", Version: "2.1.4", Used: true}, {Name: "six", Version: "1.17.0"}, {Name: "mypkg", Used: true}}
	many := make([]Package, 8)
	for i := range many {
		many[i] = Package{Name: "more", Version: "1", Used: true}
	}
	for _, c := range []struct {
		e    Environment
		want string
	}{
		{Environment{Name: "proj/.venv", Language: "Python", Version: "3.12.1", Packages: few, Commit: "abc1234567", Dirty: &dirty}, "proj/.venv, Python 3.12.1, pandas 2.1.4, mypkg, commit abc1234 (dirty)"},
		{Environment{Language: "Python", Version: "3.12.1", Packages: many, Commit: "abc", Dirty: &clean}, "Python 3.12.1, more 1, more 1, more 1, more 1, more 1, more 1, 2 more, commit abc"},
		{Environment{Language: "R", Version: "4.3.1"}, "R 4.3.1"},
	} {
		if got := c.e.String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
