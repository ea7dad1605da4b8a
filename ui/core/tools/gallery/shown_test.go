package gallery

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"easel/mcphost/catalog"
	"easel/ui/core/announce"
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
	run := announce.WatchShown(ctx, announce.Deps{Bus: bus, Store: store, Log: slog.New(slog.DiscardHandler)})
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
