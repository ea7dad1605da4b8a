package desktop

import (
	"context"
	"testing"
)

func TestKeepAwakeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- KeepAwake(ctx, "a slide show") }()
	select {
	case err := <-ended:
		t.Fatalf("it ended before its context: %v", err)
	default:
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
