package desk

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"easel/jupyter"
	"easel/jupyter/discover"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/kernels"
	"easel/ui/core/settings"
	"easel/ui/core/state"
)

// A named is a server beside the default one.
type named struct {
	name   string
	url    string
	client *jupyter.Server
	leave  func() // ends what attends to it
}

// addNamed makes the user's own servers known.
func (d *Desk) addNamed() {
	servers, err := settings.LoadServers(d.cfg.Options.DataDir)
	if err != nil {
		d.Notify(state.Notice{ID: "servers", Level: state.LevelWarning, Text: err.Error()})
	}
	for _, s := range servers {
		client, err := jupyter.New(s.URL, s.Token, jupyter.WithLogger(d.cfg.Log))
		if err == nil && d.knows(s.Name) {
			err = fmt.Errorf("Easel has a server of that name itself") //nolint:staticcheck // its name
		}
		if err != nil {
			d.Notify(state.Notice{ID: "server-" + s.Name, Level: state.LevelWarning, Text: fmt.Sprintf("The server %q in servers.json cannot be used: %v.", s.Name, err)})
			continue
		}
		d.Kernels.AddServer(s.Name, false)
		d.named = append(d.named, &named{name: s.Name, url: client.String(), client: client})
	}
	d.prefer(d.Store.Snapshot().Settings.DefaultServer)
	d.Store.Update(func(s *state.Snapshot) { s.OwnServers = d.ownNames() })
}

func (d *Desk) ownNames() []string {
	names := make([]string, len(d.named))
	for i, n := range d.named {
		names[i] = n.name
	}
	return names
}

// prefer makes a server the default one, if there is one of that name.
func (d *Desk) prefer(name string) {
	if name != "" {
		d.Kernels.PreferServer(name)
	}
}

// handleServers lets the person add and remove servers in the window.
func (d *Desk) handleServers() {
	catalog.AddServer.Handle(d.cfg.Bus, d.addOwn, nil)
	catalog.RemoveServer.Handle(d.cfg.Bus, d.removeOwn, nil)
	catalog.PreferServer.Handle(d.cfg.Bus, func(_ context.Context, name string) (struct{}, error) {
		if !d.Kernels.PreferServer(name) {
			return struct{}{}, &tool.Error{Code: tool.ServerNotFound, Detail: fmt.Sprintf("There is no server %q.", name)}
		}
		d.Store.Update(func(s *state.Snapshot) { s.Settings.DefaultServer = name })
		return struct{}{}, nil
	}, nil)
}

func invalid(err error) error {
	return &tool.Error{Code: tool.Validation, Detail: err.Error() + ".", Err: err}
}

// addOwn keeps a server of the user's and joins it. One that is known by that name
// and address gets the token: its former one has expired.
func (d *Desk) addOwn(ctx context.Context, in catalog.NamedServer) (struct{}, error) {
	var none struct{}
	d.servers.Lock()
	defer d.servers.Unlock()
	client, err := jupyter.New(in.URL, in.Token, jupyter.WithLogger(d.cfg.Log))
	if err != nil {
		return none, invalid(err)
	}
	if d.knows(in.Name) {
		return none, d.renew(ctx, in, client)
	}
	kept, err := settings.LoadServers(d.cfg.Options.DataDir)
	if err != nil {
		return none, invalid(err)
	}
	if err := settings.SaveServers(d.cfg.Options.DataDir, append(kept, settings.Server{Name: in.Name, URL: in.URL, Token: in.Token})); err != nil {
		return none, invalid(err)
	}
	n := &named{name: in.Name, url: client.String(), client: client}
	d.Kernels.AddServer(n.name, false)
	d.named = append(d.named, n)
	d.attend(context.WithoutCancel(ctx), n)
	d.Store.Update(func(s *state.Snapshot) { s.OwnServers = d.ownNames() })
	return none, nil
}

// renew gives a server that is known the token of now, a new client of it. The
// kernels there stay joined. Easel does not keep the token of the server that it
// was started with: it would have to be given again.
func (d *Desk) renew(ctx context.Context, in catalog.NamedServer, now *jupyter.Server) error {
	if in.Name == ExternalServer && d.external != nil && d.external.String() == now.String() {
		d.external.Renew(now)
		d.Kernels.LookAt(ctx, in.Name)
		return nil
	}
	i := slices.IndexFunc(d.named, func(n *named) bool { return n.name == in.Name && n.url == now.String() })
	if i < 0 {
		return invalid(fmt.Errorf("there is a server %q at another address already", in.Name))
	}
	kept, err := settings.LoadServers(d.cfg.Options.DataDir)
	if err != nil {
		return invalid(err)
	}
	for j := range kept {
		if kept[j].Name == in.Name {
			kept[j].URL, kept[j].Token = in.URL, in.Token
		}
	}
	if err := settings.SaveServers(d.cfg.Options.DataDir, kept); err != nil {
		return invalid(err)
	}
	d.named[i].client.Renew(now)
	d.Kernels.LookAt(ctx, in.Name)
	return nil
}

// reread takes the tokens of servers that refuse Easel's from servers.json, where
// the user may have put new ones: an Easel without a window has no other way.
func (d *Desk) reread(ctx context.Context) {
	refused := func(n *named) bool {
		return slices.ContainsFunc(d.Kernels.Servers(), func(h catalog.ServerHealth) bool {
			return h.Name == n.name && h.State == kernels.ServerUnauthorized
		})
	}
	d.servers.Lock()
	defer d.servers.Unlock()
	if !slices.ContainsFunc(d.named, refused) {
		return
	}
	kept, err := settings.LoadServers(d.cfg.Options.DataDir)
	if err != nil {
		return // it was told at the start, or it is being written
	}
	for _, n := range d.named {
		i := slices.IndexFunc(kept, func(s settings.Server) bool { return s.Name == n.name })
		if i < 0 || !refused(n) {
			continue
		}
		if now, err := jupyter.New(kept[i].URL, kept[i].Token); err == nil && now.String() == n.url && n.client.Renew(now) {
			d.cfg.Log.InfoContext(ctx, "servers.json has another token for a server", "server", n.name)
			d.Kernels.LookAt(ctx, n.name)
		}
	}
}

// attend follows a named server until it is left or the desk is closed.
func (d *Desk) attend(ctx context.Context, n *named) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(d.life, cancel)
	left := make(chan struct{})
	d.tasks.Go(func() {
		defer close(left)
		defer stop()
		d.Kernels.Attach(ctx, n.name, n.client)
	})
	n.leave = func() { cancel(); <-left }
}

// removeOwn forgets a server of the user's.
func (d *Desk) removeOwn(_ context.Context, name string) (struct{}, error) {
	var none struct{}
	d.servers.Lock()
	defer d.servers.Unlock()
	i := slices.IndexFunc(d.named, func(n *named) bool { return n.name == name })
	if i < 0 {
		return none, &tool.Error{Code: tool.ServerNotFound, Detail: fmt.Sprintf("You have added no server %q.", name)}
	}
	kept, err := settings.LoadServers(d.cfg.Options.DataDir)
	if err != nil {
		return none, invalid(err)
	}
	kept = slices.DeleteFunc(kept, func(s settings.Server) bool { return s.Name == name })
	if err := settings.SaveServers(d.cfg.Options.DataDir, kept); err != nil {
		return none, invalid(err)
	}
	n := d.named[i]
	d.named = slices.Delete(slices.Clone(d.named), i, i+1)
	if n.leave != nil {
		n.leave()
	}
	d.Kernels.RemoveServer(name)
	d.Store.Update(func(s *state.Snapshot) {
		s.OwnServers = d.ownNames()
		if s.Settings.DefaultServer == name {
			s.Settings.DefaultServer = ""
		}
	})
	return none, nil
}

// knows tells whether there is a server of that name.
func (d *Desk) knows(name string) bool {
	for _, h := range d.Kernels.Servers() {
		if h.Name == name {
			return true
		}
	}
	return false
}

// seekEvery is how often it is looked for servers that the user has started on
// this machine, or ended. It takes a look into a directory.
const seekEvery = 10 * time.Second

// seek joins the servers that the user runs on this machine, and leaves those that
// have ended, until ctx ends. It reads a kernel only when it is asked to.
func (d *Desk) seek(ctx context.Context) {
	home, _ := os.UserHomeDir() // without one, the environment may tell
	dirs := discover.Dirs(runtime.GOOS, home, os.Getenv)
	joined := make(map[string]func()) // how to leave, by the path of its file
	tick := time.NewTicker(seekEvery)
	defer tick.Stop()
	for {
		d.reread(ctx)
		for path, leave := range joined {
			if _, err := discover.Read(path); err != nil || !d.Store.Snapshot().Settings.LocalServers {
				leave()
				delete(joined, path)
			}
		}
		if d.Store.Snapshot().Settings.LocalServers {
			for _, s := range discover.Find(ctx, dirs, d.serves) {
				if leave := d.join(ctx, s); leave != nil {
					joined[s.File] = leave
				}
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// serves tells whether a server of that URL is known.
func (d *Desk) serves(url string) bool {
	if d.external != nil && d.external.String() == url {
		return true
	}
	d.servers.Lock()
	mine := d.named
	d.servers.Unlock()
	if slices.ContainsFunc(mine, func(n *named) bool { return n.url == url }) {
		return true
	}
	for _, h := range d.Kernels.Servers() {
		if h.URL == url {
			return true
		}
	}
	return false
}

// join makes a server known that was found, and gives what leaves it.
func (d *Desk) join(ctx context.Context, s discover.Server) (leave func()) {
	client, err := jupyter.New(s.URL, s.Token, jupyter.WithLogger(d.cfg.Log))
	if err != nil {
		return nil
	}
	name := s.Name
	for n := 2; d.knows(name); n++ {
		name = fmt.Sprintf("%s-%d", s.Name, n)
	}
	d.cfg.Log.InfoContext(ctx, "found a Jupyter server", "server", name, "url", s.URL)
	d.Kernels.AddServer(name, false)
	if d.Store.Snapshot().Settings.DefaultServer == name {
		d.prefer(name)
	}
	ctx, cancel := context.WithCancel(ctx)
	left := make(chan struct{})
	d.tasks.Go(func() {
		defer close(left)
		d.Kernels.Attach(ctx, name, client)
	})
	return func() {
		cancel()
		<-left
		d.Kernels.RemoveServer(name)
		d.cfg.Log.InfoContext(ctx, "a Jupyter server has ended", "server", name)
	}
}
