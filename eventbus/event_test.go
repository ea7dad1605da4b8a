package eventbus_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"easel/eventbus"
	"easel/internal/require"
)

var tick = eventbus.NewEvent[int]("tick")

func TestWatchersSeeTheOrderOfTheNotifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		const n = 500
		var wg sync.WaitGroup
		for range 3 {
			seq := tick.Watch(t.Context(), b, n)
			wg.Go(func() {
				var got []int
				for v, err := range seq {
					if err != nil {
						t.Error(err)
					}
					got = append(got, v)
				}
				if len(got) != n || !slices.IsSorted(got) {
					t.Errorf("%d notifications, sorted %v", len(got), slices.IsSorted(got))
				}
			})
		}
		for i := range n {
			tick.Notify(b, i)
		}
		if err := b.Close(t.Context()); err != nil { // queued notifications are still read
			t.Error(err)
		}
		wg.Wait()
	})
}

func TestASlowWatcherIsToldThatItLags(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		seq := tick.Watch(t.Context(), b, 3)
		for i := range 4 { // one more than it keeps
			tick.Notify(b, i)
		}
		tick.Notify(b, 10)
		tick.Notify(b, 11)
		go func() {
			time.Sleep(time.Second)
			_ = b.Close(context.Background())
		}()
		var got []int
		lags := 0
		for v, err := range seq {
			switch {
			case errors.Is(err, eventbus.ErrLagged):
				lags++
				if len(got) > 0 {
					t.Error("it was told of the gap after what came behind it")
				}
			case err != nil:
				t.Error(err)
			default:
				got = append(got, v)
			}
		}
		if lags != 1 || !slices.Equal(got, []int{10, 11}) {
			t.Errorf("%d gaps, then %v", lags, got)
		}
	})
}

func TestNotifyNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		tick.Watch(t.Context(), b, 1) // never reads
		tick.Watch(t.Context(), b, 0) // keeps nothing
		start := time.Now()
		for i := range 10_000 {
			tick.Notify(b, i)
		}
		if time.Since(start) > 0 {
			t.Error("Notify waited")
		}
		_ = b.Close(t.Context())
	})
}

func TestWatchEnds(t *testing.T) {
	for name, end := range map[string]func(b *eventbus.Bus, cancel func()){
		"with its context":          func(_ *eventbus.Bus, cancel func()) { cancel() },
		"with the bus":              func(b *eventbus.Bus, _ func()) { _ = b.Close(context.Background()) },
		"with its context, at once": func(b *eventbus.Bus, cancel func()) { tick.Notify(b, 1); cancel(); tick.Notify(b, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := eventbus.New()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				seq := tick.Watch(ctx, b, 10)
				done := make(chan struct{})
				go func() {
					defer close(done)
					for _, err := range seq {
						if err != nil {
							t.Error(err)
						}
					}
				}()
				synctest.Wait()
				end(b, cancel)
				<-done
				tick.Notify(b, 1) // nobody is watching
				_ = b.Close(context.Background())
				for v, err := range tick.Watch(context.Background(), b, 1) {
					t.Errorf("a closed bus notified %d, %v", v, err)
				}
			})
		})
	}
}

func TestWatchToTheLastGivesWhatCameBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for waits := range 50 { // half of them are waiting at the end
			b := eventbus.New()
			ctx, cancel := context.WithCancel(t.Context())
			seq := tick.WatchToTheLast(ctx, b, 10)
			var got []int
			done := make(chan struct{})
			read := func() {
				defer close(done)
				for v, err := range seq {
					if err != nil {
						t.Error(err)
					}
					got = append(got, v)
				}
			}
			if waits%2 == 0 {
				go read()
				synctest.Wait()
			}
			tick.Notify(b, 1)
			tick.Notify(b, 2)
			cancel()
			if waits%2 != 0 {
				go read()
			}
			<-done
			if !slices.Equal(got, []int{1, 2}) {
				t.Fatalf("got %v", got)
			}
			require.NoError(t, b.Close(t.Context()))
		}
	})
}

func TestABreakLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		seq := tick.Watch(t.Context(), b, 10)
		tick.Notify(b, 1)
		tick.Notify(b, 2)
		for v, err := range seq {
			if v != 1 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
			break
		}
		tick.Notify(b, 3)
		_ = b.Close(t.Context())
	})
}

// TestEventsRace notifies, watches and closes from many goroutines.
func TestEventsRace(t *testing.T) {
	for range 50 {
		b := eventbus.New()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for i := range 100 {
					tick.Notify(b, i)
				}
			})
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				n := 0
				for _, err := range tick.Watch(ctx, b, 8) {
					if n++; n == 20 || err != nil && !errors.Is(err, eventbus.ErrLagged) {
						cancel()
					}
				}
			})
		}
		wg.Go(func() {
			if err := b.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
	}
}
