package sessionname_test

import (
	"slices"
	"testing"

	"easel/ui/core/sessionname"
)

func TestAmong(t *testing.T) {
	live := func(notebook string) sessionname.Session {
		return sessionname.Session{ID: "5ab0c1d2e3", KernelName: "python3", Server: "lab", NotebookPath: notebook}
	}
	ended := func(notebook string) sessionname.Session {
		s := live(notebook)
		s.ID, s.Ended = "77aa00bb11", true
		return s
	}
	on := func(s sessionname.Session, server string) sessionname.Session { s.Server = server; return s }
	given := func(s sessionname.Session, name, id string) sessionname.Session { s.Given, s.ID = name, id; return s }
	titled := func(s sessionname.Session, title string) sessionname.Session { s.Title = title; return s }
	for name, c := range map[string]struct {
		all  []sessionname.Session
		want []string
	}{
		"none":                              {nil, []string{}},
		"a notebook in a folder":            {[]sessionname.Session{live("work/sales.ipynb")}, []string{"sales.ipynb"}},
		"the same when it has ended":        {[]sessionname.Session{ended("work/sales.ipynb")}, []string{"sales.ipynb"}},
		"two of one file name":              {[]sessionname.Session{live("work/sales.ipynb"), live("old/sales.ipynb"), live("a/b.ipynb")}, []string{"work/sales.ipynb", "old/sales.ipynb", "b.ipynb"}},
		"the root and a folder":             {[]sessionname.Session{live("sales.ipynb"), live("work/sales.ipynb")}, []string{"sales.ipynb", "work/sales.ipynb"}},
		"only as many folders as needed":    {[]sessionname.Session{live("2026/q1/sales.ipynb"), live("2026/q2/sales.ipynb")}, []string{"q1/sales.ipynb", "q2/sales.ipynb"}},
		"one path on two servers":           {[]sessionname.Session{live("work/sales.ipynb"), on(live("work/sales.ipynb"), "gpu")}, []string{"sales.ipynb · lab", "sales.ipynb · gpu"}},
		"two paths on two servers":          {[]sessionname.Session{live("a/s.ipynb"), live("b/s.ipynb"), on(live("a/s.ipynb"), "gpu")}, []string{"a/s.ipynb · lab", "b/s.ipynb", "s.ipynb · gpu"}},
		"earlier runs of the notebook":      {[]sessionname.Session{live("work/sales.ipynb"), ended("work/sales.ipynb"), ended("work/sales.ipynb")}, []string{"sales.ipynb", "sales.ipynb", "sales.ipynb"}},
		"an ended one does not rename":      {[]sessionname.Session{ended("old/sales.ipynb"), live("work/sales.ipynb")}, []string{"old/sales.ipynb", "sales.ipynb"}},
		"given names":                       {[]sessionname.Session{given(live("a.ipynb"), "study", "5ab0c1d2e3"), live("a.ipynb")}, []string{"study", "a.ipynb"}},
		"given twice":                       {[]sessionname.Session{given(live(""), "study", "5ab0c1d2e3"), given(live(""), "study", "77aa00bb11")}, []string{"study · 5ab0c1", "study · 77aa00"}},
		"a given name like a notebook's":    {[]sessionname.Session{given(live(""), "a.ipynb", "5ab0c1d2e3"), on(live("w/a.ipynb"), "gpu")}, []string{"a.ipynb", "w/a.ipynb"}},
		"a title":                           {[]sessionname.Session{titled(live(""), "Load sales")}, []string{"Load sales"}},
		"one title twice":                   {[]sessionname.Session{titled(live(""), "Sales"), given(titled(live(""), "Sales"), "", "77aa00bb11"), titled(ended(""), "Sales")}, []string{"Sales · 5ab0c1", "Sales · 77aa00", "Sales"}},
		"a notebook before a title":         {[]sessionname.Session{titled(live("w/a.ipynb"), "Sales")}, []string{"a.ipynb"}},
		"a given name before a title":       {[]sessionname.Session{given(titled(live(""), "Sales"), "study", "5ab0c1d2e3")}, []string{"study"}},
		"no name":                           {[]sessionname.Session{live("")}, []string{"python3 · 5ab0c1"}},
		"a kernel that another program has": {[]sessionname.Session{{ID: "1", KernelID: "9f8e7d6c", KernelName: "python3", Program: "Spyder"}}, []string{"Spyder · 9f8e7d"}},
		"an id only":                        {[]sessionname.Session{{ID: "5ab0c1d2e3"}}, []string{"5ab0c1"}},
		"ids that begin alike":              {[]sessionname.Session{{ID: "5ab0c1d2e3"}, {ID: "5ab0c1ffff"}}, []string{"5ab0c1 · 5ab0c1d2e3", "5ab0c1 · 5ab0c1ffff"}},
	} {
		if got := sessionname.Among(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if len(c.all) == 1 && sessionname.Of(c.all[0]) != c.want[0] {
			t.Errorf("%s, alone: got %q", name, sessionname.Of(c.all[0]))
		}
	}
}
