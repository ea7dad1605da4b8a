package projects

import (
	"path/filepath"
	"runtime"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// Menu shows the menu of a project.
func (c *Control) Menu(root string, at fyne.Position) {
	k := c.port.Kit()
	item := func(key string, f func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), f) }
	items := []*fyne.MenuItem{
		item("projects.new_session", func() { c.NewSession(root) }),
	}
	here := filepath.IsAbs(root) // otherwise it is on another machine
	if here {
		items = append(items, item("projects.new_notebook", func() { c.NewNotebook(root) }))
	}
	items = append(items, fyne.NewMenuItemSeparator())
	if c.port.Lab != nil {
		items = append(items, item("menu.jupyterlab", func() { c.port.Lab(root, "") }))
	}
	if here {
		items = append(items, item("projects.folder", func() { c.port.Folder(root) }))
	}
	if c.known(root) {
		items = append(items, item("projects.choose", func() { c.PythonMenu(root, at) }))
		if here && runtime.GOOS == "linux" {
			items = append(items, c.sandbox(root))
		}
		if !c.port.Snapshot().Settings.ShowSecrets {
			items = append(items, fyne.NewMenuItemSeparator(), c.secrets(root))
		}
	}
	c.port.Dialogs().Menu(at, items...)
}

// known reports whether a project is open or allowed, so that a choice for it means something.
func (c *Control) known(root string) bool {
	n := c.port.Snapshot()
	_, allowed := n.Settings.Projects.Find(root)
	return allowed || slices.ContainsFunc(n.Projects, func(p command.Project) bool { return p.Root == root })
}

// widest is the width of the text of a menu's item at most.
const widest = 460

// PythonMenu lets the user choose the Python of a project's new sessions.
func (c *Control) PythonMenu(root string, at fyne.Position) {
	requests.Topic(c.port.Requests, "project_pythons", command.ProjectPythons, root, func(out command.ProjectPythonsOut) {
		k := c.port.Kit()
		now, _ := c.port.Snapshot().Settings.Projects.Find(root)
		pick := func(label, python string) *fyne.MenuItem {
			item := fyne.NewMenuItem(kit.Shorten(label, widest, 14, fyne.TextStyle{}), func() {
				requests.Topic(c.port.Requests, "choose_python", command.ChoosePython, command.ChoosePythonIn{Root: root, Python: python},
					func(struct{}) {
						c.port.Say(kit.MarkCheck, k.T("projects.chosen", filepath.Base(root), label))
					})
			})
			item.Checked = python == now.Python
			return item
		}
		items := []*fyne.MenuItem{pick(k.T("projects.found"), "")}
		for _, e := range out.Found {
			label := e.Label
			if e.Broken.Kind != "" {
				label += k.T("projects.unusable", k.Tr.Reason(e.Broken))
			}
			item := pick(label, e.Python)
			item.Disabled = e.Broken.Kind != ""
			items = append(items, item)
		}
		items = append(items, pick(k.T("projects.easel"), state.EaselPython))
		if _, on := c.port.Snapshot().Settings.EnvFiles.Find(root); out.EnvFile || on {
			items = append(items, fyne.NewMenuItemSeparator(), c.envFile(root))
		}
		c.port.Dialogs().Menu(at, items...)
	})
}

// envFile is the item that turns a project's .env file on and off.
func (c *Control) envFile(root string) *fyne.MenuItem {
	k := c.port.Kit()
	_, on := c.port.Snapshot().Settings.EnvFiles.Find(root)
	item := fyne.NewMenuItem(k.T("projects.env_file"), func() {
		requests.Topic(c.port.Requests, "read_env_file", command.ReadEnvFile, command.ReadEnvFileIn{Root: root, Read: !on}, func(struct{}) {
			text := "projects.env_file_on"
			if on {
				text = "projects.env_file_off"
			}
			c.port.Say(kit.MarkCheck, k.T(text, filepath.Base(root)))
		})
	})
	item.Checked = on
	return item
}

// secrets is the item that hides a project's secrets from assistants, or shows them.
func (c *Control) secrets(root string) *fyne.MenuItem {
	k := c.port.Kit()
	_, shown := c.port.Snapshot().Settings.SecretsShown.Find(root)
	item := fyne.NewMenuItem(k.T("projects.hide_secrets"), func() {
		c.port.Settings(func(s *state.Settings) {
			if shown {
				s.SecretsShown = s.SecretsShown.Without(root)
			} else {
				s.SecretsShown = s.SecretsShown.With(state.Project{Root: root})
			}
		})
		text := "projects.secrets_shown"
		if shown {
			text = "projects.secrets_hidden"
		}
		c.port.Say(kit.MarkCheck, k.T(text, filepath.Base(root)))
	})
	item.Checked = !shown
	return item
}

// NotebookMenu shows the menu of a notebook of a project.
func (c *Control) NotebookMenu(root, path string, at fyne.Position) {
	c.port.Dialogs().Menu(at, c.notebookItems(root, path)...)
}

func (c *Control) notebookItems(root, path string) []*fyne.MenuItem {
	k := c.port.Kit()
	file := filepath.Join(root, filepath.FromSlash(path))
	var items []*fyne.MenuItem
	if c.port.Lab != nil {
		items = append(items, fyne.NewMenuItem(k.T("menu.jupyterlab"), func() { c.port.Lab(root, path) }))
	}
	return append(items,
		fyne.NewMenuItem(k.T("projects.notebook_session"), func() { c.create(root, file) }),
		fyne.NewMenuItem(k.T("properties.show_in_folder"), func() { c.port.Reveal(file) }))
}

// NotebooksMenu shows the notebooks of a project, each with its own menu.
func (c *Control) NotebooksMenu(p command.Project, at fyne.Position) {
	var items []*fyne.MenuItem
	for _, path := range p.Notebooks {
		item := fyne.NewMenuItem(kit.Shorten(path, widest, 14, fyne.TextStyle{}), nil)
		item.ChildMenu = fyne.NewMenu("", c.notebookItems(p.Root, path)...)
		items = append(items, item)
	}
	c.port.Dialogs().Menu(at, items...)
}
