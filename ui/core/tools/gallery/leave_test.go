package gallery_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"easel/eventbus"
	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/ui/core/announce"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/coretest"
	"easel/ui/core/library"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/gallery"
)

// A slowLibrary says when it begins to change marks or to delete, and then waits for the result.
type slowLibrary struct {
	*collection.Collection
	begun chan struct{}
	fail  chan error
}

func (l *slowLibrary) Mark(ctx context.Context, targets []library.Target, edit func(int, *library.Marks) error) ([]library.MarkEdit, error) {
	l.begun <- struct{}{}
	if err := <-l.fail; err != nil {
		return nil, err
	}
	return l.Collection.Mark(ctx, targets, edit)
}

func (l *slowLibrary) Delete(ctx context.Context, ids []string) error {
	l.begun <- struct{}{}
	if err := <-l.fail; err != nil {
		return err
	}
	return l.Collection.Delete(ctx, ids)
}

// TestPlotsLeaveBeforeTheLibraryHasMovedThem covers lists, counts and the selection meanwhile,
// and afterwards, if it succeeds or fails.
func TestPlotsLeaveBeforeTheLibraryHasMovedThem(t *testing.T) {
	lib := coretest.Open(t)
	c := collection.New(lib, slog.New(slog.DiscardHandler))
	slow := &slowLibrary{c, make(chan struct{}), make(chan error)}
	bus := eventbus.New()
	store := state.NewStore(state.Snapshot{
		Settings: state.DefaultSettings(), Folder: state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1}, Mode: state.Grid, Window: state.WindowShown,
	})
	gallery.Register(&chain.Chain{Bus: bus, Store: store}, gallery.Deps{Store: store, Library: slow, Kept: lib, Pictures: announce.NewPictures(bus, store, c, slog.New(slog.DiscardHandler)), Leaver: c})
	t.Cleanup(func() { require.NoError(t, bus.Close(context.Background())) })
	var ids []string // oldest first
	for i := range 5 {
		session := []string{"s1", "s2"}[i%2]
		im, err := lib.Images.Add(t.Context(), library.NewImage{
			SessionID: session, Title: fmt.Sprint("Plot ", i), Forms: []library.Form{{MIME: "image/svg+xml", Data: fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="%d"/>`, i+1)}},
		})
		require.NoError(t, err)
		ids = append(ids, im.ImageID)
	}
	going := []string{ids[4], ids[3], ids[1]} // two of the second session
	counts := func() (n [6]int) {
		t.Helper()
		var errs [4]error
		n[0], n[1], errs[0] = c.Count(t.Context(), library.All())
		n[2], _, errs[1] = c.Count(t.Context(), library.Query{Rating: -1, Trashed: true})
		n[3], _, errs[2] = c.Count(t.Context(), library.Query{Rating: -1, SessionID: "s2"})
		all, err := c.Sessions(t.Context())
		errs[3] = err
		for _, s := range all {
			n[4+slices.Index([]string{"s1", "s2"}, s.ID)] = s.Images
		}
		require.NoError(t, errors.Join(errs[:]...))
		return n
	}
	list := func(trash bool) []string {
		t.Helper()
		ids, err := c.IDs(t.Context(), library.Query{Rating: -1, Trashed: trash})
		require.NoError(t, err)
		return ids
	}
	failed := errors.New("the disk is full")
	for _, step := range []struct {
		fate         command.Fate
		fail         error
		open         state.FolderKind
		then         [6]int   // counts meanwhile
		after        [6]int   // and afterwards
		list, latter []string // the newest first
		current      string   // meanwhile
	}{
		{command.FateTrash, failed, state.AllSessions, [6]int{2, 2, 3, 0, 2, 0}, [6]int{5, 5, 0, 2, 3, 2}, []string{ids[2], ids[0]}, []string{ids[4], ids[3], ids[2], ids[1], ids[0]}, ids[2]},
		{command.FateTrash, nil, state.AllSessions, [6]int{2, 2, 3, 0, 2, 0}, [6]int{2, 2, 3, 0, 2, 0}, []string{ids[2], ids[0]}, []string{ids[2], ids[0]}, ids[2]},
		{command.FateRestore, failed, state.Trash, [6]int{5, 5, 0, 2, 3, 2}, [6]int{2, 2, 3, 0, 2, 0}, nil, []string{ids[4], ids[3], ids[1]}, ""},
		{command.FateDelete, failed, state.Trash, [6]int{2, 2, 0, 0, 2, 0}, [6]int{2, 2, 3, 0, 2, 0}, nil, []string{ids[4], ids[3], ids[1]}, ""},
		{command.FateRestore, nil, state.Trash, [6]int{5, 5, 0, 2, 3, 2}, [6]int{5, 5, 0, 2, 3, 2}, nil, nil, ""},
		{command.FateDelete, nil, state.AllSessions, [6]int{2, 2, 0, 0, 2, 0}, [6]int{2, 2, 0, 0, 2, 0}, []string{ids[2], ids[0]}, []string{ids[2], ids[0]}, ids[2]},
	} {
		name := fmt.Sprintf("%s, %v", step.fate, step.fail)
		store.Update(func(s *state.Snapshot) {
			s.Folder.Kind, s.Selection, s.Current, s.SelectedBy = step.open, going, going[1], catalog.ByUser
		})
		done := make(chan error, 1)
		go func() {
			_, err := command.Dispose.Ask(t.Context(), bus, command.DisposeIn{Fate: step.fate, IDs: going})
			done <- err
		}()
		<-slow.begun
		trash := step.open == state.Trash
		if got := counts(); got != step.then || !slices.Equal(list(trash), step.list) || store.Snapshot().Current != step.current || slices.Contains(store.Snapshot().Selection, going[0]) {
			t.Errorf("%s, meanwhile: counts %v, list %v, current %q, selected %v", name, got, list(trash), store.Snapshot().Current, store.Snapshot().Selection)
		}
		slow.fail <- step.fail
		if err := <-done; (err != nil) != (step.fail != nil) {
			t.Fatal(name, err)
		}
		if got := counts(); got != step.after || !slices.Equal(list(trash), step.latter) {
			t.Errorf("%s, afterwards: counts %v, list %v", name, got, list(trash))
		}
		if s := store.Snapshot(); step.fail != nil && (!slices.Equal(s.Selection, going) || s.Current != going[1]) {
			t.Errorf("%s: %v is selected, %q current", name, s.Selection, s.Current)
		}
	}
}
