package announce

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/state"
)

// watchPause is the minimum time between two comparisons of the state, which changes many
// times per second while a user drags a divider or types a search.
const watchPause = 100 * time.Millisecond

// WatchShown notifies the watchers of later changes of the view, the selection and the
// settings, including those by the user, for example typing a search. A change that is
// reverted within watchPause may be skipped. run does so until ctx ends.
func WatchShown(ctx context.Context, d Deps) (run func()) {
	wake := wake.New()
	stop := d.Store.OnChange(wake.Notify)
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
	view      string // JSON
	selection []string
	settings  state.Settings
}

func displayNow(s *state.Snapshot) display {
	view, _ := json.Marshal([]any{ // always succeeds for strings, numbers and booleans
		s.Folder, s.Query, s.Mode, s.Current, s.Fullscreen, s.PropertiesPanel, s.Settings.Theme, s.Window, s.Total, s.Matching,
		s.Paused, // not in the view but in easel://state, whose subscribers this notifies, too
	})
	return display{string(view), s.Selection, s.Settings}
}

func tellShown(ctx context.Context, d Deps, was, now display) {
	if now.view != was.view {
		if v, err := catalog.GetCurrentFolder.Ask(ctx, d.Bus, catalog.GetCurrentFolderIn{}); err == nil {
			catalog.Changes.Notify(d.Bus, catalog.Change{Name: catalog.ViewChanged, Object: v.View})
		} else {
			d.Log.DebugContext(ctx, "reading the view for its watchers", "err", err)
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
			d.Log.DebugContext(ctx, "reading the selection for its watchers", "err", err)
		}
	}
	if now.settings.Settings != was.settings.Settings {
		catalog.Changes.Notify(d.Bus, catalog.Change{Name: catalog.SettingsChanged, Object: now.settings.Settings})
	}
}
