package catalog

import (
	"slices"
	"testing"
)

func TestEnvironmentInAFewWords(t *testing.T) {
	dirty, clean := true, false
	few := []Package{{Name: "pandas", Version: "2.1.4", Used: true}, {Name: "ipython", Version: "9", Used: true}, {Name: "six", Version: "1.17.0"}, {Name: "mypkg", Used: true}}
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

// TestImportedPackages leaves out what the kernel needs only if the kernel is the environment's own.
func TestImportedPackages(t *testing.T) {
	code := []Package{{Name: "pandas", Used: true}, {Name: "packaging"}, {Name: "python-dateutil"}}
	if got := (Environment{Packages: code}).Imported(); !slices.Equal(got, code) {
		t.Errorf("got %v", got)
	}
	own := Environment{Packages: append(slices.Clone(code), Package{Name: "ipykernel"}, Package{Name: "ipython", Used: true})}
	if got := own.Imported(); !slices.Equal(got, code[:1]) {
		t.Errorf("with ipykernel: got %v", got)
	}
}

func TestWhatDiffersBetweenEnvironments(t *testing.T) {
	dirty, clean := true, false
	was := Environment{
		Language: "Python", Version: "3.12.1", Commit: "abc1234567", Dirty: &clean, LockFile: `C:\proj\uv.lock`, LockHash: "0123456789",
		Packages: []Package{{Name: "pandas", Version: "3.1.1", Used: true}, {Name: "scipy", Version: "1", Used: true}, {Name: "numpy", Version: "2.5"}, {Name: "six", Version: "1"}},
	}
	if got := was.ChangesTo(was); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	now := Environment{
		Language: "Python", Version: "3.11.7", Commit: "abc1234567", Dirty: &dirty,
		Packages: []Package{{Name: "pandas", Version: "2.1.4", Used: true}, {Name: "polars", Version: "1", Used: true}, {Name: "numpy", Version: "2.5"}, {Name: "pytz", Version: "1"}},
	}
	want := "Python 3.12.1 → 3.11.7, pandas 3.1.1 → 2.1.4, scipy 1 → –, polars – → 1, commit abc1234 → abc1234 (dirty), uv.lock 01234567 → –"
	if got := Listed(was.ChangesTo(now)); got != want {
		t.Errorf("got %s", got)
	}
	if got := Listed(was.ChangesTo(Environment{Language: "R", Version: "4.3.1", LockHash: "9"})); got != "language Python 3.12.1 → R 4.3.1, pandas 3.1.1 → –, scipy 1 → –, commit abc1234 → –, uv.lock 01234567 → 9" {
		t.Errorf("got %s", got)
	}
	edited, again := was, was
	edited.Dirty, again.Dirty, edited.DirtyHash, again.DirtyHash = &dirty, &dirty, "11112222333344", "55556666777788"
	if got := Listed(edited.ChangesTo(again)); got != "uncommitted changes 11112222 → 55556666" {
		t.Errorf("got %s", got)
	}
	again.DirtyHash = "" // unknown, as that of older plots
	if got := edited.ChangesTo(again); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	now.Dirty = nil // on another machine
	now.Commit = was.Commit
	if got := Listed(was.ChangesTo(now)[4:]); got != "uv.lock 01234567 → –" {
		t.Errorf("got %s", got)
	}
}
