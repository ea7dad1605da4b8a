package window

import (
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

// A connectPage tells how to connect each client, and whether it has.
type connectPage struct {
	s      *shell
	root   fyne.CanvasObject
	find   *kit.Field // narrows the list
	list   *kit.Column
	detail *kit.Column
	at     int  // in clients.All
	clear  bool // the token is shown
	print  string
	files  map[int]fileState // what was found in the clients' files
	look   int               // counts the readings of them
	looked int               // the last that has ended
}

// A fileState is a client's file, and what of Easel is in it.
type fileState struct {
	path      string
	state     clients.State
	installed bool // there is a sign of the client on this computer
}

// connectList is the width of the list of clients, in Fyne's units.
const connectList float32 = 248

func newConnect(s *shell) *connectPage {
	k := s.k
	c := &connectPage{s: s, find: k.Field(k.T("connect.find")), list: k.Column(10, 2), detail: k.Column(28, 12), files: make(map[int]fileState)}
	c.detail.Most = 764
	c.find.OnChanged = func(string) { c.render(s.a.cfg.Store.Snapshot()); c.list.ScrollToTop() }
	c.find.OnSubmitted = func(string) { c.chooseFirst() }
	c.find.OnEsc = func() { c.find.SetText("") }
	c.find.Forward = s.a.shortcut
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

// connection is what leads to this Easel.
func (c *connectPage) connection() clients.Connection {
	cfg := &c.s.a.cfg
	x := clients.Connection{Token: "TOKEN", Exe: cfg.Exe, Args: cfg.Bridge}
	if cfg.Token != nil {
		x.Token = cfg.Token()
	}
	base := cfg.Store.Snapshot().URL
	if base == "" {
		base = "http://127.0.0.1:5149"
	}
	x.URL, _ = url.JoinPath(base, "mcp")
	if x.Exe == "" {
		x.Exe = "easel"
	}
	if len(x.Args) == 0 {
		x.Args = []string{"mcp"}
	}
	return x
}

// seen is the client of a kind that was heard of last.
func seen(kind clients.Client, n *state.Snapshot) (last state.Client, ok bool) {
	for _, x := range n.Clients {
		if found, _ := clients.Find(x.Name); found.Name == kind.Name && (!ok || x.Last.After(last.Last)) {
			last, ok = x, true
		}
	}
	return last, ok
}

// reread looks into the clients' files: whether they lead to this Easel.
func (c *connectPage) reread() {
	c.look++
	look, conn, a := c.look, c.connection(), c.s.a
	a.tasks.Go(func() {
		found := make(map[int]fileState)
		for i, x := range clients.All {
			if path := x.File(); path != "" {
				found[i] = fileState{path, x.Look(path, conn), x.Installed()}
			}
		}
		a.cfg.Do(func() {
			if !a.closed && look == c.look {
				c.files, c.looked = found, look
				c.render(a.cfg.Store.Snapshot())
			}
		})
	})
}

// write adds Easel to the file of the client that is shown.
func (c *connectPage) write(x clients.Client, path string) {
	a, conn, backup := c.s.a, c.connection(), ""
	a.background("write_config", func(context.Context) (err error) {
		backup, err = x.Write(path, conn)
		return err
	}, func() {
		k := a.shell.k
		text := k.T("connect.written", clients.Tilde(path))
		if backup != "" {
			text += " " + k.T("connect.backup", filepath.Base(backup))
		}
		a.shell.offer(kit.MarkCheck, text, k.T("properties.show_in_folder"), func() { a.reveal(path) })
		a.shell.connect.reread()
	})
}

func (c *connectPage) render(n *state.Snapshot) {
	if c.look == 0 && c.s.page == pageConnect {
		c.reread()
	}
	var print strings.Builder
	fmt.Fprint(&print, n.URL, c.at, c.clear, c.connection(), c.files, c.find.Text, c.s.top.chosen == "", n.Settings.DeliveryBy, n.Settings.Delivery)
	for _, x := range n.Clients {
		fmt.Fprint(&print, x.Name, x.Version, x.Calls, x.Last.Unix()/60, x.Picture)
	}
	if print.String() == c.print {
		return
	}
	c.print = print.String()
	c.list.SetRows(c.rows(n)...)
	c.detail.SetRows(c.steps(clients.All[c.at], n)...)
}

// choose shows a client.
func (c *connectPage) choose(i int) {
	c.at = i
	c.render(c.s.a.cfg.Store.Snapshot())
	c.detail.ScrollToTop()
}

// chooseFirst shows the first client of the list.
func (c *connectPage) chooseFirst() {
	here, others := c.groups(c.s.a.cfg.Store.Snapshot())
	if all := slices.Concat(here, others); len(all) > 0 {
		c.choose(all[0])
	}
}

func (c *connectPage) name(x clients.Client) string {
	if x.Name == "" {
		return c.s.k.T("connect.other")
	}
	return x.Name
}
