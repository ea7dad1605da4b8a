package folders

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/requests"
	"easel/ui/window/uitest"
)

// TestWhoeverOpensAFolderItsListingIsFollowed checks that the window says once how far the listing of a folder is,
// whether the user or an assistant has opened it.
func TestWhoeverOpensAFolderItsListingIsFollowed(t *testing.T) {
	bus, q, store := eventbus.New(), uitest.NewQueue(), state.NewStore(state.Snapshot{})
	asked := make(chan string, 9)
	command.ListFolder.Handle(bus, func(_ context.Context, in command.ListFolderIn) (struct{}, error) {
		asked <- in.Path
		return struct{}{}, nil
	}, nil)
	shown := func(path string) { // in the state
		store.Update(func(s *state.Snapshot) { s.Folder = state.Folder{Kind: state.Directory, ID: path} })
	}
	catalog.OpenFolder.Handle(bus, func(_ context.Context, in catalog.OpenFolderIn) (catalog.ViewOut, error) {
		shown(in.Path)
		return catalog.ViewOut{}, nil
	}, nil)
	sender := requests.New(t.Context(), requests.Port{Bus: bus, Do: q.Do, Log: slog.New(slog.DiscardHandler), Failed: func(text string) { t.Error(text) }})
	defer sender.Close()
	c := New(Port{Snapshot: store.Snapshot, Requests: sender, After: func(time.Duration, func()) {}, ShowGallery: func() {}})
	follows := func(path string) {
		t.Helper()
		if got := <-asked; got != path {
			t.Errorf("the listing of %s is followed, not of %s", got, path)
		}
		c.Render(store.Snapshot())
		c.Render(store.Snapshot())
	}

	c.Render(store.Snapshot())
	shown("/assistants") // opens it
	c.Render(store.Snapshot())
	follows("/assistants")

	done := false
	c.open("/users", func() { done = true })
	q.Until(t, "the folder", func() bool { return done })
	c.Render(store.Snapshot())
	follows("/users")

	shown("/assistants")
	c.Render(store.Snapshot())
	follows("/assistants") // and nothing else has been
	if len(asked) > 0 {
		t.Errorf("the listing of %s is followed twice", <-asked)
	}
}
