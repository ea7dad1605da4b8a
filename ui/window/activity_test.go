package window

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// row returns the row of the dock that has a text in one of its cells.
func (w *world) row(text string) (row fyne.Tappable) {
	for _, o := range test.LaidOutObjects(w.app.shell.dock.Object()) {
		x, ok := o.(fyne.Tappable)
		if ok && slices.ContainsFunc(test.LaidOutObjects(o), func(c fyne.CanvasObject) bool {
			line, ok := c.(*canvas.Text)
			return ok && line.Text == text
		}) {
			row = x
		}
	}
	return row
}

func TestTheDetailOfACallStandsOverTheWindow(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 3), busy)
	im := w.first()
	catalog.Activities.Notify(w.bus, catalog.Activity{
		ID: 1, Began: uitest.Start, Ended: uitest.Start.Add(340 * time.Millisecond), Transport: "mcp", Client: "claude-code 2.1.0", Tool: "execute_code",
		Args: json.RawMessage(`{"code": "plot()", "session_id": "s"}`), Status: "ok", Result: json.RawMessage(`{"success": true}`), Images: []string{im.ResourceURI, "jupyter://gone"},
	})
	w.q.Until(t, "the call in the log", func() bool { return w.row("2 plots") != nil })
	w.row("2 plots").Tapped(&fyne.PointEvent{})
	picture := func(m *canvas.Image) bool { return m.Image != nil && m.Image.Bounds().Dx() == 264 }
	w.q.Until(t, "the plot in the detail", func() bool { _, is := seek(w, picture); return is })
	uitest.Golden(t, "activity_detail", w.app.win.Canvas())
	test.Tap(find(w, func(x *kit.Stop) bool {
		return slices.ContainsFunc(test.LaidOutObjects(x), func(o fyne.CanvasObject) bool { m, ok := o.(*canvas.Image); return ok && picture(m) })
	}))
	w.settled()
	if got := w.store.Snapshot(); got.Mode != state.Viewer || got.Current != im.ImageID {
		t.Errorf("mode %q, image %q", got.Mode, got.Current)
	}
}

func TestTheLogIsSavedWhereTheUserSays(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) { s.Settings.SaveDir = dir })
	to := make(chan string, 1)
	w.app.shell.activityPort().SaveFile("Save the log", "log.jsonl", func(path string) { to <- path })
	w.q.Until(t, "the dialog", func() bool {
		_, is := seek(w, func(f *kit.Field) bool { return f.Text == dir })
		return is
	})
	w.typeInto("log.jsonl", "calls.jsonl")
	w.press("Save")
	var got string
	w.q.Until(t, "the place", func() bool {
		select {
		case got = <-to:
			return true
		default:
			return false
		}
	})
	if got != filepath.Join(dir, "calls.jsonl") {
		t.Errorf("saves to %s", got)
	}
}

// pick chooses a session as a user does: in the menu of the top bar.
func (w *world) pick(name string) {
	w.t.Helper()
	w.app.shell.top.pick()
	w.item(name + "  ·")
}

// item chooses the item of the open menu that begins with a name.
func (w *world) item(name string) {
	w.t.Helper()
	var item fyne.Tappable // the last one with the name: earlier ones contain it
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Overlays().Top()) {
		tapped, ok := o.(fyne.Tappable)
		if ok && slices.ContainsFunc(test.LaidOutObjects(o), func(x fyne.CanvasObject) bool {
			text, ok := x.(*canvas.Text)
			return ok && strings.HasPrefix(text.Text, name)
		}) {
			item = tapped
		}
	}
	if item != nil {
		item.Tapped(&fyne.PointEvent{})
		return
	}
	w.t.Fatalf("the menu has no %q", name)
}

// TestThePickedSessionIsTheOneOfTheDock checks that picking a session changes the dock
// immediately, without draining the queue of the UI goroutine.
func TestThePickedSessionIsTheOneOfTheDock(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 2), func(s *state.Snapshot) {
		busy(s)
		s.Settings.Layout.Dock, s.Settings.Layout.DockTab = state.Chosen(true), 1
	})
	asked := make(chan string, 8)
	catalog.GetVariables.Handle(w.bus, func(_ context.Context, in catalog.GetVariablesIn) (catalog.GetVariablesOut, error) {
		asked <- in.SessionID
		return catalog.GetVariablesOut{}, nil
	}, nil)
	w.pick("売上.ipynb")
	for got := ""; got != uitest.SessionID(1); { // it may have asked the other session before
		select {
		case got = <-asked:
		case <-time.After(time.Minute):
			t.Fatal("the picked session was not asked for its variables")
		}
	}
}

// TestTheDockNamesEndedSessions checks that the dock uses the library's names once the
// sidebar has read them.
func TestTheDockNamesEndedSessions(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), busy)
	w.lib.AddSession(7, "churn study", "claude-code 2.1.0")
	catalog.Activities.Notify(w.bus, catalog.Activity{
		ID: 6, Began: uitest.Start, Ended: uitest.Start.Add(time.Second), Transport: "mcp", Client: "Cursor 1.9",
		Tool: "session_delete", Status: "ok", Args: json.RawMessage(`{"session_id": "` + uitest.SessionID(7) + `"}`),
	})
	w.lib.Changes().Lose() // makes the sidebar read the sessions again
	w.q.Until(t, "the session's name", func() bool { return w.row("churn study") != nil })
}

// TestAFailedRunLeavesASignInTheStatusBar while the dock is closed. A click on it opens the list.
func TestAFailedRunLeavesASignInTheStatusBar(t *testing.T) {
	for _, c := range []struct{ name, lang string }{{"failed_sign", "en"}, {"failed_sign_ja", "ja"}} {
		w := newWorld(t, narrowed, galleryOf(t, 2), func(s *state.Snapshot) {
			busy(s)
			s.Settings.Layout.Dock, s.Settings.Language = state.Chosen(false), c.lang
		})
		began := uitest.Start
		for _, id := range []string{"e1", "e2"} {
			args := json.RawMessage(`{"code": "1/0", "session_id": "` + uitest.SessionID(0) + `"}`)
			catalog.Activities.Notify(w.bus, catalog.Activity{
				ID: uint64(began.Unix()), Began: began, Ended: began.Add(time.Second), Transport: "mcp", Client: "claude-code 2.1.0",
				Tool: "execute_code", Status: "ok", ExecutionID: id, Args: args,
			})
			catalog.Changes.Notify(w.bus, catalog.Change{Name: catalog.ExecutionEnded, Object: catalog.Execution{
				ExecutionID: id, SessionID: uitest.SessionID(0), Status: catalog.StatusError, Code: "1/0",
				Error: &catalog.ExecutionError{Code: catalog.CodeExecution, Type: "ZeroDivisionError", Message: "division by zero"},
			}})
			began = began.Add(time.Minute)
		}
		sign := w.app.shell.status.failed
		w.q.Until(t, "the sign", func() bool { return sign.Visible() && w.app.shell.dock.Failures() == 2 })
		w.settled()
		uitest.Golden(t, c.name, w.app.win.Canvas())
		test.Tap(sign)
		if !w.app.shell.dock.Object().Visible() || sign.Visible() || w.row("ZeroDivisionError: division by zero") == nil {
			t.Errorf("after a click the dock is open: %v, the sign is shown: %v", w.app.shell.dock.Object().Visible(), sign.Visible())
		}
	}
}
