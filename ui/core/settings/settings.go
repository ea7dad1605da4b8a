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
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/mcphost/tool"
	"easel/ui/core/oversight"
	"easel/ui/core/state"
)

// fileName is the name of the settings file in the data directory.
const fileName = "settings.json"

// maxFile is the largest size of a file with settings or servers.
const maxFile = 1 << 20

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
	raw, err := system.ReadRegular(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return state.DefaultSettings(), Problem{}, nil
	}
	if err != nil {
		s = state.DefaultSettings()
		closed(&s)
		return s, Problem{err.Error(), replace(dir, s)}, nil //nolint:nilerr // the reason says it, and the app must start to ask
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

// Begin is Load at the start of Easel. If Easel has never run with the data directory and has a window, where somebody can answer,
// assistants begin with the mode that asks about risky code; Begin saves that.
func Begin(dir string, window bool) (state.Settings, Problem, error) {
	if !window || !fresh(dir) {
		return Load(dir)
	}
	s := state.DefaultSettings()
	s.Access, s.ToldOfRisky = oversight.AccessAskRisky, true
	return s, Problem{}, Save(dir, s)
}

// fresh reports whether Easel has never run with a data directory.
func fresh(dir string) bool {
	for _, name := range []string{fileName, "library"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// replace saves settings in the place of something that could not be read, such as a pipe or a
// directory, and returns where that is now; "" if it is not kept.
func replace(dir string, s state.Settings) (aside string) {
	path := filepath.Join(dir, fileName)
	aside = brokenName(path)
	linked := os.Link(path, aside) == nil
	if Save(dir, s) == nil {
		if !linked {
			aside = ""
		}
		return aside
	}
	if linked || system.Rename(path, aside) != nil { // a directory is not replaced
		return ""
	}
	_ = Save(dir, s) // if it fails now, the next start has no settings: the disk is full
	return aside
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
	raw, err := system.ReadRegular(filepath.Join(dir, fileName), maxFile)
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
	keys, wrong, err := members(raw)
	if err != nil {
		closed(&s)
		return s, err.Error()
	}
	err = json.Unmarshal(raw, &s) // skips values of a wrong type
	given := s.Access
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

// members returns the values of the keys in a file. It names those that are there twice: it is
// unknown which of the values is meant.
func members(raw []byte) (keys map[string]json.RawMessage, twice []string, err error) {
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, nil, err
	}
	if keys == nil {
		return nil, nil, errors.New("it contains no object")
	}
	seen := make(map[string]bool)
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		key, _ := t.(string) // always
		if seen[key] {
			twice = append(twice, fmt.Sprintf("%.40q is there twice", key))
		}
		seen[key] = true
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, nil, err
		}
	}
	return keys, twice, nil
}

// unusable returns what is wrong with the keys of a file: a null says nothing, a key in
// another case would be taken for the setting, and a misspelt one would silently mean the
// default. Other keys may be those of a newer version.
func unusable(keys map[string]json.RawMessage) (wrong []string) {
	known := make(map[string]bool)
	for name := range fields() {
		known[name] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if known[key] {
			if string(keys[key]) == "null" {
				wrong = append(wrong, key+" is null")
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(known)) {
			_, given := keys[name]
			if strings.EqualFold(key, name) || !given && (tool.Resembles(key, name) || len(key) > 3 && strings.HasPrefix(name, key)) {
				wrong = append(wrong, fmt.Sprintf("%.40q is not a setting; %s is meant", key, name))
				break
			}
		}
	}
	return wrong
}

// fields returns the settings by key.
func fields() iter.Seq2[string, reflect.StructField] {
	return func(yield func(string, reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[state.Settings]()) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "-" && !yield(name, f) {
				return
			}
		}
	}
}

// sane replaces values that cannot be set in the window by the defaults, and names them. It
// leaves the access mode alone.
func sane(s state.Settings) (_ state.Settings, wrong []string) {
	d := state.DefaultSettings()
	check(&wrong, "port", &s.Port, d.Port, 1, 65535)
	check(&wrong, "timeout", &s.Timeout, d.Timeout, math.SmallestNonzeroFloat64, 86400)
	check(&wrong, "ask_for", &s.AskFor, d.AskFor, 1, 86400)
	check(&wrong, "output_kb", &s.OutputKB, d.OutputKB, 1, state.MostOutputKB)
	check(&wrong, "long_run_seconds", &s.LongRunSeconds, 0, 0, 86400)
	check(&wrong, "trash_days", &s.TrashDays, d.TrashDays, 1, 3650)
	check(&wrong, "unused_hours", &s.UnusedHours, d.UnusedHours, 0, state.MostUnusedHours)
	check(&wrong, "check_minutes", &s.CheckMinutes, d.CheckMinutes, 1, 1440)
	check(&wrong, "quota_mb", &s.QuotaMB, d.QuotaMB, 0, math.MaxInt64)
	check(&wrong, "thumb_size", &s.ThumbSize, d.ThumbSize, 96, 420)
	for name, f := range fields() {
		values := strings.Split(f.Tag.Get("enum"), ",")
		value := reflect.ValueOf(&s).Elem().FieldByIndex(f.Index)
		if len(values) < 2 || name == "access" || slices.Contains(values, value.String()) {
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s is %.40q; it must be one of %q", name, value.String(), values))
		value.Set(reflect.ValueOf(d).FieldByIndex(f.Index))
	}
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
	return state.Keep(store, state.Part[state.Settings]{
		Of:      func(s *state.Snapshot) state.Settings { return s.Settings },
		Changed: func(was, is state.Settings) (time.Duration, bool) { return 0, was != is },
		Save: func(now state.Settings) error {
			err := Save(dir, now)
			if err != nil {
				log.Error("saving the settings", "err", err)
			}
			return err
		},
	})
}
