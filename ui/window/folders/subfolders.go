package folders

import (
	"context"
	"errors"
	"path/filepath"

	"easel/ui/core/command"
	"easel/ui/core/state"
	"easel/ui/window/kit"
	"easel/ui/window/messages"
	"easel/ui/window/requests"
)

// Deepen shows a folder with or without its subfolders, and remembers that.
func (c *Control) Deepen(path string, on bool) {
	begin(c, command.IncludeSubfolders, command.IncludeSubfoldersIn{Path: path, On: on}, path, nil)
}

// ToggleDeep shows the open folder with its subfolders, or without them again.
func (c *Control) ToggleDeep() {
	if s := c.port.Snapshot(); InFolder(s) {
		c.Deepen(s.Folder.ID, !s.Settings.Folders.Deep(s.Folder.ID))
	}
}

// follow says how many files of the open folder have been listed, if that takes long, and lets the user stop it.
func (c *Control) follow() {
	open := c.port.Snapshot().Folder
	if open.Kind != state.Directory {
		return
	}
	name, n, ended := filepath.Base(open.ID), 0, false
	var cancel func()
	var work *messages.Work
	in := command.ListFolderIn{Path: open.ID, Progress: func(now int) {
		c.port.Requests.Post(func() {
			if ended {
				return
			}
			n = now
			if work == nil {
				work = c.port.Work(func(k *kit.Kit) string { return k.Tr.N("folders.listing", n, name) }, cancel)
			}
			work.Say()
		})
	}}
	cancel = requests.Quiet(c.port.Requests, command.ListFolder, in, func(_ struct{}, err error) {
		ended = true
		if work != nil {
			work.End()
		}
		if now := c.port.Snapshot(); errors.Is(err, context.Canceled) && now.Folder == open {
			c.port.Say(kit.MarkIdle, c.port.Kit().Tr.N("folders.listing_stopped", n))
		}
	})
}
