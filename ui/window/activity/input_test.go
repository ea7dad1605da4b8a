package activity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// consoleOf returns a window with the console of a session, whose kernel accepts code and says that it waits.
func consoleOf(t *testing.T, edit func(*state.Snapshot)) (w *world, tab *consoleTab, ran chan catalog.ExecuteCodeIn) {
	t.Helper()
	w = newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
		busy(s)
		if edit != nil {
			edit(s)
		}
	})
	ran = make(chan catalog.ExecuteCodeIn, 8)
	var n atomic.Int64
	catalog.ExecuteCode.Handle(w.bus, func(_ context.Context, in catalog.ExecuteCodeIn) (catalog.Execution, error) {
		id := fmt.Sprint("x", n.Add(1))
		ran <- in
		return catalog.Execution{ExecutionID: id, SessionID: in.SessionID, Code: in.Code, Status: catalog.StatusQueued, CreatedAt: uitest.Start}, nil
	}, nil)
	w.dock.Open(2)
	return w, w.dock.tabs[2].(*consoleTab), ran
}

func (t *consoleTab) texts() (texts []string) {
	for _, l := range t.print.Lines() {
		texts = append(texts, l.Mark+"|"+l.Text)
	}
	return texts
}

// TestTheUserRunsCodeInTheSession: it waits, and can be cancelled; then the console shows its output.
func TestTheUserRunsCodeInTheSession(t *testing.T) {
	w, tab, ran := consoleOf(t, nil)
	in := tab.input
	w.dock.heads[2].Tapped(nil)
	if w.win.Canvas().Focused() != fyne.Focusable(in.field) {
		t.Fatal("the line has no focus after the user opened the console")
	}
	test.Type(in.field, "df.head()")
	in.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := <-ran; got.Code != "df.head()" || got.SessionID != uitest.SessionID(0) {
		t.Errorf("ran %+v", got)
	}
	w.q.Until(t, "the waiting run", func() bool { return in.cancel.Visible() })
	if got := tab.texts(); !slices.Equal(got, []string{"In [ ]|df.head()", "|" + w.k.T("console.queued"), "|"}) || in.field.Text != "" {
		t.Errorf("while it waits: %q, the line has %q", got, in.field.Text)
	}
	uitest.Golden(t, "console_waiting", w.win.Canvas())
	test.Tap(in.cancel)
	if !slices.Equal(w.cancelled, []string{"x1"}) {
		t.Errorf("cancelled %q", w.cancelled)
	}
	w.history.run(catalog.ExecutionEnded, catalog.Execution{
		ExecutionID: "x1", SessionID: uitest.SessionID(0), Code: "df.head()", Status: catalog.StatusOK, ExecutionCount: 4, Text: "   a\n0  1",
	})
	w.render()
	if got := tab.texts(); !slices.Equal(got, []string{"In [4]|df.head()", "Out|   a", "|0  1", "|"}) || in.cancel.Visible() {
		t.Errorf("when it has ended: %q, it can be cancelled: %v", got, in.cancel.Visible())
	}
}

// TestTheLineRemembersWhatTheUserRan, for each session, and what the user was typing.
func TestTheLineRemembersWhatTheUserRan(t *testing.T) {
	w, tab, ran := consoleOf(t, nil)
	in := tab.input
	run := func(code string) {
		in.field.SetText(code)
		in.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		<-ran
	}
	run("a = 1")
	run("for i in a:\n    f(i)")
	run("for i in a:\n    f(i)")
	in.field.SetText("draft")
	key := func(name fyne.KeyName, want string) {
		t.Helper()
		in.field.TypedKey(&fyne.KeyEvent{Name: name})
		if in.field.Text != want {
			t.Errorf("after %s the line has %q, want %q", name, in.field.Text, want)
		}
	}
	key(fyne.KeyUp, "for i in a:\n    f(i)")
	if in.field.CursorRow != 1 || in.field.CursorColumn != 8 {
		t.Errorf("the cursor is at %d, %d", in.field.CursorRow, in.field.CursorColumn)
	}
	key(fyne.KeyUp, "for i in a:\n    f(i)") // to the first row
	key(fyne.KeyUp, "a = 1")
	key(fyne.KeyUp, "a = 1")
	key(fyne.KeyDown, "for i in a:\n    f(i)")
	key(fyne.KeyDown, "draft")
	w.pick("売上.ipynb")
	if in.field.Text != "" {
		t.Errorf("in another session the line has %q", in.field.Text)
	}
	key(fyne.KeyUp, "")
	w.pick("analysis")
	if in.field.Text != "draft" {
		t.Errorf("back in the session the line has %q", in.field.Text)
	}
}

// TestWithoutAKernelTheConsoleSaysWhy there is no line.
func TestWithoutAKernelTheConsoleSaysWhy(t *testing.T) {
	w, tab, _ := consoleOf(t, func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" })
	tab.input.field.SetText("for 月 in df.columns:\n    print(月)")
	uitest.Golden(t, "console_input_ja_dark", w.win.Canvas())
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[0].Died = "killed"
	})
	w.q.Drain()
	if tab.input.slim.Visible() || tab.input.why.Full() != w.k.T("console.dead") {
		t.Errorf("of a dead kernel it says %q", tab.input.why.Full())
	}
	w.store.Update(func(s *state.Snapshot) { s.Sessions = nil })
	w.q.Drain()
	if tab.input.slim.Visible() || tab.input.why.Full() != w.k.T("console.no_session") {
		t.Errorf("without a session it says %q", tab.input.why.Full())
	}
}

// TestTheConsoleIsSearched from the line and from the text.
// TestALongNameDoesNotScrollTheLine: the placeholder is as long as the field has room for.
func TestALongNameDoesNotScrollTheLine(t *testing.T) {
	_, tab, _ := consoleOf(t, func(s *state.Snapshot) { s.Sessions[0].Name = strings.Repeat("Churn analysis ", 20) })
	f := tab.input.field
	if w := fyne.MeasureText(f.PlaceHolder, theme.TextBody-1, f.TextStyle).Width; !strings.HasSuffix(f.PlaceHolder, "…") || w > f.Size().Width-8 {
		t.Errorf("%q is %v wide, the field %v", f.PlaceHolder, w, f.Size().Width)
	}
}

func TestTheConsoleIsSearched(t *testing.T) {
	w, tab, _ := consoleOf(t, nil)
	w.history.run(catalog.ExecutionEnded, catalog.Execution{
		ExecutionID: "e", SessionID: uitest.SessionID(0), Status: catalog.StatusOK, Code: "fit()", ExecutionCount: 1,
		Stdout: "epoch 1: loss 0.5\nepoch 2: loss 0.25\nLOSS of the whole: 0.2\ndone\n",
	})
	w.render()
	find := &desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: fyne.KeyModifierShortcutDefault}
	w.win.Canvas().Focus(tab.input.field)
	tab.input.field.TypedShortcut(find)
	if w.win.Canvas().Focused() != fyne.Focusable(tab.find) {
		t.Fatal("Ctrl+F in the line does not go to the search")
	}
	test.Type(tab.find, "loss")
	if got := tab.count.Full(); got != "1 of 3" {
		t.Errorf("found %q", got)
	}
	uitest.Golden(t, "console_search", w.win.Canvas())
	tab.find.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	tab.find.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if got := tab.count.Full(); got != "3 of 3" {
		t.Errorf("after Enter twice: %q", got)
	}
	tab.find.SetText("nothing")
	if got := tab.count.Full(); got != "Not found" {
		t.Errorf("of what is not there: %q", got)
	}
	tab.find.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if tab.find.Text != "" || tab.count.Full() != "" {
		t.Errorf("after Escape: %q, %q", tab.find.Text, tab.count.Full())
	}
}
