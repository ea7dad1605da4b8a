// Package roster keeps what the user allows each assistant, and how much it was used, in a file of the data directory. It also
// makes the tokens by which Easel tells assistants apart: a name can be claimed by anybody.
//
// # Goroutines
//
// The package starts none. The function that Keeper.Keep returns blocks until its context is done. All functions are safe for
// concurrent use.
package roster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"easel/internal/atomicfile"
	"easel/internal/system"
	"easel/mcphost/tool"
	"easel/ui/core/state"
)

const (
	fileName = "assistants.json"
	maxFile  = 1 << 20
	// pace is how long use is counted before it is written. What the user decides is written at once.
	pace = 10 * time.Second
)

// Contents are what the file has. The zero value is that of a data directory without one.
type Contents struct {
	// Key is random, and made with the file. All tokens follow from it, too: who loses the file, and with it what was restricted and
	// who was forgotten, ends them all. It is "" in the files of earlier versions.
	Key        string            `json:"key,omitempty"`
	Assistants []state.Assistant `json:"assistants"`
}

// Of returns what is kept of a state.
func Of(s *state.Snapshot) Contents { return Contents{s.AssistantKey, s.Assistants} }

// A Problem says why the file could not be read. The zero value means that it could.
type Problem struct {
	Reason string
	Aside  string // path of the file now
}

// Load reads the assistants from a data directory, and begins a file if there is none. If the file cannot be used, nothing is known of
// what the user has allowed: the caller must allow nothing before the user has chosen again. The file gets another name.
func Load(dir string) (Contents, Problem) {
	kept, err := ReadOrBegin(dir)
	if err == nil || kept.Key != "" { // if a new file cannot be written, the tokens of this run end with it
		return kept, Problem{}
	}
	path := filepath.Join(dir, fileName)
	aside := path + ".broken-" + time.Now().UTC().Format("20060102T150405.000")
	if system.Rename(path, aside) != nil {
		aside = path
	}
	kept, _ = begin(dir)
	return kept, Problem{err.Error(), aside}
}

// ReadOrBegin is Read, but it begins a file if there is none. It leaves one alone that cannot be used.
func ReadOrBegin(dir string) (Contents, error) {
	kept, err := Read(dir)
	if err == nil && kept.Key == "" && kept.Assistants == nil {
		return begin(dir)
	}
	return kept, err
}

// begin writes the file of nobody, with another key.
func begin(dir string) (Contents, error) {
	kept := Contents{Key: rand.Text()}
	return kept, Save(dir, kept)
}

// Read reads the assistants from a data directory.
func Read(dir string) (Contents, error) {
	raw, err := system.ReadRegular(filepath.Join(dir, fileName), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Contents{}, nil
	}
	if err != nil {
		return Contents{}, err
	}
	kept, err := parse(raw)
	if err != nil {
		return Contents{}, fmt.Errorf("%s: %w", fileName, err)
	}
	return kept, nil
}

func parse(raw []byte) (f Contents, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields() // what an unknown field would restrict must not be allowed
	if err = d.Decode(&f); err != nil {
		return Contents{}, err
	}
	seen := make(map[string]bool)
	for _, a := range f.Assistants {
		switch {
		case a.ID == "" || seen[a.ID]:
			return Contents{}, fmt.Errorf("the id %.40q is empty or there twice", a.ID)
		case !a.Rights.Valid():
			return Contents{}, fmt.Errorf("the rights of %.40q are not valid", a.ID)
		case a.Limits.Calls < 0 || a.Limits.Kernels < 0 || a.Limits.OutputKB < 0:
			return Contents{}, fmt.Errorf("a limit of %.40q is negative", a.ID)
		}
		seen[a.ID] = true
	}
	return f, nil
}

// Save writes the assistants atomically.
func Save(dir string, kept Contents) error {
	if kept.Assistants == nil {
		kept.Assistants = []state.Assistant{} // unlike no file
	}
	raw, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, fileName), append(raw, '\n'), 0o600)
}

// A Keeper keeps the assistants of a store in the file of a data directory.
type Keeper struct {
	store *state.Store
	dir   string
	mu    sync.Mutex // held while the file is written, so that no older state follows a newer one
}

// NewKeeper returns a Keeper.
func NewKeeper(store *state.Store, dir string) *Keeper { return &Keeper{store: store, dir: dir} }

// Save writes the assistants as they are now.
func (k *Keeper) Save() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return Save(k.dir, Of(k.store.Snapshot()))
}

// Keep returns a function that saves the assistants until its context is done: what the user decides at once, and how much they
// were used after a while. Before it returns, it saves what is left.
func (k *Keeper) Keep(log *slog.Logger) func(context.Context) {
	return state.Keep(k.store, state.Part[Contents]{
		Of: Of,
		Changed: func(was, is Contents) (wait time.Duration, ok bool) {
			if decided(was.Assistants, is.Assistants) {
				return 0, true
			}
			return pace, !reflect.DeepEqual(was, is)
		},
		Save: func(Contents) error {
			err := k.Save()
			if err != nil {
				log.Error("saving what assistants may do", "err", err)
			}
			return err
		},
	})
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

// NameOf returns what an assistant is called: the name that the user gave it, or its program's, or its id's; "" for the others.
func NameOf(a state.Assistant) string {
	if a.Name != "" {
		return a.Name
	}
	if c, ok := ProgramOf(a.ID); ok {
		return c.Name
	}
	if a.ID == tool.Others {
		return ""
	}
	id, _, _ := strings.Cut(a.ID, again)
	return id
}
