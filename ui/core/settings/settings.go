// Package settings reads the user's settings from the command line, the environment, and the
// settings file, in this order of priority. The settings file is written atomically. An
// invalid one is renamed and reported, never overwritten.
//
// # Goroutines
//
// The package starts none. The function that Keep returns blocks until its context is done.
// All functions are safe for concurrent use.
package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// fileName is the name of the settings file in the data directory.
const fileName = "settings.json"

// Load reads the settings from a data directory. If there is no file, it returns the defaults.
// If the file is invalid, it renames it, returns the defaults, and returns the new path as
// aside.
func Load(dir string) (s state.Settings, aside string, err error) {
	s = state.DefaultSettings()
	path := filepath.Join(dir, fileName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, "", nil
	}
	if err != nil {
		return s, "", fmt.Errorf("reading the settings: %w", err)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		aside = path + ".broken-" + time.Now().UTC().Format("20060102T150405")
		if err := system.Rename(path, aside); err != nil {
			return state.DefaultSettings(), "", fmt.Errorf("renaming the invalid settings: %w", err)
		}
		return state.DefaultSettings(), aside, nil
	}
	return sane(s), "", nil
}

// sane replaces values that cannot be set in the window by the defaults.
func sane(s state.Settings) state.Settings {
	d := state.DefaultSettings()
	if s.Port < 1 || s.Port > 65535 {
		s.Port = d.Port
	}
	if s.Timeout <= 0 || s.Timeout > 86400 {
		s.Timeout = d.Timeout
	}
	if !slices.Contains(oversight.AccessModes, s.Access) {
		s.Access = d.Access
	}
	if s.AskFor < 1 || s.AskFor > 86400 {
		s.AskFor = d.AskFor
	}
	if s.OutputKB < 1 || s.OutputKB > state.MostOutputKB {
		s.OutputKB = d.OutputKB
	}
	if s.TrashDays < 1 || s.TrashDays > 3650 {
		s.TrashDays = d.TrashDays
	}
	if s.UnusedHours < 0 || s.UnusedHours > state.MostUnusedHours {
		s.UnusedHours = d.UnusedHours
	}
	if s.CheckMinutes < 1 || s.CheckMinutes > 1440 {
		s.CheckMinutes = d.CheckMinutes
	}
	if s.QuotaMB < 0 {
		s.QuotaMB = 0
	}
	if s.ThumbSize < 96 || s.ThumbSize > 420 {
		s.ThumbSize = d.ThumbSize
	}
	return s
}

// Save writes the settings atomically: a crash leaves either the old file or the new one.
func Save(dir string, s state.Settings) error {
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fileName), append(raw, '\n'), 0o600)
}

// Keep returns a function that saves the store's settings whenever they change, compared to
// those at the time of the call, until its context is done. Before it returns, it saves
// changes that are left.
func Keep(store *state.Store, dir string, log *slog.Logger) func(context.Context) {
	kept := store.Snapshot().Settings
	save := func() {
		s := store.Snapshot().Settings
		if s == kept {
			return
		}
		if err := Save(dir, s); err != nil {
			log.Error("saving the settings", "err", err)
			return
		}
		kept = s
	}
	return func(ctx context.Context) {
		wake := make(chan struct{}, 1)
		wake <- struct{}{} // they may have changed since the call of Keep
		stop := store.OnChange(func() {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
		defer stop()
		for {
			select {
			case <-wake:
				save()
			case <-ctx.Done():
				save()
				return
			}
		}
	}
}
