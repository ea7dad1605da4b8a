package editors

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"easel/ui/core/notebooks"
)

// A knownNotebook is a notebook that an editor has or had open.
type knownNotebook struct {
	path string    // on disk
	open *Notebook // nil if its editor is not connected
	was  string    // the name of that editor
}

// Open returns the notebook at a path on disk where an editor has it open, or nil if none does. If it cannot be used there, the error
// is a *notebooks.OpenError.
func (h *Hub) Open(path string) (*notebooks.Editor, error) {
	for {
		known, version := h.known()
		known = slices.DeleteFunc(known, func(k knownNotebook) bool { return !samePath(path, k.path) }) // without the mutex: it may block
		if _, now := h.known(); now != version {
			continue
		}
		open := slices.DeleteFunc(slices.Clone(known), func(k knownNotebook) bool { return k.open == nil })
		switch {
		case len(open) == 1:
			return notebooks.NewEditor(open[0].open), nil
		case len(open) > 1:
			return nil, notebooks.InSeveral(len(open))
		case len(known) > 0:
			return nil, notebooks.NotConnected(known[0].was)
		default:
			return nil, nil
		}
	}
}

// known returns the notebooks that are or were open, and a number that is another one when they have changed.
func (h *Hub) known() (all []knownNotebook, version uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.windows {
		for _, n := range w.open {
			all = append(all, knownNotebook{path: n.Path, open: &Notebook{window: w, openNotebook: n, editor: w.editor}})
		}
	}
	for path, d := range h.disconnected {
		if time.Now().Before(d.until) {
			all = append(all, knownNotebook{path: path, was: d.editor})
		}
	}
	return all, h.changed
}

// openPaths returns the paths that windows have open. The caller holds the mutex.
func (h *Hub) openPaths() map[string]bool {
	open := make(map[string]bool)
	for w := range h.windows {
		for _, n := range w.open {
			open[n.Path] = true
		}
	}
	return open
}

// samePath reports whether two paths are of one file: through links, and where the file system does not distinguish them. If the file
// was deleted, the editor may write it again.
func samePath(a, b string) bool {
	if a = filepath.Clean(a); a == b {
		return true
	}
	here, err := os.Stat(a)
	if err != nil {
		return (runtime.GOOS == "windows" || runtime.GOOS == "darwin") && strings.EqualFold(a, b)
	}
	there, err := os.Stat(b)
	return err == nil && os.SameFile(here, there)
}
