package editors

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"easel/jupyter/local"
	"easel/jupyter/wire"
	"easel/ui/core/notebooks"
)

// guestTime is how long the kernel of a notebook is kept that is no longer open.
const guestTime = 30 * time.Second

// An editorKernel is the kernel of an editor's notebook, as far as Easel sees it.
type editorKernel struct {
	guest *local.Guest

	mu          sync.Mutex
	interrupted bool
}

func (k *editorKernel) setInterrupted(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.interrupted = on
}

// takeInterrupted reports whether the cell that runs was interrupted, and forgets it.
func (k *editorKernel) takeInterrupted() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	was := k.interrupted
	k.interrupted = false
	return was
}

// Kernel returns the id of the kernel in which an editor runs the cells of a notebook.
func (h *Hub) Kernel(d *notebooks.Editor) string {
	if n, ok := d.Notebook().(*Notebook); ok {
		return h.kernel(n).guest.ID
	}
	return ""
}

func (h *Hub) kernel(n *Notebook) *editorKernel {
	h.mu.Lock()
	defer h.mu.Unlock()
	identity := strings.Join([]string{"easel-editor", n.Path, n.Kernel, n.Language, n.editor}, "\x00")
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(identity)).String()
	if k := h.guests[n.Path]; k != nil {
		if k.guest.ID == id || k.guest.Running() {
			return k
		}
		h.Kernels.Dismiss(k.guest) // its user has chosen another kernel
	}
	k := new(editorKernel)
	k.guest = &local.Guest{
		ID: id, Name: n.Kernel, Language: n.Language, Program: n.editor, Notebook: n.Path,
		Interrupt: func(ctx context.Context) error {
			d, err := h.Open(n.Path)
			if err != nil {
				return err
			}
			if d == nil {
				return errors.New("the notebook is no longer open")
			}
			k.setInterrupted(true)
			if err := d.Interrupt(ctx); err != nil {
				k.setInterrupted(false)
				return err
			}
			return nil
		},
	}
	if !h.closed {
		h.guests[n.Path] = k
		h.Kernels.Admit(k.guest)
	}
	return k
}

// sweepSoon forgets the kernels of notebooks that are not open after guestTime. The caller holds the mutex.
func (h *Hub) sweepSoon() {
	if h.closed {
		return
	}
	if h.sweeper != nil {
		h.sweeper.Stop()
	}
	h.sweeper = time.AfterFunc(guestTime, h.sweep)
}

func (h *Hub) sweep() {
	h.mu.Lock()
	defer h.mu.Unlock()
	open := h.openPaths()
	for path, k := range h.guests {
		if !open[path] {
			h.Kernels.Dismiss(k.guest)
			delete(h.guests, path)
		}
	}
	for path, a := range h.disconnected {
		if time.Now().After(a.until) {
			delete(h.disconnected, path)
		}
	}
}

// Run makes the editor run a cell of a notebook, and passes on to its kernel's listeners what it displays; see notebooks.Editor.Run.
func (h *Hub) Run(ctx context.Context, d *notebooks.Editor, cell string, text *string, code string, may func() error,
) (saved bool, err error) {
	n, ok := d.Notebook().(*Notebook)
	if !ok {
		return false, errors.New("the notebook is in no editor")
	}
	r := &cellRun{kernel: h.kernel(n), code: code}
	defer r.kernel.guest.Hold()() // the editor may ask its user for a kernel, or run other cells first
	r.kernel.takeInterrupted()
	done, err := d.Run(ctx, cell, text, code, may, r.onReport)
	if !r.begun() {
		if err == nil {
			err = errors.New("the editor did not run the cell: no kernel was chosen, or it was cancelled")
		}
		return false, err
	}
	r.end(done, err, n.editor)
	return done.Saved, nil
}

// A cellRun passes on what an editor reports about a cell. Its methods are called one after the other.
type cellRun struct {
	kernel *editorKernel
	code   string

	mu     sync.Mutex
	run    *local.GuestRun
	failed bool // it has displayed an error
}

func (r *cellRun) begun() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.run != nil
}

// onReport handles a report. One that comes before the cell has started says that it has.
func (r *cellRun) onReport(e notebooks.EditorReport) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		r.run = r.kernel.guest.Begin(r.code)
	}
	switch e.Event {
	case "count":
		r.run.Count(e.Count)
	case "clear":
		r.failed = false
		r.run.Say("clear_output", wire.ClearOutput{})
	case "output":
		var kind struct {
			Type string `json:"output_type"`
		}
		if json.Unmarshal(e.Output, &kind) != nil {
			return
		}
		switch kind.Type {
		case "error":
			r.failed = true
		case "stream", "display_data", "execute_result":
		default:
			return
		}
		r.run.Say(kind.Type, e.Output)
	}
}

// end says how the cell has ended, if that is known.
func (r *cellRun) end(done notebooks.EditorRun, err error, editor string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fail := func(name, why string) {
		r.run.Say("error", wire.ErrorContent{Ename: name, Evalue: why, Traceback: []string{name + ": " + why}})
	}
	switch interrupted := r.kernel.takeInterrupted(); {
	case errors.Is(err, errQuits):
		return // the cell may go on
	case err != nil && !errors.Is(err, notebooks.ErrEditorLeft):
		fail("EditorFailed", editor+" does not say how the cell has ended: "+err.Error())
	case err != nil:
		fail("EditorDisconnected", editor+" was reloaded or closed while the cell ran. It may have run to its end: look at the notebook")
	case done.OK || r.failed:
	case interrupted:
		fail("KeyboardInterrupt", "interrupted")
	default:
		fail("CellFailed", editor+" reports that the cell has failed or was cancelled")
	}
	r.run.End()
}
