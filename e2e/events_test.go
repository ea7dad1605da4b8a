package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/internal/require"
)

// A stream is an open connection to /api/events.
type stream struct {
	events chan event
	close  func()
}

type event struct {
	id, name string
	payload  any
	data     map[string]any // the payload, if it is an object
}

// subscribe opens a stream of the events after an id or, if it is empty, from now on.
func subscribe(t *testing.T, e *easel, after string) *stream {
	t.Helper()
	req := e.request(t, http.MethodGet, "/api/events", nil)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	r, err := http.DefaultClient.Do(req) //nolint:bodyclose // stream.close does, at the end of the test
	require.NoError(t, err)
	if ct := r.Header.Get("Content-Type"); r.StatusCode != http.StatusOK || !strings.HasPrefix(ct, "text/event-stream") {
		t.Fatalf("got %s, %s", r.Status, ct)
	}
	s := &stream{events: make(chan event, 1000)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(s.events)
		var ev event
		lines := bufio.NewScanner(r.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch field {
			case "id":
				ev.id = value
			case "event":
				ev.name = value
			case "data":
				_ = json.Unmarshal([]byte(value), &ev.payload)
				ev.data, _ = ev.payload.(map[string]any)
			case "":
				if ev.name != "" {
					s.events <- ev
				}
				ev = event{}
			}
		}
	}()
	s.close = func() {
		_ = r.Body.Close()
		for range s.events { // until the reader has ended
		}
		<-done
	}
	t.Cleanup(s.close)
	return s
}

// until reads events up to and including the first one for which fits returns true.
func (s *stream) until(t *testing.T, what string, fits func(event) bool) []event {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	var got []event
	for {
		select {
		case ev, open := <-s.events:
			if !open {
				t.Fatalf("the stream ended before %s; it had %v", what, got)
			}
			got = append(got, ev)
			if fits(ev) {
				return got
			}
		case <-deadline.C:
			t.Fatalf("no %s; there were %v", what, got)
		}
	}
}

func named(name string) func(event) bool {
	return func(ev event) bool { return ev.name == name }
}

// TestEventsResumeWithoutAGap checks that a client that reconnects with the last id that it has
// received gets exactly the events that it missed.
func TestEventsResumeWithoutAGap(t *testing.T) {
	e := launch(t, options{jupyter: startJupyter(t)})
	s := subscribe(t, e, "")
	session := e.call(t, "session_create", nil)["session_id"]
	run := func(code string) {
		e.call(t, "execute_code", map[string]any{"session_id": session, "code": code})
	}

	run("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nprint('hello')")
	seen := s.until(t, "the end of the first run", named("execution.ended"))
	for _, want := range []string{"session.changed", "execution.started", "image.added", "execution.ended"} {
		if !slices.ContainsFunc(seen, named(want)) {
			t.Errorf("no %s among %v", want, seen)
		}
	}
	image := seen[slices.IndexFunc(seen, named("image.added"))].data
	if uri, _ := image["resource_uri"].(string); !strings.HasPrefix(uri, "jupyter://sessions/") {
		t.Errorf("image.added carries %v, not an image", image)
	}
	if last := seen[len(seen)-1].data; last["status"] != "ok" || last["execution_id"] == "" {
		t.Errorf("execution.ended carries %v, not an execution", last)
	}

	// Disconnect for the second run, and reconnect before the third.
	missedAfter := seen[len(seen)-1].id
	s.close()
	run("'second'")
	again := subscribe(t, e, missedAfter)
	run("'third'")
	ends := 0
	got := again.until(t, "the end of the third run", func(ev event) bool {
		if ev.name == "execution.ended" {
			ends++
		}
		return ends == 2
	})
	if got[0].name == "reset" {
		t.Fatal("it was reset, though nothing was too old")
	}
	if slices.ContainsFunc(got, func(ev event) bool { return ev.id == missedAfter }) {
		t.Error("it got what it had seen")
	}
	ids := make([]string, len(got))
	for i, ev := range got {
		ids[i] = ev.id
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(got) {
		t.Errorf("an id came twice: %v", ids)
	}
	boot, _, _ := strings.Cut(missedAfter, "-")
	if !strings.HasPrefix(got[0].id, boot) {
		t.Errorf("ids %s and %s of one start differ in their boot", missedAfter, got[0].id)
	}
}

// TestEventsAreAsDocumented validates events against their schema.
func TestEventsAreAsDocumented(t *testing.T) {
	e := launch(t, options{jupyter: startJupyter(t)})
	doc := openAPI(t, e)
	s := subscribe(t, e, "")
	session := e.call(t, "session_create", nil)["session_id"]
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\nprint(1)"})
	e.call(t, "execute_code", map[string]any{"session_id": session, "code": "1/0"})
	e.call(t, "set_rating", map[string]any{"rating": 3, "path": "latest"})
	e.call(t, "open_folder", map[string]any{"path": fmt.Sprintf("jupyter://sessions/%s/", session)})
	e.call(t, "select_file", map[string]any{"path": "latest"})
	e.call(t, "filter_by_rating", map[string]any{"rating": 2})
	e.call(t, "session_delete", map[string]any{"session_id": session})

	missing := map[string]bool{
		"session.changed": true, "execution.started": true, "execution.ended": true, "image.added": true, "image.changed": true,
		"view.changed": true, "selection.changed": true,
	}
	got := s.until(t, "one of each", func(ev event) bool {
		delete(missing, ev.name)
		return len(missing) == 0
	})
	schema := doc.Components.Schemas["Event"].Value
	for _, ev := range got {
		if err := schema.VisitJSON(map[string]any{"id": ev.id, "event": ev.name, "data": ev.payload}); err != nil {
			t.Errorf("%s is not as documented: %v", ev.name, err)
		}
	}
	if err := schema.VisitJSON(map[string]any{"id": "b-1", "event": "image.added", "data": map[string]any{"no": "image"}}); err == nil {
		t.Error("the schema lets anything through")
	}
}

// TestEventsOfAnotherStartAreReset checks that for an id from an earlier start, the first event
// is reset, which tells the client to read the state again.
func TestEventsOfAnotherStartAreReset(t *testing.T) {
	e := launch(t, options{})
	s := subscribe(t, e, "another-7")
	if got := s.until(t, "an event", func(event) bool { return true }); got[0].name != "reset" {
		t.Errorf("the first event is %s, want reset", got[0].name)
	}
}
