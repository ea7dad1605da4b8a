package gallery_test

import (
	"slices"
	"strings"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// TestAJudgementTakesAPlotOutOfTheFilter covers plots with findings as the only ones in view: the last finding of
// the selected one is judged, which deselects it, and undone, which brings it back.
func TestAJudgementTakesAPlotOutOfTheFilter(t *testing.T) {
	k := newKeeper(t, 3)
	ids := k.ids(t, false)
	require.NoError(t, k.lib.Library.Images.SetFound(t.Context(), ids[0], []string{"wall/1/y/#1/3", "flat/1/y/#1/0"}))
	require.NoError(t, k.lib.Library.Images.SetFound(t.Context(), ids[2], []string{"flat/1/y/#1/0"}))
	k.store.Update(func(s *state.Snapshot) { s.Query.Findings, s.Query.Asc, s.Selection = true, true, ids[:1] })
	shown := func() []string {
		got, err := k.lib.IDs(t.Context(), collection.Query(k.store.Snapshot()))
		require.NoError(t, err)
		return got
	}
	judge := func(key string) command.Edit {
		out, err := command.JudgeFinding.Ask(t.Context(), k.bus, command.JudgeFindingIn{ImageID: ids[0], Key: key, Dismiss: true})
		require.NoError(t, err)
		return out.Edit
	}
	if got := shown(); !slices.Equal(got, []string{ids[0], ids[2]}) || !k.store.Snapshot().Query.Narrows() {
		t.Fatalf("shown: %q", got)
	}
	folder, err := catalog.GetCurrentFolder.Ask(t.Context(), k.bus, catalog.GetCurrentFolderIn{})
	if err != nil || !folder.View.Filters.Findings || folder.View.Matching != 2 {
		t.Errorf("an assistant reads %+v, %v", folder.View, err)
	}
	if e := judge("wall/1/y/#1/3"); e.Seq == 0 || e.Tool != command.JudgeFinding.Name() || e.Images != 1 {
		t.Errorf("the change: %+v", e)
	}
	if got := shown(); len(got) != 2 || len(k.store.Snapshot().Selection) != 1 {
		t.Errorf("one of two judged: %q, selected %q", got, k.store.Snapshot().Selection)
	}
	if e := judge("flat/1/y/#1/0"); e.Seq == 0 || judge("flat/1/y/#1/0").Seq != 0 {
		t.Error("the same judgement is another change")
	}
	if s := k.store.Snapshot(); !slices.Equal(shown(), ids[2:]) || len(s.Selection) != 0 || s.Edited.Tool != command.JudgeFinding.Name() {
		t.Errorf("both judged: shown %q, selected %q, %+v", shown(), s.Selection, s.Edited)
	}
	for range 2 {
		if _, err := command.Undo.Ask(t.Context(), k.bus, command.UndoIn{}); err != nil {
			t.Fatal(err)
		}
	}
	if im, err := k.lib.Image(t.Context(), ids[0]); err != nil || im.Findings != 2 || len(im.Judged) != 0 || len(shown()) != 2 {
		t.Errorf("undone: %d open, %q, %v", im.Findings, im.Judged, err)
	}
	if _, err := command.Redo.Ask(t.Context(), k.bus, command.UndoIn{}); err != nil {
		t.Fatal(err)
	}
	if im, err := k.lib.Image(t.Context(), ids[0]); err != nil || !slices.Equal(im.Judged, []string{"wall/1/y/#1/3"}) {
		t.Errorf("redone: %q, %v", im.Judged, err)
	}
	_, err = command.JudgeFinding.Ask(t.Context(), k.bus, command.JudgeFindingIn{ImageID: ids[0], Key: strings.Repeat("x", 9), Dismiss: true})
	if tool.AsError(err).Code != tool.Validation {
		t.Errorf("a key that is none: %v", err)
	}
}
