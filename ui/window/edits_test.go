package window

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/internal/require"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// field returns the field in the window that has a placeholder.
func (w *world) field(placeholder string) *kit.Field {
	w.t.Helper()
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
		if f, ok := o.(*kit.Field); ok && f.PlaceHolder == placeholder {
			return f
		}
	}
	w.t.Fatalf("there is no field %q", placeholder)
	return nil
}

func one(s *state.Snapshot) {
	busy(s)
	s.Selection, s.Current = []string{"img00001"}, "img00001"
}

// first returns the oldest plot in the library.
func (w *world) first() library.Image {
	w.t.Helper()
	im, err := w.lib.Image(w.t.Context(), "img00001")
	require.NoError(w.t, err)
	return im
}

func TestRenameAndUndo(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.key(fyne.KeyF2)
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || f.Text != "Sine" {
		t.Fatal("F2 does not let the title be edited")
	}
	f.SetText("正弦波")
	uitest.Golden(t, "rename", w.app.win.Canvas())
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.said("Renamed")
	if w.app.win.Canvas().Focused() != nil {
		t.Error("the field that is gone still takes the keys")
	}
	w.settled()
	if got := w.first().Title; got != "正弦波" {
		t.Errorf("the title is %q", got)
	}
	w.app.shortcut(&fyne.ShortcutUndo{})
	w.said("Undid: renaming “Sine”")
	if got := w.first().Title; got != "Sine" {
		t.Errorf("after Ctrl+Z the title is %q", got)
	}
	w.settled()
	w.app.shell.rename()
	f = w.app.win.Canvas().Focused().(*kit.Field)
	f.SetText("no")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	w.settled()
	if got := w.first().Title; got != "Sine" {
		t.Errorf("after Escape the title is %q", got)
	}
}

// TestRenameIsOfWhatIsSelectedNow covers the time in which the panel still shows the
// previous selection because it is reading the new one.
func TestRenameIsOfWhatIsSelectedNow(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00004"}, "img00004" })
	w.app.shell.rename()
	w.settled()
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || f.Text == "Sine" {
		t.Fatal("it does not edit the title of what is selected")
	}
	f.SetText("renamed")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	w.said("Renamed")
	w.settled()
	if im, err := w.lib.Image(t.Context(), "img00004"); err != nil || im.Title != "renamed" || w.first().Title != "Sine" {
		t.Errorf("the titles are %q and %q, %v", im.Title, w.first().Title, err)
	}
}

func TestANoteSurvivesWhatHappensMeanwhile(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	f := w.field("Add a note…")
	w.app.win.Canvas().Focus(f)
	test.Type(f, "look at the peak")
	w.call(t, "set_rating", `{"rating": 4, "path": "img00001"}`) // makes the panel read the image again
	if w.field("Add a note…") != f || f.Text != "look at the peak" || w.app.win.Canvas().Focused() != f {
		t.Fatal("what was being typed is gone")
	}
	w.app.win.Canvas().Unfocus()
	w.said("Note saved")
	if got := w.first().Note; got != "look at the peak" {
		t.Errorf("the note is %q", got)
	}
	w.settled()
	uitest.Golden(t, "note", w.app.win.Canvas())
}

func TestTagsAreCompleted(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), one)
	w.lib.Tag([]string{"kernel", "loss"}, "img00004")
	w.settled()
	w.app.typedRune('t')
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || f.PlaceHolder != "Add a tag…" {
		t.Fatal("T does not go to the tags")
	}
	test.Type(f, "KE")
	uitest.Golden(t, "tags", w.app.win.Canvas())
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	w.q.Until(t, "the first that begins so", func() bool { return slices.Equal(w.first().Tags, []string{"keep"}) })
	w.settled()
	test.Type(f, "new, k")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	w.q.Until(t, "both tags", func() bool { return slices.Equal(w.first().Tags, []string{"keep", "new", "kernel"}) })
}

// TestShiftDeleteDeletesForGood covers Fyne's report of Shift+Delete as Cut. Fyne also
// reports Ctrl+X as Cut, which must do nothing here. A field that has the focus cuts.
func TestShiftDeleteDeletesForGood(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00002", "img00003"}, "img00003"
	})
	board := fyne.CurrentApp().Clipboard()
	w.app.shortcut(&fyne.ShortcutCut{Clipboard: board})
	w.settled()
	if w.app.win.Canvas().Overlays().Top() != nil {
		t.Fatal("Ctrl+X asks something")
	}
	w.app.shortcut(&fyne.ShortcutCut{Clipboard: board, Secondary: true})
	w.asks("Delete permanently")
	w.press("Delete permanently")
	w.said("2 plots deleted")
	w.q.Until(t, "four plots", func() bool { return len(w.app.shell.gallery.ids) == 4 })

	search := w.app.shell.top.search
	w.app.win.Canvas().Focus(search)
	test.Type(search, "Growth")
	search.TypedShortcut(&fyne.ShortcutSelectAll{})
	search.TypedShortcut(&fyne.ShortcutCut{Clipboard: board, Secondary: true})
	if search.Text != "" || board.Content() != "Growth" || w.app.win.Canvas().Overlays().Top() != nil {
		t.Errorf("after Shift+Delete in a field: text %q, clipboard %q", search.Text, board.Content())
	}
}

func TestTheTrash(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), func(s *state.Snapshot) {
		busy(s)
		s.Selection, s.Current = []string{"img00002", "img00003"}, "img00003"
	})
	inView := func(n int) {
		t.Helper()
		w.q.Until(t, "plots in view", func() bool { return len(w.app.shell.gallery.ids) == n })
		w.settled()
	}
	w.key(fyne.KeyDelete)
	w.said("Moved 2 plots to the trash")
	inView(4)
	w.take()
	w.said("Undid: moving 2 plots to the trash")
	inView(6)
	w.app.shortcut(withCtrlShift(fyne.KeyZ))
	w.said("Redid: moving 2 plots to the trash")
	inView(4)
	w.app.shortcut(&fyne.ShortcutUndo{})
	inView(6)
	w.app.edits.Trash([]string{"img00002", "img00003", "img00004"})
	w.said("Moved 3 plots to the trash")
	inView(3)
	w.app.navigate.OpenTrash()
	w.q.Until(t, "the trash", func() bool { return w.app.shell.gallery.query.Trashed })
	inView(3)
	w.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00002"}, "img00002" })
	w.settled()
	restore, empty := "Restore selected", "Empty trash"
	w.enabled(restore, true)
	w.enabled(empty, true)
	uitest.Golden(t, "trash", w.app.win.Canvas())
	w.app.edits.Restore([]string{"img00002"})
	w.said("Restored")
	inView(2)
	w.app.edits.Trash([]string{"img00003"}) // it is in the trash, so this deletes it, after a confirmation
	w.asks("Delete permanently")
	w.press("Delete permanently")
	w.said("Deleted")
	inView(1)
	w.app.edits.EmptyTrash()
	w.asks("Empty trash")
	w.press("Empty trash")
	w.said("Deleted")
	inView(0)
	w.enabled(restore, false)
	w.enabled(empty, false)
	uitest.Golden(t, "trash_empty", w.app.win.Canvas())
	w.app.navigate.OpenAll("", 0)
	inView(4)
}

// TestTheTrashOpensInTurn: after the user's earlier requests, and before the later ones.
func TestTheTrashOpensInTurn(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	if w.app.navigate.OpenTrash(); w.app.requests.Pending() != 1 {
		t.Error("the trash does not open in turn")
	}
	w.app.navigate.OpenAll("", 0)
	w.settled()
	if kind := w.store.Snapshot().Folder.Kind; kind != state.AllSessions {
		t.Errorf("the trash was opened before all plots, and %v is shown", kind)
	}
}

// TestAFilterOfAllPlotsIsThereAtOnce, before its requests are answered, unless an earlier request is to be answered
// first.
func TestAFilterOfAllPlotsIsThereAtOnce(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	filter := func() string { return fmt.Sprint(w.store.Snapshot().Query.RatingOp, w.store.Snapshot().Query.Rating) }
	w.app.navigate.OpenAll(">=", 4)
	if s := w.store.Snapshot(); filter() != ">=4" || s.Current != "" || len(s.Selection) > 0 {
		t.Errorf("the filter is %s, selected are %v", filter(), s.Selection)
	}
	w.settled()
	w.app.navigate.OpenAll("", 0)
	if filter() != "-1" {
		t.Errorf("without a filter it is %s", filter())
	}
	w.app.navigate.OpenAll(">=", 3)
	if filter() != "-1" {
		t.Errorf("%s came before the requests", filter())
	}
	w.settled()
	if filter() != ">=3" {
		t.Errorf("after the requests it is %s", filter())
	}
	w.app.navigate.OpenTrash()
	w.settled()
	w.app.navigate.OpenAll("=", 0)
	if s := w.store.Snapshot(); s.Folder.Kind == state.Trash && filter() != ">=3" {
		t.Errorf("the trash is filtered by %s", filter())
	}
}

func TestUndoOfWhatAnAssistantDid(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), busy)
	w.call(t, "set_rating", `{"rating": 4, "paths": ["img00001", "img00002"]}`)
	w.said("claude-code gave 2 plots 4 stars")
	uitest.Golden(t, "undo", w.app.win.Canvas())
	w.take()
	w.said("Undid: 4 stars on 2 plots (claude-code)")
	w.settled()
	im, _ := w.lib.Get(t.Context(), "img00001", "img00002")
	if im[0].Rating != 0 || im[1].Rating != 0 {
		t.Errorf("after Undo: %d and %d stars", im[0].Rating, im[1].Rating)
	}
	w.call(t, "set_tags", `{"add": ["odd"], "path": "img00003"}`)
	w.said("claude-code tagged 1 plot: odd")
	w.app.shortcut(&fyne.ShortcutUndo{})
	w.said("Undid: tag odd on “")
	im, _ = w.lib.Get(t.Context(), "img00003")
	if slices.Contains(im[0].Tags, "odd") {
		t.Error("Ctrl+Z left the tag")
	}
	w.app.shortcut(&fyne.ShortcutUndo{})
	w.said("Nothing to undo")
}

// TestARatingOfManyCanBeUndone covers the notice after a change of many plots, and Ctrl+Z,
// Ctrl+Shift+Z and Ctrl+Y, which take one change after the other, the user's and the
// assistant's.
func TestARatingOfManyCanBeUndone(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 6), busy)
	stars := func() (all []int) {
		t.Helper()
		im, err := w.lib.Get(t.Context(), "img00001", "img00002", "img00003", "img00004", "img00005", "img00006")
		require.NoError(t, err)
		for _, i := range im {
			all = append(all, i.Rating)
		}
		return all
	}
	before := stars()
	w.app.edits.TypeNote("img00001", "from yesterday")
	w.app.edits.EndNote("img00001", nil)
	w.said("Note saved")
	w.app.shortcut(&fyne.ShortcutSelectAll{})
	w.settled()
	w.app.typedRune('3')
	w.said("3 stars on 6 plots")
	w.settled()
	uitest.Golden(t, "rated_many", w.app.win.Canvas())
	w.call(t, "set_rating", `{"rating": 1, "path": "img00002"}`)
	w.said("claude-code gave 1 plot 1 star")
	redo, undo := &fyne.ShortcutRedo{}, &fyne.ShortcutUndo{}
	w.app.shortcut(undo)
	w.said("Undid: 1 star on “")
	var items []string
	for _, i := range w.app.shell.undoItems(w.store.Snapshot()) {
		items = append(items, i.Label)
	}
	if len(items) != 3 || items[1] != "Undo 3 stars on 6 plots" || !strings.HasPrefix(items[2], "Redo 1 star on “") {
		t.Errorf("the menu has %q", items)
	}
	w.app.shortcut(undo)
	w.said("Undid: 3 stars on 6 plots")
	if got := stars(); !slices.Equal(got, before) {
		t.Errorf("after Ctrl+Z: %v, before %v", got, before)
	}
	if got := w.first().Note; got != "from yesterday" {
		t.Fatalf("the note is %q", got)
	}
	w.app.shortcut(redo)
	w.said("Redid: 3 stars on 6 plots")
	w.app.shortcut(withCtrlShift(fyne.KeyZ))
	w.said("Redid: 1 star on “")
	w.app.shortcut(redo)
	w.said("Nothing to redo")
	if got := stars(); !slices.Equal(got, []int{3, 1, 3, 3, 3, 3}) {
		t.Errorf("after Ctrl+Y: %v", got)
	}
}

// TestTheUndoOfANoticeIsOfWhatItSays covers a notice that is still there when something else
// has happened.
func TestTheUndoOfANoticeIsOfWhatItSays(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.app.edits.Rate([]string{"img00001", "img00002"}, 5)
	w.said("5 stars on 2 plots")
	w.app.edits.Rate([]string{"img00001"}, 2) // shows no notice
	w.q.Until(t, "the stars", func() bool { return w.first().Rating == 2 })
	w.take()
	w.said("Undid: 5 stars on 1 plot. One plot was changed since")
	im, _ := w.lib.Get(t.Context(), "img00001", "img00002")
	if im[0].Rating != 2 || im[1].Rating != 0 {
		t.Errorf("after Undo: %d and %d stars", im[0].Rating, im[1].Rating)
	}
}

// TestAFieldUndoesItsOwnText checks that Ctrl+Z and Ctrl+Y belong to the field that has the
// focus.
func TestAFieldUndoesItsOwnText(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 4), one)
	w.app.edits.Rate([]string{"img00001", "img00002"}, 5)
	w.said("5 stars on 2 plots")
	f := w.field("Add a tag…")
	w.app.win.Canvas().Focus(f)
	test.Type(f, "peak")
	undo := func(s fyne.Shortcut, want string) {
		t.Helper()
		f.TypedShortcut(s)
		w.settled()
		if f.Text != want || w.first().Rating != 5 {
			t.Errorf("text %q, %d stars; want %q", f.Text, w.first().Rating, want)
		}
	}
	undo(&fyne.ShortcutUndo{}, "")
	undo(withCtrlShift(fyne.KeyZ), "peak")
	undo(&fyne.ShortcutUndo{}, "")
	undo(&fyne.ShortcutRedo{}, "peak")
	undo(&fyne.ShortcutUndo{}, "")
	undo(&fyne.ShortcutUndo{}, "")
}

// enabled checks whether a button can be pressed.
func (w *world) enabled(text string, want bool) {
	w.t.Helper()
	if b := w.button(text); b.Enabled() != want {
		w.t.Errorf("%s can be pressed: %v", text, b.Enabled())
	}
}
