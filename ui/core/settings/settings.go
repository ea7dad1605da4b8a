// Package settings finds out what the user wants: from the command line, the
// environment, and the settings file, in this order. The file is written
// atomically; a broken one is set aside and reported, never overwritten.
//
// # Goroutines
//
// What Keep gives runs on its caller's goroutine until its context ends; all else
// may be called from anywhere.
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
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// fileName is the settings file in the data directory.
const fileName = "settings.json"

// Load reads the settings of a data directory: the defaults where there is no
// file. A file that cannot be understood is renamed; aside is then its new path.
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
		if err := os.Rename(path, aside); err != nil {
			return state.DefaultSettings(), "", fmt.Errorf("setting the broken settings aside: %w", err)
		}
		return state.DefaultSettings(), aside, nil
	}
	return sane(s), "", nil
}

// sane replaces what no control of the window could have set.
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
	if s.QuotaMB < 0 {
		s.QuotaMB = 0
	}
	if s.ThumbSize < 96 || s.ThumbSize > 420 {
		s.ThumbSize = d.ThumbSize
	}
	return s
}

// Save writes the settings so that a crash leaves the old file or the new one.
func Save(dir string, s state.Settings) error {
	raw, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fileName), append(raw, '\n'), 0o600)
}

// Keep gives a function that writes the store's settings whenever they differ from
// what they are now, until its context ends; it writes once more then, if need be.
func Keep(store *state.Store, dir string, log *slog.Logger) func(context.Context) {
	kept := store.Snapshot().Settings
	save := func() {
		s := store.Snapshot().Settings
		if s == kept {
			return
		}
		if err := Save(dir, s); err != nil {
			log.Error("keeping the settings", "err", err)
			return
		}
		kept = s
	}
	return func(ctx context.Context) {
		wake := make(chan struct{}, 1)
		wake <- struct{}{} // something may have changed before
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
