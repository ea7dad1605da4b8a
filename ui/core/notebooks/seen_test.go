package notebooks

import (
	"errors"
	"slices"
	"testing"

	"easel/internal/require"
)

// three returns a notebook with three code cells, a, b and c.
func three() (*Notebook, []string) {
	n := New(Kernel{})
	for i, source := range []string{"a", "b", "c"} {
		n.Insert(i, Code, source)
	}
	return n, n.ids()
}

func stale(t *testing.T, err error) *StaleError {
	t.Helper()
	e, ok := errors.AsType[*StaleError](err)
	if !ok {
		t.Fatalf("got %v, want a StaleError", err)
	}
	return e
}

func TestAStaleEditIsRefused(t *testing.T) {
	var seen ReadHistory
	d := &disk{}
	model, other := seen.By("model", d, "n.ipynb"), seen.By("other", d, "n.ipynb")
	n, ids := three()
	if err := model.Check(n, Ref{Index: new(1)}); err != nil {
		t.Errorf("before the first reading: %v", err)
	}
	model.Told(n, 0, 1, 2)
	if err := model.Check(n, Ref{ID: ids[1]}); err != nil {
		t.Error(err)
	}
	n.Cells[1].SetSource("typed by the user")
	e := stale(t, model.Check(n, Ref{ID: ids[1]}))
	if e.Moved || e.Index != 1 || e.Cell.Source() != "typed by the user" {
		t.Errorf("%+v", e)
	}
	if err := other.Check(n, Ref{ID: ids[1]}); err != nil {
		t.Errorf("another caller, who has read nothing: %v", err)
	}
	if err := model.Check(n, Ref{ID: ids[2]}); err != nil {
		t.Errorf("another cell: %v", err)
	}
	model.Shown(n.Cells[1])
	if err := model.Check(n, Ref{ID: ids[1]}); err != nil {
		t.Errorf("after the new text was shown: %v", err)
	}
	edit := EditCell(Ref{ID: ids[1]}, "by the model")
	require.NoError(t, edit.Apply(n))
	model.Did(edit)
	if err := model.Check(n, Ref{Index: new(1)}); err != nil {
		t.Errorf("after its own edit: %v", err)
	}
}

func TestAnIndexMeansTheCellThatWasRead(t *testing.T) {
	var seen ReadHistory
	model := seen.By("model", &disk{}, "n.ipynb")
	n, ids := three()
	model.Told(n, 0, 1, 2)
	user := n.Insert(0, Code, "by the user")
	if e := stale(t, model.Check(n, Ref{Index: new(1)})); !e.Moved {
		t.Errorf("%+v", e)
	}
	if err := model.Check(n, Ref{ID: ids[0]}); err != nil {
		t.Errorf("by id: %v", err)
	}
	// "At 2" is below b, where it now has the index 3.
	if at, err := model.Position(n, 2); err != nil || at != 3 {
		t.Errorf("position %d, %v", at, err)
	}
	n.Delete(2) // b
	if _, err := model.Position(n, 2); !stale(t, err).Moved {
		t.Error(err)
	}
	changed, removed, ok := model.Changes(n)
	if !ok || !slices.Equal(changed, []int{0}) || !slices.Equal(removed, ids[1:2]) {
		t.Errorf("changes %v, %v, %v", changed, removed, ok)
	}
	model.Told(n, 0)
	if changed, removed, _ = model.Changes(n); changed != nil || removed != nil {
		t.Errorf("changes after reading: %v, %v", changed, removed)
	}

	// The caller's own edits keep its indexes right.
	for _, e := range []*Edit{AddCell(Code, "new", new(1)), MoveCell(Ref{ID: ids[2]}, 0), DeleteCell(Ref{ID: user.id})} {
		require.NoError(t, e.Apply(n))
		model.Did(e)
	}
	for i := range n.Cells {
		if err := model.Check(n, Ref{Index: &i}); err != nil {
			t.Errorf("cell %d of %d: %v", i, len(n.Cells), err)
		}
	}
}

func TestOutlineHasHeadingsAndErrors(t *testing.T) {
	n := New(Kernel{})
	n.Insert(0, Markdown, "# One\ntext\n```\n# not a heading\n```\n## Two")
	n.Insert(1, Markdown, "only text #tag")
	n.Insert(2, Code, "# a comment\nprint('Ångström')")
	failed := n.Insert(3, Code, "1/0\nnever")
	failed.SetOutputs(outputsOf(`{"output_type":"stream","name":"stdout","text":"x"}`, `{"output_type":"error","ename":"ZeroDivisionError","evalue":"division by zero","traceback":["long"]}`), 7)
	o := n.Outline(n.All())
	if len(o) != 2 || o[0].Source != "# One\n## Two" || o[0].Cut == nil || o[1].Index != 3 || o[1].Source != "1/0" {
		t.Fatalf("outline %+v", o)
	}
	if e := o[1].Outputs; len(e) != 1 || e[0].Ename != "ZeroDivisionError" || e[0].Text != "" {
		t.Errorf("errors %+v", e)
	}
	if found := n.Containing(n.All(), "ÅNGSTRÖM"); !slices.Equal(found, []int{2}) {
		t.Errorf("found in the source: %v", found)
	}
	if found := n.Containing(n.All(), "by zero"); found != nil {
		t.Errorf("found in what is not shown as text: %v", found)
	}
	if found := n.Containing(n.All(), "LONG"); !slices.Equal(found, []int{3}) {
		t.Errorf("found in the outputs: %v", found)
	}
}
