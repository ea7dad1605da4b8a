package tools_test

import (
	"context"
	"slices"
	"testing"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/library"
	"easel/ui/state"
	"easel/ui/tools"
	"easel/ui/uitest"
)

// A keeper is the gallery's topics over a library in memory.
type keeper struct {
	bus   *eventbus.Bus
	store *state.Store
	lib   *uitest.Library
}

func newKeeper(t *testing.T, plots int) *keeper {
	t.Helper()
	k := &keeper{bus: eventbus.New(), lib: uitest.NewLibrary(), store: state.NewStore(state.Snapshot{
		Folder: state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1}, Mode: state.Grid, Window: state.WindowShown,
	})}
	k.lib.AddSession(0, "s", "c")
	for range plots {
		k.lib.Add(0, "A", "plot()")
	}
	tools.RegisterGallery(tools.GalleryDeps{Bus: k.bus, Store: k.store, Library: k.lib})
	t.Cleanup(func() {
		if err := k.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return k
}

func (k *keeper) ids(t *testing.T, trashed bool) []string {
	t.Helper()
	ids, err := k.lib.IDs(t.Context(), library.Query{Rating: -1, Asc: true, Trashed: trashed})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestTrashAndBack(t *testing.T) {
	k := newKeeper(t, 3)
	k.store.Update(func(s *state.Snapshot) {
		s.Selection, s.Current, s.Newest, s.Mode = []string{"img00002", "img00003"}, "img00003", "img00003", state.Viewer
	})
	dispose := func(fate catalog.Fate, ids ...string) {
		t.Helper()
		if _, err := catalog.Dispose.Ask(t.Context(), k.bus, catalog.DisposeIn{Fate: fate, IDs: ids}); err != nil {
			t.Fatal(err)
		}
	}
	dispose(catalog.FateTrash, "img00003")
	s := k.store.Snapshot()
	if !slices.Equal(s.Selection, []string{"img00002"}) || s.Current != "" || s.Mode != state.Grid || s.Newest != "img00002" {
		t.Errorf("after trashing what the viewer showed: %v, current %q, %s, newest %s", s.Selection, s.Current, s.Mode, s.Newest)
	}
	if got := k.ids(t, true); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("in the trash: %v", got)
	}
	dispose(catalog.FateRestore, "img00003")
	if got := k.ids(t, false); len(got) != 3 {
		t.Errorf("after restoring: %v", got)
	}
	dispose(catalog.FateTrash, "img00001", "img00002")
	dispose(catalog.FateDelete, "img00001")
	dispose(catalog.FateEmpty)
	if got := append(k.ids(t, true), k.ids(t, false)...); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("left: %v", got)
	}
	if _, err := catalog.Dispose.Ask(t.Context(), k.bus, catalog.DisposeIn{Fate: catalog.FateTrash, IDs: []string{"none"}}); tool.AsError(err).Code != tool.FileNotFound {
		t.Errorf("an image that is not there: %v", err)
	}
}

func TestTitleAndNote(t *testing.T) {
	k := newKeeper(t, 1)
	out, err := catalog.SetTitle.Ask(t.Context(), k.bus, catalog.SetTextIn{ID: "img00001", Text: "B"})
	if err != nil || out.Before != "A" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if out, err = catalog.SetNote.Ask(t.Context(), k.bus, catalog.SetTextIn{ID: "img00001", Text: "look again"}); err != nil || out.Before != "" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if im, _ := k.lib.Image(t.Context(), "img00001"); im.Title != "B" || im.Note != "look again" {
		t.Errorf("got %q, %q", im.Title, im.Note)
	}
}

func TestADeedTellsWhatWasDone(t *testing.T) {
	k := newKeeper(t, 2)
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude-code"})
	if _, err := catalog.SetTags.Ask(ctx, k.bus, catalog.SetTagsIn{Add: []string{"a", "b"}, Paths: []string{"img00001", "img00002"}}); err != nil {
		t.Fatal(err)
	}
	d := k.store.Snapshot().Deed
	if !d.Changed || d.Client != "claude-code" || d.Tool != "set_tags" || d.Images != 2 || !slices.Equal(d.Added, []string{"a", "b"}) || d.Removed != nil {
		t.Errorf("got %+v", d)
	}
	if _, err := catalog.SetRating.Ask(ctx, k.bus, catalog.SetRatingIn{Rating: 4, Paths: []string{"img00001"}}); err != nil {
		t.Fatal(err)
	}
	if d = k.store.Snapshot().Deed; d.Tool != "set_rating" || d.Images != 1 || d.Rating != 4 {
		t.Errorf("got %+v", d)
	}
	if _, err := catalog.UndoAssistant.Ask(t.Context(), k.bus, catalog.UndoAssistantIn{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if d = k.store.Snapshot().Deed; d.Changed {
		t.Errorf("after undo: %+v", d)
	}
}

func TestTheTrashIsAFolderThatAToolLeaves(t *testing.T) {
	k := newKeeper(t, 2)
	if _, err := catalog.OpenTrash.Ask(t.Context(), k.bus, struct{}{}); err != nil {
		t.Fatal(err)
	}
	if got := k.store.Snapshot(); got.Folder.Kind != state.Trash || got.Total != 0 {
		t.Errorf("got %+v with %d", got.Folder, got.Total)
	}
	out, err := catalog.OpenFolder.Ask(t.Context(), k.bus, catalog.OpenFolderIn{Path: "jupyter://sessions/"})
	if err != nil || out.View.Kind != "sessions" || out.View.Count != 2 {
		t.Errorf("got %+v, %v", out.View, err)
	}
}

func TestTheWindowIsRaisedOnlyIfAllowed(t *testing.T) {
	raised := 0
	store := state.NewStore(state.Snapshot{Query: state.Query{Rating: -1}, Window: state.WindowHidden})
	bus, lib := eventbus.New(), uitest.NewLibrary()
	lib.AddSession(0, "s", "c")
	lib.Add(0, "A", "plot()")
	tools.RegisterGallery(tools.GalleryDeps{Bus: bus, Store: store, Library: lib, ShowWindow: func() { raised++ }})
	show := func(by tool.Transport) {
		t.Helper()
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: by, Name: "c"})
		if _, err := catalog.ShowImageViewer.Ask(ctx, bus, catalog.ShowImageViewerIn{Path: catalog.Latest}); err != nil {
			t.Fatal(err)
		}
	}
	show(tool.MCP)
	if raised != 0 {
		t.Error("it was raised, and nobody allowed that")
	}
	store.Update(func(s *state.Snapshot) { s.Settings.AutoRaise = true })
	show(tool.Window)
	if show(tool.MCP); raised != 1 {
		t.Errorf("it was raised %d times, want once: for the assistant", raised)
	}
	if err := bus.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
