// Package desk puts together everything of Easel that is neither window nor host:
// state, library, kernels, the Jupyter servers, and the tools' bodies. With a
// window or without, it is the same desk.
//
// # Goroutines
//
// Start runs one goroutine for the default server and each other one, one that
// looks for servers on this machine, one for the log of calls, one
// for the settings and one for the trash; Close ends them.
package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"easel/eventbus"
	"easel/jupyter"
	"easel/jupyter/managed"
	"easel/mcphost/catalog"
	"easel/ui/core/collection"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/pressure"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/core/tools"
	"easel/ui/i18n"
)

// The names of the default servers.
const (
	ManagedServer  = "managed"
	ExternalServer = "jupyter"
)

// Config is what a Desk is made from.
type Config struct {
	Options settings.Options
	Bus     *eventbus.Bus
	Log     *slog.Logger
	Fonts   []string // font files for Japanese text in plots
	Window  state.WindowState
	// ShowWindow and OpenWindow are those of tools.Deps.
	ShowWindow func()
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

// A Desk is Easel without its window and its host.
type Desk struct {
	Store      *state.Store
	Library    *library.Library
	Collection *collection.Collection // what the gallery shows: Library and directories on disk
	Kernels    *kernels.Manager

	cfg      Config
	deps     tools.Deps
	external *jupyter.Server       // nil with a managed one
	managed  *managed.Jupyter      // nil with an external one
	servers  sync.Mutex            // guards named
	named    []*named              // the user's own others
	life     context.Context       //nolint:containedctx // from Start to Close
	keep     func(context.Context) // writes the settings
	cancel   context.CancelFunc
	tasks    sync.WaitGroup
}

// Open opens the library and makes the tools callable. Nothing is started yet.
func Open(ctx context.Context, c Config) (*Desk, error) {
	o := c.Options
	chosen, problem, err := settings.Load(o.DataDir)
	if err != nil {
		return nil, err
	}
	if o.Lang != "" {
		chosen.Language = o.Lang
	}
	d := &Desk{cfg: c, Store: state.NewStore(state.Snapshot{
		Folder: state.Folder{Kind: state.AllSessions}, Query: state.Query{Rating: -1, RatingOp: ">=", SortBy: "created"},
		Mode: state.Grid, Settings: chosen, Window: c.Window, PropertiesPanel: chosen.Layout.Props.Or(true), FollowLatest: true,
	})}
	d.keep = settings.Keep(d.Store, o.DataDir, c.Log)
	lib, err := library.Open(ctx, filepath.Join(o.DataDir, "library"), library.Options{
		QuotaBytes: chosen.QuotaMB << 20, Untitled: i18n.Every("gallery.untitled"), Log: c.Log, Report: d.damaged,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the library: %w", err)
	}
	d.Library = lib
	if last, _, err := lib.Images(ctx, library.All(), library.Page{Limit: 1}); err == nil && len(last) > 0 {
		d.Store.Update(func(s *state.Snapshot) { s.Newest = last[0].ImageID })
	}
	d.Collection = collection.New(lib, c.Log, tools.PublishFiles(c.Bus, d.Store))
	d.Kernels = kernels.New(kernels.Config{
		Library: lib, Log: c.Log, On: tools.Publish(c.Bus, d.Store),
		Timeout: func() time.Duration {
			return time.Duration(d.Store.Snapshot().Settings.Timeout * float64(time.Second))
		},
		Unused: func() time.Duration {
			return time.Duration(d.Store.Snapshot().Settings.UnusedHours * float64(time.Hour))
		},
		Connected: func(ctx context.Context) (map[string]catalog.Connection, error) {
			return catalog.ConnectedClients.Ask(ctx, c.Bus, struct{}{})
		},
		SpareFile: filepath.Join(c.Options.DataDir, "jupyter", "spare"),
		Fonts:     c.Fonts,
	})
	if err := d.addServer(); err != nil {
		return nil, errors.Join(err, lib.Close())
	}
	d.addNamed()
	d.deps = tools.Deps{
		Bus: c.Bus, Store: d.Store, Library: lib, Collection: d.Collection, RootDir: d.rootDir(), Kernels: d.Kernels, Log: c.Log,
		ShowWindow: c.ShowWindow, OpenWindow: c.OpenWindow,
	}
	tools.Register(d.deps)
	d.notices(ctx, problem)
	return d, nil
}

// notices tells of what was found broken.
func (d *Desk) notices(ctx context.Context, problem string) {
	if problem != "" {
		d.Notify(state.Notice{ID: "settings", Level: state.LevelWarning, Text: "The settings could not be read. They begin anew; the file was set aside:", Hint: problem})
	}
	if err := d.Kernels.Recover(ctx); err != nil {
		d.cfg.Log.ErrorContext(ctx, "taking up what an earlier Easel began", "err", err)
	}
}

// damaged tells of what the library found broken or had to give up.
func (d *Desk) damaged(l library.Damage) {
	level := state.LevelWarning
	if l.Kind == library.QuotaReached {
		level = state.LevelInfo
	}
	d.Notify(state.Notice{ID: "library-" + string(l.Kind) + l.Path, Level: level, Text: l.Detail, Hint: l.SetAside})
}

// trashCheck is how often the trash is looked through.
const trashCheck = 6 * time.Hour

// tidy empties the trash of what is older than the settings say, now and then, until
// ctx ends.
func (d *Desk) tidy(ctx context.Context) {
	tick := time.NewTicker(trashCheck)
	defer tick.Stop()
	for {
		kept := time.Duration(d.Store.Snapshot().Settings.TrashDays) * 24 * time.Hour
		if _, err := d.Library.PurgeTrash(ctx, time.Now().Add(-kept)); err != nil && ctx.Err() == nil {
			d.cfg.Log.ErrorContext(ctx, "emptying the trash", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Notify shows a banner; one with the same ID is replaced.
func (d *Desk) Notify(n state.Notice) {
	n.At = time.Now()
	d.Store.Update(func(s *state.Snapshot) {
		kept := make([]state.Notice, 0, len(s.Notices)+1)
		for _, o := range s.Notices {
			if o.ID != n.ID {
				kept = append(kept, o)
			}
		}
		kept = append(kept, n)
		s.Notices = kept
	})
}

func (d *Desk) addServer() error {
	o := d.cfg.Options
	if o.JupyterURL != "" {
		client, err := jupyter.New(o.JupyterURL, o.JupyterToken, jupyter.WithLogger(d.cfg.Log))
		if err != nil {
			return fmt.Errorf("--jupyter-url: %w", err)
		}
		d.external = client
		d.Kernels.AddServer(ExternalServer, false)
		return nil
	}
	root := d.rootDir()
	if root == "" {
		return errors.New("no home directory: give --root-dir")
	}
	d.managed = managed.New(managed.Config{
		DataDir: o.DataDir, RootDir: root, Log: d.cfg.Log, Fonts: d.cfg.Fonts, Report: d.report,
	})
	d.Kernels.AddServer(ManagedServer, true)
	return nil
}

// rootDir is where the managed Jupyter works and relative paths begin; empty if
// neither that nor the home directory is known.
func (d *Desk) rootDir() string {
	if root := cmp.Or(d.cfg.Options.RootDir, d.Store.Snapshot().Settings.RootDir); root != "" {
		return root
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "Easel")
}

// Managed is the Jupyter that Easel runs itself; nil if it uses another.
func (d *Desk) Managed() *managed.Jupyter { return d.managed }

// Start sets everything going; it returns at once. Close ends it.
func (d *Desk) Start(ctx context.Context) {
	ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	d.life = ctx
	d.servers.Lock()
	for _, n := range d.named {
		d.attend(ctx, n)
	}
	d.servers.Unlock()
	d.handleServers()
	d.tasks.Go(tools.WatchActivities(ctx, d.deps))
	d.tasks.Go(tools.WatchArrivals(ctx, d.deps))
	d.tasks.Go(tools.WatchShown(ctx, d.deps))
	d.tasks.Go(func() { d.keep(ctx) })
	d.tasks.Go(func() { d.tidy(ctx) })
	memory := &memoryWatch{store: d.Store, read: pressure.Read, idle: d.Kernels.Idle}
	d.tasks.Go(func() { memory.run(ctx) })
	var unused atomic.Value // the setting as it was last seen
	stop := d.Store.OnChange(func() {
		chosen := d.Store.Snapshot().Settings
		d.Library.SetQuota(chosen.QuotaMB << 20)
		if unused.Swap(chosen.UnusedHours) != chosen.UnusedHours {
			d.Kernels.LookAtUnused()
		}
	})
	context.AfterFunc(ctx, stop)
	if d.managed != nil && d.Store.Snapshot().Settings.Spare {
		d.tasks.Go(func() { d.Kernels.Warm(ctx, ManagedServer) })
	}
	d.tasks.Go(func() { d.seek(ctx) })
	d.tasks.Go(func() {
		if d.external != nil {
			d.Kernels.Attach(ctx, ExternalServer, d.external)
			return
		}
		if _, err := d.managed.Start(ctx); err != nil && ctx.Err() == nil {
			d.cfg.Log.ErrorContext(ctx, "starting Jupyter", "err", err)
		}
	})
}

// report follows the managed Jupyter. It must not block: joining kernels again
// takes a goroutine.
func (d *Desk) report(s managed.Status) {
	h := health(s)
	var client *jupyter.Server
	if s.Phase == managed.Ready {
		client = d.managed.Server()
		h.URL = client.URL().String()
	}
	d.Kernels.SetServer(client, h)
	d.Store.Update(func(n *state.Snapshot) {
		servers := append([]state.Server(nil), n.Servers...)
		for i := range servers {
			if servers[i].Name == ManagedServer {
				servers[i].Fraction, servers[i].Remedy = s.Fraction, s.Remedy
			}
		}
		n.Servers = servers
	})
	if client != nil {
		d.tasks.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := d.Kernels.Restore(ctx, ManagedServer); err != nil {
				d.cfg.Log.Warn("joining kernels again", "err", err)
			}
		})
	}
}

// health puts a phase of the managed Jupyter into the contract's words.
func health(s managed.Status) catalog.ServerHealth {
	h := catalog.ServerHealth{Name: ManagedServer, Managed: true, Message: s.Detail}
	switch s.Phase {
	case managed.Installing:
		h.State = kernels.ServerInstalling
	case managed.Searching, managed.Starting:
		h.State = kernels.ServerStarting
	case managed.Ready:
		h.State = kernels.ServerReady
	case managed.Stopped:
		h.State = kernels.ServerStopped
	default:
		h.State = kernels.ServerFailed
		if s.Err != nil {
			h.Message = s.Err.Error()
		}
		if s.Remedy != "" {
			h.Message += " " + s.Remedy
		}
	}
	return h
}

// Close leaves the kernels, ends the managed Jupyter, writes what is to be
// written, and closes the library. The bus is closed before it.
func (d *Desk) Close(ctx context.Context) error {
	if d.cancel != nil {
		d.cancel()
	}
	err := d.Kernels.Close(ctx)
	if d.managed != nil {
		err = errors.Join(err, d.managed.Stop(ctx))
	}
	d.tasks.Wait()
	d.Collection.Close()
	return errors.Join(err, d.Library.Close())
}
