package tasks_test

import (
	"context"
	"errors"
	"testing"

	"easel/ui/core/kernels/tasks"
)

func TestCloseEndsWhatRuns(t *testing.T) {
	t.Parallel()
	g := tasks.New()
	ended, end := make(chan struct{}), make(chan struct{})
	g.Go(func() { <-g.Context().Done(); close(ended); <-end })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("while it runs: %v", err)
	}
	<-ended
	if !g.Closed() || g.Go(func() { t.Error("it runs after Close") }) {
		t.Error("it is not closed")
	}
	close(end)
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
