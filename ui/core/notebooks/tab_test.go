package notebooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
)

// A lab is a JupyterLab tab with a notebook. typing, if not nil, is called before each
// command, and can simulate the user.
type lab struct {
	book   *Notebook
	typing func(l *lab, command string)
	fails  map[string]error // by command
	deaf   bool             // it acknowledges changes but does not make them
	old    bool             // the notebook is in a format without ids

	active int    // index of the selected cell
	view   string // id of the cell that was last scrolled to
}

func (l *lab) run(_ context.Context, _, name string, a args, out any) error {
	if l.typing != nil {
		l.typing(l, name)
	}
	if err := l.fails[name]; err != nil {
		return err
	}
	answer := map[string]any{}
	id, _ := a["cellId"].(string)
	i, err := l.book.Find(Ref{ID: id})
	if id != "" && err != nil {
		return err
	}
	switch name {
	case cmdContent:
		answer["content"] = l.book
		if l.old {
			answer["content"] = withoutIDs(l.book)
		}
	case cmdInfo:
		cells := make([]map[string]string, len(l.book.Cells))
		for i, c := range l.book.Cells {
			cells[i] = map[string]string{"cellId": c.id, "cellType": c.Type()}
		}
		answer["cells"], answer["activeCellId"] = cells, l.book.Cells[l.active].id
	case cmdLink:
		l.view, _ = strings.CutPrefix(a["id"].(string), "#cell-id=")
	case cmdDown:
		l.active++
	case cmdUp:
		l.active--
	case cmdCell:
		answer["source"] = l.book.Cells[i].Source()
	case cmdSet:
		answer["previousContent"] = l.book.Cells[i].Source()
		if !l.deaf {
			l.book.Cells[i].fields.put("source", a["content"])
		}
	case cmdAdd:
		at := 0
		if below, _ := a["referenceCellId"].(string); below != "" {
			if at, err = l.book.Find(Ref{ID: below}); err != nil {
				return err
			}
			if a["position"] == "below" {
				at++
			}
		}
		answer["cellId"] = l.book.Insert(at, a["cellType"].(string), a["content"].(string)).id
	case cmdSave:
	case cmdDelete:
		if !l.deaf {
			l.book.Delete(i)
		}
	default:
		return fmt.Errorf("unexpected command %s", name)
	}
	raw, err := json.Marshal(answer)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(raw, out)
}

// withoutIDs returns what JupyterLab shows of a notebook in nbformat 4.4.
func withoutIDs(n *Notebook) object {
	out := maps.Clone(n.fields)
	out.put("nbformat_minor", 4)
	cells := make([]object, len(n.Cells))
	for i, c := range n.Cells {
		cells[i] = c.fields
	}
	out.put("cells", cells)
	return out
}

func (l *lab) sources() string {
	texts := make([]string, len(l.book.Cells))
	for i, c := range l.book.Cells {
		texts[i] = c.Source()
	}
	return strings.Join(texts, "|")
}

func openLab() (*lab, tabChannel, []string) {
	n, ids := three()
	l := &lab{book: n}
	return l, tabChannel{&Tab{path: "n.ipynb", client: "tab"}, l}, ids
}

func TestEditsInATab(t *testing.T) {
	l, ch, ids := openLab()
	for _, e := range []*Edit{
		EditCell(Ref{ID: ids[1]}, "B"), AddCell(Code, "new", new(1)), AddCell(Markdown, "first", new(0)),
		AddCell(Code, "last", nil), DeleteCell(Ref{ID: ids[0]}),
	} {
		require.NoError(t, edit(t.Context(), ch, e))
		if e.Total != len(l.book.Cells) {
			t.Errorf("total %d of %d", e.Total, len(l.book.Cells))
		}
		if i, err := l.book.Find(Ref{ID: e.Cell.ID()}); err == nil && i != e.Index {
			t.Errorf("the cell %q is at %d, not %d", e.Cell.Source(), i, e.Index)
		}
	}
	if got := l.sources(); got != "first|new|B|c|last" {
		t.Errorf("cells %s", got)
	}
	if err := edit(t.Context(), ch, MoveCell(Ref{ID: ids[1]}, 0)); err == nil {
		t.Error("a move was reported as done")
	}
}

func TestEditsOfAnOlderFormatInATab(t *testing.T) {
	l, ch, ids := openLab()
	l.old = true
	n, err := ch.read(t.Context())
	if err != nil || !slices.Equal(n.ids(), ids) {
		t.Fatalf("ids %v, %v; the tab has %v", n.ids(), err, ids)
	}
	if err := edit(t.Context(), ch, EditCell(Ref{Index: new(2)}, "C")); err != nil || l.sources() != "a|b|C" {
		t.Errorf("cells %s, %v", l.sources(), err)
	}
}

// JupyterLab keeps ids that nbformat does not allow.
func TestEditsOfCellsWithInvalidIDsInATab(t *testing.T) {
	l, ch, _ := openLab()
	l.book.Cells[1].id = "日本 語"
	n, err := ch.read(t.Context())
	require.NoError(t, err)
	if err := edit(t.Context(), ch, EditCell(Ref{ID: n.ids()[1]}, "B")); err != nil || l.sources() != "a|B|c" {
		t.Errorf("cells %s, %v", l.sources(), err)
	}

	l.book.Cells[2].id = "" // a command without an id is for the cell where the user is
	for _, e := range []*Edit{EditCell(Ref{Index: new(2)}, "C"), AddCell(Code, "d", new(3)), DeleteCell(Ref{Index: new(2)})} {
		if _, ok := errors.AsType[*OpenError](edit(t.Context(), ch, e)); !ok || l.sources() != "a|B|c" {
			t.Errorf("cells %s", l.sources())
		}
	}
}

func TestACommandThatFails(t *testing.T) {
	refused := &OpenError{Reason: "JupyterLab reports an error"}
	for name, c := range map[string]struct {
		fails map[string]error
		edit  func(ids []string) *Edit
		want  error
	}{
		"no answer to a question": {map[string]error{cmdCell: errNoTab}, func(ids []string) *Edit { return EditCell(Ref{ID: ids[0]}, "A") }, errNoTab},
		"no answer to a change":   {map[string]error{cmdSet: errNoTab}, func(ids []string) *Edit { return EditCell(Ref{ID: ids[0]}, "A") }, ErrUnproved},
		"connection lost":         {map[string]error{cmdAdd: errors.New("EOF")}, func([]string) *Edit { return AddCell(Code, "new", new(0)) }, ErrUnproved},
		"refused":                 {map[string]error{cmdDelete: refused}, func(ids []string) *Edit { return DeleteCell(Ref{ID: ids[0]}) }, refused},
		"removed by the user":     {map[string]error{cmdCell: ErrChanged}, func(ids []string) *Edit { return EditCell(Ref{ID: ids[0]}, "A") }, ErrChanged},
	} {
		l, ch, ids := openLab()
		l.fails = c.fails
		if err := edit(t.Context(), ch, c.edit(ids)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if l.sources() != "a|b|c" {
			t.Errorf("%s: cells %s", name, l.sources())
		}
	}
}

// The command that sets a cell's text replaces whatever is there.
func TestWhatTheUserTypesAtTheSameMomentIsPutBack(t *testing.T) {
	l, ch, ids := openLab()
	sets := 0
	l.typing = func(l *lab, command string) {
		if command != cmdSet {
			return
		}
		switch sets++; sets {
		case 1: // after the check, before the text is replaced
			l.book.Cells[1].fields.put("source", "b typed")
		case 2: // before the text is put back: into the new text
			l.book.Cells[1].fields.put("source", "x"+l.book.Cells[1].Source())
		}
	}
	err := ch.set(t.Context(), ids[1], "b", "B")
	if !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	if got := l.book.Cells[1].Source(); got != "xb typed" {
		t.Errorf("the cell has %q: what the user typed is lost", got)
	}

	l, ch, ids = openLab()
	l.typing = func(l *lab, command string) {
		if command == cmdDelete || command == cmdSet && l.book.Cells[0].Source() == "a" {
			l.book.Cells[0].fields.put("source", "a typed")
		}
	}
	if err := edit(t.Context(), ch, DeleteCell(Ref{ID: ids[0]})); !errors.Is(err, ErrChanged) {
		t.Errorf("deleting: %v", err)
	}
	if got := l.sources(); got != "a typed|b|c" {
		t.Errorf("cells %s", got)
	}
}

// An edit that a tab has not saved is lost with the tab.
func TestATabThatIsGoneBeforeItSaves(t *testing.T) {
	for name, c := range map[string]struct {
		gone bool
		want error
	}{"gone": {true, ErrUnproved}, "cannot save now": {false, nil}} {
		l, ch, ids := openLab()
		l.typing = func(l *lab, command string) {
			if command == cmdSave {
				l.fails = map[string]error{cmdSave: errNoTab}
				if c.gone {
					l.fails[cmdInfo] = errNoTab
				}
			}
		}
		if err := ch.editAndSave(t.Context(), EditCell(Ref{ID: ids[0]}, "A")); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	l, ch, ids := openLab()
	l.typing = func(_ *lab, command string) {
		if command == cmdSave {
			t.Error("a tab was asked to save what the server saves")
		}
	}
	ch.ServerSaves = true
	if err := ch.editAndSave(t.Context(), EditCell(Ref{ID: ids[0]}, "A")); err != nil {
		t.Error(err)
	}
}

func TestAnEditThatDoesNotArriveIsAnError(t *testing.T) {
	for name, e := range map[string]func(ids []string) *Edit{
		"edit":   func(ids []string) *Edit { return EditCell(Ref{ID: ids[0]}, "A") },
		"delete": func(ids []string) *Edit { return DeleteCell(Ref{ID: ids[0]}) },
	} {
		l, ch, ids := openLab()
		l.deaf = true
		if err := edit(t.Context(), ch, e(ids)); !errors.Is(err, ErrUnproved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTypedTextIsCarriedOver(t *testing.T) {
	for _, c := range []struct{ base, typed, onto, want string }{
		{"new", "xnew", "old", "xold"},
		{"new", "new!", "old text", "old! text"},
		{"new", "new日", "本", "本日"},
		{"same", "same", "old", "old"},
		{"new", "nw", "old", "old"}, // a deletion loses nothing
	} {
		if got := carry(c.base, c.typed, c.onto); got != c.want {
			t.Errorf("carry(%q, %q, %q) = %q, want %q", c.base, c.typed, c.onto, got, c.want)
		}
	}
}

func TestACellIsShownAndSelected(t *testing.T) {
	l, ch, ids := openLab()
	for _, i := range []int{2, 0, 1} {
		if err := ch.show(t.Context(), ids[i]); err != nil || l.view != ids[i] || l.active != i {
			t.Errorf("cell %d: %v; in view is %s, cell %d is selected", i, err, l.view, l.active)
		}
	}
	if err := ch.show(t.Context(), "gone"); err != nil || l.active != 1 {
		t.Errorf("a cell that is gone: %v, cell %d is selected", err, l.active)
	}
}
