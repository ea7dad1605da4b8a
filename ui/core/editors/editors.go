// Package editors serves the extensions of the user's editors, such as VS Code, which connect to Easel and say which notebooks they
// have open. Through them, Easel reads, edits and runs a notebook where the user has it open
// ([ADR 55](docs/adr/0055-an-editor-edits-its-own-notebook.md)). docs/dev/editors.md describes the messages.
//
// # Goroutines
//
// Each connection is served on the goroutine of its request, which receives; another one sends what the editor shows, and ends with
// the first. What an editor reports about a running cell is passed on by the receiving goroutine. Methods may be called on any
// goroutine. A timer forgets the kernels of notebooks that are no longer open; Close stops it.
package editors

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"easel/eventbus"
	"easel/internal/wake"
	"easel/jupyter/local"
	"easel/mcphost/catalog"
	"easel/ui/core/notebooks"
)

// How long a notebook is remembered that was open in an editor: while a window is reloaded; and if it had unsaved edits, or the
// connection was cut. Its file is not written meanwhile.
const (
	reloadTime       = 10 * time.Second
	disconnectedTime = 5 * time.Minute
)

// Kernels takes the kernels of editors. A [local.Gateway] does.
type Kernels interface {
	Admit(k *local.Guest)
	Dismiss(k *local.Guest)
}

// A Hub has the connections of editors.
type Hub struct {
	Kernels Kernels
	Log     *slog.Logger
	// Shown returns what editors show of Easel. It may block until ctx ends. Watch calls changed whenever that may have changed.
	Shown func(ctx context.Context) catalog.ShownToEditor
	Watch func(changed func()) (stop func())
	Show  func() // brings Easel's window to the front; may be nil

	mu      sync.Mutex
	windows map[*window]struct{}
	changed uint64 // how often the notebooks in windows and disconnected have changed
	// disconnected has the notebooks whose window has left, by path.
	disconnected map[string]disconnectedNotebook
	guests       map[string]*editorKernel
	sweeper      *time.Timer
	closed       bool
}

// A disconnectedNotebook was open in an editor that is not connected now.
type disconnectedNotebook struct {
	editor string
	until  time.Time
}

// message is a message of an extension.
type message struct {
	Type string `json:"type"`

	// hello
	Editor string `json:"editor"`

	// notebooks
	Notebooks []openNotebook `json:"notebooks"`

	// bye
	Unsaved []string `json:"unsaved"` // addresses of the notebooks with edits that are not saved

	// answer, run
	ID     uint64                        `json:"id"`
	Result json.RawMessage               `json:"result"`
	Error  *notebooks.EditorRefusalError `json:"error"`
	notebooks.EditorReport
}

// An openNotebook is a notebook that an editor has open.
type openNotebook struct {
	URI      string `json:"uri"`
	Path     string `json:"path"` // on disk, absolute
	Language string `json:"language"`
	Kernel   string `json:"kernel"` // as the notebook's metadata names it
}

// longestName is how many bytes of an editor's name are used.
const longestName = 100

// Serve serves the connection of an extension until that or ctx ends.
func (h *Hub) Serve(ctx context.Context, link catalog.EditorLink) (struct{}, error) {
	w := newWindow(h, link)
	if !h.enter(w) {
		return struct{}{}, errQuits
	}
	changed := wake.New()
	stop := h.Watch(changed.Notify)
	ctx, cancel := context.WithCancel(ctx)
	told := make(chan struct{})
	go func() { // ends with ctx
		defer close(told)
		w.tell(ctx, changed)
	}()
	err := w.receive()
	cancel()
	stop()
	<-told
	why := notebooks.ErrEditorLeft
	if errors.Is(err, eventbus.ErrClosed) {
		why = errQuits
	}
	h.leave(w, why)
	return struct{}{}, err
}

func (h *Hub) enter(w *window) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	if h.windows == nil {
		h.windows, h.disconnected = make(map[*window]struct{}), make(map[string]disconnectedNotebook)
		h.guests = make(map[string]*editorKernel)
	}
	h.windows[w] = struct{}{}
	return true
}

// leave removes a window whose connection has ended, and ends its questions with why.
func (h *Hub) leave(w *window, why error) {
	w.fail(why)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed++
	delete(h.windows, w)
	open := h.openPaths()
	for _, n := range w.open {
		if open[n.Path] { // the window was reloaded, and has connected again before
			continue
		}
		patience := disconnectedTime
		if w.saidBye && !slices.Contains(w.unsaved, n.URI) {
			patience = reloadTime
		}
		h.disconnected[n.Path] = disconnectedNotebook{w.editor, time.Now().Add(patience)}
	}
	h.sweepSoon()
}

// opened sets which notebooks a window has open.
func (h *Hub) opened(w *window, open []openNotebook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed++
	w.open = w.open[:0]
	for _, n := range open {
		if filepath.IsAbs(n.Path) {
			n.Path = filepath.Clean(n.Path)
			w.open = append(w.open, n)
			delete(h.disconnected, n.Path)
		}
	}
	h.sweepSoon()
}

// Close forgets all kernels. Serve returns without it, because its context ends.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.sweeper != nil {
		h.sweeper.Stop()
	}
	for path, k := range h.guests {
		h.Kernels.Dismiss(k.guest)
		delete(h.guests, path)
	}
}
