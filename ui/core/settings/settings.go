// Package settings reads the user's settings from the command line, the environment, and the
// settings file, in this order of priority. The settings file is written atomically. A copy
// of an invalid one is kept, and assistants may only read until the user has chosen again.
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
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"easel/internal/atomicfile"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// fileName is the name of the settings file in the data directory.
const fileName = "settings.json"

// unset is the access mode in a file whose earlier one could not be read. The user has to
// choose again.
const unset = "unset"

// A Problem says why settings could not be read. The zero value means that they could.
type Problem struct {
	Reason string // the first one, in English; "" if only the access mode is still to be chosen
	Aside  string // path of the copy of the file; "" if there is none
}

// Load reads the settings from a data directory. If there is no file, it returns the defaults.
// If a value cannot be used, or the whole file, Load returns the defaults in its place, and
// ChooseAccess with read-only access until the user has chosen again. It keeps a copy of
// such a file.
func Load(dir string) (s state.Settings, problem Problem, err error) {
	path := filepath.Join(dir, fileName)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state.DefaultSettings(), Problem{}, nil
	}
	if err != nil {
		return s, Problem{}, fmt.Errorf("reading the settings: %w", err)
	}
	s, reason := parse(raw)
	if reason == "" {
		return s, Problem{}, nil
	}
	// The file itself stays until it is replaced, so that a crash leaves one that is invalid.
	aside, err := setAside(path, raw)
	if err == nil {
		err = Save(dir, s)
	}
	if err != nil {
		return s, Problem{reason, ""}, nil //nolint:nilerr // on a full disk, the invalid file stays and means the same
	}
	return s, Problem{reason, aside}, nil
}

// closed lets assistants only read, until the user has chosen again.
func closed(s *state.Settings) { s.Access, s.ChooseAccess = oversight.AccessReadOnly, true }

// setAside keeps a copy of a file that could not be read and returns its path.
func setAside(path string, raw []byte) (string, error) {
	aside := brokenName(path)
	return aside, atomicfile.Write(aside, raw, 0o600)
}

func brokenName(path string) string {
	return path + ".broken-" + time.Now().UTC().Format("20060102T150405.000")
}

// Check returns why the settings in a data directory mean read-only access, or "". It
// changes nothing.
func Check(dir string) string {
	raw, err := os.ReadFile(filepath.Join(dir, fileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return err.Error()
	}
	s, reason := parse(raw)
	if reason == "" && s.ChooseAccess {
		reason = "earlier settings could not be read"
	}
	return reason
}

// parse returns the settings in a file. If something in it cannot be used, reason says what.
func parse(raw []byte) (s state.Settings, reason string) {
	s = state.DefaultSettings()
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil || keys == nil {
		closed(&s)
		if err == nil {
			err = errors.New("it contains no object")
		}
		return s, err.Error()
	}
	err := json.Unmarshal(raw, &s) // skips values of a wrong type
	given := s.Access
	var wrong []string
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	s, outside := sane(s)
	wrong = append(wrong, outside...)
	wrong = append(wrong, unusable(keys)...)
	switch {
	case len(wrong) > 0:
		reason = strings.Join(wrong, "; ")
	case given == unset:
	case !slices.Contains(oversight.AccessModes, given):
		reason = fmt.Sprintf("access is %.40q", given)
	default:
		return s, ""
	}
	closed(&s)
	return s, reason
}

// unusable returns what is wrong with the keys of a file: a null says nothing, and a
// misspelt access would silently mean the default.
func unusable(keys map[string]json.RawMessage) (wrong []string) {
	access := false
	for name, value := range keys {
		if strings.EqualFold(name, "access") {
			access = true
			if string(value) == "null" {
				wrong = append(wrong, "access is null")
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if !access && tool.Resembles(name, "access") {
			wrong = append(wrong, fmt.Sprintf("%q is not a setting; access is meant", name))
		}
	}
	return wrong
}

// sane replaces values that cannot be set in the window by the defaults, and names them. It
// leaves the access mode alone.
func sane(s state.Settings) (_ state.Settings, wrong []string) {
	d := state.DefaultSettings()
	check(&wrong, "port", &s.Port, d.Port, 1, 65535)
	check(&wrong, "timeout", &s.Timeout, d.Timeout, math.SmallestNonzeroFloat64, 86400)
	check(&wrong, "ask_for", &s.AskFor, d.AskFor, 1, 86400)
	check(&wrong, "output_kb", &s.OutputKB, d.OutputKB, 1, state.MostOutputKB)
	check(&wrong, "trash_days", &s.TrashDays, d.TrashDays, 1, 3650)
	check(&wrong, "unused_hours", &s.UnusedHours, d.UnusedHours, 0, state.MostUnusedHours)
	check(&wrong, "check_minutes", &s.CheckMinutes, d.CheckMinutes, 1, 1440)
	check(&wrong, "quota_mb", &s.QuotaMB, d.QuotaMB, 0, math.MaxInt64)
	check(&wrong, "thumb_size", &s.ThumbSize, d.ThumbSize, 96, 420)
	return s, wrong
}

// check replaces a value outside of a range by another, and names it in wrong.
func check[T int | int64 | float64](wrong *[]string, name string, value *T, other, least, most T) {
	if *value < least || *value > most {
		*wrong = append(*wrong, fmt.Sprintf("%s is %v; it must be from %v to %v", name, *value, least, most))
		*value = other
	}
}

// Save writes the settings atomically: a crash leaves either the old file or the new one.
func Save(dir string, s state.Settings) error {
	if s.ChooseAccess {
		s.Access = unset
	}
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
