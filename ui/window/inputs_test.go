package window

import (
	"context"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/uitest"
)

func inputQuestion(id, prompt string, edit ...func(*command.InputQuestion)) command.InputQuestion {
	now := uitest.Start.Add(2 * time.Hour)
	q := command.InputQuestion{
		ID: id + "-1", ExecutionID: id, SessionID: uitest.SessionID(0), Client: "claude-code 2.1.0", Prompt: prompt,
		Code:    "import pandas as pd\nname = input(\"" + prompt + "\")\nprint(name)",
		AskedAt: now, Deadline: now.Add(9*time.Minute + 41*time.Second),
	}
	for _, e := range edit {
		e(&q)
	}
	return q
}

func asPassword(q *command.InputQuestion) {
	q.Password, q.Code = true, "from getpass import getpass\nkey = getpass(\""+q.Prompt+"\")"
}

// asked returns an edit that adds questions of running code to a state.
func asksInput(questions ...command.InputQuestion) func(*state.Snapshot) {
	return func(s *state.Snapshot) {
		busy(s)
		s.Inputs = questions
	}
}

// inputAnswers receives the answers that the window gives to running code, and closes the questions as the core does.
func (w *world) inputAnswers() <-chan command.InputAnswer {
	given := make(chan command.InputAnswer, 8)
	command.AnswerInput.Handle(w.bus, func(_ context.Context, a command.InputAnswer) (struct{}, error) {
		w.store.Update(func(s *state.Snapshot) {
			s.Inputs = slices.DeleteFunc(slices.Clone(s.Inputs), func(q command.InputQuestion) bool { return q.ID == a.ID })
		})
		given <- a
		return struct{}{}, nil
	}, nil)
	return given
}

// canAnswer waits until the question of running code can be answered.
func (w *world) canAnswer() {
	w.t.Helper()
	w.q.Until(w.t, "the question of code to be answerable", func() bool { return w.app.shell.inputs.Ready() })
}

// inputField focuses the field of the question, by its key, and returns it.
func (w *world) inputField() *kit.Field {
	w.t.Helper()
	w.app.shortcut(ctrl(fyne.KeyI))
	f, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok {
		w.t.Fatal("Ctrl+I does not go to the question")
	}
	return f
}

func TestInputGoldens(t *testing.T) {
	long := "次のどの列を集計しますか。\n  1) 売上\n  2) 件数\n  3) 平均単価\n番号を入力してください: "
	for name, c := range map[string]struct {
		size fyne.Size
		qs   []command.InputQuestion
		edit func(*state.Snapshot)
		then func(*world)
	}{
		"input":               {wide, []command.InputQuestion{inputQuestion("1", "Which region? ")}, func(*state.Snapshot) {}, nil},
		"input_ja_narrow":     {narrowed, []command.InputQuestion{inputQuestion("1", long), inputQuestion("2", "名前は? ")}, func(s *state.Snapshot) { s.Settings.Language = "ja" }, nil},
		"input_password_dark": {wide, []command.InputQuestion{inputQuestion("1", "API key: ", asPassword)}, func(s *state.Snapshot) { s.Settings.Theme = "dark" }, func(w *world) { test.Type(w.inputField(), "s3cret"); w.app.win.Canvas().Unfocus() }},
		"input_password_ja_dark_narrow": {narrowed, []command.InputQuestion{inputQuestion("1", "パスワード: ", asPassword, func(q *command.InputQuestion) {
			q.ByUser, q.Deadline = true, time.Time{}
		})}, func(s *state.Snapshot) { s.Settings.Language, s.Settings.Theme = "ja", "dark" }, nil},
		"input_and_approval_narrow": {narrowed, []command.InputQuestion{inputQuestion("1", "Which region? ")}, func(s *state.Snapshot) {
			s.Settings.Access, s.Approvals = "ask", []catalog.Approval{question("1", "claude-code 2.1.0", riskyCode)}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.size, galleryOf(t, 6), func(s *state.Snapshot) {
				asksInput(c.qs...)(s)
				c.edit(s)
			})
			w.canAnswer()
			if c.then != nil {
				c.then(w)
				w.settled()
			}
			uitest.Golden(t, name, w.app.win.Canvas())
		})
	}
}

func TestRunningCodeIsAnswered(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asksInput(inputQuestion("x", "first? "), inputQuestion("y", "other? ")))
	given := w.inputAnswers()
	w.canAnswer()
	f := w.inputField()
	test.Type(f, "花子")
	// Rebuilding the window, for example for another theme, keeps what is typed.
	w.store.Update(func(s *state.Snapshot) { s.Settings.Theme = "dark" })
	w.q.Until(t, "the dark window", func() bool { return w.app.shell.k.P.Dark })
	w.canAnswer()
	again, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || again == f || again.Text != "花子" {
		t.Fatal("after the change of the theme, the answer is gone")
	}
	again.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if a := <-given; a != (command.InputAnswer{ID: "x-1", Value: "花子"}) {
		t.Errorf("answered %+v", a)
	}
	// The next question is empty, and an empty answer is valid.
	w.canAnswer()
	if f := w.inputField(); f.Text != "" {
		t.Errorf("the field of the next question has %q", f.Text)
	}
	w.inputField().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if a := <-given; a != (command.InputAnswer{ID: "y-1"}) {
		t.Errorf("answered %+v", a)
	}
	w.q.Until(t, "the end of the questions", func() bool { return !w.app.shell.inputs.Open() })
	if len(w.app.typed) > 0 {
		t.Errorf("kept %v", w.app.typed)
	}
}

// TestTheFocusOfQuestions checks who gets the keyboard: the next question of the same code, and the user's own
// code; no other question takes it away.
func TestTheFocusOfQuestions(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asksInput(inputQuestion("x", "first? ")))
	w.canAnswer()
	focused := func() string {
		f, ok := w.app.win.Canvas().Focused().(*kit.Field)
		if !ok {
			return ""
		}
		return f.PlaceHolder
	}
	if got := focused(); got != "" {
		t.Errorf("an assistant's question takes the keyboard: %q", got)
	}
	answer := w.inputField().PlaceHolder
	ask := func(q ...command.InputQuestion) {
		w.store.Update(func(s *state.Snapshot) { s.Inputs = q })
		w.q.Until(t, "the question", func() bool { return w.app.shell.inputs.Asks() == q[0].ExecutionID })
	}
	ask(inputQuestion("x", "second? ", func(q *command.InputQuestion) { q.ID = "x-2" }))
	if got := focused(); got != answer {
		t.Errorf("the next question of the same code: %q has the keyboard", got)
	}
	ask(inputQuestion("y", "other? "))
	if got := focused(); got != "" {
		t.Errorf("other code takes what is typed: %q", got)
	}
	mine := func(q *command.InputQuestion) { q.ByUser = true }
	w.app.win.Canvas().Focus(w.app.shell.top.search)
	ask(inputQuestion("z", "mine? ", mine))
	if got := focused(); got != answer {
		t.Errorf("the user's own code: %q has the keyboard", got)
	}
	w.app.win.Canvas().Focus(w.app.shell.top.search)
	w.app.shell.top.search.SetText("typing")
	ask(inputQuestion("u", "mine again? ", mine))
	if got := focused(); got == answer {
		t.Error("a question takes the keyboard from a field with text")
	}
}

// TestTypingGoesOnWithTheNextQuestion checks that keys between two questions of the same code, of which the
// window shows none for a moment, are not lost, and are no keys of the gallery.
func TestTypingGoesOnWithTheNextQuestion(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asksInput(inputQuestion("x", "first? ")))
	given := w.inputAnswers()
	w.canAnswer()
	f := w.inputField()
	test.Type(f, "a")
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	<-given
	w.q.Until(t, "no question", func() bool { return !w.app.shell.inputs.Open() })
	if w.app.win.Canvas().Focused() != fyne.Focusable(f) {
		t.Fatal("the keyboard has left the field")
	}
	test.Type(f, "b")
	w.store.Update(func(s *state.Snapshot) {
		s.Inputs = []command.InputQuestion{inputQuestion("x", "second? ", func(q *command.InputQuestion) { q.ID = "x-2" })}
	})
	w.canAnswer()
	next, ok := w.app.win.Canvas().Focused().(*kit.Field)
	if !ok || next == f || next.Text != "b" {
		t.Fatalf("what was typed went elsewhere: %+v", next)
	}
	next.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if a := <-given; a != (command.InputAnswer{ID: "x-2", Value: "b"}) {
		t.Errorf("answered %+v", a)
	}
}

// TestTheCodeThatAsksIsStopped presses the button of the displayed question.
func TestTheCodeThatAsksIsStopped(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asksInput(inputQuestion("x", "name? ")))
	stopped := make(chan string, 1)
	catalog.SessionInterrupt.Handle(w.bus, func(_ context.Context, in catalog.SessionInterruptIn) (catalog.SessionInterruptOut, error) {
		stopped <- in.SessionID
		return catalog.SessionInterruptOut{Result: catalog.OK, SessionID: in.SessionID, Outcome: catalog.Interrupted}, nil
	}, nil)
	w.canAnswer()
	test.Tap(w.button(w.app.shell.k.T("input.stop")))
	if id := <-stopped; id != uitest.SessionID(0) {
		t.Errorf("stopped %s", id)
	}
}

// TestAPasswordIsHidden checks the field of a password, and that its text goes away with the question.
func TestAPasswordIsHidden(t *testing.T) {
	w := newWorld(t, wide, galleryOf(t, 1), asksInput(inputQuestion("x", "key? ", asPassword)))
	w.canAnswer()
	f := w.inputField()
	if !f.Password {
		t.Error("what is typed is shown")
	}
	test.Type(f, "s3cret")
	w.store.Update(func(s *state.Snapshot) { s.Inputs = []command.InputQuestion{inputQuestion("y", "name? ")} })
	w.q.Until(t, "the other question", func() bool { return w.app.typed["x-1"] == "" })
	w.settled()
	now := w.inputField()
	now.Undo()
	if now == f || now.Password || now.Text != "" || len(w.app.typed) > 0 {
		t.Errorf("the field still has %q, %v is kept", now.Text, w.app.typed)
	}
}
