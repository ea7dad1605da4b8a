package eventlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/eventlog"
)

// next reads an entry and fails the test if none arrives.
func next(t *testing.T, r *eventlog.Reader) eventlog.Entry {
	t.Helper()
	e, ok, err := r.Next(t.Context(), time.Minute)
	if err != nil || !ok {
		t.Fatalf("nothing to read: %v", err)
	}
	return e
}

func TestReaderResumesWithoutAGap(t *testing.T) {
	l := eventlog.New(eventlog.Config{Boot: "b"})
	r := l.Reader("")
	for i := range 10 {
		l.Add("n", i)
	}
	var last string
	for i := range 4 {
		e := next(t, r)
		if e.ID != "b-"+strconv.Itoa(i+1) || e.Name != "n" || string(e.Data) != strconv.Itoa(i) {
			t.Fatalf("entry %d: %+v", i, e)
		}
		last = e.ID
	}
	r = l.Reader(last)
	for i := 4; i < 10; i++ {
		if e := next(t, r); string(e.Data) != strconv.Itoa(i) {
			t.Fatalf("resumed: %s, want %d", e.Data, i)
		}
	}
	if e := next(t, func() *eventlog.Reader { r := l.Reader("b-10"); l.Add("n", 10); return r }()); string(e.Data) != "10" {
		t.Errorf("resumed at the end: %+v", e)
	}
}

func TestReaderIsToldOfAGap(t *testing.T) {
	for name, c := range map[string]struct {
		last  string
		reset bool
	}{
		"from now on":         {"", false},
		"the last one":        {"b-20", false},
		"the oldest kept":     {"b-16", false},
		"one older":           {"b-15", true},
		"the first":           {"b-1", true},
		"of another start":    {"a-18", true},
		"of the future":       {"b-21", true},
		"nonsense":            {"x", true},
		"a negative number":   {"b--1", true},
		"a very large number": {"b-99999999999999999999", true},
		"zero":                {"b-0", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := eventlog.New(eventlog.Config{Boot: "b", Entries: 5})
			for i := range 20 {
				l.Add("n", i)
			}
			r := l.Reader(c.last)
			l.Add("n", "new")
			e := next(t, r)
			if reset := e.Name == eventlog.Reset; reset != c.reset {
				t.Fatalf("the first entry is %+v", e)
			}
			if c.reset {
				if e.ID != "b-21" {
					t.Errorf("a reset has the id %s: who resumes from it would miss or repeat", e.ID)
				}
				l.Add("n", "newer")
				e = next(t, r)
				if string(e.Data) != `"newer"` {
					t.Errorf("after the reset: %+v", e)
				}
				return
			}
			for string(e.Data) != `"new"` {
				e = next(t, r)
			}
		})
	}
}

func TestLogIsBoundedByBytes(t *testing.T) {
	l := eventlog.New(eventlog.Config{Boot: "b", Bytes: 1000})
	r := l.Reader("")
	for range 20 {
		l.Add("n", strings.Repeat("x", 198)) // 200 bytes of JSON
	}
	if e := next(t, r); e.Name != eventlog.Reset {
		t.Errorf("a reader that was too slow got %+v", e)
	}
	if e := next(t, l.Reader("b-15")); e.ID != "b-16" {
		t.Errorf("five are kept: got %+v", e)
	}
	if e := next(t, l.Reader("b-14")); e.Name != eventlog.Reset {
		t.Errorf("more than five are kept: got %+v", e)
	}
	l.Add("n", strings.Repeat("x", 5000)) // larger than the limit by itself, but kept anyway
	if e := next(t, l.Reader("b-20")); e.ID != "b-21" || len(e.Data) != 5002 {
		t.Errorf("got %s with %d bytes", e.ID, len(e.Data))
	}
	l.Add("n", func() {}) // cannot be marshalled
	if e := next(t, l.Reader("b-21")); string(e.Data) != "null" {
		t.Errorf("got %+v", e)
	}
}

func TestNextWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventlog.New(eventlog.Config{})
		r := l.Reader("")
		start := time.Now()
		if _, ok, err := r.Next(t.Context(), 15*time.Second); ok || err != nil || time.Since(start) != 15*time.Second {
			t.Errorf("after %v: %v, %v; want nothing after 15 s", time.Since(start), ok, err)
		}
		go func() {
			time.Sleep(time.Hour)
			l.Add("n", 1)
		}()
		if e, ok, err := r.Next(t.Context(), 0); !ok || err != nil || string(e.Data) != "1" {
			t.Errorf("%+v, %v, %v", e, ok, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := r.Next(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		go func() {
			time.Sleep(time.Second)
			l.EndStreams()
		}()
		if _, _, err := r.Next(t.Context(), 0); !errors.Is(err, eventlog.ErrEnded) {
			t.Errorf("got %v, want ErrEnded", err)
		}
		r = l.Reader("") // and again
		l.Close()
		l.Close()
		if _, _, err := r.Next(t.Context(), 0); !errors.Is(err, eventlog.ErrEnded) {
			t.Errorf("after Close: %v, want ErrEnded", err)
		}
		if _, _, err := l.Reader("").Next(t.Context(), 0); !errors.Is(err, eventlog.ErrEnded) {
			t.Errorf("a reader of a closed log: %v, want ErrEnded", err)
		}
	})
}

func TestFollowEntersWhatIsNotified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := eventbus.New()
		l := eventlog.New(eventlog.Config{})
		r := l.Reader("")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan struct{})
		run := l.Follow(ctx, b)
		// A change that is notified before run is called is added too: the first client
		// of a host may be faster than the host's goroutine.
		catalog.Changes.Notify(b, catalog.Change{Name: catalog.ImageAdded, Object: catalog.Image{ImageID: "i"}})
		go func() {
			defer close(done)
			run()
		}()
		e := next(t, r)
		var im catalog.Image
		if err := json.Unmarshal(e.Data, &im); err != nil || e.Name != "image.added" || im.ImageID != "i" {
			t.Errorf("%+v, %v", e, err)
		}
		cancel()
		<-done
		_ = b.Close(t.Context())
	})
}

// TestReadersRace has many readers, a fast writer, and one goroutine that ends the
// readers. Each reader must see increasing ids and learn of every gap.
func TestReadersRace(t *testing.T) {
	l := eventlog.New(eventlog.Config{Boot: "b", Entries: 50})
	var wg sync.WaitGroup
	for range 8 {
		r := l.Reader("")
		wg.Go(func() {
			want := 1
			for {
				e, ok, err := r.Next(t.Context(), 0)
				if err != nil {
					return
				}
				_, n, _ := strings.Cut(e.ID, "-")
				seq, _ := strconv.Atoi(n)
				switch {
				case !ok:
					t.Error("no entry and no error")
				case e.Name == eventlog.Reset:
					want = seq + 1
				case seq != want:
					t.Errorf("entry %d, want %d, and no reset told of a gap", seq, want)
					return
				default:
					want++
				}
			}
		})
	}
	for i := range 5000 {
		l.Add("n", i)
	}
	l.Close()
	wg.Wait()
}
