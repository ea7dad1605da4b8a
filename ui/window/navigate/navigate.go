// Package navigate changes what the gallery shows, for the user: the folder, the filters,
// the order, the current image and the viewer.
//
// # Goroutines
//
// A Navigator belongs to the UI goroutine. Its requests run in the Sender's goroutines,
// in order.
package navigate

import (
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/requests"
)

// A Port is what a Navigator may do in the window.
type Port struct {
	Update   func(edit func(*state.Snapshot)) // changes the state
	Requests *requests.Sender

	ShowGallery  func()           // shows the gallery instead of another page
	ClearSearch  func()           // empties the search field
	Unpick       func()           // forgets which session the user has chosen
	PanelToggled func(shown bool) // called when the user has shown or hidden the properties
}

// A Navigator moves through the gallery of one window.
type Navigator struct {
	port   Port
	moving int // number of moves to another image that are not in the state yet
}

// New returns a Navigator.
func New(p Port) *Navigator { return &Navigator{port: p} }

// Open shows an image in the viewer.
func (v *Navigator) Open(id string) {
	requests.Ask(v.port.Requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id}, nil)
}

// CloseViewer returns from the viewer to the grid.
func (v *Navigator) CloseViewer() {
	requests.Ask(v.port.Requests, catalog.CloseImageViewer, catalog.CloseImageViewerIn{}, nil)
}

// GoTo shows another image: "next", "previous", "first" or "last".
func (v *Navigator) GoTo(direction string) {
	v.moving++
	requests.AskFinally(v.port.Requests, catalog.NavigateImage, catalog.NavigateImageIn{Direction: direction}, nil, func() { v.moving-- })
}

// Moving reports whether a move to another image is pending.
func (v *Navigator) Moving() bool { return v.moving > 0 }

// OpenSession shows the plots of a session.
func (v *Navigator) OpenSession(id string) {
	v.port.ShowGallery()
	v.port.Unpick() // so that the top bar shows the session that the user opened last
	requests.Ask(v.port.Requests, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/" + id + "/"}, nil)
}

// OpenAll shows all plots with a filter by stars; an empty op means no filter. If they are in view and nothing else
// was asked, the filter is there at once: the requests count all plots first.
func (v *Navigator) OpenAll(op string, rating int) {
	v.port.ShowGallery()
	idle := v.port.Requests.Pending() == 0
	v.port.Update(func(s *state.Snapshot) {
		s.Query.Findings = false
		if idle && s.Folder.Kind == state.AllSessions && s.Mode == state.Grid {
			s.Selection, s.Current, s.SelectedBy = nil, "", catalog.ByUser
			s.Query.Rating, s.Query.RatingOp = rating, op
			if op == "" {
				s.Query.Rating = -1
			}
		}
	})
	requests.Ask(v.port.Requests, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/"}, nil)
	v.FilterRating(op, rating)
}

// OpenFindings shows all plots with findings.
func (v *Navigator) OpenFindings() {
	v.OpenAll("", 0)
	v.port.Requests.After(func() { v.FilterFindings(true) })
}

// OpenTrash shows the trash.
func (v *Navigator) OpenTrash() {
	v.port.ShowGallery()
	requests.AskTopic(v.port.Requests, "open_trash", command.OpenTrash, struct{}{}, nil)
}

// FilterRating filters by stars. op is ">=", "=" or "<="; an empty op removes the filter.
func (v *Navigator) FilterRating(op string, rating int) {
	if op == "" {
		requests.Ask(v.port.Requests, catalog.ClearRatingFilter, catalog.ClearRatingFilterIn{}, nil)
		return
	}
	requests.Ask(v.port.Requests, catalog.FilterByRating, catalog.FilterByRatingIn{Rating: rating, Op: op}, nil)
}

// FilterTags filters by tags; without tags it removes the filter.
func (v *Navigator) FilterTags(tags []string) {
	v.port.ShowGallery()
	if len(tags) == 0 {
		requests.Ask(v.port.Requests, catalog.ClearTagFilter, catalog.ClearTagFilterIn{}, nil)
		return
	}
	requests.Ask(v.port.Requests, catalog.FilterByTag, catalog.FilterByTagIn{Tags: tags}, nil)
}

// FilterFindings shows only plots with findings, or all again. As for Search, there is no tool for it.
func (v *Navigator) FilterFindings(on bool) {
	v.port.Update(func(s *state.Snapshot) { s.Query.Findings = on })
}

// ClearFilters removes all filters.
func (v *Navigator) ClearFilters() {
	v.FilterFindings(false)
	v.port.ClearSearch()
	v.Search("")
	v.FilterRating("", 0)
	v.FilterTags(nil)
}

// Sort sorts the gallery. If by is empty, only the direction changes.
func (v *Navigator) Sort(by string, asc bool) {
	order := "desc"
	if asc {
		order = "asc"
	}
	requests.Ask(v.port.Requests, catalog.SortThumbnails, catalog.SortThumbnailsIn{By: by, Order: order}, nil)
}

// SortByCell sorts sessions with a notebook by its cells, or as other plots.
func (v *Navigator) SortByCell(on bool) {
	v.port.Update(func(s *state.Snapshot) { s.Query.ByCell, s.Settings.Layout.ByCell = on, on })
}

// Search filters the gallery by a text. Only the user has this filter; there is no tool
// for it.
func (v *Navigator) Search(text string) {
	v.port.Update(func(s *state.Snapshot) { s.Query.Text = text })
}

// TogglePanel shows or hides the properties.
func (v *Navigator) TogglePanel() { v.TogglePanelThen(nil) }

// TogglePanelThen is like TogglePanel, and then calls then, if not nil, unless that
// failed.
func (v *Navigator) TogglePanelThen(then func()) {
	requests.Ask(v.port.Requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(out catalog.ViewOut) {
		v.port.PanelToggled(out.View.PropertiesPanel)
		if then != nil {
			then()
		}
	})
}

// LeaveFullscreen leaves full screen and the focus view, and then calls then, unless that failed.
func (v *Navigator) LeaveFullscreen(then func()) {
	v.SetFocus(false)
	off := false
	requests.Ask(v.port.Requests, catalog.ToggleFullscreen, catalog.ToggleFullscreenIn{On: &off}, func(catalog.ViewOut) { then() })
}

// SetFocus says whether the plot fills the window. There is no tool for it.
func (v *Navigator) SetFocus(on bool) {
	v.port.Update(func(s *state.Snapshot) { s.Focus = on })
}

// OpenInFocus shows an image in the viewer, where it fills the window.
func (v *Navigator) OpenInFocus(id string) {
	requests.Ask(v.port.Requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id}, func(catalog.ViewOut) { v.SetFocus(true) })
}

// ToggleFullscreen turns full screen on or off.
func (v *Navigator) ToggleFullscreen() {
	requests.Ask(v.port.Requests, catalog.ToggleFullscreen, catalog.ToggleFullscreenIn{}, nil)
}
