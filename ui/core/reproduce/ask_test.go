package reproduce

import (
	"context"
	"errors"
	"testing"

	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// historyOf returns a history without cells.
func historyOf(image string) (h History) {
	h.Image.ImageID = image
	return h
}

// TestAQuestionOutlivesItsCall checks the states of a check that the user has to allow.
func TestAQuestionOutlivesItsCall(t *testing.T) {
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	store.Update(func(s *state.Snapshot) { s.Settings.Access = oversight.AccessAsk })
	c := New(Config{Gate: oversight.NewGate(store)})
	answers := make(chan error)
	withdrawn := make(chan struct{}, 1)
	ask := func(ctx context.Context) (bool, error) {
		select {
		case err := <-answers:
			return true, err
		case <-ctx.Done():
			withdrawn <- struct{}{}
			return false, ctx.Err()
		}
	}

	j := c.StartFor(historyOf("a"), oversight.Sender{}, ask)
	if c.StartFor(historyOf("a"), oversight.Sender{}, ask) != j || c.Job("a") != j || !c.Asking("a") {
		t.Error("the open question is not found")
	}
	if jobs := c.take(); len(jobs) != 0 {
		t.Errorf("%d checks run before the answer", len(jobs))
	}
	answers <- nil
	<-c.wake // of add
	c.asks.Wait()
	if jobs := c.take(); len(jobs) != 1 || jobs[0] != j || c.Asking("a") {
		t.Errorf("after the answer: %d checks run", len(jobs))
	}

	c.Cancel("a")
	j = c.StartFor(historyOf("e"), oversight.Sender{}, ask)
	if c.Start(historyOf("e")) != j || c.Asking("e") { // the user wants it, too
		t.Error("the user's own check waits for an answer")
	}
	<-withdrawn
	c.asks.Wait()
	if jobs := c.take(); len(jobs) != 1 || jobs[0] != j {
		t.Errorf("the user's own check does not run: %d do", len(jobs))
	}

	denied := errors.New("no")
	j = c.StartFor(historyOf("b"), oversight.Sender{}, ask)
	answers <- denied
	<-j.Done()
	if c.Job("b") != j || c.Asking("b") {
		t.Error("the answer is forgotten before it was collected")
	}
	if _, err := j.Result(); !errors.Is(err, denied) {
		t.Errorf("denied: %v", err)
	}
	if c.Collect("b"); c.Job("b") != nil {
		t.Error("the answer is kept after it was collected")
	}

	j = c.StartFor(historyOf("c"), oversight.Sender{}, ask)
	c.Cancel("c")
	<-j.Done()
	<-withdrawn
	c.asks.Wait()

	j = c.StartFor(historyOf("d"), oversight.Sender{}, ask)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c.endAll(ctx)
	<-withdrawn
	if _, err := j.Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end: %v", err)
	}
}

// TestTheModeHoldsForAWaitingCheck checks what becomes of checks that wait when the mode changes.
func TestTheModeHoldsForAWaitingCheck(t *testing.T) {
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings()})
	set := func(access string, paused bool) {
		store.Update(func(s *state.Snapshot) { s.Settings.Access, s.Paused = access, paused })
	}
	c := New(Config{Gate: oversight.NewGate(store)})
	asked := make(chan string, 1)
	start := func(image string) *Job {
		return c.StartFor(historyOf(image), oversight.Sender{}, func(ctx context.Context) (bool, error) {
			asked <- image
			<-ctx.Done()
			return false, ctx.Err()
		})
	}
	assistants, users := start("assistant"), c.Start(historyOf("user"))
	set(oversight.AccessAllow, true)
	if jobs := c.take(); len(jobs) != 1 || jobs[0] != users {
		t.Errorf("while the AI is paused, %d checks run", len(jobs))
	}
	c.Cancel("user")
	set(oversight.AccessAsk, false)
	if jobs := c.take(); len(jobs) != 0 || <-asked != "assistant" || !c.Asking("assistant") {
		t.Errorf("after the change to asking first, %d checks run", len(jobs))
	}
	c.Cancel("assistant")
	<-assistants.Done()
	c.asks.Wait()

	set(oversight.AccessAllow, false)
	refused := start("refused")
	set(oversight.AccessReadOnly, false)
	if jobs := c.take(); len(jobs) != 0 {
		t.Errorf("with read only, %d checks run", len(jobs))
	}
	<-refused.Done()
	if _, err := refused.Result(); !errors.Is(err, oversight.ErrReadOnly) {
		t.Errorf("the refused check ended with %v", err)
	}
}
