package window

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

func (a *App) openViewer(id string) {
	requests.Ask(a.requests, catalog.ShowImageViewer, catalog.ShowImageViewerIn{Path: id}, nil)
}

func (a *App) closeViewer() {
	requests.Ask(a.requests, catalog.CloseImageViewer, catalog.CloseImageViewerIn{}, nil)
}

func (a *App) goTo(direction string) {
	requests.Ask(a.requests, catalog.NavigateImage, catalog.NavigateImageIn{Direction: direction}, nil)
}

func (a *App) openSession(id string) {
	a.shell.open(pageGallery)
	a.sessions.Pick("") // the top bar shows the session that the user opened last
	requests.Ask(a.requests, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/" + id + "/"}, nil)
}

// openAll shows all plots with a filter by stars; an empty op means no filter.
func (a *App) openAll(op string, rating int) {
	a.shell.open(pageGallery)
	requests.Ask(a.requests, catalog.OpenFolder, catalog.OpenFolderIn{Path: "jupyter://sessions/"}, nil)
	a.filterRating(op, rating)
}

func (a *App) filterRating(op string, rating int) {
	if op == "" {
		requests.Ask(a.requests, catalog.ClearRatingFilter, catalog.ClearRatingFilterIn{}, nil)
		return
	}
	requests.Ask(a.requests, catalog.FilterByRating, catalog.FilterByRatingIn{Rating: rating, Op: op}, nil)
}

func (a *App) filterTags(tags []string) {
	a.shell.open(pageGallery)
	if len(tags) == 0 {
		requests.Ask(a.requests, catalog.ClearTagFilter, catalog.ClearTagFilterIn{}, nil)
		return
	}
	requests.Ask(a.requests, catalog.FilterByTag, catalog.FilterByTagIn{Tags: tags}, nil)
}

func (a *App) clearFilters() {
	a.shell.clearSearch()
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Query.Text = "" })
	a.filterRating("", 0)
	a.filterTags(nil)
}

func (a *App) sort(by string, asc bool) {
	order := "desc"
	if asc {
		order = "asc"
	}
	requests.Ask(a.requests, catalog.SortThumbnails, catalog.SortThumbnailsIn{By: by, Order: order}, nil)
}

func (a *App) setTheme(name string) {
	requests.Ask(a.requests, catalog.SetTheme, catalog.SetThemeIn{Theme: name}, nil)
}

// search narrows the view to a text. Only the user has this filter; there is no tool for
// it.
func (a *App) search(text string) {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.Query.Text = text })
}

func (a *App) togglePanel() {
	requests.Ask(a.requests, catalog.TogglePropertiesPanel, catalog.TogglePropertiesPanelIn{}, func(out catalog.ViewOut) {
		a.keepPanel(out.View.PropertiesPanel)
	})
}

func (a *App) toggleFullscreen() {
	requests.Ask(a.requests, catalog.ToggleFullscreen, catalog.ToggleFullscreenIn{}, nil)
}

func (a *App) toggleFollow() {
	a.cfg.Store.Update(func(s *state.Snapshot) { s.FollowLatest = !s.FollowLatest })
}

func (a *App) settings(edit func(*state.Settings)) {
	a.cfg.Store.Update(func(s *state.Snapshot) { edit(&s.Settings) })
}

// rotateToken creates a new token and then calls done. It works off the UI goroutine,
// because it writes files. Until it has finished, further requests are ignored.
func (a *App) rotateToken(done func(error)) {
	if a.rotating {
		return
	}
	a.rotating = true
	var failed error
	a.requests.Background("rotate_token", func(context.Context) error {
		failed = a.cfg.RotateToken()
		return nil // done shows the error
	}, func() {
		a.rotating = false
		done(failed)
	})
}

func (a *App) demo() {
	a.shell.flash(kit.MarkBusy, a.shell.k.T("flash.demo"))
	a.requests.Background("demo", a.cfg.Demo, nil)
}

func (a *App) openTrash() {
	a.shell.open(pageGallery)
	requests.Topic(a.requests, "open_trash", catalog.OpenTrash, struct{}{}, nil)
}
