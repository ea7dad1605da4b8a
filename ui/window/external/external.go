// Package external opens files, pages and sessions in other programs: the file manager,
// the browser and JupyterLab.
//
// # Goroutines
//
// An Opener belongs to the UI goroutine. The programs are started on the Sender's
// goroutines.
package external

import (
	"context"
	"net/url"
	"slices"

	"easel/internal/system"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// A Port is what an Opener may read and do.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Dialogs  func() *dialogs.Host
	Snapshot func() *state.Snapshot
	Requests *requests.Sender
	Say      func(kit.Mark, string)
	Library  Library
	Token    func() string // returns the token for the page of the API; may be nil

	Reveal     func(path string) error                              // shows a file in the file manager
	Open       func(url string) error                               // opens a page in the browser
	OpenSecret func(url string) error                               // like Open, for an address with a secret
	Figure     func(ctx context.Context, id string) (string, error) // path of the page of an interactive figure, with a ticket
	ShowCell   func(ctx context.Context, in command.ShowCellIn) (command.ShowCellOut, error)
	ProjectLab func(ctx context.Context, in command.ProjectLabIn) (string, error) // address of a project in JupyterLab, or ""
	// address of a session in JupyterLab, or "" if its server has none; may be nil
	JupyterLab func(ctx context.Context, sessionID string) (string, error)

	OpenWith func(window uintptr, file string) error                 // opens a file with a program that the user chooses; may be nil
	HandOut  func(name string, data []byte) (path string, err error) // makes a copy of a file for other programs
	Name     func(title, ending string) string                       // returns the name of a file for a title
	Window   func() uintptr                                          // returns the X11 id of the window, or 0
	// Drag lets the user drop files, or the PNG data of a single one, on other programs. May be nil.
	Drag func(ctx context.Context, window uintptr, prepare func(context.Context) (files []string, png []byte, err error)) (dropped bool,
		err error)
}

// An Opener opens things for the user and shows errors in the window.
type Opener struct{ port Port }

// New returns an Opener.
func New(p Port) *Opener { return &Opener{port: p} }

// Reveal shows a file in the file manager.
func (o *Opener) Reveal(path string) {
	failed := o.failed("external.files")
	o.port.Requests.Background("reveal", func(context.Context) error { return failed(o.port.Reveal(path)) }, nil)
}

// failed returns a function that says in the user's words what could not be opened. The log
// gets the cause, which is often what another program has printed.
func (o *Opener) failed(key string) func(error) error {
	text := o.port.Kit().T(key)
	return func(err error) error {
		if err == nil {
			return nil
		}
		return &tool.Error{Code: tool.Unsupported, Detail: text, Err: err}
	}
}

// Browse opens a page in the browser.
func (o *Opener) Browse(address string) {
	failed := o.failed("external.browser")
	o.port.Requests.Background("browse", func(context.Context) error { return failed(o.port.Open(address)) }, nil)
}

// BrowseFile opens a file on disk in the browser.
func (o *Opener) BrowseFile(path string) {
	o.Browse(system.FileURL(path).String())
}

// Swagger opens the page of the API with the token in the browser. The token is in the
// address's fragment, which no server sees, and not in any process's arguments.
func (o *Opener) Swagger() {
	base := o.port.Snapshot().URL
	if base == "" || o.port.Token == nil {
		return
	}
	address := base + "/api/swagger/#token=" + url.PathEscape(o.port.Token())
	failed := o.failed("external.browser")
	o.port.Requests.Background("swagger", func(context.Context) error { return failed(o.port.OpenSecret(address)) }, nil)
}

// Figure opens an interactive figure in the browser. The address has a ticket, which is good for
// one figure, once.
func (o *Opener) Figure(id string) {
	base, failed := o.port.Snapshot().URL, o.failed("external.browser")
	o.port.Requests.Background("open_figure", func(ctx context.Context) error {
		path, err := o.port.Figure(ctx, id)
		if err != nil {
			return err
		}
		return failed(o.port.Open(base + path))
	}, nil)
}

// HasJupyterLab reports whether sessions can be opened in JupyterLab.
func (o *Opener) HasJupyterLab() bool { return o.port.JupyterLab != nil }

// JupyterLab opens a session in JupyterLab. HasJupyterLab must be true.
func (o *Opener) JupyterLab(session string) {
	failed, none := o.failed("external.browser"), o.noJupyterLab(session)
	o.port.Requests.Background("jupyterlab", func(ctx context.Context) error {
		address, err := o.port.JupyterLab(ctx, session)
		if err != nil {
			return err
		}
		if address == "" {
			return &tool.Error{Code: tool.NotExecutable, Detail: none}
		}
		return failed(o.port.OpenSecret(address))
	}, nil)
}

// ProjectLab opens a project, by its root, or a notebook in it in JupyterLab. HasJupyterLab must
// be true.
func (o *Opener) ProjectLab(root, notebook string) {
	failed, none := o.failed("external.browser"), o.port.Kit().T("external.lab_later") // Easel installs it for all
	o.port.Requests.Background("project_lab", func(ctx context.Context) error {
		address, err := o.port.ProjectLab(ctx, command.ProjectLabIn{Root: root, Notebook: notebook})
		if err != nil {
			return err
		}
		if address == "" {
			return &tool.Error{Code: tool.NotExecutable, Detail: none}
		}
		return failed(o.port.OpenSecret(address))
	}, nil)
}

// Folder opens a folder in the file manager.
func (o *Opener) Folder(path string) {
	failed := o.failed("external.files")
	o.port.Requests.Background("folder", func(context.Context) error { return failed(o.port.Open(system.FileURL(path).String())) }, nil)
}

// ShowCell shows the cell that drew a plot in JupyterLab: in the tab that shows its notebook,
// or in a new one. HasJupyterLab must be true.
func (o *Opener) ShowCell(image, session string) {
	k, failed, none := o.port.Kit(), o.failed("external.browser"), o.noJupyterLab(session)
	said := k.T("external.cell_shown")
	o.port.Requests.Background("show_cell", func(ctx context.Context) error {
		out, err := o.port.ShowCell(ctx, command.ShowCellIn{Image: image})
		switch {
		case err != nil:
			return err
		case out.Shown: // its window may be behind others
			o.port.Requests.Post(func() { o.port.Say(kit.MarkCheck, said) })
			return nil
		case out.Address == "":
			return &tool.Error{Code: tool.NotExecutable, Detail: none}
		}
		if err := failed(o.port.OpenSecret(out.Address)); err != nil {
			return err
		}
		o.port.Requests.Go(func(ctx context.Context) {
			_, _ = o.port.ShowCell(ctx, command.ShowCellIn{Image: image, Opening: true}) // otherwise, the notebook is open at its beginning
		})
		return nil
	}, nil)
}

// noJupyterLab returns the message that a session's server has no JupyterLab. Easel installs
// that of its own server while the user works.
func (o *Opener) noJupyterLab(session string) string {
	snap, key := o.port.Snapshot(), "external.no_lab"
	s, live := snap.Session(session)
	if live && slices.ContainsFunc(snap.Servers, func(v state.Server) bool { return v.Managed && v.Name == s.Server }) {
		key = "external.lab_later"
	}
	return o.port.Kit().T(key)
}

// JupyterLabOf returns a function that opens a session in JupyterLab, or nil if the
// session has ended or there is no JupyterLab.
func (o *Opener) JupyterLabOf(session string) func() {
	_, live := o.port.Snapshot().Session(session)
	if !o.HasJupyterLab() || !live {
		return nil
	}
	return func() { o.JupyterLab(session) }
}
