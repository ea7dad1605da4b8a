package reproduce

import (
	"context"
	"errors"
	"testing"
)

// historyOf returns a history without cells.
func historyOf(image string) (h History) {
	h.Image.ImageID = image
	return h
}

// TestAQuestionOutlivesItsCall checks the states of a check that the user has to allow.
func TestAQuestionOutlivesItsCall(t *testing.T) {
	c := New(Config{})
	answers := make(chan error)
	withdrawn := make(chan struct{}, 1)
	ask := func(ctx context.Context) error {
		select {
		case err := <-answers:
			return err
		case <-ctx.Done():
			withdrawn <- struct{}{}
			return ctx.Err()
		}
	}

	j := c.StartIf(historyOf("a"), ask)
	if c.StartIf(historyOf("a"), ask) != j || c.Job("a") != j || !c.Asking("a") {
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
	j = c.StartIf(historyOf("e"), ask)
	if c.Start(historyOf("e")) != j || c.Asking("e") { // the user wants it, too
		t.Error("the user's own check waits for an answer")
	}
	<-withdrawn
	c.asks.Wait()
	if jobs := c.take(); len(jobs) != 1 || jobs[0] != j {
		t.Errorf("the user's own check does not run: %d do", len(jobs))
	}

	denied := errors.New("no")
	j = c.StartIf(historyOf("b"), ask)
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

	j = c.StartIf(historyOf("c"), ask)
	c.Cancel("c")
	<-j.Done()
	<-withdrawn
	c.asks.Wait()

	j = c.StartIf(historyOf("d"), ask)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	c.endAll(ctx)
	<-withdrawn
	if _, err := j.Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("at the end: %v", err)
	}
}
