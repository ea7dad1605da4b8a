package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// TestWatchShownTellsWhatTheUserDoes checks the notifications of the user's actions,
// including those that are not tool calls: typing a search, clearing the selection and
// changing a setting.
func TestWatchShownTellsWhatTheUserDoes(t *testing.T) {
	bus, store, _ := aGallery(t, state.WindowShown)
	ctx, stop := context.WithCancel(t.Context())
	changes := make(chan catalog.Change, 100)
	watched := catalog.Changes.Watch(ctx, bus, 100)
	done := make(chan struct{}, 2)
	go func() {
		for c, err := range watched {
			if err != nil {
				continue // until fails if it needs a dropped change
			}
			changes <- c
		}
		done <- struct{}{}
	}()
	run := WatchShown(ctx, Deps{Bus: bus, Store: store, Log: slog.New(slog.DiscardHandler)})
	go func() {
		run()
		done <- struct{}{}
	}()
	t.Cleanup(func() {
		stop()
		<-done
		<-done
	})
	// until reads changes until one with the name contains the text.
	until := func(name catalog.ChangeName, text string) {
		t.Helper()
		for {
			select {
			case c := <-changes:
				if b, _ := json.Marshal(c.Object); c.Name == name && strings.Contains(string(b), text) {
					return
				}
			case <-t.Context().Done():
				t.Fatalf("no %s with %q", name, text)
			}
		}
	}
	const id = "img00002"
	store.Update(func(s *state.Snapshot) { s.Selection = []string{id} })
	until(catalog.SelectionChanged, id)
	store.Update(func(s *state.Snapshot) { s.Selection = nil })
	until(catalog.SelectionChanged, "[]")
	store.Update(func(s *state.Snapshot) { s.Query.Text = "model" })
	until(catalog.ViewChanged, `"text":"model"`)
	store.Update(func(s *state.Snapshot) { s.Settings.Access = "ask" })
	until(catalog.SettingsChanged, `"access":"ask"`)
}

// TestTheLogOfCallsHasAllThatWasTold checks that the log has all calls, although the first
// comes before the goroutine that writes the log runs, and Easel quits before the last is
// written.
func TestTheLogOfCallsHasAllThatWasTold(t *testing.T) {
	d := aCollection(t)
	lib, err := library.Open(t.Context(), t.TempDir(), library.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	run := WatchActivities(ctx, Deps{Bus: d.bus, Store: d.store, Library: lib, Log: slog.New(slog.DiscardHandler)})
	at := time.Unix(1, 0).UTC()
	for id := range uint64(3) {
		catalog.Activities.Notify(d.bus, catalog.Activity{ID: id + 1, Tool: "t", Status: catalog.StatusRunning, Began: at})
		catalog.Activities.Notify(d.bus, catalog.Activity{ID: id + 1, Tool: "t", Status: catalog.StatusRunning, Began: at, ExecutionID: "x"}) // not counted as a second call
		catalog.Activities.Notify(d.bus, catalog.Activity{ID: id + 1, Tool: "t", Status: "ok", Began: at, Ended: at, ExecutionID: "x"})
	}
	stop()
	run()
	log, err := lib.Activities(t.Context(), 0, 10)
	if err != nil || len(log) != 3 || slices.ContainsFunc(log, func(a catalog.Activity) bool { return a.Status != "ok" || a.ExecutionID != "x" }) {
		t.Errorf("the log has %+v, %v", log, err)
	}
	if got := d.store.Snapshot().Calls; got != 3 {
		t.Errorf("%d calls were counted", got)
	}
	if err := lib.Close(); err != nil {
		t.Error(err)
	}
}
