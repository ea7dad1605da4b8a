// Package folders opens directories of pictures on disk for the user, remembers them, and goes
// back to what the gallery showed before.
//
// # Goroutines
//
// A Control belongs to the UI goroutine. Its requests run in the Sender's goroutines, because
// each may wait for a disk.
package folders

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/folders"
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
	Settings func(edit func(*state.Settings)) // changes the settings
	DataDir  string                           // Easel's own, from which plots are dragged

	Say          func(m kit.Mark, text string)
	Offer        func(m kit.Mark, text, label string, do func())
	Work         func(text func(*kit.Kit) string, cancel func()) *messages.Work // says what is being done, until it ends
	After        func(d time.Duration, f func())                                // calls f on the UI goroutine
	ChooseFolder func(title, about, yes, start string, chosen func(dir string)) // asks for a folder
	ShowGallery  func()                                                         // shows the gallery instead of another page
	OpenSession  func(id string)
	OpenTrash    func()
	OpenProject  func(folder string)
	Reveal       func(path string) // shows a folder in the file manager
	Copy         func(text, what string)
}

// A Control opens folders for one window.
type Control struct {
	port    Port
	cancel  func() // ends the opening that is under way; nil if none is
	opening int    // how many openings of the user have no answer yet
	shown   state.Folder
	trail   trail
}

// New returns a Control.
func New(p Port) *Control { return &Control{port: p} }

// patience is how long an opening may take before the window says so.
const patience = 400 * time.Millisecond

// Ask lets the user choose a folder, and opens it. It begins in the open folder, or in the one that
// was opened last.
func (c *Control) Ask() {
	k, s := c.port.Kit(), c.port.Snapshot()
	start := ""
	if recent := s.Settings.Folders.Recent(); len(recent) > 0 {
		start = filepath.Dir(recent[0])
	}
	if s.Folder.Kind == state.Directory {
		start = s.Folder.ID
	}
	c.port.ChooseFolder(k.T("folders.open_title"), k.T("folders.open_text"), k.T("folders.open_yes"), start, c.Open)
}

// Open shows a folder, or the folder of a picture with that selected. Of another file, it says that it is none.
func (c *Control) Open(path string) {
	if filepath.Ext(path) == "" || folders.IsPicture(path) {
		c.open(path, nil)
		return
	}
	file := false // otherwise it is a folder with a point in its name, or not there
	c.port.Requests.Background("open_folder", func(ctx context.Context) error {
		info, err := folders.Patiently(ctx, func() (os.FileInfo, error) { return os.Stat(path) }, nil)
		file = err == nil && !info.IsDir()
		return nil
	}, func() {
		if file {
			c.port.Say(kit.MarkBad, c.port.Kit().T("folders.no_picture", filepath.Base(path)))
			return
		}
		c.open(path, nil)
	})
}

func (c *Control) open(path string, done func()) {
	begin(c, catalog.OpenFolder, catalog.OpenFolderIn{Path: path}, path, done)
}

// begin asks for a folder to be opened, and says so if that takes long.
func begin[In any](c *Control, topic requests.Asker[In, catalog.ViewOut], in In, path string, done func()) {
	if c.cancel != nil {
		c.cancel() // a disk may be slow; the user wants something else now
	}
	c.port.ShowGallery()
	ended, end := false, func() {}
	c.opening++
	cancel := requests.Quiet(c.port.Requests, topic, in, func(_ catalog.ViewOut, err error) {
		ended = true
		c.opening--
		end()
		if err == nil {
			c.shown = c.port.Snapshot().Folder
			c.follow()
		}
		switch {
		case err == nil && done != nil:
			done()
		case err != nil && tool.AsError(err).Code != tool.Cancelled && !errors.Is(err, context.Canceled):
			c.port.Say(kit.MarkBad, tool.Explain(tool.AsError(err)))
		}
	})
	c.cancel = cancel
	c.port.After(patience, func() {
		if !ended {
			end = c.port.Work(func(k *kit.Kit) string { return k.T("folders.opening", filepath.Base(path)) }, cancel).End
		}
	})
}

// Parent opens the folder that contains the open one. It does nothing in the library.
func (c *Control) Parent() {
	if dir := Parent(c.port.Snapshot()); dir != "" {
		c.Open(dir)
	}
}

// Parent returns the folder that contains the open one, or "".
func Parent(s *state.Snapshot) string {
	if dir := filepath.Dir(s.Folder.ID); s.Folder.Kind == state.Directory && dir != s.Folder.ID {
		return dir
	}
	return ""
}

// Pin adds a folder to those that always are in the sidebar, or removes it from them.
func (c *Control) Pin(path string, on bool) {
	c.port.Settings(func(s *state.Settings) { s.Folders = s.Folders.Pin(path, on) })
}

// Forget removes a folder from the sidebar.
func (c *Control) Forget(path string) {
	c.port.Settings(func(s *state.Settings) { s.Folders = s.Folders.Without(path) })
}

// Menu shows the menu of a folder.
func (c *Control) Menu(path string, at fyne.Position) {
	k, known := c.port.Kit(), c.port.Snapshot().Settings.Folders
	item := func(key string, do func()) *fyne.MenuItem { return fyne.NewMenuItem(k.T(key), do) }
	pinned := known.Pinned(path)
	pin := item("folders.pin", func() { c.Pin(path, !pinned) })
	if pinned {
		pin.Label = k.T("folders.unpin")
	}
	items := []*fyne.MenuItem{item("folders.show", func() { c.Open(path) }), pin}
	if slices.Contains(known.Recent(), path) {
		items = append(items, item("folders.forget", func() { c.Forget(path) }))
	}
	deep := item("folders.deep", func() { c.Deepen(path, !known.Deep(path)) })
	deep.Checked = known.Deep(path)
	items = append(items, deep)
	if f := c.port.Snapshot().Folder; f == (state.Folder{Kind: state.Directory, ID: path}) {
		items = append(items, item("folders.sidecars", c.SaveSidecars))
	}
	items = append(items,
		fyne.NewMenuItemSeparator(),
		item("folders.as_project", func() { c.port.OpenProject(path) }),
		item("folders.reveal", func() { c.port.Reveal(path) }),
		item("folders.copy", func() { c.port.Copy(path, k.T("what.path")) }))
	c.port.Dialogs().Menu(at, items...)
}

// Dropped opens what the user has dropped on the window: a folder, or the folder of a picture. Easel
// itself lets the user drag copies of plots, which are ignored.
func (c *Control) Dropped(_ fyne.Position, dropped []fyne.URI) {
	i := slices.IndexFunc(dropped, func(u fyne.URI) bool { return u.Scheme() == "file" })
	if i < 0 {
		return
	}
	path, folder, picture := filepath.FromSlash(dropped[i].Path()), false, false // a URI has slashes, on Windows, too
	if rel, err := filepath.Rel(c.port.DataDir, path); c.port.DataDir != "" && err == nil && filepath.IsLocal(rel) {
		return
	}
	c.port.Requests.Background("drop", func(ctx context.Context) error {
		info, err := folders.Patiently(ctx, func() (os.FileInfo, error) { return os.Stat(path) }, nil)
		folder = err == nil && info.IsDir()
		picture = err == nil && info.Mode().IsRegular() && folders.IsPicture(path)
		return nil
	}, func() {
		k := c.port.Kit()
		switch {
		case folder:
			c.open(path, func() {
				c.port.Offer(kit.MarkNone, k.T("folders.dropped", filepath.Base(path)), k.T("folders.as_project"), func() { c.port.OpenProject(path) })
			})
		case picture:
			c.Open(path)
		default:
			c.port.Say(kit.MarkNone, k.T("folders.not_dropped"))
		}
	})
}
