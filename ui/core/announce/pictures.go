package announce

import (
	"context"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/folders"
	"easel/ui/core/library"
	"easel/ui/core/state"
)

// Drawn returns the function that updates the state and notifies the watchers when
// the picture of a figure has been drawn.
func Drawn(bus *eventbus.Bus, store *state.Store) func(library.Image) {
	return func(i library.Image) {
		store.Update(func(s *state.Snapshot) { s.Gallery++ })
		catalog.Changes.Notify(bus, catalog.Change{Name: catalog.ImageChanged, Object: i.Image})
	}
}

// Files returns the function that passes changes in the open directory on to the
// state and the watchers.
func Files(bus *eventbus.Bus, store *state.Store) func(folders.Change) {
	return func(c folders.Change) {
		store.Update(func(s *state.Snapshot) { s.Gallery++ })
		for name, images := range map[catalog.ChangeName][]library.Image{
			catalog.ImageRemoved: c.Removed, catalog.ImageAdded: c.Added, catalog.ImageChanged: c.Changed,
		} {
			for _, i := range images {
				catalog.Changes.Notify(bus, catalog.Change{Name: name, Object: i.Image})
			}
		}
	}
}

// Checks returns the function that puts the open checks into the state.
func Checks(store *state.Store) func([]command.OpenCheck) {
	return func(open []command.OpenCheck) {
		store.Update(func(s *state.Snapshot) { s.Checks = open })
	}
}

// Checked returns the function that announces the result of a check.
func Checked(bus *eventbus.Bus, store *state.Store, lib *library.Library) func(image string) {
	publish := Drawn(bus, store)
	return func(image string) {
		if im, err := lib.Image(context.Background(), image); err == nil {
			publish(im)
		}
	}
}
