package tools

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// watchPause is the least time between two looks at the state: a user who drags a
// divider or types a search changes it many times a second.
const watchPause = 100 * time.Millisecond

// WatchShown tells the bus's watchers what changes from now on in the view, the
// selection and the settings, whoever changes it: the user's own hands too, as a
// search that they type. A state that changed and changed back is not told. run does
// so until ctx ends.
func WatchShown(ctx context.Context, d Deps) (run func()) {
	wake := make(chan struct{}, 1)
	stop := d.Store.OnChange(func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	})
	told := displayNow(d.Store.Snapshot())
	return func() {
		defer stop()
		pause := time.NewTimer(0)
		defer pause.Stop()
		for {
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
			now := displayNow(d.Store.Snapshot())
			tellShown(ctx, d, told, now)
			told = now
			pause.Reset(watchPause)
			select {
			case <-pause.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// A display is what WatchShown compares.
type display struct {
	view      string // as JSON
	selection []string
	settings  state.Settings
}

func displayNow(s *state.Snapshot) display {
	view, _ := json.Marshal([]any{ // strings, numbers and booleans
		s.Folder, s.Query, s.Mode, s.Current, s.Fullscreen, s.PropertiesPanel, s.Settings.Theme, s.Window, s.Total, s.Matching,
		s.Paused, // no part of a view, but of easel://state, which this tells of too
	})
	return display{string(view), s.Selection, s.Settings}
}

func tellShown(ctx context.Context, d Deps, was, now display) {
	if now.view != was.view {
		if v, err := catalog.GetCurrentFolder.Ask(ctx, d.Bus, catalog.GetCurrentFolderIn{}); err == nil {
			catalog.Changes.Notify(d.Bus, catalog.Change{Name: catalog.ViewChanged, Object: v.View})
		} else {
			d.Log.DebugContext(ctx, "the view for its watchers", "err", err)
		}
	}
	if !slices.Equal(now.selection, was.selection) {
		if v, err := catalog.GetSelectedFiles.Ask(ctx, d.Bus, catalog.GetSelectedFilesIn{}); err == nil {
			files := make([]catalog.File, len(v.Files))
			for i, f := range v.Files {
				files[i] = f.File
			}
			catalog.Changes.Notify(d.Bus, catalog.Change{Name: catalog.SelectionChanged, Object: files})
		} else {
			d.Log.DebugContext(ctx, "the selection for its watchers", "err", err)
		}
	}
	if now.settings.Settings != was.settings.Settings {
		catalog.Changes.Notify(d.Bus, catalog.Change{Name: catalog.SettingsChanged, Object: now.settings.Settings})
	}
}
