package gallery_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/gallery"
)

// A keeper has the gallery's topics on a library.
type keeper struct {
	bus   *eventbus.Bus
	store *state.Store
	lib   *coretest.Library
}

func newKeeper(t *testing.T, plots int) *keeper {
	t.Helper()
	k := &keeper{bus: eventbus.New(), lib: coretest.NewLibrary(t), store: state.NewStore(state.Snapshot{
		Settings: state.DefaultSettings(),
		Folder:   state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1}, Mode: state.Grid, Window: state.WindowShown,
	})}
	k.lib.AddSession(0, "s", "c")
	for range plots {
		k.lib.Add(0, "A", "plot()")
	}
	gallery.Register(&chain.Chain{Bus: k.bus, Store: k.store}, gallery.Deps{Store: k.store, Library: k.lib, Kept: k.lib.Library, Pictures: announce.NewPictures(k.bus, k.store, k.lib, slog.New(slog.DiscardHandler))})
	t.Cleanup(func() { require.NoError(t, k.bus.Close(context.Background())) })
	return k
}

func (k *keeper) ids(t *testing.T, trashed bool) []string {
	t.Helper()
	ids, err := k.lib.IDs(t.Context(), library.Query{Rating: -1, Asc: true, Trashed: trashed})
	require.NoError(t, err)
	return ids
}

func TestTrashAndBack(t *testing.T) {
	k := newKeeper(t, 3)
	k.store.Update(func(s *state.Snapshot) {
		s.Selection, s.Current, s.Newest, s.Mode = []string{"img00002", "img00003"}, "img00003", "img00003", state.Viewer
	})
	dispose := func(fate command.Fate, ids ...string) {
		t.Helper()
		if _, err := command.Dispose.Ask(t.Context(), k.bus, command.DisposeIn{Fate: fate, IDs: ids}); err != nil {
			t.Fatal(err)
		}
	}
	dispose(command.FateTrash, "img00003")
	s := k.store.Snapshot()
	if !slices.Equal(s.Selection, []string{"img00002"}) || s.Current != "img00002" || s.Mode != state.Viewer || s.Newest != "img00002" {
		t.Errorf("after trashing what the viewer showed: %v, current %q, %s, newest %s", s.Selection, s.Current, s.Mode, s.Newest)
	}
	if got := k.ids(t, true); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("in the trash: %v", got)
	}
	dispose(command.FateRestore, "img00003")
	if got := k.ids(t, false); len(got) != 3 {
		t.Errorf("after restoring: %v", got)
	}
	dispose(command.FateTrash, "img00001", "img00002")
	dispose(command.FateDelete, "img00001")
	dispose(command.FateEmpty)
	if got := append(k.ids(t, true), k.ids(t, false)...); !slices.Equal(got, []string{"img00003"}) {
		t.Errorf("left: %v", got)
	}
	if _, err := command.Dispose.Ask(t.Context(), k.bus, command.DisposeIn{Fate: command.FateTrash, IDs: []string{"none"}}); tool.AsError(err).Code != tool.FileNotFound {
		t.Errorf("an image that is not there: %v", err)
	}
}

// TestWhatIsDeletedGivesWayToItsNeighbour checks that a neighbour of a deleted image becomes
// the current one.
func TestWhatIsDeletedGivesWayToItsNeighbour(t *testing.T) {
	for name, c := range map[string]struct {
		mode    state.Mode
		current string
		rated   bool     // the view shows rated images only: the first and the last
		going   []string // the images to delete; the view shows the newest first
		want    string
		mode2   state.Mode
	}{
		"the next one in the viewer":       {state.Viewer, "img00003", false, []string{"img00003"}, "img00002", state.Viewer},
		"the next one in the grid":         {state.Grid, "img00003", false, []string{"img00003"}, "img00002", state.Grid},
		"the one before the last":          {state.Viewer, "img00001", false, []string{"img00001"}, "img00002", state.Viewer},
		"past others that go":              {state.Grid, "img00004", false, []string{"img00004", "img00003", "img00002"}, "img00001", state.Grid},
		"only what the filters let pass":   {state.Viewer, "img00004", true, []string{"img00004"}, "img00001", state.Viewer},
		"nothing is left to the viewer":    {state.Viewer, "img00004", true, []string{"img00004", "img00001"}, "", state.Grid},
		"another than the current one":     {state.Viewer, "img00002", false, []string{"img00004"}, "img00002", state.Viewer},
		"one that the filters have hidden": {state.Grid, "img00002", true, []string{"img00002"}, "", state.Grid},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKeeper(t, 4)
			k.lib.Rate(4, "img00001", "img00004")
			k.store.Update(func(s *state.Snapshot) {
				s.Mode, s.Current, s.Selection = c.mode, c.current, []string{c.current}
				if c.rated {
					s.Query.Rating, s.Query.RatingOp = 4, ">="
				}
			})
			if _, err := command.Dispose.Ask(t.Context(), k.bus, command.DisposeIn{Fate: command.FateTrash, IDs: c.going}); err != nil {
				t.Fatal(err)
			}
			want := []string{}
			if c.want != "" {
				want = []string{c.want}
			}
			if s := k.store.Snapshot(); s.Current != c.want || s.Mode != c.mode2 || !slices.Equal(s.Selection, want) {
				t.Errorf("current %q, selected %v, %s", s.Current, s.Selection, s.Mode)
			}
		})
	}
}

// TestAPlotWithoutATitleIsNamedAsOnItsCard checks that a plot without a title has the name on
// its card, rather than that of its file, which is a hash.
func TestAPlotWithoutATitleIsNamedAsOnItsCard(t *testing.T) {
	k := newKeeper(t, 1)
	k.lib.Add(0, "", "plot()")
	out, err := catalog.GetFilesInView.Ask(t.Context(), k.bus, catalog.GetFilesInViewIn{Limit: 10})
	require.NoError(t, err)
	var names []string
	for _, f := range out.Files {
		names = append(names, f.Name)
	}
	if want := []string{"Plot 2", "A"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}

func TestTitleAndNote(t *testing.T) {
	k := newKeeper(t, 1)
	out, err := command.SetTitle.Ask(t.Context(), k.bus, command.SetTextIn{ID: "img00001", Text: "B"})
	if err != nil || out.Edit.Seq == 0 || out.Edit.Tool != "set_title" || out.Edit.Title != "A" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if out, err = command.SetNote.Ask(t.Context(), k.bus, command.SetTextIn{ID: "img00001", Text: "look again"}); err != nil || out.Edit.Title != "B" {
		t.Fatalf("got %+v, %v", out, err)
	}
	if im, _ := k.lib.Image(t.Context(), "img00001"); im.Title != "B" || im.Note != "look again" {
		t.Errorf("got %q, %q", im.Title, im.Note)
	}
}

func TestAChangeTellsWhatWasDone(t *testing.T) {
	k := newKeeper(t, 2)
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "claude-code"})
	if _, err := catalog.SetTags.Ask(ctx, k.bus, catalog.SetTagsIn{Add: []string{"a", "b"}, Paths: []string{"img00001", "img00002"}}); err != nil {
		t.Fatal(err)
	}
	d := k.store.Snapshot().Change
	want := []any{"claude-code", "set_tags", 2, []string{"a", "b"}, []string(nil)}
	if diff := cmp.Diff(want, []any{d.Client, d.Tool, d.Images, d.Added, d.Removed}); diff != "" || d.Seq == 0 {
		t.Errorf("change %d (-want +got):\n%s", d.Seq, diff)
	}
	if _, err := catalog.SetRating.Ask(ctx, k.bus, catalog.SetRatingIn{Rating: 4, Paths: []string{"img00001"}}); err != nil {
		t.Fatal(err)
	}
	if d = k.store.Snapshot().Change; d.Tool != "set_rating" || d.Images != 1 || d.Rating != 4 {
		t.Errorf("got %+v", d)
	}
	if _, err := command.UndoAssistant.Ask(t.Context(), k.bus, command.UndoAssistantIn{Count: 2}); err != nil {
		t.Fatal(err)
	}
	if d = k.store.Snapshot().Change; d.Seq != 0 {
		t.Errorf("after undo: %+v", d)
	}
}

func TestTheTrashIsAFolderThatAToolLeaves(t *testing.T) {
	k := newKeeper(t, 2)
	if _, err := command.OpenTrash.Ask(t.Context(), k.bus, struct{}{}); err != nil {
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
	store := state.NewStore(state.Snapshot{Settings: state.DefaultSettings(), Query: state.Query{Rating: -1}, Window: state.WindowHidden})
	bus, lib := eventbus.New(), coretest.NewLibrary(t)
	lib.AddSession(0, "s", "c")
	lib.Add(0, "A", "plot()")
	gallery.Register(&chain.Chain{Bus: bus, Store: store}, gallery.Deps{Store: store, Library: lib, Kept: lib.Library, Pictures: announce.NewPictures(bus, store, lib, slog.New(slog.DiscardHandler)), ShowWindow: func() { raised++ }})
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

// TestADeletionIsStopped between plots: those that were deleted are gone, and the reply says how many.
func TestADeletionIsStopped(t *testing.T) {
	for _, fate := range []command.Fate{command.FateDelete, command.FateEmpty} {
		k := newKeeper(t, 250)
		all := k.ids(t, false)
		if _, err := command.Dispose.Ask(t.Context(), k.bus, command.DisposeIn{Fate: command.FateTrash, IDs: all}); err != nil {
			t.Fatal(err)
		}
		var told []float64
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window, Progress: func(p tool.Progress) { told = append(told, p.Done, p.Total) }})
		in := command.DisposeIn{Fate: fate, Stopped: func() bool { return len(told) > 0 }}
		if fate == command.FateDelete {
			in.IDs = all
		}
		out, err := command.Dispose.Ask(ctx, k.bus, in)
		if left := len(k.ids(t, true)); err != nil || out.Images != 100 || left != 150 || !slices.Equal(told, []float64{100, 250}) {
			t.Errorf("%s: %d deleted, %d left, told %v, %v", fate, out.Images, left, told, err)
		}
		in.Stopped = nil
		in.IDs = k.ids(t, true)
		if out, err := command.Dispose.Ask(ctx, k.bus, in); err != nil || out.Images != 150 || len(k.ids(t, true)) != 0 {
			t.Errorf("%s, the others: %+v, %v", fate, out, err)
		}
	}
}
