package oversight

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"easel/internal/require"
	"easel/mcphost/brief"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// A lateDesk asks questions of one client, and answers them.
type lateDesk struct {
	t     *testing.T
	store *state.Store
	*Approvals
	n int
}

func newLateDesk(t *testing.T) *lateDesk {
	store := state.NewStore(state.Snapshot{Settings: state.Settings{Settings: catalog.Settings{AskFor: 60}}})
	return &lateDesk{t: t, store: store, Approvals: NewApprovals(store, nil, func(catalog.ChangeName, catalog.Approval) {})}
}

// ask asks whether code may run in session "s", and returns the question's id and a function
// that waits for the answer.
func (d *lateDesk) ask(code string) (id string, answer func() (string, error)) {
	d.n++
	id = fmt.Sprint(d.n)
	type result struct {
		code string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		ran, err := d.Ask(d.t.Context(), catalog.Approval{ApprovalID: id, ExecutionID: id, SessionID: "s", Client: "c", Holder: "h", Code: code})
		done <- result{ran.Code, err}
	}()
	synctest.Wait()
	return id, func() (string, error) { r := <-done; return r.code, r.err }
}

func (d *lateDesk) say(a command.ApprovalAnswer) {
	d.t.Helper()
	require.NoError(d.t, d.Answer(a))
	synctest.Wait()
}

func every(catalog.Approval) bool { return true }

// TestADenialThatNobodyWaitedFor covers a denial after the call has returned: the client is
// told, the same code is refused once, and then the user is asked again.
func TestADenialThatNobodyWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLateDesk(t)
		id, answer := d.ask("rm()")
		d.Returned(id, true)
		if !d.store.Snapshot().Approvals[0].Returned {
			t.Error("the question does not say that its call has returned")
		}
		d.say(command.ApprovalAnswer{ApprovalID: id, Words: "keep the data"})
		if _, err := answer(); err == nil {
			t.Fatal("the code may run")
		}
		if !d.Pending() {
			t.Error("the denial is not pending")
		}
		if got := d.Late(func(catalog.Approval) bool { return false }); got != nil {
			t.Errorf("a client that the answer does not concern got %+v", got)
		}
		late := d.Late(every)
		if len(late) != 1 {
			t.Fatalf("told %+v", late)
		}
		l := late[0]
		if diff := cmp.Diff([]any{id, "rm()", false, false, "keep the data"}, []any{l.ExecutionID, l.Code, l.Approved, l.Expired, l.Reason}); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if again := d.Late(every); again != nil || d.Pending() {
			t.Errorf("told again: %+v", again)
		}
		time.Sleep(time.Minute)
		_, other := d.ask("other()")
		_, refused := d.ask("rm()")
		_, err := refused()
		denied, ok := errors.AsType[*DeniedError](err)
		if !ok || denied.Words != "keep the data" || time.Since(denied.Earlier) != time.Minute || !strings.Contains(err.Error(), denied.Earlier.UTC().Format(time.RFC3339)) {
			t.Errorf("the same code: %v", err)
		}
		third, last := d.ask("rm()")
		if open := d.store.Snapshot().Approvals; len(open) != 2 || open[1].ApprovalID != third {
			t.Errorf("open: %+v; the user is not asked again", open)
		}
		d.say(command.ApprovalAnswer{ApprovalID: third, Approve: true})
		if code, err := last(); code != "rm()" || err != nil {
			t.Errorf("got %q, %v", code, err)
		}
		if _, err := other(); !errors.Is(err, ErrUnanswered) {
			t.Errorf("got %v", err)
		}
	})
}

// TestAnAnswerThatTheCallGotIsNotLate checks that a call which waited for the answer is the
// only one that gets it.
func TestAnAnswerThatTheCallGotIsNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLateDesk(t)
		id, answer := d.ask("x")
		d.say(command.ApprovalAnswer{ApprovalID: id, Words: "no"})
		_, _ = answer()
		d.Told(id)
		if late := d.Late(every); late != nil {
			t.Errorf("told again: %+v", late)
		}
		if _, _ = d.ask("x"); len(d.store.Snapshot().Approvals) != 1 {
			t.Error("the user is not asked")
		}
	})
}

// TestAnExpiredQuestionCanBeAnswered covers answers after the deadline.
func TestAnExpiredQuestionCanBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLateDesk(t)
		expire := func(code string) string {
			id, answer := d.ask(code)
			if _, err := answer(); !errors.Is(err, ErrUnanswered) {
				t.Fatalf("got %v", err)
			}
			d.Told(id) // by the result that says so
			synctest.Wait()
			if e := d.store.Snapshot().Expired; len(e) == 0 || e[len(e)-1].ApprovalID != id || e[len(e)-1].Outcome != "unanswered" {
				t.Fatalf("expired: %+v", e)
			}
			return id
		}
		d.say(command.ApprovalAnswer{ApprovalID: expire("a"), Approve: true, Code: "edited"})
		if late := d.Late(every); len(late) != 1 || !late[0].Approved || !late[0].Expired {
			t.Errorf("told %+v", late)
		}
		_, answer := d.ask("a")
		if code, err := answer(); code != "edited" || err != nil {
			t.Errorf("got %q, %v", code, err)
		}
		if _, again := d.ask("a"); len(d.store.Snapshot().Approvals) != 1 {
			t.Error("the approval counts more than once")
		} else {
			d.Distrust("")
			_, _ = again()
		}
		synctest.Wait()
		d.say(command.ApprovalAnswer{ApprovalID: d.store.Snapshot().Expired[0].ApprovalID, Dismiss: true})
		if e := d.store.Snapshot().Expired; len(e) != 0 || d.Pending() {
			t.Errorf("after it was dismissed: expired %+v, pending %v", e, d.Pending())
		}
		d.say(command.ApprovalAnswer{ApprovalID: expire("b"), Approve: true})
		d.Distrust("s")
		_, answer = d.ask("b")
		if len(d.store.Snapshot().Approvals) != 1 {
			t.Error("an approval counts after it was taken back")
		}
		if e := d.store.Snapshot().Expired; len(e) != 0 {
			t.Errorf("a question that is asked again is still there: %+v", e)
		}
		_, _ = answer()
		for i := range 2 * mostExpired {
			expire(fmt.Sprint("many ", i))
		}
		e := d.store.Snapshot().Expired
		if len(e) != mostExpired {
			t.Errorf("%d questions have expired", len(e))
		}
		d.say(command.ApprovalAnswer{ApprovalID: e[0].ApprovalID, Approve: true, Session: true})
		if got, err := d.Ask(t.Context(), catalog.Approval{SessionID: "s", Client: "c", Holder: "h", Code: "anything"}); got != (Consent{"anything", true}) || err != nil {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// TestALateApprovalSaysThatTheUserChangedTheCode: without it, the client believes that the code which
// it sent has run.
func TestALateApprovalSaysThatTheUserChangedTheCode(t *testing.T) {
	for code, edited := range map[string]bool{"": false, "f()": false, "g()": true} {
		synctest.Test(t, func(t *testing.T) {
			d := newLateDesk(t)
			id, answer := d.ask("f()")
			d.Returned(id, true)
			d.say(command.ApprovalAnswer{ApprovalID: id, Approve: true, Code: code})
			if _, err := answer(); err != nil {
				t.Fatal(err)
			}
			late := d.Late(every)
			if len(late) != 1 || late[0].Edited != edited || late[0].Code != "f()" {
				t.Fatalf("with the code %q: %+v", code, late)
			}
			if brief := fmt.Sprint(brief.Of(late[0], nil)); strings.Contains(brief, "changed the code") != edited {
				t.Errorf("with the code %q, a model reads %s", code, brief)
			}
		})
	}
}

// TestLateAnswersAreBounded checks that answers whose callers never return do not pile up,
// and that a check's question is not kept.
func TestLateAnswersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newLateDesk(t)
		for i := range mostAnswers + 10 {
			id, answer := d.ask(fmt.Sprint(i))
			d.say(command.ApprovalAnswer{ApprovalID: id})
			_, _ = answer()
		}
		if late := d.Late(every); len(late) != mostAnswers || late[0].Code != "10" {
			t.Errorf("kept %d, from %q", len(late), late[0].Code)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := d.Ask(ctx, catalog.Approval{ApprovalID: "check", SessionID: "s", Client: "c", Check: true}); !errors.Is(err, ErrUnanswered) {
			t.Errorf("got %v", err)
		}
		if e := d.store.Snapshot().Expired; len(e) != 0 {
			t.Errorf("expired: %+v", e)
		}
	})
}
