package window

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

const riskyCode = "import shutil\n\n# 古い結果を消してから描き直す\nshutil.rmtree(\"results\")\nfor name in [\"a\", \"b\"]:\n    plot(name)\n"

func question(id, client, code string) catalog.Approval {
	now := uitest.Start.Add(2 * time.Hour)
	return catalog.Approval{
		ApprovalID: id, ExecutionID: id, SessionID: uitest.SessionID(0), Client: client, Holder: "process", Code: code,
		AskedAt: now, Deadline: now.Add(9*time.Minute + 41*time.Second),
	}
}

// asking returns an edit that adds questions to a state.
func asking(questions ...catalog.Approval) func(*state.Snapshot) {
	return func(s *state.Snapshot) {
		busy(s)
		s.Settings.Access, s.Approvals = "ask", questions
	}
}

// answers receives the answers that the window gives, and closes the questions as the
// core does.
func (w *world) answers() <-chan command.ApprovalAnswer {
	given := make(chan command.ApprovalAnswer, 8)
	command.AnswerApproval.Handle(w.bus, func(_ context.Context, a command.ApprovalAnswer) (struct{}, error) {
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

// armed waits until the question can be answered.
func (w *world) armed() {
	w.t.Helper()
	w.q.Until(w.t, "the question to be answerable", func() bool { return w.app.shell.asks.Ready() })
}

// editor returns the editor of a question's code. It has the focus.
func (w *world) editor() *kit.Field {
	w.t.Helper()
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok {
		w.t.Fatal("Ctrl+E does not open the editor")
	}
	return f
}

func ctrl(k fyne.KeyName) *desktop.CustomShortcut {
	return &desktop.CustomShortcut{KeyName: k, Modifier: fyne.KeyModifierControl}
}

func TestApprovalGoldens(t *testing.T) {
	one := []catalog.Approval{question("1", "claude-code 2.1.0", riskyCode)}
	three := append([]catalog.Approval{}, one...)
	risky := question("1", "claude-code 2.1.0", "import os, requests\nimport pandas as pd\n\ndf = pd.read_csv(\"sales.csv\")\nrequests.post(\"https://example.org\", data=df.to_csv())\nos.remove(\"sales.csv\")\nexec(open(\"helper.py\").read())\ndf.to_csv(\"/srv/sales.csv\")")
	risky.Risks = []catalog.Risk{
		{Kind: "network", Line: 5, What: "requests.post"},
		{Kind: "files", Line: 6, What: "os.remove"},
		{Kind: "unseen", Line: 7, What: "exec"},
		{Kind: "files", Line: 8, What: "df.to_csv /srv/sales.csv"},
	}
	risky.Because = risky.Risks
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
		"ask_edit":       {wide, one, func(*state.Snapshot) {}, func(w *world) { w.app.shell.asks.ToggleEdit(); w.app.win.Canvas().Unfocus() }},
		"ask_edit_dark_narrow": {narrowed, one, func(s *state.Snapshot) { s.Settings.Theme = "dark" }, func(w *world) {
			w.app.shell.asks.ToggleEdit()
			w.app.win.Canvas().Unfocus()
		}},
		"ask_long": {wide, []catalog.Approval{question("1", "claude-code 2.1.0", strings.Repeat("print(\"a line that is long enough\", \"to be wrapped in the window of the test\", \"because nothing of it may be hidden\", 12345678901234567890)\n", 900))}, func(*state.Snapshot) {}, nil},
		"ask_expired_narrow": {narrowed, one, func(s *state.Snapshot) {
			s.Approvals, s.Expired = nil, slices.Clone(s.Approvals)
			s.Expired[0].Outcome = "unanswered"
		}, nil},
		"ask_returned_ja_dark": {wide, one, func(s *state.Snapshot) {
			s.Settings.Language, s.Settings.Theme, s.Approvals = "ja", "dark", slices.Clone(s.Approvals)
			s.Approvals[0].Returned = true
		}, nil},
		"ask_risks": {wide, []catalog.Approval{risky}, func(s *state.Snapshot) { s.Settings.Access = "ask_risky" }, nil},
		"ask_risks_ja_dark_narrow": {narrowed, []catalog.Approval{risky}, func(s *state.Snapshot) {
			s.Settings.Access, s.Settings.Language, s.Settings.Theme = "ask_risky", "ja", "dark"
		}, nil},
		"ask_on_settings": {narrowed, one, func(*state.Snapshot) {}, func(w *world) { w.app.shell.open(pageSettings) }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) {
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

func TestEditedCodeRuns(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asking(question("1", "c", "x = 1\n")))
	given := w.answers()
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyE))
	e := w.editor()
	e.SetText("x = 2\n")
	e.CursorRow = 1
	e.TypedKey(&fyne.KeyEvent{Name: fyne.KeyTab})
	// Rebuilding the window, for example for another theme, keeps the edit.
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.q.Until(t, "the dark window", func() bool { return w.app.shell.k.P.Dark })
	w.armed()
	var again *kit.Field
	for _, o := range test.LaidOutObjects(w.app.win.Canvas().Content()) {
		if f, ok := o.(*kit.Field); ok && f.Text == "x = 2\n    " {
			again = f
		}
	}
	if again == nil || again == e {
		t.Fatalf("after the change of the theme the edit is gone")
	}
	again.TypedShortcut(ctrl(fyne.KeyReturn)) // from within the editor
	if a := <-given; !a.Approve || a.Code != "x = 2\n    " {
		t.Errorf("answered %+v", a)
	}
}

func TestAWithdrawnQuestionIsTold(t *testing.T) {
	first, second := question("1", "c", "1"), question("2", "d", "2")
	w := newWorld(t, wide, galleryOf(t, 1), asking(second, first))
	w.armed()
	w.store.Update(func(s *state.Snapshot) { s.Approvals = []catalog.Approval{first} })
	second.Outcome = "withdrawn"
	catalog.Changes.Notify(w.bus, catalog.Change{Name: catalog.ApprovalAnswered, Object: second})
	w.said("withdrew its request")
}

func TestApproveAndDenyByKeys(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asking(question("1", "claude-code 2.1.0", riskyCode), question("2", "c", "2")))
	given := w.answers()
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyReturn))
	if a := <-given; !a.Approve || a.Code != "" || a.Session || a.ApprovalID != "1" {
		t.Errorf("answered %+v", a)
	}
	w.said("Approved")
	w.settled()
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyD))
	if a := <-given; a.Approve || a.ApprovalID != "2" {
		t.Errorf("answered %+v", a)
	}
	w.q.Until(t, "the region to be hidden", func() bool { return !w.app.shell.asks.Object().Visible() })
}

func TestAQuestionLeavesTheRestAlone(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 12), asking(question("1", "c", "1")))
	w.armed()
	w.key(fyne.KeyRight, fyne.KeyRight)
	if len(w.selection()) != 1 {
		t.Error("the gallery does not take keys while a question is open")
	}
	w.app.navigate.ToggleFullscreen()
	w.settled()
	if w.app.win.Canvas().Overlays().Top() != nil {
		t.Error("the question is a dialog")
	}
}

func TestAccessIsSeenAndChanged(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), func(s *state.Snapshot) {
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
	for _, want := range []string{"Pause AI", "Resume AI", "Pause AI"} { // the first item does what it says
		hold := w.app.shell.status.accessItems(w.store.Snapshot())[0]
		if hold.Label != want {
			t.Errorf("the menu begins with %q, want %q", hold.Label, want)
		}
		hold.Action()
		w.settled()
		if n := w.store.Snapshot(); n.Paused != (want == "Pause AI") {
			t.Errorf("after %q the AI is paused: %v", want, n.Paused)
		}
	}
	// Code that waits is not forgotten, and the window says what becomes of it.
	w.app.access.TogglePause()
	w.settled()
	w.store.Update(func(s *state.Snapshot) {
		s.Settings.Access = "allow"
		s.Sessions = []state.Session{{Session: catalog.Session{SessionID: "s"}, Queued: 3}}
	})
	for _, c := range []struct {
		do   func()
		says string
	}{
		{w.app.access.TogglePause, "Waits until you resume: 3"},
		{w.app.access.TogglePause, ""},
		{func() { w.app.access.Set("ask") }, "Waiting code now needs your approval: 3"},
		{func() { w.app.access.Set("read_only") }, "Code that waited was cancelled: 3"},
	} {
		c.do()
		w.settled()
		if got := w.message(); c.says != "" && !strings.Contains(got, c.says) {
			t.Errorf("the window says %q, want %q", got, c.says)
		}
	}
	if s := w.store.Snapshot(); s.Settings.Access != "read_only" || s.Trusted != nil {
		t.Errorf("access %q, trusted %v", s.Settings.Access, s.Trusted)
	}
	if got := w.app.shell.status.mode.Full(); got != "Read only" {
		t.Errorf("the status bar says %q", got)
	}
}

// TestLongCodeIsReadBeforeItIsApproved checks the button and the keys in a small window.
func TestLongCodeIsReadBeforeItIsApproved(t *testing.T) {
	w := newWorld(t, narrowed, galleryOf(t, 1), asking(question("1", "c", strings.Repeat("plot(1)\n", 30)+"shutil.rmtree('results')\n")))
	given := w.answers()
	w.armed()
	w.app.shortcut(ctrl(fyne.KeyReturn))
	w.said("Scroll to the end of the code")
	w.settled()
	if len(given) > 0 {
		t.Fatal("the key approves code whose end was not shown")
	}
	var code *kit.Scroll
	for y := float32(599); code == nil && y > 0; y -= 5 {
		if s := w.app.shell.k.ScrollAt(fyne.NewPos(450, y)); s != nil {
			code = s
		}
	}
	code.To(1e9)
	w.app.shortcut(ctrl(fyne.KeyReturn))
	if a := <-given; !a.Approve {
		t.Errorf("answered %+v", a)
	}
}
