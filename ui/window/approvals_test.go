package window

import (
	"context"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

const riskyCode = "import shutil\n\n# 古い結果を消してから描き直す\nshutil.rmtree(\"results\")\nfor name in [\"a\", \"b\"]:\n    plot(name)\n"

func question(id, client, code string) catalog.Approval {
	now := uitest.Start.Add(2 * time.Hour)
	return catalog.Approval{
		ApprovalID: id, ExecutionID: id, SessionID: uitest.SessionID(0), Client: client, Code: code,
		AskedAt: now, Deadline: now.Add(9*time.Minute + 41*time.Second),
	}
}

// asking is a state with questions.
func asking(questions ...catalog.Approval) func(*state.Snapshot) {
	return func(s *state.Snapshot) {
		busy(s)
		s.Settings.Access, s.Approvals = "ask", questions
	}
}

// answers takes the answers that the window gives, and closes the questions as the
// core does.
func (w *world) answers() <-chan catalog.ApprovalAnswer {
	given := make(chan catalog.ApprovalAnswer, 8)
	catalog.AnswerApproval.Handle(w.bus, func(_ context.Context, a catalog.ApprovalAnswer) (struct{}, error) {
		w.store.Update(func(s *state.Snapshot) {
			var left []catalog.Approval
			for _, q := range s.Approvals {
				if q.ApprovalID != a.ApprovalID {
					left = append(left, q)
				}
			}
			s.Approvals = left
		})
		given <- a
		return struct{}{}, nil
	}, nil)
	return given
}

func (w *world) armed() *approvals {
	w.t.Helper()
	p := func() *approvals { return w.app.shell.asks }
	w.q.Until(w.t, "the question to be answerable", func() bool { return p().approve.Enabled() })
	return p()
}

func ctrl(k fyne.KeyName) *desktop.CustomShortcut {
	return &desktop.CustomShortcut{KeyName: k, Modifier: fyne.KeyModifierControl}
}

func TestApprovalGoldens(t *testing.T) {
	one := []catalog.Approval{question("1", "claude-code 2.1.0", riskyCode)}
	three := append([]catalog.Approval{}, one...)
	three = append(three, question("2", "Cursor 1.9", "2"), question("3", "Cursor 1.9", "3"))
	for name, c := range map[string]struct {
		size fyne.Size
		qs   []catalog.Approval
		edit func(*state.Snapshot)
		then func(*world)
	}{
		"ask":            {wide, one, func(*state.Snapshot) {}, nil},
		"ask_three_dark": {wide, three, func(s *state.Snapshot) { s.Settings.Theme = "dark" }, nil},
		"ask_ja_narrow":  {narrowed, three, func(s *state.Snapshot) { s.Settings.Language = "ja" }, nil},
		"ask_edit":       {wide, one, func(*state.Snapshot) {}, func(w *world) { w.app.shell.asks.toggleEdit(); w.app.win.Canvas().Unfocus() }},
		"ask_edit_dark_narrow": {narrowed, one, func(s *state.Snapshot) { s.Settings.Theme = "dark" }, func(w *world) {
			w.app.shell.asks.toggleEdit()
			w.app.win.Canvas().Unfocus()
		}},
		"ask_long":        {wide, []catalog.Approval{question("1", "claude-code 2.1.0", strings.Repeat("print(\"a line that is long enough\", \"to be wrapped in the window of the test\", \"because nothing of it may be hidden\", 12345678901234567890)\n", 900))}, func(*state.Snapshot) {}, nil},
		"ask_on_settings": {narrowed, one, func(*state.Snapshot) {}, func(w *world) { w.app.shell.open(pageSettings) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(6), func(s *state.Snapshot) {
				asking(c.qs...)(s)
				c.edit(s)
			})
			w.armed()
			if c.then != nil {
				c.then(w)
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestApproveByMouse(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), asking(question("1", "claude-code 2.1.0", riskyCode)))
	given := w.answers()
	test.Tap(w.armed().approve)
	if a := <-given; !a.Approve || a.Code != "" || a.Session || a.ApprovalID != "1" {
		t.Errorf("answered %+v", a)
	}
	w.q.Until(t, "the region to go", func() bool { return !w.app.shell.asks.root.Visible() })
}

func TestASecondClickAnswersNothingUnread(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), asking(question("1", "c", "1"), question("2", "c", "2")))
	given := w.answers()
	p := w.armed()
	test.Tap(p.approve)
	test.Tap(p.approve) // while the first is being answered
	if a := <-given; a.ApprovalID != "1" {
		t.Fatalf("answered %+v", a)
	}
	w.q.Until(t, "the next question", func() bool { return p.id == "2" })
	if p.approve.Enabled() || p.deny.Enabled() {
		t.Error("the next question can be answered at once")
	}
	p.answer(true, false) // as by the key
	test.Tap(w.armed().deny)
	if a := <-given; a.ApprovalID != "2" || a.Approve {
		t.Errorf("answered %+v, want a no to the second", a)
	}
}

func TestDenyWithAReason(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), asking(question("1", "c", "1")))
	given := w.answers()
	p := w.armed()
	test.Type(p.reason, "not in this folder")
	p.reason.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if a := <-given; a.Approve || a.Words != "not in this folder" {
		t.Errorf("answered %+v", a)
	}
}

func TestEditedCodeRuns(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), asking(question("1", "c", "x = 1\n")))
	given := w.answers()
	p := w.armed()
	w.app.shortcut(ctrl(fyne.KeyE))
	if p.editor == nil || w.app.win.Canvas().Focused() != p.editor {
		t.Fatal("Ctrl+E does not open the editor")
	}
	if p.session.Enabled() {
		t.Error("edited code can be allowed for the session")
	}
	p.editor.SetText("x = 2\n")
	p.editor.CursorRow = 1
	p.editor.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	// The window is built anew, as by a change of the theme: the edit stays.
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.q.Until(t, "the dark window", func() bool { return w.app.shell.k.P.Dark })
	if p = w.armed(); p.editor == nil || p.editor.Text != "x = 2\n    " {
		t.Fatalf("after the change of the theme the edit is gone")
	}
	p.editor.TypedShortcut(ctrl(fyne.KeyReturn)) // from within the editor
	if a := <-given; !a.Approve || a.Code != "x = 2\n    " {
		t.Errorf("answered %+v", a)
	}
}

func TestAllowForTheSession(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), asking(question("1", "c", "1")))
	given := w.answers()
	test.Tap(w.armed().session)
	if a := <-given; !a.Approve || !a.Session {
		t.Errorf("answered %+v", a)
	}
}

func TestANewQuestionDoesNotReplaceTheOneThatIsRead(t *testing.T) {
	first, second := question("1", "c", "1"), question("2", "d", "2")
	w := newWorld(t, wide, galleryOf(1), asking(first))
	p := w.armed()
	w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{second, first} })
	w.settled()
	if p.id != "1" || p.place.Full() != "2 of 2" {
		t.Errorf("shows %q, %q", p.id, p.place.Full())
	}
	test.Tap(p.next)
	if p.id != "2" || p.approve.Enabled() {
		t.Errorf("after next: %q, answerable at once %t", p.id, p.approve.Enabled())
	}
	// The client gives up on it: the card goes, and why is told.
	w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{first} })
	second.Outcome = "withdrawn"
	catalog.Changes.Notify(w.bus, catalog.Change{Name: catalog.ApprovalAnswered, Object: second})
	w.q.Until(t, "the withdrawal to be told", func() bool {
		return p.id == "1" && strings.Contains(w.app.shell.toast.text.Text(), "withdrew its request")
	})
}

func TestAQuestionLeavesTheRestAlone(t *testing.T) {
	w := newWorld(t, wide, galleryOf(12), asking(question("1", "c", "1")))
	w.armed()
	w.key(fyne.KeyRight, fyne.KeyRight)
	if len(w.selection()) != 1 {
		t.Error("the gallery does not take keys while a question is open")
	}
	w.app.toggleFullscreen()
	w.settled()
	if w.app.win.Canvas().Overlays().Top() != nil {
		t.Error("the question is a dialog")
	}
}

func TestNothingHidesInTheCode(t *testing.T) {
	for code, want := range map[string]string{
		"a\r\nb":                "a\nb",
		"# safe\rimport os":     "# safe\nimport os",
		"x = \"\u202e1\u2066\"": "x = \"[U+202E]1[U+2066]\"",
		"a\u200bb\x1b[2K":       "a[U+200B]b[U+001B][2K",
		"\t売上 = 1":              "\t売上 = 1",
	} {
		if got := visibleCode(code); got != want {
			t.Errorf("%q is shown as %q, want %q", code, got, want)
		}
	}
}

func TestAccessIsSeenAndChanged(t *testing.T) {
	w := newWorld(t, wide, galleryOf(1), func(s *state.Snapshot) {
		s.Trusted = []state.Trust{{SessionID: "s", Client: "c"}}
		s.Settings.Access = "ask"
	})
	if got := w.app.shell.status.mode.Full(); got != "Ask first · 1 allowed" {
		t.Errorf("the status bar says %q", got)
	}
	test.Tap(w.app.shell.status.access)
	if w.app.win.Canvas().Overlays().Top() == nil {
		t.Fatal("no menu")
	}
	w.app.setAccess("read_only")
	w.settled()
	if s := w.store.Snapshot(); s.Settings.Access != "read_only" || s.Trusted != nil {
		t.Errorf("access %q, trusted %v", s.Settings.Access, s.Trusted)
	}
	if got := w.app.shell.status.mode.Full(); got != "Read only" {
		t.Errorf("the status bar says %q", got)
	}
}
