package projects

import (
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"

	"easel/ui/core/command"
	"easel/ui/window/kit"
	"easel/ui/window/requests"
)

// sandbox is the item with the sandbox of a project, whose folder is on this machine.
func (c *Control) sandbox(root string) *fyne.MenuItem {
	k := c.port.Kit()
	now, on := c.port.Snapshot().Settings.Sandboxes.Of(root)
	change := func(key string, checked, disabled bool, f func(*command.SandboxIn)) *fyne.MenuItem {
		item := fyne.NewMenuItem(k.T(key), func() { c.changeSandbox(root, f) })
		item.Checked, item.Disabled = checked, disabled
		return item
	}
	items := []*fyne.MenuItem{
		change("sandbox.on", on, false, func(in *command.SandboxIn) { in.On = !on }),
		change("sandbox.network", on && now.Network, !on, func(in *command.SandboxIn) { in.Network = !now.Network }),
		fyne.NewMenuItemSeparator(),
	}
	for _, kind := range []struct {
		key, title, folder string

		dirs  []string
		among func(*command.SandboxIn) *[]string
	}{
		{"sandbox.read", "sandbox.read_title", "sandbox.read_folder", now.Read, func(in *command.SandboxIn) *[]string { return &in.Read }},
		{"sandbox.write", "sandbox.write_title", "sandbox.write_folder", now.Write, func(in *command.SandboxIn) *[]string { return &in.Write }},
	} {
		for _, dir := range kind.dirs {
			item := fyne.NewMenuItem(kit.Shorten(k.T(kind.folder, dir), widest, 14, fyne.TextStyle{}), func() {
				c.changeSandbox(root, func(in *command.SandboxIn) {
					*kind.among(in) = slices.DeleteFunc(*kind.among(in), func(d string) bool { return d == dir })
				})
			})
			item.Checked = true
			items = append(items, item)
		}
		item := fyne.NewMenuItem(k.T(kind.key), func() {
			c.port.ChooseFolder(k.T(kind.title), k.T("sandbox.folder_text"), k.T("sandbox.allow"), root, func(dir string) {
				c.changeSandbox(root, func(in *command.SandboxIn) {
					if among := kind.among(in); !slices.Contains(*among, dir) {
						*among = append(*among, dir)
					}
				})
			})
		})
		item.Disabled = !on
		items = append(items, item)
	}
	item := fyne.NewMenuItem(k.T("sandbox.menu"), nil)
	item.Checked, item.ChildMenu = on, fyne.NewMenu("", items...)
	return item
}

// changeSandbox changes the sandbox of a project, and says what that means.
func (c *Control) changeSandbox(root string, f func(*command.SandboxIn)) {
	was, on := c.port.Snapshot().Settings.Sandboxes.Of(root)
	in := command.SandboxIn{Root: root, On: on, Network: was.Network, Read: slices.Clone(was.Read), Write: slices.Clone(was.Write)}
	f(&in)
	requests.Topic(c.port.Requests, "set_sandbox", command.SetSandbox, in, func(out command.SandboxOut) {
		k, name := c.port.Kit(), filepath.Base(root)
		_, still := c.port.Snapshot().Settings.Sandboxes.Of(root)
		switch {
		case out.Unavailable != "":
			text := k.T("sandbox.unavailable", out.Unavailable)
			c.port.Dialogs().Ask(k.T("sandbox.unavailable_title", name), text, k.T("sandbox.turn_off"), func() {
				c.changeSandbox(root, func(in *command.SandboxIn) { in.On = false })
			})
		case in.On:
			c.port.Say(kit.MarkCheck, k.T("sandbox.is_on", name))
		case still: // that of a folder above it
			c.port.Say(kit.MarkNone, k.T("sandbox.above", name))
		default:
			c.port.Say(kit.MarkCheck, k.T("sandbox.is_off", name))
		}
	})
}
