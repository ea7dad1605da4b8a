// Package connect draws the page that explains how to connect each client, and shows
// whether it has connected.
//
// # Goroutines
//
// A Page belongs to the UI goroutine. The clients' files are read and written on
// goroutines that the window starts and waits for. They post their results with the
// kit's Dispatcher.
package connect

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"easel/ui/core/clients"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// A Port is what the page may read and do in the window. Its functions are called on
// the UI goroutine and must not block.
type Port struct {
	Snapshot func() *state.Snapshot      // the newest state
	Shown    func() bool                 // reports whether the page is visible
	Session  func() string               // the session in the top bar; empty: none
	Token    func() string               // returns Easel's own token; may be nil
	TokenOf  func(clients.Client) string // returns the token for a client; may be nil
	Exe      string                      // absolute path of the program
	Bridge   []string                    // the program's arguments as the stdio bridge to this Easel

	Go         func(f func())                                                // runs f off the UI goroutine
	Background func(what string, f func(context.Context) error, done func()) // like Go; shows an error, or calls done on the UI goroutine
	Settings   func(edit func(*state.Settings))                              // changes the user's settings
	// called when a client's file was written; the visible page must read it again
	Written    func()
	Say        func(m kit.Mark, text, label string, do func()) // shows a message with a button
	Copy       func(text, what string)                         // copies to the clipboard
	Reveal     func(path string)                               // shows a file in the file manager
	Browse     func(address string)                            // opens a page in the browser
	Swagger    func()                                          // opens the API's page
	JupyterLab func(session string)                            // opens a session in JupyterLab; nil if that is not possible
	Forward    func(fyne.Shortcut)                             // gets the shortcuts that a field does not use
}

// A Page shows the list of clients next to the steps that connect one of them.
type Page struct {
	k    *kit.Kit
	port Port
	read func(clients.Client, clients.Connection) fileState // reads a client's file; tests replace it

	root   fyne.CanvasObject
	find   *kit.Field // filters the list
	list   *kit.Column
	detail *kit.Column
	at     int               // index of the selected client in clients.All
	clear  bool              // the token is shown
	drawn  string            // a fingerprint of what is drawn
	placed map[int]bool      // the clients that are listed as installed or connected; nil until the files are read
	files  map[int]fileState // what was found in the clients' files, by index in clients.All
	begun  int               // number of the last reading that began
	done   int               // number of the last reading that ended
	ended  bool              // Close was called
}

// A fileState describes a client's file and what it says about Easel.
type fileState struct {
	path      string // empty if the client's file is not known
	state     clients.State
	installed bool // the client seems to be installed on this computer
}

// connectList is the width of the list of clients, in Fyne's units.
const connectList float32 = 248

// New returns a page that shows the first client.
func New(k *kit.Kit, port Port) *Page {
	c := &Page{
		k: k, port: port, read: readFile, find: k.Field(k.T("connect.find")), list: k.Column(10, 2), detail: k.Column(28, 12),
		files: make(map[int]fileState),
	}
	c.detail.Most = 764
	c.find.OnChanged = func(string) { c.Render(port.Snapshot()); c.list.ScrollToTop() }
	c.find.OnSubmitted = func(string) { c.chooseFirst() }
	c.find.OnEsc = func() { c.find.SetText("") }
	c.find.Forward = port.Forward
	field := c.find.Slim(connectList)
	side := &fyne.Container{Objects: []fyne.CanvasObject{field, c.list}, Layout: kit.LayoutFunc{
		Arrange: func(_ []fyne.CanvasObject, size fyne.Size) {
			high := field.MinSize().Height
			kit.Place(field, 10, 10, size.Width-20, high)
			kit.Place(c.list, 0, 10+high, size.Width, size.Height-10-high)
		},
	}}
	c.root = k.Panel(k.P.Window, "", &fyne.Container{
		Objects: []fyne.CanvasObject{k.Panel(k.P.Side, "r", side), c.detail},
		Layout: kit.LayoutFunc{Arrange: func(os []fyne.CanvasObject, size fyne.Size) {
			kit.Place(os[0], 0, 0, connectList, size.Height)
			kit.Place(os[1], connectList, 0, size.Width-connectList, size.Height)
		}},
	})
	return c
}

// Object returns the object to put into the window.
func (c *Page) Object() fyne.CanvasObject { return c.root }

// Settled reports whether the clients' files have been read, for tests.
func (c *Page) Settled() bool { return c.begun == c.done }

// Close makes the page ignore what is still being read.
func (c *Page) Close() { c.ended = true }

// connection returns how a client reaches this Easel.
func (c *Page) connection(client clients.Client) clients.Connection {
	x := clients.Connection{Token: "TOKEN", Exe: cmp.Or(c.port.Exe, "easel"), Args: c.port.Bridge}
	if c.port.Token != nil {
		x.Token = c.port.Token()
	}
	if x.Shared = x.Token; c.port.TokenOf != nil {
		x.Token = c.port.TokenOf(client)
	}
	x.URL, _ = url.JoinPath(cmp.Or(c.port.Snapshot().URL, "http://127.0.0.1:5149"), "mcp")
	if len(x.Args) == 0 {
		x.Args = []string{"mcp"}
	}
	return x
}

// seen returns the client of a kind that connected last.
func seen(kind clients.Client, n *state.Snapshot) (last state.Client, ok bool) {
	for _, x := range n.Clients {
		if found, _ := clients.Find(x.Name); found.Name == kind.Name && (!ok || x.Last.After(last.Last)) {
			last, ok = x, true
		}
	}
	return last, ok
}

// readFile reads what a client's file says about this Easel.
func readFile(x clients.Client, conn clients.Connection) fileState {
	path := x.File()
	if path == "" {
		return fileState{}
	}
	return fileState{path, x.Check(path, conn), x.Installed()}
}

// Open prepares the page to be shown. Only then do clients move in the list: while the
// page is visible, a client that connects stays where the user is about to click.
func (c *Page) Open() {
	c.placed = nil
	c.Reread()
}

// Reread reads the clients' files and shows whether they refer to this Easel.
func (c *Page) Reread() {
	c.begun++
	begun, read := c.begun, c.read
	conns := make([]clients.Connection, len(clients.All))
	for i, x := range clients.All {
		conns[i] = c.connection(x)
	}
	c.port.Go(func() {
		found := make(map[int]fileState)
		for i, x := range clients.All {
			if f := read(x, conns[i]); f.path != "" {
				found[i] = f
			}
		}
		c.k.Do(func() {
			if !c.ended && begun == c.begun {
				c.files, c.done = found, begun
				c.Render(c.port.Snapshot())
			}
		})
	})
}

// write adds Easel to the file of the client that is shown.
func (c *Page) write(x clients.Client, path string) {
	conn, backup := c.connection(x), ""
	c.port.Background("write_config", func(context.Context) (err error) {
		backup, err = x.Write(path, conn)
		return err
	}, func() {
		text := c.k.T("connect.written", clients.Tilde(path))
		if backup != "" {
			text += " " + c.k.T("connect.backup", filepath.Base(backup))
		}
		c.port.Say(kit.MarkCheck, text, c.k.T("properties.show_in_folder"), func() { c.port.Reveal(path) })
		c.port.Written()
	})
}

// Render shows a state.
func (c *Page) Render(n *state.Snapshot) {
	if c.begun == 0 && c.port.Shown() {
		c.Reread()
	}
	var drawn strings.Builder
	fmt.Fprint(&drawn, n.URL, c.at, c.clear, c.connection(clients.All[c.at]), c.files, c.find.Text, c.port.Session() == "",
		n.Settings.DeliveryBy, n.Settings.Delivery)
	for _, x := range n.Clients {
		fmt.Fprint(&drawn, x.Name, x.Version, x.Calls, x.Last.Unix()/60, x.Picture)
	}
	if drawn.String() == c.drawn || c.k.Pressed(c.root, func() { c.Render(c.port.Snapshot()) }) {
		return
	}
	c.drawn = drawn.String()
	c.list.SetRows(c.rows(n)...)
	c.detail.SetRows(c.steps(clients.All[c.at], n)...)
}

// choose shows a client.
func (c *Page) choose(i int) {
	c.at = i
	c.Render(c.port.Snapshot())
	c.detail.ScrollToTop()
}

// chooseFirst shows the first client of the list.
func (c *Page) chooseFirst() {
	here, others := c.groups(c.port.Snapshot())
	if all := slices.Concat(here, others); len(all) > 0 {
		c.choose(all[0])
	}
}

func (c *Page) name(x clients.Client) string {
	if x.Name == "" {
		return c.k.T("connect.other")
	}
	return x.Name
}
