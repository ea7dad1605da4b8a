package gallery

import (
	"slices"

	"easel/ui/core/state"
)

// A display is the part of the state that the gallery's tools change.
type display struct {
	folder                      state.Folder
	query                       state.Query
	mode                        state.Mode
	current                     string
	selection                   []string
	selectedBy                  string
	fullscreen, propertiesPanel bool
	theme                       string
}

func displayIn(s *state.Snapshot) display {
	return display{s.Folder, s.Query, s.Mode, s.Current, s.Selection, s.SelectedBy, s.Fullscreen, s.PropertiesPanel, s.Settings.Theme}
}

func sameRating(a, b state.Query) bool { return a.Rating == b.Rating && a.RatingOp == b.RatingOp }
func sameTags(a, b state.Query) bool   { return slices.Equal(a.Tags, b.Tags) && a.AnyTag == b.AnyTag }

func sameOrder(a, b state.Query) bool {
	return a.SortBy == b.SortBy && a.Asc == b.Asc && a.ByCell == b.ByCell
}

func (a display) equal(b display) bool {
	return a.folder == b.folder && sameRating(a.query, b.query) && sameTags(a.query, b.query) && sameOrder(a.query, b.query) &&
		a.mode == b.mode && a.current == b.current && slices.Equal(a.selection, b.selection) &&
		a.fullscreen == b.fullscreen && a.propertiesPanel == b.propertiesPanel && a.theme == b.theme
}

// back restores the fields of s that differ between before and after, except those that
// have changed since after: the user's changes stay. It reports whether it restored
// anything.
func back(s *state.Snapshot, before, after display) bool {
	was := displayIn(s)
	put := func(changed, still bool, restore func()) {
		if changed && still {
			restore()
		}
	}
	put(before.folder != after.folder, s.Folder == after.folder, func() { s.Folder = before.folder })
	put(!sameRating(before.query, after.query), sameRating(s.Query, after.query), func() {
		s.Query.Rating, s.Query.RatingOp = before.query.Rating, before.query.RatingOp
	})
	put(!sameTags(before.query, after.query), sameTags(s.Query, after.query), func() {
		s.Query.Tags, s.Query.AnyTag = before.query.Tags, before.query.AnyTag
	})
	put(!sameOrder(before.query, after.query), sameOrder(s.Query, after.query), func() {
		s.Query.SortBy, s.Query.Asc, s.Query.ByCell = before.query.SortBy, before.query.Asc, before.query.ByCell
	})
	here := s.Current == s.Newer(after.current)
	// the viewer opens with its image
	put(before.mode != after.mode, s.Mode == after.mode && (here || before.mode != state.Viewer), func() { s.Mode = before.mode })
	put(before.current != after.current, here, func() { s.Current = s.Newer(before.current) })
	put(!slices.Equal(before.selection, after.selection), slices.Equal(s.Selection, after.selection), func() {
		s.Selection, s.SelectedBy = slices.Clone(before.selection), before.selectedBy
		for i, id := range s.Selection {
			s.Selection[i] = s.Newer(id)
		}
	})
	put(before.fullscreen != after.fullscreen, s.Fullscreen == after.fullscreen, func() { s.Fullscreen = before.fullscreen })
	put(before.propertiesPanel != after.propertiesPanel, s.PropertiesPanel == after.propertiesPanel,
		func() { s.PropertiesPanel = before.propertiesPanel })
	put(before.theme != after.theme, s.Settings.Theme == after.theme, func() { s.Settings.Theme = before.theme })
	return !was.equal(displayIn(s))
}
