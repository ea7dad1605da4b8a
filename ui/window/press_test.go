package window

import (
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

// centreOf returns the middle of an object in the window.
func centreOf(o fyne.CanvasObject) fyne.Position {
	size := o.Size()
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(o).AddXY(size.Width/2, size.Height/2)
}

// before puts a session in front of the others, so that the rows of the sidebar move.
func before(s *state.Snapshot) {
	x := s.Sessions[0]
	x.SessionID, x.NotebookPath, x.Images = uitest.SessionID(9), "new.ipynb", 3
	s.Sessions = append([]state.Session{x}, s.Sessions...)
}

// TestAClickCountsWhileTheSidebarChanges: an assistant draws plots and opens sessions all the time.
func TestAClickCountsWhileTheSidebarChanges(t *testing.T) {
	for name, change := range map[string]func(*state.Snapshot){
		"another state of the same session": func(s *state.Snapshot) {
			s.Sessions = slices.Clone(s.Sessions)
			for i := range s.Sessions {
				s.Sessions[i].Status, s.Sessions[i].Images = "busy", 7
			}
		},
		"another session above": before,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, wide, galleryOf(t, 1), inProjects)
			w.settled()
			pointer := uitest.NewPointer(w.app.win.Canvas())
			pressed := w.app.snap.Sessions[1]
			pointer.Move(centreOf(w.sideRow("Session 5ab000")))
			pointer.Press()
			w.store.Update(change)
			w.settled()
			pointer.Release()
			w.settled()
			if at := w.store.Snapshot().Folder; at.Kind != state.OneSession || at.ID != pressed.SessionID {
				t.Errorf("%s was clicked, the gallery shows %+v", pressed.SessionID, at)
			}
			if name != "another state of the same session" {
				w.sideRow("new.ipynb") // is there after the release
			}
		})
	}
}

// TestTheSidebarChangesAfterADragAway: the button is released elsewhere, so that nothing is clicked.
func TestTheSidebarChangesAfterADragAway(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), inProjects)
	w.settled()
	pointer := uitest.NewPointer(w.app.win.Canvas())
	row := w.sideRow("Session 5ab000")
	pointer.Move(centreOf(row))
	pointer.Press()
	w.store.Update(before)
	w.settled()
	pointer.Move(fyne.NewPos(600, 500))
	pointer.Release()
	w.settled()
	w.sideRow("new.ipynb")
	if at := w.store.Snapshot().Folder; at.Kind != state.AllSessions {
		t.Errorf("the gallery shows %+v", at)
	}
}

// TestTheHighlightStaysUnderThePointer while rows change and move.
func TestTheHighlightStaysUnderThePointer(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), inProjects)
	w.settled()
	row := w.sideRow("Session 5ab000")
	at := centreOf(row)
	uitest.NewPointer(w.app.win.Canvas()).Move(at)
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = slices.Clone(s.Sessions)
		s.Sessions[1].Status = "busy"
	})
	w.settled()
	if !row.Hovered() || w.app.win.Canvas().Focused() != fyne.Focusable(row) || centreOf(row) != at {
		t.Error("a row that only changed lost the pointer or the focus")
	}
	w.store.Update(before)
	w.settled()
	var over []*kit.Stop
	for _, o := range test.LaidOutObjects(w.app.shell.side.Object()) {
		if s, ok := o.(*kit.Stop); ok && s.Hovered() {
			over = append(over, s)
		}
	}
	if len(over) != 1 || over[0] == row || centreOf(over[0]) != at {
		t.Errorf("%d rows are highlighted", len(over))
	}
}

// TestAnAnswerIsToTheQuestionThatWasPressed: another one may take its place while the button is down.
func TestAnAnswerIsToTheQuestionThatWasPressed(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asking(question("1", "claude-code 2.1.0", "1"), question("2", "Cursor 1.9", "2")))
	given := w.answers()
	w.armed()
	w.settled()
	var approve *kit.Button
	for _, o := range test.LaidOutObjects(w.app.shell.asks.Object()) {
		if b, ok := o.(*kit.Button); ok && b.Text() == w.app.shell.k.T("ask.approve") {
			approve = b
		}
	}
	pointer := uitest.NewPointer(w.app.win.Canvas())
	pointer.Move(centreOf(approve))
	pointer.Press()
	w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{s.Approvals[1]} })
	w.settled()
	pointer.Release()
	w.settled()
	select {
	case a := <-given:
		if a.ApprovalID != "1" {
			t.Errorf("the question 1 was pressed, the answer is %+v", a)
		}
	case <-time.After(time.Minute):
		t.Error("the click was lost")
	}
}
