package approvals

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/i18n"
	"easel/ui/window/kit"
	"easel/ui/window/theme"
	"easel/ui/window/uitest"
)

// A fixture is a region in a window, and the requests to its port.
type fixture struct {
	*Region
	t       *testing.T
	window  fyne.Window
	q       *uitest.Queue
	now     state.Snapshot
	full    bool
	answers []command.ApprovalAnswer
	fail    error // the error that answers return
	said    []string
	focused fyne.Focusable
	menu    []*fyne.MenuItem // the last one
}

// newFixture shows questions in a region.
func newFixture(t *testing.T, questions ...catalog.Approval) *fixture {
	t.Helper()
	app := uitest.App(t)
	app.Settings().SetTheme(theme.New("light"))
	w := app.NewWindow("")
	f := &fixture{t: t, q: uitest.NewQueue(), window: w}
	k := &kit.Kit{P: &theme.Light, Tr: i18n.New("en"), Do: f.q.Do, Now: func() time.Time { return uitest.Start }}
	f.Region = New(k, Port{
		Language: func(string) string { return "python" },
		Snapshot: func() *state.Snapshot { return &f.now }, Fullscreen: func() bool { return f.full }, Drafts: make(map[string]string),
		Answer: f.answer, Say: func(_ kit.Mark, text string) { f.said = append(f.said, text) },
		LeaveFullscreen: func() { f.full = false }, Relayout: func() {}, Focus: func(o fyne.Focusable) { f.focused = o }, Forward: func(fyne.Shortcut) {},
		Menu: func(_ fyne.CanvasObject, items ...*fyne.MenuItem) { f.menu = items },
	})
	t.Cleanup(f.Close)
	w.SetContent(f.Object())
	w.Resize(fyne.NewSize(900, 300))
	f.ask(questions...)
	return f
}

// ask shows a state with these questions.
func (f *fixture) ask(questions ...catalog.Approval) {
	f.now.Approvals = questions
	f.Render(&f.now)
}

// answer takes an answer and, unless it fails, closes its question as the core does.
func (f *fixture) answer(in command.ApprovalAnswer, done func(error)) {
	f.answers = append(f.answers, in)
	f.q.Do(func() {
		done(f.fail)
		if f.fail == nil {
			f.ask(slices.DeleteFunc(slices.Clone(f.now.Approvals), func(q catalog.Approval) bool { return q.ApprovalID == in.ApprovalID })...)
		}
	})
}

// arm waits until the question can be answered.
func (f *fixture) arm() *fixture {
	f.t.Helper()
	f.q.Until(f.t, "the question to be answerable", f.approve.Enabled)
	return f
}

// last returns the only new answer.
func (f *fixture) last() (a command.ApprovalAnswer) {
	f.t.Helper()
	if len(f.answers) != 1 {
		f.t.Fatalf("%d answers", len(f.answers))
	}
	a, f.answers = f.answers[0], nil
	return a
}

func question(id, client, code string) catalog.Approval {
	return catalog.Approval{
		ApprovalID: id, ExecutionID: id, SessionID: uitest.SessionID(0), Client: client, Holder: "process", Code: code,
		AskedAt: uitest.Start, Deadline: uitest.Start.Add(10 * time.Minute),
	}
}

func TestApproveByMouse(t *testing.T) {
	f := newFixture(t, question("1", "claude-code 2.1.0", "import shutil\n"))
	test.Tap(f.arm().approve)
	if a := f.last(); !a.Approve || a.Code != "" || a.Session || a.ApprovalID != "1" {
		t.Errorf("answered %+v", a)
	}
	f.q.Until(t, "the region to be hidden", func() bool { return !f.root.Visible() })
	if f.Open() || f.Height(fyne.NewSize(900, 700)) != 0 || !slices.Equal(f.said, []string{"Approved"}) {
		t.Errorf("open %v, said %q", f.Open(), f.said)
	}
}

func TestASecondClickAnswersNothingUnread(t *testing.T) {
	f := newFixture(t, question("1", "c", "1"), question("2", "c", "2")).arm()
	test.Tap(f.approve)
	test.Tap(f.approve) // while the first answer is pending
	if a := f.last(); a.ApprovalID != "1" {
		t.Fatalf("answered %+v", a)
	}
	f.q.Until(t, "the next question", func() bool { return f.id == "2" })
	if f.approve.Enabled() || f.deny.Enabled() {
		t.Error("the next question can be answered at once")
	}
	f.Answer(true, false) // as the key does
	test.Tap(f.arm().deny)
	if a := f.last(); a.ApprovalID != "2" || a.Approve {
		t.Errorf("answered %+v, want a no to the second", a)
	}
}

func TestDenyWithAReason(t *testing.T) {
	f := newFixture(t, question("1", "c", "1")).arm()
	test.Type(f.reason, "not in this folder")
	f.reason.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if a := f.last(); a.Approve || a.Words != "not in this folder" {
		t.Errorf("answered %+v", a)
	}
}

func TestAllowForTheSession(t *testing.T) {
	f := newFixture(t, question("1", "c", "1")).arm()
	test.Tap(f.session)
	if a := f.last(); !a.Approve || !a.Session {
		t.Errorf("answered %+v", a)
	}
}

// TestOnlyAClientThatCanBeRecognisedIsAllowedForTheSession checks that a question without a
// process or an MCP session, for example over REST, is for one call.
func TestOnlyAClientThatCanBeRecognisedIsAllowedForTheSession(t *testing.T) {
	q := question("1", "curl/8", "1")
	q.Holder = ""
	f := newFixture(t, q).arm()
	if f.session.Visible() || !f.approve.Visible() {
		t.Errorf("“Allow for this session” is shown: %v, “Approve”: %v", f.session.Visible(), f.approve.Visible())
	}
}

func TestEditedCodeIsAllowedOnce(t *testing.T) {
	f := newFixture(t, question("1", "c", "x = 1\n")).arm()
	f.ToggleEdit()
	if f.editor == nil || f.focused != f.editor {
		t.Fatal("the editor doesn't open, or has no focus")
	}
	if f.session.Enabled() {
		t.Error("edited code can be allowed for the session")
	}
	f.editor.SetText("x = 2\n")
	f.Answer(true, false)
	if a := f.last(); !a.Approve || a.Code != "x = 2\n" {
		t.Errorf("answered %+v", a)
	}
}

func TestANewQuestionDoesNotReplaceTheOneThatIsRead(t *testing.T) {
	first, second := question("1", "c", "1"), question("2", "d", "2")
	f := newFixture(t, first).arm()
	f.ask(second, first)
	if f.id != "1" || f.head.Place.Full() != "2 of 2" {
		t.Errorf("shows %q, %q", f.id, f.head.Place.Full())
	}
	test.Tap(f.head.Next)
	if f.id != "2" || f.approve.Enabled() {
		t.Errorf("after next: %q, answerable at once %t", f.id, f.approve.Enabled())
	}
	f.ask(first) // the client withdraws the second question
	if f.id != "1" {
		t.Errorf("shows %q", f.id)
	}
}

// TestNothingIsAnsweredInTheFullScreen checks that keys do not answer a question of
// which only the head is shown.
func TestNothingIsAnsweredInTheFullScreen(t *testing.T) {
	f := newFixture(t, question("1", "c", "1")).arm()
	f.full = true
	f.Render(&f.now)
	f.Answer(true, false)
	f.ToggleEdit()
	if len(f.answers) > 0 || f.editor != nil || f.Height(fyne.NewSize(900, 700)) != askHead {
		t.Errorf("%d answers, height %v", len(f.answers), f.Height(fyne.NewSize(900, 700)))
	}
	test.Tap(f.head.Back)
	if f.full {
		t.Error("the button doesn't lead out of the full screen")
	}
}

// TestAFailedAnswerCanBeRepeated checks that a question can be answered again after an
// error.
func TestAFailedAnswerCanBeRepeated(t *testing.T) {
	f := newFixture(t, question("1", "c", "1")).arm()
	f.fail = errors.New("refused")
	test.Tap(f.approve)
	f.last()
	f.arm()
	f.fail = nil
	test.Tap(f.approve)
	f.q.Until(t, "the region to be hidden", func() bool { return !f.root.Visible() })
	if len(f.said) != 1 {
		t.Errorf("said %q", f.said)
	}
}

// TestACheckCannotBeEdited: a check runs what ran before, and the region says so.
func TestACheckCannotBeEdited(t *testing.T) {
	check := question("1", "claude-code 2.1.0", "x = 1\n")
	check.Check = true
	f := newFixture(t, check, question("2", "c", "2")).arm()
	if f.edit.Visible() || !strings.Contains(f.head.Title.Full(), "to check a plot") {
		t.Errorf("Edit is visible: %v; the head is %q", f.edit.Visible(), f.head.Title.Full())
	}
	f.ToggleEdit() // as the key does
	if f.editor != nil {
		t.Error("the code can be edited")
	}
	f.Answer(true, false)
	if a := f.last(); !a.Approve || a.Code != "" {
		t.Errorf("answered %+v", a)
	}
	f.q.Until(t, "the next question", func() bool { return f.id == "2" })
	if !f.edit.Visible() {
		t.Error("the code of the next question cannot be edited")
	}
}

// TestAnExpiredQuestionSaysWhatAnAnswerDoes: a question that expires while the user types a
// reason stays, with the reason, until it is answered or closed.
func TestAnExpiredQuestionSaysWhatAnAnswerDoes(t *testing.T) {
	q := question("1", "c", "x = 1\n")
	f := newFixture(t, q).arm()
	if f.note.Visible() || f.dismiss.Visible() {
		t.Error("an open question looks like one that has expired")
	}
	test.Type(f.reason, "not now")
	height := f.Height(fyne.NewSize(900, 700))
	q.Outcome = "unanswered"
	f.now.Sessions = []state.Session{{Session: catalog.Session{SessionID: q.SessionID}}}
	f.now.Expired = []catalog.Approval{q}
	f.ask()
	if !f.Open() || f.reason.Text != "not now" || f.head.TimeLeft.Full() != "Expired" || f.approve.Text() != "Allow next time" || !f.dismiss.Visible() {
		t.Errorf("open %v, reason %q, time %q, button %q", f.Open(), f.reason.Text, f.head.TimeLeft.Full(), f.approve.Text())
	}
	if h := f.Height(fyne.NewSize(900, 700)); !f.note.Visible() || h <= height {
		t.Errorf("the note is visible: %v; height %v, before %v", f.note.Visible(), h, height)
	}
	answered := func(want string) command.ApprovalAnswer {
		t.Helper()
		a := f.last()
		f.q.Until(t, "the answer", func() bool { return len(f.said) > 0 || want == "" })
		if want != "" && !slices.Equal(f.said, []string{want}) {
			t.Errorf("said %q, want %q", f.said, want)
		}
		f.said = nil
		return a
	}
	test.Tap(f.deny)
	if a := answered("Denied; the assistant is told with its next call"); a.Approve || a.Words != "not now" {
		t.Errorf("answered %+v", a)
	}
	q.ApprovalID = "2"
	f.now.Expired = []catalog.Approval{q}
	f.ask()
	test.Tap(f.arm().approve)
	if a := answered("Allowed once; the assistant is told with its next call"); !a.Approve || a.ApprovalID != "2" {
		t.Errorf("answered %+v", a)
	}
	q.ApprovalID = "3"
	f.now.Expired = []catalog.Approval{q}
	f.ask()
	f.arm()
	test.Tap(f.dismiss)
	if a := answered(""); !a.Dismiss || a.ApprovalID != "3" {
		t.Errorf("answered %+v", a)
	}
	f.now.Sessions = nil // it has ended
	f.ask()
	if f.Open() {
		t.Error("code of an ended session can be answered")
	}
}

// TestAnExpiredQuestionGivesWay: an assistant waits for the answer to the other one.
func TestAnExpiredQuestionGivesWay(t *testing.T) {
	old, live := question("1", "c", "x = 1\n"), question("2", "c", "y = 2\n")
	f := newFixture(t, old)
	old.Outcome = "unanswered"
	f.now.Sessions = []state.Session{{Session: catalog.Session{SessionID: old.SessionID}}}
	f.now.Expired = []catalog.Approval{old}
	f.ask()
	test.Type(f.reason, "because")
	f.ask(live)
	if f.id != "1" {
		t.Error("it was replaced while its user typed a reason")
	}
	f.reason.SetText("")
	f.ask(live)
	if f.id != "2" || f.head.TimeLeft.Full() == "Expired" {
		t.Errorf("question %s, %s", f.id, f.head.TimeLeft.Full())
	}
	f.ask()
	if f.id != "1" {
		t.Error("it does not return")
	}
}

// TestAQuestionThatNobodyWaitsForGivesWay: the client of the first question has gone.
func TestAQuestionThatNobodyWaitsForGivesWay(t *testing.T) {
	dead, live := question("1", "c", ""), question("2", "d", "")
	dead.Project, live.Project = &catalog.Project{Name: "sales", Root: "/sales"}, &catalog.Project{Name: "stocks", Root: "/stocks"}
	f := newFixture(t, dead)
	dead.Returned, dead.Deserted = true, true
	f.ask(dead)
	if f.id != "1" {
		t.Errorf("alone, question %s", f.id)
	}
	f.ask(dead, live)
	if f.id != "2" || f.head.Place.Full() != "1 of 2" {
		t.Errorf("question %s, %s", f.id, f.head.Place.Full())
	}
	test.Tap(f.head.Next)
	f.ask(dead, live)
	if f.id != "1" {
		t.Error("the one that the user went to does not stay")
	}
	code := question("3", "c", "x = 1\n")
	code.Returned = true
	f.chosen = ""
	f.ask(code)
	f.ask(code, live)
	if f.id != "3" {
		t.Errorf("code that is being read gave way to question %s", f.id)
	}
}

// TestAQuestionWhoseCallHasReturned checks what the region promises.
func TestAQuestionWhoseCallHasReturned(t *testing.T) {
	q := question("1", "c", "1")
	f := newFixture(t, q).arm()
	q.Returned = true
	f.ask(q)
	if !f.note.Visible() || f.dismiss.Visible() || f.approve.Text() != "Approve" {
		t.Errorf("note %v, dismiss %v, button %q", f.note.Visible(), f.dismiss.Visible(), f.approve.Text())
	}
	test.Tap(f.approve)
	f.last()
	f.q.Until(t, "the message", func() bool { return len(f.said) > 0 })
	if f.said[0] != "Approved; the assistant is told with its next call" {
		t.Errorf("said %q", f.said)
	}
}
