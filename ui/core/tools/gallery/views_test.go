package gallery_test

import (
	"slices"
	"testing"

	"easel/internal/require"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
)

// best returns a keeper of six plots. Plots 1, 3, 4 and 6 have four stars. The view shows
// these, newest first.
func best(t *testing.T, edit func(*state.Snapshot)) *keeper {
	t.Helper()
	k := newKeeper(t, 6)
	k.lib.Rate(4, "img00001", "img00003", "img00004", "img00006")
	k.store.Update(func(s *state.Snapshot) {
		s.Query.Rating, s.Query.RatingOp = 4, ">="
		edit(s)
	})
	return k
}

// shows checks the selection, the current image and the mode, and that the tools return no
// selected file that the user cannot see.
func (k *keeper) shows(t *testing.T, current string, mode state.Mode, selection ...string) {
	t.Helper()
	s := k.store.Snapshot()
	if s.Current != current || s.Mode != mode || !slices.Equal(s.Selection, selection) {
		t.Errorf("current %q, selected %q, %s; want %q, %q, %s", s.Current, s.Selection, s.Mode, current, selection, mode)
	}
	view, err := catalog.GetFilesInView.Ask(t.Context(), k.bus, catalog.GetFilesInViewIn{Limit: 100})
	require.NoError(t, err)
	chosen, err := catalog.GetSelectedFiles.Ask(t.Context(), k.bus, catalog.GetSelectedFilesIn{})
	require.NoError(t, err)
	for _, f := range chosen.Files {
		in := slices.ContainsFunc(view.Files, func(v catalog.File) bool { return v.ImageID == f.ImageID })
		if !in && (s.Mode != state.Viewer || f.ImageID != s.Current) {
			t.Errorf("%s is selected and out of sight", f.ImageID)
		}
	}
}

func (k *keeper) rate(t *testing.T, rating int, ids ...string) {
	t.Helper()
	ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.Window})
	if _, err := catalog.SetRating.Ask(ctx, k.bus, catalog.SetRatingIn{Rating: rating, Paths: ids}); err != nil {
		t.Fatal(err)
	}
}

func TestTheSelectionMovesOnFromAPlotThatIsRatedOutOfTheFilter(t *testing.T) {
	for name, c := range map[string]struct {
		selection []string
		rated     []string
		current   string
		want      []string
	}{
		"the next one":               {[]string{"img00004"}, []string{"img00004"}, "img00003", []string{"img00003"}},
		"from the last one":          {[]string{"img00001"}, []string{"img00001"}, "img00003", []string{"img00003"}},
		"past others that go":        {[]string{"img00006", "img00004"}, []string{"img00006", "img00004"}, "img00003", []string{"img00003"}},
		"others stay selected":       {[]string{"img00006", "img00004"}, []string{"img00004"}, "img00003", []string{"img00006"}},
		"one that is not selected":   {[]string{"img00006"}, []string{"img00003"}, "img00006", []string{"img00006"}},
		"nothing is left":            {[]string{"img00006"}, []string{"img00006", "img00004", "img00003", "img00001"}, "", nil},
		"one that stays in the view": {[]string{"img00004"}, nil, "img00004", []string{"img00004"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := best(t, func(s *state.Snapshot) { s.Selection, s.Current = c.selection, c.selection[len(c.selection)-1] })
			if len(c.rated) == 0 {
				k.rate(t, 5, c.selection...)
			} else {
				k.rate(t, 2, c.rated...)
			}
			k.shows(t, c.current, state.Grid, c.want...)
		})
	}
}

func TestTheViewerGoesOnFromAPlotThatIsRatedOutOfTheFilter(t *testing.T) {
	viewing := func(id string) func(*state.Snapshot) {
		return func(s *state.Snapshot) { s.Mode, s.Current, s.Selection = state.Viewer, id, []string{id} }
	}
	step := func(t *testing.T, k *keeper, direction string) {
		t.Helper()
		if _, err := catalog.NavigateImage.Ask(t.Context(), k.bus, catalog.NavigateImageIn{Direction: direction}); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ from, direction, want string }{
		"next":             {"img00004", "next", "img00003"},
		"previous":         {"img00004", "previous", "img00006"},
		"none follows":     {"img00001", "next", "img00003"},
		"none goes before": {"img00006", "previous", "img00004"},
	} {
		t.Run(name, func(t *testing.T) {
			k := best(t, viewing(c.from))
			k.rate(t, 2, c.from)
			k.shows(t, c.from, state.Viewer, c.from)
			k.rate(t, 1, c.from) // changes the rating again, which does not change the view
			step(t, k, c.direction)
			k.shows(t, c.want, state.Viewer, c.want)
		})
	}
	t.Run("the one that followed goes too", func(t *testing.T) {
		k := best(t, viewing("img00004"))
		k.rate(t, 2, "img00004")
		k.rate(t, 2, "img00003")
		step(t, k, "next")
		k.shows(t, "img00001", state.Viewer, "img00001")
	})
	t.Run("closing the viewer selects what takes its place", func(t *testing.T) {
		k := best(t, viewing("img00004"))
		k.rate(t, 2, "img00004")
		if _, err := catalog.CloseImageViewer.Ask(t.Context(), k.bus, catalog.CloseImageViewerIn{}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00003", state.Grid, "img00003")
	})
	t.Run("deleting it shows what takes its place", func(t *testing.T) {
		k := best(t, viewing("img00004"))
		k.rate(t, 2, "img00004")
		if _, err := command.Dispose.Ask(t.Context(), k.bus, command.DisposeIn{Fate: command.FateTrash, IDs: []string{"img00004"}}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00003", state.Viewer, "img00003")
	})
}

func TestWhatAFilterHidesIsNoLongerSelected(t *testing.T) {
	four := func(s *state.Snapshot) {
		s.Query.Rating, s.Selection, s.Current = -1, []string{"img00005", "img00004"}, "img00004"
	}
	tags := func(t *testing.T, k *keeper) {
		t.Helper()
		k.lib.Tag([]string{"keep"}, "img00005")
	}
	t.Run("by stars", func(t *testing.T) {
		k := best(t, four)
		if _, err := catalog.FilterByRating.Ask(t.Context(), k.bus, catalog.FilterByRatingIn{Rating: 4}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00004", state.Grid, "img00004")
	})
	t.Run("by tags", func(t *testing.T) {
		k := best(t, four)
		tags(t, k)
		if _, err := catalog.FilterByTag.Ask(t.Context(), k.bus, catalog.FilterByTagIn{Tags: []string{"keep"}}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00005", state.Grid, "img00005")
	})
	t.Run("the viewer goes on with what it shows", func(t *testing.T) {
		k := best(t, func(s *state.Snapshot) { four(s); s.Mode = state.Viewer })
		tags(t, k)
		if _, err := catalog.FilterByTag.Ask(t.Context(), k.bus, catalog.FilterByTagIn{Tags: []string{"keep"}}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00004", state.Viewer, "img00005", "img00004")
	})
	t.Run("a removed tag moves the selection on", func(t *testing.T) {
		k := best(t, func(s *state.Snapshot) {
			s.Query.Rating, s.Query.Tags, s.Selection, s.Current = -1, []string{"a"}, []string{"img00002"}, "img00002"
		})
		k.lib.Tag([]string{"a"}, "img00001", "img00002")
		if _, err := catalog.SetTags.Ask(t.Context(), k.bus, catalog.SetTagsIn{Remove: []string{"a"}, Path: "img00002"}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00001", state.Grid, "img00001")
	})
	t.Run("undo brings the selection back", func(t *testing.T) {
		k := best(t, func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00004"}, "img00004" })
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "test"})
		if _, err := catalog.SetRating.Ask(ctx, k.bus, catalog.SetRatingIn{Rating: 1}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00003", state.Grid, "img00003")
		if _, err := command.UndoAssistant.Ask(t.Context(), k.bus, command.UndoAssistantIn{}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "img00004", state.Grid, "img00004")
	})
	t.Run("undo of an assistant's wider filter hides again", func(t *testing.T) {
		k := best(t, func(s *state.Snapshot) {})
		ctx := tool.WithCaller(t.Context(), tool.Caller{Transport: tool.MCP, Name: "test"})
		if _, err := catalog.ClearRatingFilter.Ask(ctx, k.bus, catalog.ClearRatingFilterIn{}); err != nil {
			t.Fatal(err)
		}
		k.store.Update(func(s *state.Snapshot) { s.Selection, s.Current = []string{"img00002"}, "img00002" })
		if _, err := command.UndoAssistant.Ask(t.Context(), k.bus, command.UndoAssistantIn{}); err != nil {
			t.Fatal(err)
		}
		k.shows(t, "", state.Grid)
	})
}

// TestAPlotThatLeftTheViewIsFollowedThroughItsUpdates checks the position of a plot that left
// the view if its figure is drawn again.
func TestAPlotThatLeftTheViewIsFollowedThroughItsUpdates(t *testing.T) {
	s := state.Snapshot{Mode: state.Viewer, Current: "b", Selection: []string{"b"}}
	s.Depart([]string{"a", "b", "c", "d"}, []string{"a", "c", "d"}, true)
	s.Updates = []state.Update{{Was: "b", Now: "b2"}, {Was: "c", Now: "c2"}}
	s.Current = "b2"
	for i, c := range []struct {
		ids []string
		at  int
		in  bool
	}{
		{[]string{"a", "c2", "d"}, 1, false},
		{[]string{"new", "a", "d"}, 2, false},
		{[]string{"a", "b2"}, 1, true},
		{[]string{"a"}, 1, false},
		{nil, 0, false},
	} {
		if at, in := s.Position(c.ids); at != c.at || in != c.in {
			t.Errorf("%d: %q is at %d, %v", i, c.ids, at, in)
		}
	}
}
