// Package roster keeps what the user allows each assistant, and how much it was used, in a file of the data directory. It also
// makes the tokens by which Easel tells assistants apart: a name can be claimed by anybody.
//
// # Goroutines
//
// The package starts none. The function that Keep returns blocks until its context is done. All functions are safe for concurrent use.
package roster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/internal/wake"
	"easel/ui/core/state"
)

const (
	fileName = "assistants.json"
	maxFile  = 1 << 20
	// pace is how long use is counted before it is written. What the user decides is written at once.
	pace = 10 * time.Second
)

// file is the file's content.
type file struct {
	Assistants []state.Assistant `json:"assistants"`
}

// A Problem says why the file could not be read. The zero value means that it could.
type Problem struct {
	Reason string
	Aside  string // path of the file now
}

// Load reads the assistants from a data directory. If the file cannot be used, nothing is known of what the user has allowed: the
// caller must allow nothing before the user has chosen again. The file gets another name.
func Load(dir string) ([]state.Assistant, Problem) {
	known, err := Read(dir)
	if err == nil {
		return known, Problem{}
	}
	path := filepath.Join(dir, fileName)
	aside := path + ".broken-" + time.Now().UTC().Format("20060102T150405.000")
	if system.Rename(path, aside) != nil {
		aside = path
	}
	return nil, Problem{err.Error(), aside}
}

// Read is Load without a change of the file.
func Read(dir string) ([]state.Assistant, error) {
	raw, err := system.ReadRegular(filepath.Join(dir, fileName), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", fileName, err)
	}
	return known, nil
}

func parse(raw []byte) ([]state.Assistant, error) {
	var f file
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // what an unknown field would restrict must not be allowed
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	seen := make(map[string]bool)
	for _, a := range f.Assistants {
		switch {
		case a.ID == "" || seen[a.ID]:
			return nil, fmt.Errorf("the id %.40q is empty or there twice", a.ID)
		case !a.Rights.Valid():
			return nil, fmt.Errorf("the rights of %.40q are not valid", a.ID)
		case a.Limits.Calls < 0 || a.Limits.Kernels < 0 || a.Limits.OutputKB < 0:
			return nil, fmt.Errorf("a limit of %.40q is negative", a.ID)
		}
		seen[a.ID] = true
	}
	return f.Assistants, nil
}

// Save writes the assistants atomically.
func Save(dir string, all []state.Assistant) error {
	raw, err := json.MarshalIndent(file{all}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fileName), append(raw, '\n'), 0o600)
}

// Keep returns a function that saves the store's assistants until its context is done: what the user decides at once, and how
// much they were used after a while. Before it returns, it saves what is left.
func Keep(store *state.Store, dir string, log *slog.Logger) func(context.Context) {
	kept := store.Snapshot().Assistants
	save := func(now []state.Assistant) {
		if err := Save(dir, now); err != nil {
			log.Error("saving what assistants may do", "err", err)
			return
		}
		kept = now
	}
	return func(ctx context.Context) {
		wake := wake.New()
		wake <- struct{}{} // they may have changed since the call of Keep
		stop := store.OnChange(wake.Notify)
		defer stop()
		var later <-chan time.Time
		for {
			select {
			case <-wake:
				now := store.Snapshot().Assistants
				switch {
				case decided(kept, now):
					save(now)
				case later == nil && !reflect.DeepEqual(kept, now):
					later = time.After(pace)
				}
			case <-later:
				later = nil
				save(store.Snapshot().Assistants)
			case <-ctx.Done():
				if now := store.Snapshot().Assistants; !reflect.DeepEqual(kept, now) {
					save(now)
				}
				return
			}
		}
	}
}

// decided reports whether something has changed but the use of assistants.
func decided(was, is []state.Assistant) bool {
	return !slices.EqualFunc(was, is, func(a, b state.Assistant) bool {
		for _, x := range []*state.Assistant{&a, &b} {
			x.Client, x.Calls, x.Plots, x.First, x.Last = "", 0, 0, time.Time{}, time.Time{}
		}
		return reflect.DeepEqual(a, b)
	})
}

// NameOf returns what an assistant is called: the name that the user gave it, or its program's; "" for the others.
func NameOf(a state.Assistant) string {
	if a.Name != "" {
		return a.Name
	}
	c, _ := ProgramOf(a.ID)
	return c.Name
}
