package eventbus_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"easel/eventbus"
	"easel/internal/require"
)

var double = eventbus.NewTopic[int, int]("double")

// bus returns a bus that is closed at the end of the test.
func bus(t *testing.T) *eventbus.Bus {
	t.Helper()
	b := eventbus.New()
	t.Cleanup(func() { require.NoError(t, b.Close(context.Background())) })
	return b
}

func TestAsk(t *testing.T) {
	mine := errors.New("mine")
	for name, c := range map[string]struct {
		do   func(context.Context, int) (int, error)
		can  func(context.Context, int) error
		want int
		err  error
	}{
		"a reply":           {do: func(_ context.Context, n int) (int, error) { return 2 * n, nil }, want: 42},
		"an error":          {do: func(context.Context, int) (int, error) { return 0, mine }, err: mine},
		"no handler":        {err: eventbus.ErrNoHandler},
		"may not":           {do: func(context.Context, int) (int, error) { panic("must not run") }, can: func(context.Context, int) error { return mine }, err: mine},
		"may":               {do: func(_ context.Context, n int) (int, error) { return n, nil }, can: func(context.Context, int) error { return nil }, want: 21},
		"both":              {do: func(context.Context, int) (int, error) { return 7, mine }, want: 7, err: mine},
		"may not, by state": {do: func(context.Context, int) (int, error) { return 0, nil }, can: func(context.Context, int) error { return eventbus.ErrNotExecutable }, err: eventbus.ErrNotExecutable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bus(t)
				if c.do != nil {
					double.Handle(b, c.do, c.can)
				}
				got, err := double.Ask(t.Context(), b, 21)
				if got != c.want || !errors.Is(err, c.err) {
					t.Errorf("got %d, %v; want %d, %v", got, err, c.want, c.err)
				}
			})
		})
	}
}

func TestCanDoesNotRunTheHandler(t *testing.T) {
	b := bus(t)
	if err := double.Can(t.Context(), b, 1); !errors.Is(err, eventbus.ErrNoHandler) {
		t.Errorf("without a handler: %v", err)
	}
	no := errors.New("odd")
	remove := double.Handle(b, func(context.Context, int) (int, error) { panic("must not run") }, func(_ context.Context, n int) error {
		if n%2 == 1 {
			return no
		}
		return nil
	})
	if err := double.Can(t.Context(), b, 2); err != nil {
		t.Error(err)
	}
	if err := double.Can(t.Context(), b, 1); !errors.Is(err, no) {
		t.Errorf("got %v, want %v", err, no)
	}
	if !double.Handled(b) {
		t.Error("not handled")
	}
	remove()
	if double.Handled(b) {
		t.Error("handled after remove")
	}
	always := double.Handle(b, func(context.Context, int) (int, error) { return 0, nil }, nil)
	defer always()
	if err := double.Can(t.Context(), b, 1); err != nil {
		t.Errorf("without a can: %v", err)
	}
}

func TestPanicIsAReply(t *testing.T) {
	for name, handle := range map[string]func(*eventbus.Bus){
		"of the handler": func(b *eventbus.Bus) {
			double.Handle(b, func(context.Context, int) (int, error) { panic("boom") }, nil)
		},
		"of can": func(b *eventbus.Bus) {
			double.Handle(b, func(context.Context, int) (int, error) { return 0, nil }, func(context.Context, int) error { panic("boom") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := bus(t)
			handle(b)
			_, err := double.Ask(t.Context(), b, 1)
			p, ok := errors.AsType[*eventbus.PanicError](err)
			if !ok || p.Topic != "double" || p.Value != "boom" || !strings.Contains(string(p.Stack), "eventbus_test") {
				t.Errorf("got %#v", err)
			}
			if strings.Contains(err.Error(), "goroutine") {
				t.Error("the stack is in the message")
			}
		})
	}
}

// TestGoexitIsAReply checks that a handler that ends its goroutine does not leave the
// caller waiting.
func TestGoexitIsAReply(t *testing.T) {
	b := bus(t)
	double.Handle(b, func(context.Context, int) (int, error) {
		runtime.Goexit()
		return 0, nil
	}, nil)
	_, err := double.Ask(t.Context(), b, 1)
	if _, ok := errors.AsType[*eventbus.PanicError](err); !ok {
		t.Errorf("got %v", err)
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus(t)
		ended := make(chan error, 1)
		double.Handle(b, func(ctx context.Context, n int) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Hour) // its late reply is dropped and blocks nobody
			ended <- context.Cause(ctx)
			return n, nil
		}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		defer cancel()
		start := time.Now()
		_, err := double.Ask(ctx, b, 1)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 3*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the handler saw %v", err)
		}
	})
}

func TestTheCauseOfACancelIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus(t)
		double.Handle(b, func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		}, nil)
		why := errors.New("the user pressed Stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel(why)
		}()
		if _, err := double.Ask(ctx, b, 1); !errors.Is(err, why) {
			t.Errorf("got %v, want %v", err, why)
		}
	})
}

// TestAReplyWinsOverTheEndOfItsContext checks that the caller learns what was done, even
// if the deadline passes at the same time.
func TestAReplyWinsOverTheEndOfItsContext(t *testing.T) {
	for range 200 {
		b := eventbus.New()
		ctx, cancel := context.WithCancel(t.Context())
		replied := make(chan struct{})
		double.Handle(b, func(context.Context, int) (int, error) {
			defer close(replied)
			cancel()
			return 1, nil
		}, nil)
		got, err := double.Ask(ctx, b, 1)
		<-replied
		if err == nil && got != 1 || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("got %d, %v", got, err)
		}
		require.NoError(t, b.Close(t.Context()))
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		double.Handle(b, func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Minute) // it cleans up
			return 0, context.Cause(ctx)
		}, nil)
		asked := make(chan error, 1)
		go func() {
			_, err := double.Ask(t.Context(), b, 1)
			asked <- err
		}()
		synctest.Wait()
		start := time.Now()
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != time.Minute {
			t.Errorf("Close took %v: it must wait for the handler", took)
		}
		if err := <-asked; !errors.Is(err, eventbus.ErrClosed) {
			t.Errorf("the asker got %v, want ErrClosed", err)
		}
		if _, err := double.Ask(t.Context(), b, 1); !errors.Is(err, eventbus.ErrClosed) {
			t.Errorf("afterwards: %v, want ErrClosed", err)
		}
		if err := double.Can(t.Context(), b, 1); !errors.Is(err, eventbus.ErrClosed) {
			t.Errorf("Can afterwards: %v, want ErrClosed", err)
		}
		if err := b.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		stubborn := make(chan struct{})
		double.Handle(b, func(context.Context, int) (int, error) {
			<-stubborn
			return 0, nil
		}, nil)
		go func() { _, _ = double.Ask(t.Context(), b, 1) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		close(stubborn)
	})
}

// TestCloseRaces calls Ask and Close at the same time. Every Ask must end, with a reply
// or with ErrClosed, and Close must wait for those that were accepted.
func TestCloseRaces(t *testing.T) {
	for range 100 {
		b := eventbus.New()
		var running sync.WaitGroup
		double.Handle(b, func(_ context.Context, n int) (int, error) { return 2 * n, nil }, nil)
		for n := range 20 {
			running.Go(func() {
				if got, err := double.Ask(t.Context(), b, n); err == nil && got != 2*n || err != nil && !errors.Is(err, eventbus.ErrClosed) {
					t.Errorf("got %d, %v", got, err)
				}
			})
		}
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		running.Wait()
	}
}

func TestRequestsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bus(t)
		double.Handle(b, func(_ context.Context, n int) (int, error) {
			time.Sleep(time.Minute)
			return 2 * n, nil
		}, nil)
		start := time.Now()
		var wg sync.WaitGroup
		for n := range 10 {
			wg.Go(func() {
				if got, err := double.Ask(t.Context(), b, n); got != 2*n || err != nil {
					t.Errorf("got %d, %v", got, err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != time.Minute {
			t.Errorf("ten requests of a minute took %v", took)
		}
	})
}

func TestATopicHasOneHandler(t *testing.T) {
	b := bus(t)
	do := func(context.Context, int) (int, error) { return 1, nil }
	remove := double.Handle(b, do, nil)
	func() {
		defer func() {
			if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "double") {
				t.Errorf("a second handler: %v", v)
			}
		}()
		double.Handle(b, do, nil)
	}()
	remove()
	second := double.Handle(b, do, nil)
	remove() // a late second call must not remove the second handler
	if !double.Handled(b) {
		t.Error("an old remove took the new handler away")
	}
	second()
	if double.Name() != "double" {
		t.Error(double.Name())
	}
}

// TestIdentityIsTheDeclaration checks that topics with the same name and types are
// different.
func TestIdentityIsTheDeclaration(t *testing.T) {
	b := bus(t)
	twin := eventbus.NewTopic[int, int]("double")
	double.Handle(b, func(context.Context, int) (int, error) { return 1, nil }, nil)
	twin.Handle(b, func(context.Context, int) (int, error) { return 2, nil }, nil)
	if got, _ := twin.Ask(t.Context(), b, 0); got != 2 {
		t.Errorf("the twin answered %d", got)
	}
}
