// Package projects opens projects for the user, and acts on those that the window shows: it
// starts sessions and notebooks in them, opens them in other programs, and chooses their Python.
//
// # Goroutines
//
// A Control belongs to the UI goroutine. Its requests run in the Sender's goroutines, because
// each may wait for a server or a disk.
package projects

import (
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/dialogs"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/requests"
)

// A Port is what a Control may read and do in the window.
type Port struct {
	Kit      func() *kit.Kit // in the current language
	Dialogs  func() *dialogs.Host
	Snapshot func() *state.Snapshot
	Requests *requests.Sender
	Settings func(edit func(*state.Settings)) // changes the user's settings

	Say          func(m kit.Mark, text string)
	Work         func(text func(*kit.Kit) string, cancel func()) *messages.Work // says what is being done, until it ends; cancel may be nil
	Copy         func(text, what string)
	Folder       func(path string)                                              // opens a folder in the file manager
	Reveal       func(path string)                                              // shows a file in the file manager
	ChooseFolder func(title, about, yes, start string, chosen func(dir string)) // asks for a folder
	ShowSession  func(id string)                                                // shows a session's plots
	Lab          func(root, notebook string)                                    // opens JupyterLab; nil if there is none
}

// A Control acts on projects for one window.
type Control struct{ port Port }

// New returns a Control.
func New(p Port) *Control { return &Control{port: p} }

// Ask lets the user choose the folder of a project, and opens it.
func (c *Control) Ask() {
	k := c.port.Kit()
	start := "" // beside the other projects
	for _, x := range c.port.Snapshot().Settings.Projects.All() {
		start = filepath.Dir(x.Root)
	}
	c.port.ChooseFolder(k.T("projects.open_title"), k.T("projects.open_text"), k.T("projects.open_yes"), start, c.Open)
}

// Open opens the project of a folder, and starts a session in it. If its environment is missing
// or cannot be used, it says so and asks first.
func (c *Control) Open(folder string) {
	requests.Topic(c.port.Requests, "open_project", command.OpenProject, folder, func(out command.OpenProjectOut) {
		k := c.port.Kit()
		if out.Refused.Kind != "" {
			text := k.T("projects.refused", folder, k.Tr.Reason(out.Refused))
			c.port.Dialogs().Ask(k.T("projects.refused_title"), text, k.T("projects.other"), c.Ask)
			return
		}
		if p := out.Project; p.Missing.Kind != "" || p.Unusable.Python != "" {
			c.lacks(p, k.T("projects.start"), func() { c.NewSession(p.Root) })
			return
		}
		c.NewSession(out.Project.Root)
	})
}

// Lacks says what is wrong with the environment of a project, and what to do.
func (c *Control) Lacks(p command.Project) {
	c.lacks(p, c.port.Kit().T("projects.choose"), func() {
		size := c.port.Dialogs().Size()
		c.PythonMenu(p.Root, fyne.NewPos(size.Width/3, size.Height/3))
	})
}

// lacks shows what is wrong with an environment. The last button does something else than the
// remedy.
func (c *Control) lacks(p command.Project, otherwise string, do func()) {
	k := c.port.Kit()
	var text []string
	if u := p.Unusable; u.Python != "" {
		text = append(text, k.T("projects.broken", u.Label, k.Tr.Reason(u.Broken)))
	}
	if p.Missing.Kind != "" {
		text = append(text, k.T("projects.make", k.Tr.Reason(p.Missing), p.Root, p.Command))
	}
	used := k.T("projects.easel_long")
	if p.Python.Python != "" {
		used = p.Python.Label
	}
	text = append(text, k.T("projects.meanwhile", used))
	var choices []dialogs.Choice
	if p.Command != "" {
		choices = append(choices, dialogs.Choice{Text: k.T("projects.copy"), Do: func() {
			c.port.Copy(p.Command, k.T("what.command"))
		}})
	}
	choices = append(choices, dialogs.Choice{Text: otherwise, Do: do, Safe: true})
	c.port.Dialogs().Choose(k.T("projects.lacks_title", filepath.Base(p.Root)), strings.Join(text, "\n\n"), choices...)
}

// NewSession starts a session in a project.
func (c *Control) NewSession(root string) { c.create(root, "") }

// create starts a session in a project, with a notebook or without.
func (c *Control) create(root, notebook string) {
	name := filepath.Base(root)
	work := c.port.Work(func(k *kit.Kit) string { return k.T("projects.starting", name) }, nil)
	in := catalog.SessionCreateIn{Name: "python3", Directory: root, NotebookPath: notebook}
	requests.TopicFinally(c.port.Requests, "session_create", catalog.SessionCreate, in, func(out catalog.SessionCreateOut, err error) {
		work.End()
		if err != nil {
			return
		}
		k := c.port.Kit()
		python := out.Environment
		if python == "" {
			python = k.T("projects.easel_long")
		}
		c.port.Say(kit.MarkCheck, k.T("projects.started", name, python))
		c.port.ShowSession(out.SessionID)
	})
}

// NewNotebook asks for a name, and starts a session with a new notebook in a project.
func (c *Control) NewNotebook(root string) {
	k, d := c.port.Kit(), c.port.Dialogs()
	name, note := k.Field(""), kit.NewLine("", 12, k.P.Bad, fyne.TextStyle{}, 60)
	var form *dialogs.Form
	create := func() {
		path := strings.TrimSuffix(strings.TrimSpace(name.Text), ".ipynb")
		if path == "" || !filepath.IsLocal(path) {
			note.Set(k.T("projects.bad_name"), nil)
			return
		}
		form.Close()
		c.create(root, filepath.Join(root, path+".ipynb"))
	}
	name.OnSubmitted = func(string) { create() }
	rows := []fyne.CanvasObject{d.Labelled("projects.notebook_name", name), note}
	yes := k.Button(kit.Primary, "", k.T("projects.create"), "", create)
	form = d.Form(k.T("projects.notebook_title", filepath.Base(root)), fyne.NewSize(420, 210), rows, yes)
	form.CloseOnEscape(name)
	d.Focus(name)
}
