package notebooks

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// opened returns a notebook with a heading and four code cells, two of which are the same. Two
// have run.
func opened() *Notebook {
	n := New(Kernel{})
	n.Insert(0, Markdown, "# 測定\n\ntext\n## 結果\n").id = "md"
	for i, c := range []struct {
		id, source string
		count      int
	}{{"a", "plot(a)\n", 3}, {"b", "plot(b)", 4}, {"twin", "plot(b)", 9}, {"late", "plot(late)", 0}} {
		cell := n.Insert(i+1, Code, c.source)
		cell.id = c.id
		cell.SetOutputs(nil, c.count)
	}
	return n
}

func TestACellIsFoundByWhatItRan(t *testing.T) {
	for name, c := range map[string]struct {
		ran  Drawer
		want CellPlace
	}{
		"the user's, by text":             {Drawer{Code: "plot(a)", Count: 7}, CellPlace{"a", 1, "結果", false}},
		"the user's, by text and number":  {Drawer{Code: "plot(b)", Count: 9}, CellPlace{"twin", 3, "結果", false}},
		"one of two, which is not known":  {Drawer{Code: "plot(b)", Count: 5}, CellPlace{}},
		"code of no cell":                 {Drawer{Code: "plot(c)", Count: 3}, CellPlace{}},
		"empty code":                      {Drawer{Count: 3}, CellPlace{}},
		"known":                           {Drawer{Cell: "b", Code: "plot(b)"}, CellPlace{"b", 2, "結果", false}},
		"known, with space around it":     {Drawer{Cell: "a", Code: "\nplot(a)"}, CellPlace{"a", 1, "結果", false}},
		"changed since":                   {Drawer{Cell: "a", Code: "plot(A)", Count: 3}, CellPlace{"a", 1, "結果", true}},
		"the same text as another":        {Drawer{Cell: "a", Code: "plot(late)"}, CellPlace{"a", 1, "結果", true}},
		"deleted":                         {Drawer{Cell: "gone", Code: "plot(c)"}, CellPlace{ID: "gone", Index: -1}},
		"pasted elsewhere, with a new id": {Drawer{Cell: "gone", Code: "plot(late)", Own: true}, CellPlace{"late", 4, "結果", false}},
		"Easel's, from no cell":           {Drawer{Code: "plot(late)", Count: 5, Own: true}, CellPlace{}},
		"Easel's, of an earlier version":  {Drawer{Code: "plot(a)", Count: 3, Own: true}, CellPlace{"a", 1, "結果", false}},
	} {
		if diff := cmp.Diff(c.want, opened().Index().Find(c.ran)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// In nbformat 4.4 and older, ids do not last, so a missing one does not mean that the cell
// was deleted.
func TestInAnOldFormatACellIsNotCalledDeleted(t *testing.T) {
	n := opened()
	n.fields.put("nbformat_minor", 4)
	if got := n.Index().Find(Drawer{Cell: "gone", Code: "plot(c)"}); got != (CellPlace{}) {
		t.Errorf("got %+v", got)
	}
	if got := n.Index().Find(Drawer{Cell: "gone", Code: "plot(late)"}); got.Index != 4 {
		t.Errorf("got %+v", got)
	}
}
