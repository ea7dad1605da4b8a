package announce

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/coretest"
	"easel/ui/core/state"
)

func TestAClientIsKnownFromItsArrivalOn(t *testing.T) {
	bus, store := eventbus.New(), state.NewStore(state.Snapshot{})
	t.Cleanup(func() { _ = bus.Close(context.Background()) })
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	run := WatchArrivals(ctx, Deps{Bus: bus, Store: store, Log: slog.New(slog.DiscardHandler)})
	go func() { run(); close(done) }()
	changed := make(chan struct{}, 8)
	defer store.OnChange(func() { changed <- struct{}{} })()
	at := time.Unix(100, 0).UTC()
	catalog.Arrivals.Notify(bus, catalog.Arrival{Name: "codex-mcp-client", Version: "0.169.0", At: at})
	for len(store.Snapshot().Clients) == 0 {
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("it never arrived")
		}
	}
	want := state.Client{Name: "codex-mcp-client", Version: "0.169.0", First: at, Last: at}
	if got := store.Snapshot().Clients; len(got) != 1 || got[0] != want {
		t.Errorf("got %+v", got)
	}
	stop()
	<-done
}

func TestTheLastPictureOfAClient(t *testing.T) {
	at := time.Unix(100, 0).UTC()
	uri := func(id string) string { return "jupyter://sessions/s/images/" + id + ".png" }
	call := func(tool, inlined string, images ...string) catalog.Activity {
		a := catalog.Activity{Transport: "mcp", Client: "codex 1", Name: "codex", Version: "1", Tool: tool, Began: at, Ended: at}
		for _, id := range images {
			how := catalog.SentLink
			if id == inlined {
				how = catalog.SentInline
			}
			a.Images, a.Sent = append(a.Images, uri(id)), append(a.Sent, catalog.SentImage{ImageID: id, How: how})
		}
		return a
	}
	for name, x := range map[string]struct {
		a    catalog.Activity
		want state.SentPicture
	}{
		"inline":         {call("execute_code", "a", "a", "b"), state.SentPicture{URI: uri("a"), At: at, Inline: true}},
		"as links":       {call("notebook_run_cell", "", "a", "b"), state.SentPicture{URI: uri("b"), At: at}},
		"only in a list": {call("list_session_images", "", "a"), state.SentPicture{}},
	} {
		var s state.Snapshot
		countCall(&s, x.a)
		notePicture(&s, x.a)
		if len(s.Clients) != 1 || s.Clients[0].Picture != x.want || s.Clients[0].Calls != 1 {
			t.Errorf("%s: got %+v", name, s.Clients)
		}
	}
}

func TestClientsAreBounded(t *testing.T) {
	var s state.Snapshot
	for i := range maxClients + 10 {
		touch(&s, "c", string(rune('a'+i)), time.Unix(int64(i), 0))
	}
	if len(s.Clients) != maxClients || s.Clients[maxClients-1].Last.Unix() != maxClients+9 {
		t.Errorf("%d clients", len(s.Clients))
	}
}

// TestTheLogOfCallsHasAllThatWasTold checks that the log has all calls, although the first
// comes before the goroutine that writes the log runs, and Easel quits before the last is
// written.
func TestTheLogOfCallsHasAllThatWasTold(t *testing.T) {
	bus, store := eventbus.New(), state.NewStore(state.Snapshot{})
	t.Cleanup(func() { _ = bus.Close(context.Background()) })
	lib := coretest.Open(t)
	ctx, stop := context.WithCancel(t.Context())
	run := WatchCalls(ctx, Deps{Bus: bus, Store: store, Library: lib.Activities, Log: slog.New(slog.DiscardHandler)})
	at := time.Unix(1, 0).UTC()
	for id := range uint64(3) {
		catalog.Activities.Notify(bus, catalog.Activity{ID: id + 1, Tool: "t", Status: catalog.StatusRunning, Began: at})
		catalog.Activities.Notify(bus, catalog.Activity{ID: id + 1, Tool: "t", Status: catalog.StatusRunning, Began: at, ExecutionID: "x"}) // not counted as a second call
		catalog.Activities.Notify(bus, catalog.Activity{ID: id + 1, Tool: "t", Status: "ok", Began: at, Ended: at, ExecutionID: "x"})
	}
	stop()
	run()
	log, err := lib.Activities.List(t.Context(), 0, 10)
	if err != nil || len(log) != 3 || slices.ContainsFunc(log, func(a catalog.Activity) bool { return a.Status != "ok" || a.ExecutionID != "x" }) {
		t.Errorf("the log has %+v, %v", log, err)
	}
	if got := store.Snapshot().Calls; got != 3 {
		t.Errorf("%d calls were counted", got)
	}
}
