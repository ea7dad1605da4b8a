package window

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/uitest"
)

// TestATableOpensInAPageOfItsOwn opens a variable from the panel and leaves it by Escape.
func TestATableOpensInAPageOfItsOwn(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), busy)
	var session string
	for _, x := range w.store.Snapshot().Sessions {
		if x.Status == "idle" {
			session = x.SessionID
		}
	}
	command.ReadTableShape.Handle(w.bus, func(context.Context, command.TableRef) (command.TableShape, error) {
		return command.TableShape{Type: "pandas.DataFrame", Rows: 2, Columns: 1}, nil
	}, nil)
	command.ReadTable.Handle(w.bus, func(context.Context, command.TablePageIn) (command.TablePage, error) {
		return command.TablePage{
			Names: []string{"price"}, Dtypes: []command.TableColumn{{Dtype: "float64", Kind: command.KindNumber}},
			Cells: [][]json.RawMessage{{json.RawMessage("1.25"), json.RawMessage("null")}}, At: []int{0, 1}, Matching: 2,
		}, nil
	}, nil)
	command.ReadTableHeads.Handle(w.bus, func(context.Context, command.TableHeadsIn) (command.TableHeads, error) {
		return command.TableHeads{Heads: []command.TableHead{{Count: 2, Missing: 1}}}, nil
	}, nil)
	s := w.app.shell
	if s.rail.buttons[pageData].b.Visible() {
		t.Error("the button of the tables is shown although none is open")
	}
	s.activityPort().OpenTable(session, "df")
	w.q.Until(t, "the table", func() bool {
		texts := strings.Join(uitest.Texts(w.app.win.Canvas()), "\n")
		return strings.Contains(texts, "price") && strings.Contains(texts, "float64 · 50% NA") && strings.Contains(texts, "1.25")
	})
	if s.page != pageData || !s.docked || !s.rail.buttons[pageData].b.Visible() {
		t.Errorf("page %d; the dock is shown: %v", s.page, s.docked)
	}
	if w.app.win.Canvas().Focused() == nil {
		t.Error("the table has no focus")
	}
	w.app.shortcut(withCtrl(fyne.KeyJ))
	if s.docked {
		t.Error("Ctrl+J does not hide the dock")
	}
	w.app.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.page != pageGallery {
		t.Errorf("after Escape: page %d", s.page)
	}
}
