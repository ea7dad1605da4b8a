package notebook

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"sync"
	"time"

	"easel/jupyter"
	"easel/mcphost/tool"
	"easel/ui/core/editors"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/record"
	"easel/ui/core/notebooks"
	"easel/ui/core/tools/paths"
)

// How long the first JupyterLab tab has to answer: if the notebook has a session of the
// user or a tab showed it before, and otherwise, when it is probably open nowhere. If no tab
// answers, the server is not asked again for a while.
const (
	tabPatience      = 2 * time.Second
	tabGlance        = 300 * time.Millisecond
	tabGlanceAgainAt = 5 * time.Second
)

// An opener opens a notebook where it is now: in a shared document, a JupyterLab tab or its file.
type opener struct {
	paths   *paths.Finder
	kernels *kernels.Manager
	files   *notebooks.Files
	rooms   *notebooks.Rooms
	editors *editors.Hub // may be nil
	log     *slog.Logger
	tabs    notebooks.Tabs

	mu      sync.Mutex
	noTabs  map[*jupyter.Server]time.Time // when no JupyterLab tab answered
	greeted map[place]time.Time           // when a tab showed who works in it
	inTabs  map[place]tabSeen             // notebooks that a tab showed
	alone   map[place]string              // kernels of others' sessions that nobody is connected to, by their notebook
}

func newOpener(d Deps) *opener {
	return &opener{
		paths: d.Paths, kernels: d.Runner.Kernels, files: d.Runner.Kernels.Notebooks(), rooms: d.Rooms, editors: d.Editors, log: d.Log,
		noTabs: make(map[*jupyter.Server]time.Time), greeted: make(map[place]time.Time),
		inTabs: make(map[place]tabSeen), alone: make(map[place]string),
	}
}

// document returns the notebook at a place as it can be written now: in the user's editor, as a shared document, in
// the JupyterLab tab that shows it, or its file if nobody has it open. If none is possible,
// the error is an *openError.
func (n *opener) document(ctx context.Context, at place) (notebooks.Document, error) {
	began := time.Now()
	d, open, err := n.opened(ctx, at)
	if err != nil {
		return nil, err
	}
	if d != nil {
		if err := n.savable(ctx, at); err != nil {
			return nil, err
		}
		return d, nil
	}
	if open != nil {
		if err := n.settle(ctx, at, open, began); err != nil {
			return nil, err
		}
	}
	return n.unseen(ctx, at, n.allow(at))
}

// savable returns an error if what is written into an open notebook could not be saved.
func (n *opener) savable(ctx context.Context, at place) error {
	m, err := n.files.Stat(ctx, at.Client, at.path)
	if err == nil && m.Writable != nil && !*m.Writable {
		return &notebooks.OpenError{Reason: "its file is read-only, so that nothing could be saved", Remedy: "ask the user to make the file writable"}
	}
	return nil // saving reports other errors
}

// opened returns the notebook at a place where it is open: in an editor, as a shared document or in a JupyterLab
// tab. If nobody seems to have it open, both d and err are nil; open then says why it may
// have been opened just now, or is nil.
func (n *opener) opened(ctx context.Context, at place) (d notebooks.Document, open *openError, err error) {
	open, sole, err := n.clients(ctx, at)
	if err != nil {
		return nil, nil, err
	}
	if d, err := n.inEditor(at, open); d != nil || err != nil {
		return d, nil, err
	}
	isOpen := open != nil
	// Where documents are shared, a file that is written beside the document replaces it,
	// also if the notebook has no session.
	shared, err := n.rooms.Open(ctx, at.Client, at.path, presence(ctx))
	if err == nil {
		if shared.TabFirst {
			if tab, err := n.tabs.Open(ctx, at.Client, at.own(), tabGlance, isOpen, ""); err == nil {
				tab.ServerSaves = true
				return tab, nil, nil
			}
		}
		return shared, nil, nil
	}
	if e, ok := errors.AsType[*notebooks.OpenError](err); isOpen && ok && !e.Nobody() {
		open.found = e
		return nil, nil, open // what a tab shows is a copy of the shared document
	}
	d, err = n.inTab(ctx, at, open, sole)
	return d, open, err
}

// inTab returns the JupyterLab tab that shows a notebook, or nil if none can. open and sole are
// what clients has returned. If the notebook may be open but not in one tab, or is in several,
// the error says so.
func (n *opener) inTab(ctx context.Context, at place, open *openError, sole string) (notebooks.Document, error) {
	// A tab that shows a notebook is connected to its kernel, if it has one.
	expected, patience := open != nil && open.clients != 0 || n.wasInTab(at), tabPatience
	if !expected {
		if patience = tabGlance; !n.mayHaveTabs(at.Client) {
			return nil, nil
		}
	}
	if _, err := n.files.Stat(ctx, at.Client, at.path); err != nil {
		return nil, err // asked about it, JupyterLab would show this error to the user
	}
	tab, err := n.tabs.Open(ctx, at.Client, at.own(), patience, expected, sole)
	if err == nil {
		n.sawTab(ctx, at)
		return tab, nil
	}
	e, ok := errors.AsType[*notebooks.OpenError](err)
	switch {
	case open != nil && (open.clients != 0 || !ok || e.Several() || e.Unknown()):
		open.found = err
		return nil, open
	case ok && e.Several():
		return nil, e
	case ok && e.Nobody():
		n.hasNoTabs(at.Client)
	case ok: // the tabs that answer do not show it
		n.forgetTab(at)
	}
	return nil, nil
}

// A tabSeen is when a notebook was seen in a JupyterLab tab.
type tabSeen struct {
	server  time.Time // when its Jupyter server was started
	refused time.Time // when its file was first not written because of the tab; zero if it was
}

// tabReturn is how long a tab that does not answer after a restart of its Jupyter server is
// waited for. Its page reconnects later and later.
const tabReturn = 10 * time.Minute

// unseen returns the file of a notebook that no tab shows. If a tab showed it before its
// Jupyter server was restarted, the tab may have unsaved edits, and the error is
// a *notebooks.OpenError.
func (n *opener) unseen(ctx context.Context, at place, allow func(context.Context) error) (notebooks.Document, error) {
	n.mu.Lock()
	seen, ok := n.inTabs[at]
	n.mu.Unlock()
	if !ok {
		return n.files.Document(at.Client, at.path, allow), nil
	}
	status, err := at.Client.Status(ctx)
	if err != nil {
		return nil, err
	}
	if seen.refused.IsZero() {
		seen.refused = time.Now()
	}
	if status.Started.Equal(seen.server) || time.Since(seen.refused) > tabReturn {
		n.forgetTab(at)
		return n.files.Document(at.Client, at.path, allow), nil
	}
	n.mu.Lock()
	n.inTabs[at] = seen
	n.mu.Unlock()
	return nil, &notebooks.OpenError{
		Reason: "it was open in a JupyterLab tab that has not answered since its Jupyter server was restarted",
		Remedy: "ask the user to save it and reload the page",
	}
}

// wasInTab reports whether a tab showed a notebook when it was last used.
func (n *opener) wasInTab(at place) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.inTabs[at]
	return ok
}

// sawTab records that a tab shows a notebook.
func (n *opener) sawTab(ctx context.Context, at place) {
	n.mu.Lock()
	seen, ok := n.inTabs[at]
	n.mu.Unlock()
	if ok && seen.refused.IsZero() {
		return
	}
	status, err := at.Client.Status(ctx)
	if err != nil {
		return // the next call records it
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.inTabs[at] = tabSeen{server: status.Started}
}

func (n *opener) forgetTab(at place) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.inTabs, at)
}

// presence returns the name under which others see the caller in a shared document.
func presence(ctx context.Context) string {
	if name := tool.CallerFrom(ctx).Name; name != "" {
		return name + " (Easel)"
	}
	return "Easel"
}

// mayHaveTabs reports whether JupyterLab tabs may be connected to a server.
func (n *opener) mayHaveTabs(s *jupyter.Server) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Since(n.noTabs[s]) > tabGlanceAgainAt
}

func (n *opener) hasNoTabs(s *jupyter.Server) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.noTabs[s] = time.Now()
}

// look reads the notebook at a place: where it is open if possible, otherwise its file. missed says
// why that may lack what somebody has typed; otherwise it is "".
func (n *opener) look(ctx context.Context, at place) (d notebooks.Document, book *notebooks.Notebook, missed string, err error) {
	d, _, err = n.opened(ctx, at)
	if err == nil && d != nil {
		if book, err = d.Read(ctx); err == nil {
			return d, book, "", nil
		}
	}
	if e, ok := errors.AsType[*openError](err); ok {
		err = e.found
	}
	if e, ok := errors.AsType[*notebooks.OpenError](err); ok && (e.Several() || e.Unknown()) {
		missed = "this is the file, without what is not saved yet, because " + e.Reason
	}
	d = n.files.Document(at.Client, at.path, n.allow(at))
	book, err = d.Read(ctx)
	return d, book, missed, err
}

// greetAgainAt is how long after a greeting a tab is not greeted again.
const greetAgainAt = time.Minute

// greet shows in a tab who is working in it, unless it was shown lately.
func (n *opener) greet(ctx context.Context, at place, d notebooks.Document) {
	tab, ok := d.(*notebooks.Tab)
	if !ok {
		return
	}
	n.mu.Lock()
	due := time.Since(n.greeted[at]) > greetAgainAt
	if due {
		n.greeted[at] = time.Now()
	}
	n.mu.Unlock()
	if !due {
		return
	}
	if err := tab.Tell(ctx, presence(ctx)+" is working in "+path.Base(at.path)); err != nil {
		n.log.DebugContext(ctx, "showing who works in a tab", "err", err)
	}
}

// inTab makes the tab run the cell; see record.Request.Send.
func (r *cellRun) inTab(ctx context.Context, code string, may func() error) error {
	err := r.tab.Run(ctx, r.cell, r.asked, code, may)
	if !record.Moved(err) { // otherwise it is called again
		close(r.shown)
	}
	return err
}

// Why the outputs of a cell cannot be saved in the tab that has run it.
var (
	errTabClosed   = errors.New("the tab that ran the cell was closed")
	errTabReloaded = errors.New("the page was reloaded while the cell ran, or no longer answers, and does not show them")
)

// tabCheck is how often Easel checks whether the tab is still there that has run a cell and does
// not show the outputs yet.
const tabCheck = time.Second

// unanswered is how many checks in a row a tab must not answer to count as reloaded.
const unanswered = 2

// saveTab makes the tab save the notebook when it shows the outputs of the cell.
func (n *cellRunner) saveTab(ctx context.Context, at place, r *cellRun) error {
	check := time.NewTicker(tabCheck)
	defer check.Stop()
	for missed := 0; ; {
		select {
		case <-r.shown:
			return r.tab.At(at.own()).Save(ctx)
		case <-check.C:
			if r.tab.ServerSaves { // its server does not report the tab's connection to the kernel
				continue
			}
			if open, _, err := n.open.clients(ctx, at); err == nil && (open == nil || open.clients == 0) {
				return errTabClosed
			}
			if r.tab.At(at.own()).Answers(ctx, r.cell) {
				missed = 0
			} else if missed++; missed == unanswered {
				return errTabReloaded
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// showRunning shows the cell of a shared document as running; see record.Request.Begun.
func (r *cellRun) showRunning(ctx context.Context) {
	defer close(r.shown)
	_ = r.shared.Start(ctx, r.cell, r.asked) // the outputs come anyway
}
