package editors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"easel/internal/truncate"
	"easel/internal/wake"
	"easel/mcphost/catalog"
	"easel/ui/core/notebooks"
)

// A window is the connection of one window of an editor.
type window struct {
	hub  *Hub
	link catalog.EditorLink

	// The hub's mutex guards these.
	editor  string
	open    []openNotebook
	unsaved []string // addresses of notebooks with unsaved edits, when it said that it ends
	saidBye bool     // it has said that it ends

	mu      sync.Mutex
	last    uint64
	pending map[uint64]*question // nil when the connection has ended
	lost    error                // why it has ended
}

func newWindow(h *Hub, link catalog.EditorLink) *window {
	return &window{
		hub: h, link: link, editor: "the editor", pending: make(map[uint64]*question),
		// Late messages of an earlier connection are about no question of this one. JavaScript counts to 1<<53.
		last: rand.Uint64N(1 << 50), //nolint:gosec // no secret
	}
}

// A question waits for the answer of an extension.
type question struct {
	report func(notebooks.EditorReport) // may be nil
	answer chan message                 // one slot
	lost   chan struct{}
}

// receive handles the messages of the extension until the connection ends.
func (w *window) receive() error {
	for {
		line, err := w.link.Receive()
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("a message of an editor: %w", err)
		}
		w.handle(m)
	}
}

func (w *window) handle(m message) {
	switch m.Type {
	case "hello":
		w.hub.mu.Lock()
		w.editor = truncate.Bytes(m.Editor, longestName)
		w.hub.mu.Unlock()
	case "notebooks":
		w.hub.opened(w, m.Notebooks)
	case "bye":
		w.hub.mu.Lock()
		w.saidBye, w.unsaved = true, m.Unsaved
		w.hub.mu.Unlock()
	case "show":
		if w.hub.Show != nil {
			w.hub.Show()
		}
	case "run":
		if q := w.question(m.ID, false); q != nil && q.report != nil {
			q.report(m.EditorReport)
		}
	case "answer":
		if q := w.question(m.ID, true); q != nil {
			q.answer <- m
		}
	}
}

// question returns a question that waits, or nil. If it is answered, it waits no longer.
func (w *window) question(id uint64, answered bool) *question {
	w.mu.Lock()
	defer w.mu.Unlock()
	q := w.pending[id]
	if answered {
		delete(w.pending, id)
	}
	return q
}

// errQuits means that Easel ends before the editor has answered.
var errQuits = errors.New("Easel is shutting down") //nolint:staticcheck // its name

// fail ends all questions with an error, because nobody answers them any more.
func (w *window) fail(why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = why
	for _, q := range w.pending {
		close(q.lost)
	}
	w.pending = nil
}

// ask sends a question and waits for its answer. If ctx ends before that, the extension is told.
func (w *window) ask(ctx context.Context, method string, params map[string]any, onReport func(notebooks.EditorReport)) (message, error) {
	q := &question{report: onReport, answer: make(chan message, 1), lost: make(chan struct{})}
	w.mu.Lock()
	if w.pending == nil {
		defer w.mu.Unlock()
		return message{}, w.lost
	}
	w.last++
	id := w.last
	w.pending[id] = q
	w.mu.Unlock()
	if err := w.send(map[string]any{"type": "request", "id": id, "method": method, "params": params}); err != nil {
		w.question(id, true)
		return message{}, fmt.Errorf("%w: %w", notebooks.ErrEditorLeft, err)
	}
	select {
	case m := <-q.answer:
		return m, nil
	case <-q.lost:
		return message{}, w.lost // it was set before
	case <-ctx.Done():
		_ = w.send(map[string]any{"type": "cancel", "id": id}) // best effort
		if onReport == nil {
			w.question(id, true)
			return message{}, context.Cause(ctx)
		}
		return w.cancelled(id, q)
	}
}

// cancelTime is how long a cell that is to be cancelled may take to end.
const cancelTime = 5 * time.Second

// errUncancelled means that a cell may go on although Easel has cancelled it.
var errUncancelled = errors.New("the editor was asked to cancel the cell, and has not answered")

// cancelled waits for the answer to a run that was cancelled. Only the editor knows whether the cell had begun.
func (w *window) cancelled(id uint64, q *question) (message, error) {
	patience := time.NewTimer(cancelTime)
	defer patience.Stop()
	select {
	case m := <-q.answer:
		return m, nil
	case <-q.lost:
		return message{}, w.lost
	case <-patience.C:
		w.question(id, true)
		return message{}, errUncancelled
	}
}

func (w *window) send(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.link.Send(raw)
}

// tell sends what the editor shows of Easel, now and whenever it has changed, until ctx ends.
func (w *window) tell(ctx context.Context, changed wake.Signal) {
	var said *catalog.ShownToEditor
	for {
		if now := w.hub.Shown(ctx); said == nil || *said != now {
			if w.send(struct {
				Type string `json:"type"`
				catalog.ShownToEditor
			}{"shown", now}) != nil {
				return
			}
			said = &now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// A Notebook is a notebook that is open in one window. It is a [notebooks.EditorNotebook].
type Notebook struct {
	openNotebook
	window *window
	editor string
}

// Editor implements notebooks.EditorNotebook.
func (n *Notebook) Editor() string { return n.editor }

// Ask implements notebooks.EditorNotebook.
func (n *Notebook) Ask(ctx context.Context, method string, params map[string]any, out any, onReport func(notebooks.EditorReport)) error {
	all := map[string]any{"uri": n.URI}
	maps.Copy(all, params)
	m, err := n.window.ask(ctx, method, all, onReport)
	switch {
	case err != nil:
		return err
	case m.Error != nil && m.Error.Kind == "closed":
		return notebooks.ErrEditorLeft
	case m.Error != nil:
		return m.Error
	case out == nil:
		return nil
	default:
		return json.Unmarshal(m.Result, out)
	}
}
