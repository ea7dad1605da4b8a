package memory

import (
	"context"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// run returns a Calm with counters. It runs until the test ends.
func run(t *testing.T) (m *Calm, swept, returned *atomic.Int32) {
	t.Helper()
	swept, returned = new(atomic.Int32), new(atomic.Int32)
	m = NewCalm(Config{
		Sweep: func() { swept.Add(1) }, Return: func() { returned.Add(1) },
		Quiet: 20 * time.Second, Most: time.Minute, Settle: 10 * time.Second,
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return m, swept, returned
}

func TestItSweepsOnceAfterTheLastThingThatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, swept, returned := run(t)
		for range 5 {
			m.Touch()
			time.Sleep(5 * time.Second)
		}
		synctest.Wait()
		if n := swept.Load(); n != 0 {
			t.Fatalf("swept %d times while something happened", n)
		}
		time.Sleep(16 * time.Second)
		synctest.Wait()
		if n := swept.Load(); n != 1 {
			t.Errorf("swept %d times after 21 s of quiet", n)
		}
		if n := returned.Load(); n != 0 {
			t.Errorf("returned before what was swept has settled")
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if s, r := swept.Load(), returned.Load(); s != 1 || r != 1 {
			t.Errorf("in a day without anything it swept %d and returned %d times", s, r)
		}
	})
}

func TestWhatNeverRestsIsSweptToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, swept, returned := run(t)
		for range 3600 {
			m.Touch()
			time.Sleep(time.Second)
		}
		synctest.Wait()
		if s, r := swept.Load(), returned.Load(); s < 50 || r < 50 || s > 60 {
			t.Errorf("in an hour it swept %d and returned %d times", s, r)
		}
	})
}

func TestWhatHappensMeanwhileIsSweptAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, swept, _ := run(t)
		m.Touch()
		time.Sleep(21 * time.Second) // it has swept and waits to return memory
		m.Touch()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := swept.Load(); n != 2 {
			t.Errorf("swept %d times", n)
		}
	})
}

// TestWhatWasUsedBeforeTheLimitIsSweptWhenItRests: a sweep at the limit is too early for it.
func TestWhatWasUsedBeforeTheLimitIsSweptWhenItRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, swept, _ := run(t)
		for range 59 {
			m.Touch()
			time.Sleep(time.Second)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := swept.Load(); n != 2 {
			t.Errorf("swept %d times", n)
		}
	})
}

func TestReturn(*testing.T) { // checks that the calls to C do not crash
	Tune()
	Return()
}

func TestTheUserDecidesWhenTheHeapIsCollected(t *testing.T) {
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	for set, want := range map[string]int{"": collectAt, "100": 100} {
		t.Setenv("GOGC", set)
		debug.SetGCPercent(100)
		Tune()
		if got := debug.SetGCPercent(100); got != want {
			t.Errorf("with GOGC=%q it is %d, want %d", set, got, want)
		}
	}
}
