package projects

import (
	"cmp"
	"context"
	"path/filepath"
	"sync"
	"time"

	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/jupyter/project"
	"easel/jupyter/tunnel"
	"easel/ui/core/command"
	"easel/ui/core/kernels/servers"
)

// An openProject is a project whose server runs or is being started.
type openProject struct {
	root, name string // name is that of the server
	host       Host
	ready      chan struct{} // closed when the start has ended
	err        error         // of the start; set before ready is closed
	unable     error         // what the server says about that; nil if nothing
	// pythons are what the server has kernelspecs for; guarded by the roster. The first is the
	// project's own, and is empty if it has none.
	pythons   []project.Environment
	tried     attempt         // for the project's own Python; guarded by the roster
	examining sync.Mutex      // so that what was found last is published last; locked before the roster
	about     command.Project // what the window shows of it; guarded by the roster
	leave     func()          // stops checking a server on another machine; may be nil; guarded by the roster
	used      time.Time       // guarded by the roster
	ends      bool            // the server is being ended; guarded by the roster
	ended     chan struct{}   // closed when the server is not in the list anymore
	failed    chan struct{}   // closed when the server that ran has failed for good
}

func (o *openProject) project() project.Project {
	return project.Project{Root: o.root, Name: filepath.Base(o.root)}
}

// startLimit is how long the server of a project may take to start. It may wait for the
// installation of Easel's own environment.
const startLimit = 10 * time.Minute

// serve returns the open project, whose server runs. It waits for the start, which goes on if ctx
// ends.
func (p *Projects) serve(ctx context.Context, pr project.Project) (*openProject, error) {
	for {
		p.running.mu.Lock()
		o := p.running.open[pr.Root]
		if o == nil {
			o = p.begin(managed.ProjectServer{Root: pr.Root, Name: p.running.free(pr, p.c.Servers.Health())})
		}
		o.used = time.Now()
		ends := o.ends
		p.running.mu.Unlock()
		awaited := o.ready
		if ends { // it is started again under its name
			awaited = o.ended
		}
		select {
		case <-awaited:
		case <-ctx.Done():
			if s, err := p.c.Servers.Lookup(o.name); err == nil {
				if _, err := s.Now(); err != nil {
					return nil, err // it says how far it is
				}
			}
			return nil, explained(ctx, pr.Root, context.Cause(ctx))
		}
		if !ends {
			return o, cmp.Or(o.err, p.boxes.tell(o))
		}
	}
}

// begin starts the server of a project. The caller holds the roster.
func (p *Projects) begin(of managed.ProjectServer) *openProject {
	o := &openProject{
		root: of.Root, name: of.Name, about: command.Project{Root: of.Root, Server: of.Name}, ready: make(chan struct{}),
		ended: make(chan struct{}), failed: make(chan struct{}), used: time.Now(), pythons: make([]project.Environment, 1),
	}
	restored := (*jupyter.Server)(nil)
	o.host = p.host(o, func(s managed.Status) { // calls are in order
		client, h := (*jupyter.Server)(nil), p.c.Health(of.Name, s)
		if tunnel.IsAddress(of.Root) {
			p.reportThere(o, s, h)
			return
		}
		if s.Phase == managed.Ready {
			client = o.host.Server()
			h.URL = client.URL().String()
		}
		p.c.Servers.Set(client, h)
		if s.Phase == managed.Failed && restored == nil {
			o.unable = &servers.NotReadyError{Health: h}
		}
		if s.Phase == managed.Failed && restored != nil {
			close(o.failed) // once: it is not started again
		}
		if client != nil && client != restored {
			restored = client
			p.tasks.Go(func() { p.restore(of.Name) })
		}
	})
	p.running.open[of.Root], p.running.names[of.Root] = o, of.Name
	p.c.Servers.Add(of.Name, true)
	if !p.tasks.Go(func() { p.run(o) }) {
		o.err = context.Canceled
		close(o.ready)
	}
	return o
}

func (p *Projects) restore(server string) {
	ctx, cancel := context.WithTimeout(p.tasks.Context(), time.Minute)
	defer cancel()
	if err := p.c.Restore(ctx, server); err != nil && ctx.Err() == nil {
		p.c.Log.Warn("reconnecting to kernels", "server", server, "err", err)
	}
}

// run starts the server of a project, and ends it when it has had no kernels for a while, or has
// failed, so that the next call starts another. It ends with the server.
func (p *Projects) run(o *openProject) {
	ctx := p.tasks.Context()
	starting, cancel := context.WithTimeout(ctx, startLimit)
	p.tasks.Go(func() { p.examine(ctx, o) })
	if err := p.envFile(o); err != nil {
		p.c.Log.WarnContext(ctx, "the .env file of a project is not read as the user wants it", "root", o.root, "err", err)
	}
	if o.err = p.boxes.tell(o); o.err == nil {
		_, o.err = o.host.Start(starting)
	}
	if o.err == nil {
		p.ownKernel(starting, o) // not before: it needs what the start may install
	}
	cancel()
	if o.err != nil {
		o.err = explained(ctx, o.root, cmp.Or(o.unable, o.err))
		p.forget(o)
		close(o.ready)
		return
	}
	close(o.ready)
	tick := time.NewTicker(max(p.c.Rest/10, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done(): // Close stops the server
			return
		case <-o.failed:
			p.running.mu.Lock()
			o.ends = true
			p.running.mu.Unlock()
		case <-tick.C:
			p.look(ctx, o)
			if !p.unused(ctx, o) {
				continue
			}
			p.running.mu.Lock()
			o.ends = time.Since(o.used) >= p.c.Rest
			p.running.mu.Unlock()
		}
		if o.ends { // only this goroutine sets it
			p.c.Log.Info("a project's server ends: nobody uses it, or it has failed", "server", o.name)
			if err := o.host.Stop(ctx); err != nil {
				p.c.Log.Warn("ending a project's server", "server", o.name, "err", err)
			}
			p.forget(o)
			return
		}
	}
}

// forget removes a project whose server has ended, or has not started. Until then, nobody starts
// another one for it.
func (p *Projects) forget(o *openProject) {
	p.running.leave(o)
	p.c.Servers.Remove(o.name)
	p.running.mu.Lock()
	delete(p.running.open, o.root)
	p.running.mu.Unlock()
	p.there.changed(o, &p.running, p.tasks)
	p.publish()
	close(o.ended)
}

// unused reports whether the server of a project has had no kernels and no terminals for a while.
// A server that has some was in use just now.
func (p *Projects) unused(ctx context.Context, o *openProject) bool {
	client := o.host.Server()
	if client == nil {
		return false // it is being restarted
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	kernels, err := client.Kernels(ctx)
	terminals, unknown := client.Terminals(ctx)
	p.running.mu.Lock()
	defer p.running.mu.Unlock()
	if err != nil || unknown != nil || len(kernels) > 0 || terminals > 0 {
		o.used = time.Now()
	}
	return time.Since(o.used) >= p.c.Rest
}
