package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"easel/jupyter"
	"easel/jupyter/discover"
	"easel/jupyter/local"
	"easel/jupyter/tunnel"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/command"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/codes"
)

// An addedServer is a server that the user added to the default one.
type addedServer struct {
	name   string
	url    string
	client *jupyter.Server
	leave  func() // detaches from the server and waits for that; nil before Start
}

// closeClients closes the ways to the servers that Easel does not run.
func (c *Core) closeClients() error {
	c.servers.Lock()
	defer c.servers.Unlock()
	var err error
	if c.external != nil {
		err = c.external.Close()
	}
	for _, n := range c.named {
		err = errors.Join(err, n.client.Close())
	}
	return err
}

// addNamed adds the servers in servers.json.
func (c *Core) addNamed() {
	if err := os.RemoveAll(filepath.Join(c.cfg.Options.DataDir, socketsDir)); err != nil { // of an Easel that was killed
		c.cfg.Log.Warn("removing old sockets", "err", err)
	}
	servers, err := settings.LoadServers(c.cfg.Options.DataDir)
	if err != nil {
		c.cfg.Log.Warn("reading the Jupyter servers", "err", err)
		c.Notify(c.damagedServers(err))
	}
	for _, s := range servers {
		client, err := c.client(s.Name, s.URL, s.Token)
		if err == nil && c.knows(s.Name) {
			err = fmt.Errorf("Easel has a server of that name itself") //nolint:staticcheck // its name
		}
		if err != nil {
			c.Notify(state.Notice{ID: "server-" + s.Name, Level: state.LevelWarning, Text: fmt.Sprintf("The server %q in servers.json cannot be used: %v.", s.Name, err)})
			continue
		}
		c.Kernels.Servers.Add(s.Name, false)
		c.named = append(c.named, &addedServer{name: s.Name, url: client.String(), client: client})
	}
	c.prefer(c.Store.Snapshot().Settings.DefaultServer)
	c.Store.Update(func(s *state.Snapshot) { s.OwnServers = c.ownNames() })
}

// damagedServers sets a damaged servers.json aside, and returns what to tell the user.
func (c *Core) damagedServers(err error) state.Notice {
	n := state.Notice{ID: "servers-file", Level: state.LevelWarning, Text: err.Error()}
	if errors.Is(err, settings.ErrServersDamaged) {
		if aside, err := settings.SetServersAside(c.cfg.Options.DataDir); err == nil {
			n = state.Notice{ID: "servers", Level: state.LevelWarning, Text: "The list of Jupyter servers could not be read. Add them again in the settings. The file was moved to:", Hint: aside}
		}
	}
	return n
}

func (c *Core) ownNames() []string {
	names := make([]string, len(c.named))
	for i, n := range c.named {
		names[i] = n.name
	}
	return names
}

// prefer makes the named server the default, if it exists.
func (c *Core) prefer(name string) {
	if name != "" {
		c.Kernels.Servers.Prefer(name)
	}
}

// handleServers lets the user add and remove servers in the window.
func (c *Core) handleServers() {
	chain.Register(c.chain, command.AddServer, c.addOwn)
	chain.Register(c.chain, command.RemoveServer, c.removeOwn)
	chain.Register(c.chain, command.PreferServer, func(_ context.Context, name string) (struct{}, error) {
		if !c.Kernels.Servers.Prefer(name) {
			return struct{}{}, &tool.Error{Code: tool.ServerNotFound, Detail: fmt.Sprintf("There is no server %q.", name)}
		}
		c.Store.Update(func(s *state.Snapshot) { s.Settings.DefaultServer = name })
		return struct{}{}, nil
	})
}

func invalid(err error) error {
	return &tool.Error{Code: tool.Validation, Detail: err.Error() + ".", Err: err}
}

// addOwn saves a server that the user adds, and attaches to it. The address of a project on another
// machine opens that. If there is a server with
// that name and address already, it gets the new token.
func (c *Core) addOwn(ctx context.Context, in command.NamedServer) (struct{}, error) {
	var none struct{}
	if a, err := tunnel.Parse(in.URL); err == nil && a.Path != "" {
		return none, codes.Of(c.projects.OpenThere(ctx, a.String()))
	}
	c.servers.Lock()
	defer c.servers.Unlock()
	client, err := c.client(in.Name, in.URL, in.Token)
	if err != nil {
		return none, invalid(err)
	}
	if c.knows(in.Name) {
		return none, c.renew(ctx, in, client)
	}
	kept, err := settings.LoadServers(c.cfg.Options.DataDir)
	if err != nil {
		return none, invalid(err)
	}
	if err := settings.SaveServers(c.cfg.Options.DataDir,
		append(kept, settings.Server{Name: in.Name, URL: in.URL, Token: in.Token})); err != nil {
		return none, invalid(err)
	}
	n := &addedServer{name: in.Name, url: client.String(), client: client}
	c.Kernels.Servers.Add(n.name, false)
	c.named = append(c.named, n)
	c.attend(context.WithoutCancel(ctx), n)
	c.Store.Update(func(s *state.Snapshot) { s.OwnServers = c.ownNames() })
	return none, nil
}

// renew replaces the token of a known server by that of now, a new client of it. Its
// kernels stay attached. The new token of the server given at startup is not saved, so
// the user must pass it again at the next start. The caller holds c.servers.
func (c *Core) renew(ctx context.Context, in command.NamedServer, now *jupyter.Server) error {
	if in.Name == ExternalServer && c.external != nil && c.external.String() == now.String() {
		c.external.Renew(now)
		c.Kernels.Servers.Recheck(ctx, in.Name)
		return nil
	}
	i := slices.IndexFunc(c.named, func(n *addedServer) bool { return n.name == in.Name && n.url == now.String() })
	if i < 0 {
		return invalid(fmt.Errorf("there is a server %q at another address already", in.Name))
	}
	kept, err := settings.LoadServers(c.cfg.Options.DataDir)
	if err != nil {
		return invalid(err)
	}
	for j := range kept {
		if kept[j].Name == in.Name {
			kept[j].URL, kept[j].Token = in.URL, in.Token
		}
	}
	if err := settings.SaveServers(c.cfg.Options.DataDir, kept); err != nil {
		return invalid(err)
	}
	c.named[i].client.Renew(now)
	c.Kernels.Servers.Recheck(ctx, in.Name)
	return nil
}

// reread looks in servers.json for new tokens of servers that refuse the current one.
// Without a window, this is the only way to renew a token.
func (c *Core) reread(ctx context.Context) {
	refused := func(n *addedServer) bool {
		return slices.ContainsFunc(c.Kernels.Servers.Health(), func(h catalog.ServerHealth) bool {
			return h.Name == n.name && h.State == servers.StateUnauthorized
		})
	}
	c.servers.Lock()
	defer c.servers.Unlock()
	if !slices.ContainsFunc(c.named, refused) {
		return
	}
	kept, err := settings.LoadServers(c.cfg.Options.DataDir)
	if err != nil {
		return // reported at startup, or the file is being written
	}
	for _, n := range c.named {
		i := slices.IndexFunc(kept, func(s settings.Server) bool { return s.Name == n.name })
		if i < 0 || !refused(n) {
			continue
		}
		if now, err := c.client(n.name, kept[i].URL, kept[i].Token); err == nil && now.String() == n.url && n.client.Renew(now) {
			c.cfg.Log.InfoContext(ctx, "servers.json has another token for a server", "server", n.name)
			c.Kernels.Servers.Recheck(ctx, n.name)
		}
	}
}

// attend attaches to a named server until n.leave is called or the core is closed. The
// caller holds c.servers.
func (c *Core) attend(ctx context.Context, n *addedServer) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.life, cancel)
	left := make(chan struct{})
	c.tasks.Go(func() {
		defer close(left)
		defer stop()
		c.Kernels.Servers.Attach(ctx, n.name, n.client)
	})
	n.leave = func() { cancel(); <-left }
}

// removeOwn removes a server that the user added.
func (c *Core) removeOwn(ctx context.Context, name string) (struct{}, error) {
	var none struct{}
	c.servers.Lock()
	defer c.servers.Unlock()
	i := slices.IndexFunc(c.named, func(n *addedServer) bool { return n.name == name })
	if i < 0 {
		return none, &tool.Error{Code: tool.ServerNotFound, Detail: fmt.Sprintf("You have added no server %q.", name)}
	}
	kept, err := settings.LoadServers(c.cfg.Options.DataDir)
	if err != nil {
		return none, invalid(err)
	}
	kept = slices.DeleteFunc(kept, func(s settings.Server) bool { return s.Name == name })
	if err := settings.SaveServers(c.cfg.Options.DataDir, kept); err != nil {
		return none, invalid(err)
	}
	n := c.named[i]
	c.named = slices.Delete(slices.Clone(c.named), i, i+1)
	if n.leave != nil {
		n.leave()
	}
	c.Kernels.Servers.Remove(name)
	if err := n.client.Close(); err != nil {
		c.cfg.Log.WarnContext(ctx, "closing the way to a server", "server", name, "err", err)
	}
	c.Store.Update(func(s *state.Snapshot) {
		s.OwnServers = c.ownNames()
		if s.Settings.DefaultServer == name {
			s.Settings.DefaultServer = ""
		}
	})
	return none, nil
}

// knows reports whether there is a server with that name.
func (c *Core) knows(name string) bool {
	for _, h := range c.Kernels.Servers.Health() {
		if h.Name == name {
			return true
		}
	}
	return name == catalog.ThisMachine
}

// addLocal adds the kernels on this machine that no Jupyter server runs.
func (c *Core) addLocal() error {
	home, _ := os.UserHomeDir() // without it, the environment may name the directories
	finder := local.NewFinder(discover.Dirs(runtime.GOOS, home, os.Getenv), discover.DataDirs(runtime.GOOS, home, os.Getenv), os.TempDir())
	c.local = local.NewGateway(finder, c.cfg.Log)
	client, err := c.local.Client()
	if err != nil {
		return errors.Join(err, c.local.Close())
	}
	c.Kernels.Servers.AddLocal(client)
	return nil
}

// seekEvery is the interval at which Easel looks for local servers that were started or
// stopped. Each time it lists a few directories.
const seekEvery = 10 * time.Second

// seek attaches to the servers that the user runs on this machine, and detaches from
// those that have ended, until ctx ends. It also looks for kernels that no server runs, and
// for notebooks that were renamed. It connects to no kernel before one is used.
func (c *Core) seek(ctx context.Context) {
	dirs := runtimeDirs()
	joined := make(map[string]func()) // detaches from a server, by the path of its file
	tick := time.NewTicker(seekEvery)
	defer tick.Stop()
	for {
		c.reread(ctx)
		for path, leave := range joined {
			if _, err := discover.Read(path); err != nil || !c.Store.Snapshot().Settings.LocalServers {
				leave()
				delete(joined, path)
			}
		}
		if c.Store.Snapshot().Settings.LocalServers {
			for _, s := range discover.Find(ctx, dirs, c.serves) {
				if leave := c.join(ctx, s); leave != nil {
					joined[s.File] = leave
				}
			}
		}
		c.offer(ctx)
		c.noticeRenames(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// noticeRenames makes the window show the present paths of the sessions' notebooks.
func (c *Core) noticeRenames(ctx context.Context) {
	if c.Store.Snapshot().Window == state.WindowShown {
		ctx, cancel := context.WithTimeout(ctx, seekEvery)
		defer cancel()
		c.Kernels.NoticeRenames(ctx)
	}
}

// offer shows the kernels that no server runs and that Easel has not joined.
func (c *Core) offer(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, seekEvery)
	defer cancel()
	now := c.Kernels.Local(ctx)
	same := func(a, b catalog.Session) bool { return a.KernelID == b.KernelID }
	if ctx.Err() != nil || slices.EqualFunc(now, c.Store.Snapshot().Kernels, same) {
		return
	}
	c.Store.Update(func(s *state.Snapshot) { s.Kernels = now })
}

// serves reports whether a server with that URL is known.
func (c *Core) serves(url string) bool {
	if c.external != nil && c.external.String() == url {
		return true
	}
	c.servers.Lock()
	mine := c.named
	c.servers.Unlock()
	if slices.ContainsFunc(mine, func(n *addedServer) bool { return n.url == url }) {
		return true
	}
	for _, h := range c.Kernels.Servers.Health() {
		if h.URL == url {
			return true
		}
	}
	return false
}

// join adds a server that was found and attaches to it. It returns the function that
// removes it, or nil if its URL is not valid.
func (c *Core) join(ctx context.Context, s discover.Server) (leave func()) {
	client, err := jupyter.New(s.URL, s.Token, append(c.clientOptions(), jupyter.WithRoot(func() string { return s.RootDir }))...)
	if err != nil {
		return nil
	}
	name := s.Name
	for n := 2; c.knows(name); n++ {
		name = fmt.Sprintf("%s-%d", s.Name, n)
	}
	c.cfg.Log.InfoContext(ctx, "found a Jupyter server", "server", name, "url", s.URL)
	c.Kernels.Servers.Add(name, false)
	if c.Store.Snapshot().Settings.DefaultServer == name {
		c.prefer(name)
	}
	ctx, cancel := context.WithCancel(ctx)
	left := make(chan struct{})
	c.tasks.Go(func() {
		defer close(left)
		c.Kernels.Servers.Attach(ctx, name, client)
	})
	return func() {
		cancel()
		<-left
		c.Kernels.Servers.Remove(name)
		c.cfg.Log.InfoContext(ctx, "a Jupyter server has ended", "server", name)
	}
}
