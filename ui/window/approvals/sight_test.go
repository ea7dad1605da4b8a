package approvals

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"easel/ui/window/kit"
)

// statements returns n lines of code.
func statements(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "value_%d = %d\n", i, i)
	}
	return b.String()
}

// TestTheEndIsShownBeforeCodeIsApproved checks code of each length that the region shows in
// its own way, and one line that wraps to many.
func TestTheEndIsShownBeforeCodeIsApproved(t *testing.T) {
	for name, code := range map[string]string{
		"many lines": statements(60),
		"long":       statements(2 * kit.MostLines),
		"a megabyte": "x = '" + strings.Repeat("あ", 330_000) + "'; remove()",
		"one line":   "x = '" + strings.Repeat("ab", 9000) + "'; remove()",
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, question("1", "c", code))
			f.ready()
			locked := func(when string) {
				t.Helper()
				f.Answer(true, false) // as the key does
				f.Answer(true, true)
				if f.approve.Enabled() || f.session.Enabled() || !f.deny.Enabled() || len(f.answers) > 0 {
					t.Fatalf("%s: approve %v, session %v, deny %v, %d answers", when, f.approve.Enabled(), f.session.Enabled(), f.deny.Enabled(), len(f.answers))
				}
				if !f.seen.more.Visible() || !strings.HasSuffix(f.seen.more.Text(), " more lines") {
					t.Fatalf("%s: the mark says %q, visible %v", when, f.seen.more.Text(), f.seen.more.Visible())
				}
			}
			locked("at first")
			if len(f.said) == 0 || !strings.Contains(f.said[0], "Scroll to the end") {
				t.Errorf("said %q", f.said)
			}
			test.Tap(f.seen.more)
			locked("after a page")
			f.seen.scroll.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, -25)})
			locked("after a notch of the wheel")
			f.seen.scroll.To(1e9)
			if !f.approve.Enabled() || !f.session.Enabled() || f.seen.more.Visible() {
				t.Fatalf("at the end: approve %v, session %v, mark %v", f.approve.Enabled(), f.session.Enabled(), f.seen.more.Visible())
			}
			f.seen.scroll.To(0)
			test.Tap(f.approve)
			if a := f.last(); !a.Approve {
				t.Errorf("answered %+v", a)
			}
		})
	}
}

// ready waits until the user can answer.
func (f *fixture) ready() {
	f.t.Helper()
	f.q.Until(f.t, "the question to be answerable", f.Ready)
}

// TestEachQuestionIsReadByItself checks that neither another question nor other code of the
// same one can be approved because the first was read.
func TestEachQuestionIsReadByItself(t *testing.T) {
	first, second := question("1", "c", statements(50)), question("2", "c", statements(70))
	f := newFixture(t, first, second)
	f.seen.scroll.To(1e9)
	if f.arm(); !f.approve.Enabled() {
		t.Fatal("the first cannot be approved")
	}
	test.Tap(f.head.Next)
	f.ready()
	if f.approve.Enabled() {
		t.Error("the second can be approved unread")
	}
	first.Code = statements(51)
	f.ask(first)
	f.ready()
	if f.Answer(true, false); len(f.answers) > 0 || f.approve.Enabled() {
		t.Error("a changed question can be approved unread")
	}
	f.ToggleEdit() // the editor folds and marks nothing
	if f.editor != nil || f.edit.Enabled() || f.approve.Enabled() || !f.seen.more.Visible() {
		t.Error("code can be edited, and then approved, unread")
	}
	f.seen.scroll.To(1e9)
	f.ToggleEdit()
	if f.editor == nil || !f.approve.Enabled() || f.seen.more.Visible() {
		t.Error("edited code cannot be approved")
	}
	f.ToggleEdit()
	if f.editor != nil || !f.approve.Enabled() {
		t.Error("code that was read cannot be approved after its edits were discarded")
	}
}

// TestARegionThatGrowsShowsTheEnd checks that code is read once it fits.
func TestARegionThatGrowsShowsTheEnd(t *testing.T) {
	f := newFixture(t, question("1", "c", statements(20)))
	f.ready()
	if f.approve.Enabled() || !f.seen.more.Visible() {
		t.Fatal("code that does not fit can be approved")
	}
	f.root.Resize(fyne.NewSize(900, 700))
	if !f.approve.Enabled() || f.seen.more.Visible() {
		t.Errorf("code that fits cannot be approved: %q", f.seen.more.Text())
	}
}

// TestCodeInTheFullScreenIsNotRead checks that only code on the screen counts.
func TestCodeInTheFullScreenIsNotRead(t *testing.T) {
	f := newFixture(t)
	f.full = true
	f.ask(question("1", "c", "x = 1\n"))
	f.ready()
	if f.read() {
		t.Error("code that was not shown counts as read")
	}
	f.full = false
	f.Render(&f.now)
	if !f.approve.Enabled() {
		t.Error("code that is shown and fits cannot be approved")
	}
}
