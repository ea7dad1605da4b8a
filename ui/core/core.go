// Package core assembles everything in Easel except the window and the host: the state,
// the library, the kernels, the Jupyter servers and the implementations of the tools. It
// is the same with and without a window.
//
// # Goroutines
//
// Start runs one goroutine for each server, two that draw figures, and one each for
// checking plots, counting their findings, discovering local servers, the log of calls, the connected clients, the
// watchers of the view and of notebooks' cells, the settings, the trash, the free memory,
// what kernels use and, if enabled, the prestarted kernel. Close ends all of them.
package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"easel/eventbus"
	"easel/internal/mask"
	"easel/jupyter"
	"easel/jupyter/kernelside"
	"easel/jupyter/local"
	"easel/jupyter/managed"
	"easel/jupyter/remote"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/cells"
	"easel/ui/core/collection"
	"easel/ui/core/command"
	"easel/ui/core/editors"
	"easel/ui/core/figures"
	"easel/ui/core/figurestore"
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/tasks"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/plotdata"
	"easel/ui/core/private"
	"easel/ui/core/projects"
	"easel/ui/core/redraw"
	"easel/ui/core/render"
	"easel/ui/core/render/browser"
	"easel/ui/core/render/page"
	"easel/ui/core/roster"
	"easel/ui/core/settings"
	"easel/ui/core/state"
	"easel/ui/core/tools"
	"easel/ui/core/tools/chain"
	"easel/ui/core/userinput"
)

// Names of the default server.
const (
	ManagedServer  = catalog.ManagedServer
	ExternalServer = "jupyter"
)

// Config configures a Core.
type Config struct {
	Options  settings.Options
	Bus      *eventbus.Bus
	Log      *slog.Logger
	Mask     *mask.Mask                          // learns the tokens of Jupyter servers; may be nil
	Fonts    []string                            // font files for Japanese text in plots
	Untitled []string                            // the name of a plot without a title, in each language; see library.Options
	Form     oversight.Former                    // says questions in words; may be nil
	Words    func(lang string) interactive.Words // returns the texts of the pages of figures, in a language of the settings; may be nil
	Window   state.WindowState
	// Connected returns the clients that are connected to the host; see kernels.Config. It is nil
	// without a host.
	Connected func() (map[string]catalog.Connection, error)
	Programs  remote.Programs // of Easel, for other machines
	// ShowWindow and OpenWindow are described at tools.Deps.
	ShowWindow func()
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

// A Core is Easel without the window and the host.
type Core struct {
	Store      *state.Store
	Library    *library.Library
	Collection *collection.Collection // what the gallery shows: the library and directories on disk
	Pictures   *announce.Pictures     // announces what changes there
	Kernels    *kernels.Manager
	Roster     *roster.Keeper // keeps what the user allows each assistant

	cfg      Config
	gate     *oversight.Gate
	started  *oversight.Kernels
	asker    *oversight.Approvals
	inputs   *userinput.Questions
	deps     tools.Deps
	chain    *chain.Chain // registers what tools does not
	cells    *cells.Cells
	private  *private.Directory
	external *jupyter.Server  // nil if the default server is managed
	managed  *managed.Jupyter // nil if the default server is external
	projects *projects.Projects
	starting managedStart   // of managed
	servers  sync.Mutex     // guards named
	named    []*addedServer // further servers that the user added
	local    *local.Gateway // kernels on this machine that no server runs
	editors  *editors.Hub
	life     context.Context         //nolint:containedctx // from Start to Close
	keepers  []func(context.Context) // save what the user chooses, and what waits to be sent, until their context ends
	cancel   context.CancelFunc
	actions  *tasks.Group // what waits for the user's answer about a call
	tasks    sync.WaitGroup
	renderer *render.Renderer
	figures  *figures.Drawer
	keeping  *figurestore.Collector
	stored   *figurestore.Drawer
	printer  *browser.Engine // another, because printing takes long and a figure does not
	pages    *page.Libraries
	opener   *interactive.Opener
	checking chan struct{} // closed when the checks of plots have ended
}

// Open opens the library and registers the tools. It does not start or connect to any
// server; Start does.
func Open(ctx context.Context, cfg Config) (*Core, error) {
	if cfg.Connected == nil {
		cfg.Connected = func() (map[string]catalog.Connection, error) { return nil, errors.New("there is no host") }
	}
	o := cfg.Options
	chosen, err := readChoices(o, cfg.Window != state.WindowNone)
	if err != nil {
		return nil, err
	}
	c := &Core{cfg: cfg, actions: tasks.New(), Store: state.NewStore(state.Snapshot{
		Folder: state.Folder{Kind: state.AllSessions},
		Query:  state.Query{Rating: -1, RatingOp: ">=", SortBy: "created", ByCell: chosen.settings.Layout.ByCell},
		Mode:   state.Grid, Settings: chosen.settings, Window: cfg.Window, PropertiesPanel: chosen.settings.Layout.Props.Or(true),
		FollowLatest: true, Assistants: chosen.assistants.Assistants, AssistantKey: chosen.assistants.Key, Resends: readResends(o.DataDir),
	})}
	c.keepChoices(o.DataDir)
	lib, err := library.Open(ctx, filepath.Join(o.DataDir, "library"), library.Options{
		QuotaBytes: chosen.settings.QuotaMB << 20, Untitled: cfg.Untitled, Log: cfg.Log, Report: c.damaged,
	})
	if err != nil {
		return nil, fmt.Errorf("opening the library: %w", err)
	}
	c.Library = lib
	c.noteNewest(ctx)
	c.Collection = collection.New(lib, cfg.Log)
	c.Pictures = announce.NewPictures(cfg.Bus, c.Store, c.Collection, cfg.Log)
	c.cells = &cells.Cells{Library: lib, Log: cfg.Log}
	c.Collection.UseCells(c.cells)
	c.gate, c.started = oversight.NewGate(c.Store), &oversight.Kernels{Store: c.Store}
	c.asker, c.inputs = announce.NewApprovals(cfg.Bus, c.Store, cfg.Form), userinput.New(c.Store)
	c.Kernels = kernels.New(c.kernelConfig())
	c.private = private.New(o.DataDir, c.rootDir())
	if err := c.addServer(); err != nil {
		return nil, errors.Join(err, lib.Close())
	}
	if err := c.addLocal(); err != nil {
		return nil, errors.Join(err, lib.Close())
	}
	c.addNamed()
	c.projects = projects.New(c.projectsConfig())
	c.gate.UseProjects(c.projects)
	c.openFigureStore(ctx)
	python := func() string { return managed.Python(o.DataDir) }
	c.deps = tools.Deps{
		Bus: cfg.Bus, Store: c.Store, Library: lib, Collection: c.Collection, Pictures: c.Pictures, RootDir: c.rootDir(), Private: c.private,
		Connected: cfg.Connected,
		Kernels:   c.Kernels, Projects: c.projects, Pages: c.pages, Figures: c.opener, Log: cfg.Log,
		Redrawer:  &redraw.Redrawer{Kernels: c.Kernels, Engines: c.figures, Library: lib.Images, Figures: c.stored},
		Approvals: c.asker, Actions: oversight.NewActions(c.asker, c.actions), Inputs: c.inputs, Printer: c.printer, Fonts: cfg.Fonts,
		Rooms: &notebooks.Rooms{Python: python}, Editors: c.newEditors(), Python: python, Cells: c.cells,
		ShowWindow: cfg.ShowWindow, OpenWindow: cfg.OpenWindow,
		Secrets: c.newSecrets(), Usage: &usage.Meter{},
	}
	c.deps.Numbers = &plotdata.Reader{Images: lib.Images, All: c.deps.Redrawer.Values, On: c.checkOn, Log: cfg.Log}
	c.deps.Checker = c.newChecker()
	c.register()
	c.notices(ctx, chosen)
	return c, nil
}

// register registers what the host and the window ask for.
func (c *Core) register() {
	c.chain = tools.Register(c.deps)
	chain.Register(c.chain, command.WriteLog, c.writeLog)
	chain.Register(c.chain, catalog.ServeEditor, c.editors.Serve)
}

// kernelConfig returns what the kernels get from the other parts.
func (c *Core) kernelConfig() kernels.Config {
	return kernels.Config{
		Starts: func(ctx context.Context, running func(string) (int, error)) (func(), error) {
			return c.started.Reserve(tool.CallerFrom(ctx), running)
		},
		Gate: c.gate, Asker: c.asker, Input: c.inputs, Library: c.Library, Log: c.cfg.Log,
		On: c.collectFigures(c.expectFigures(announce.Kernels(c.cfg.Bus, c.Store, c.Pictures))),
		Timeout: func() time.Duration {
			return time.Duration(c.Store.Snapshot().Settings.Timeout * float64(time.Second))
		},
		Unused: func() time.Duration {
			return time.Duration(c.Store.Snapshot().Settings.UnusedHours * float64(time.Hour))
		},
		Connected: c.cfg.Connected,
		// The file is still called spare, as in earlier versions. After a crash and an
		// update, a new name would leave the prestarted kernel running.
		PrestartFile: filepath.Join(c.cfg.Options.DataDir, "jupyter", "spare"),
		HiddenFile:   filepath.Join(c.cfg.Options.DataDir, "jupyter", "hidden"),
		Figures: func(managed bool) bool {
			chosen := c.Store.Snapshot().Settings
			return managed && chosen.KeepFigures || !managed && chosen.KeepTheirFigures
		},
		Project: func(server, kernel string) (string, string) {
			return c.projects.Root(server), c.projects.Environment(server, kernel)
		},
		Renew: func(ctx context.Context, server, kernel string) (string, error) {
			return c.projects.Renew(ctx, server, kernel)
		},
		ListLocal:    func() bool { return c.Store.Snapshot().Settings.LocalServers },
		FigureKeeper: kernelside.FigureKeeper(),
		Fonts:        c.cfg.Fonts,
		Draw:         c.openFigures(),
		DrawText:     func() bool { return c.Store.Snapshot().Settings.DrawText },
	}
}

// trashCheck is the interval at which old images are deleted from the trash.
const trashCheck = 6 * time.Hour

// tidy deletes images that have been in the trash for longer than Settings.TrashDays, at
// once and every trashCheck, until ctx ends.
func (c *Core) tidy(ctx context.Context) {
	tick := time.NewTicker(trashCheck)
	defer tick.Stop()
	for {
		kept := time.Duration(c.Store.Snapshot().Settings.TrashDays) * 24 * time.Hour
		if _, err := c.Library.Images.PurgeTrash(ctx, time.Now().Add(-kept)); err != nil && ctx.Err() == nil {
			c.cfg.Log.ErrorContext(ctx, "emptying the trash", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Notify shows a notice. It replaces a notice with the same ID.
func (c *Core) Notify(n state.Notice) {
	n.At = time.Now()
	c.Store.Update(func(s *state.Snapshot) {
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

func (c *Core) addServer() error {
	o := c.cfg.Options
	if o.JupyterURL != "" {
		client, err := c.client(ExternalServer, o.JupyterURL, o.JupyterToken)
		if err != nil {
			return fmt.Errorf("--jupyter-url: %w", err)
		}
		c.external = client
		c.Kernels.Servers.Add(ExternalServer, false)
		return nil
	}
	root := c.rootDir()
	if root == "" {
		return errors.New("no home directory: give --root-dir")
	}
	c.managed = managed.New(managed.Config{
		DataDir: o.DataDir, RootDir: root, Guard: c.guard, TokenUse: c.useToken, Log: c.cfg.Log, Fonts: c.cfg.Fonts, Report: c.report,
		Wheelhouse: c.wheelhouse,
	})
	c.Kernels.Servers.Add(ManagedServer, true)
	return nil
}

// rootDir returns the root directory: the managed Jupyter server runs in it, and relative
// paths start there. It returns "" if none is configured and the home directory is
// unknown.
func (c *Core) rootDir() string {
	if root := cmp.Or(c.cfg.Options.RootDir, c.Store.Snapshot().Settings.RootDir); root != "" {
		return root
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "Easel")
}

// Start starts the goroutines and the servers, and returns immediately. Close ends them.
func (c *Core) Start(ctx context.Context) {
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.life = ctx
	c.servers.Lock()
	for _, n := range c.named {
		c.attend(ctx, n)
	}
	c.servers.Unlock()
	c.handleServers()
	c.handleManaged()
	watched := announce.Deps{Bus: c.cfg.Bus, Store: c.Store, Library: c.Library.Activities, Log: c.cfg.Log, Mask: c.cfg.Mask}
	c.tasks.Go(announce.WatchCalls(ctx, watched))
	c.tasks.Go(announce.WatchArrivals(ctx, watched))
	c.tasks.Go(announce.WatchShown(ctx, watched))
	c.tasks.Go(func() { c.Pictures.Run(ctx) })
	c.tasks.Go(c.cells.Watch(ctx, c.Store))
	for _, keep := range c.keepers {
		c.tasks.Go(func() { keep(ctx) })
	}
	c.tasks.Go(func() { c.tidy(ctx) })
	c.tasks.Go(func() { c.countFindings(ctx) })
	c.tasks.Go(func() { c.keeping.Run(ctx) })
	c.checking = make(chan struct{})
	go func() { // ends when ctx does, and its last kernel has ended
		defer close(c.checking)
		c.deps.Checker.Run(ctx)
	}()
	for range parallelFigures {
		c.tasks.Go(func() { c.figures.Run(ctx) })
	}
	c.tasks.Go(func() { c.figures.RunPreparing(ctx) })
	c.watchMemory(ctx)
	context.AfterFunc(ctx, c.followSettings())
	if c.managed != nil && c.Store.Snapshot().Settings.Prestart {
		c.tasks.Go(func() { c.Kernels.Prestarter.Keep(ctx, ManagedServer) })
	}
	c.tasks.Go(func() {
		if err := c.Kernels.Restore(ctx, catalog.ThisMachine); err != nil && ctx.Err() == nil {
			c.cfg.Log.WarnContext(ctx, "reconnecting to kernels", "server", catalog.ThisMachine, "err", err)
		}
		c.seek(ctx)
	})
	c.tasks.Go(c.projects.Adopt)
	c.tasks.Go(func() {
		if c.external != nil {
			c.Kernels.Servers.Attach(ctx, ExternalServer, c.external)
			return
		}
		c.startManaged(ctx)
	})
}

// noteNewest puts the newest plot of the library into the state.
func (c *Core) noteNewest(ctx context.Context) {
	if last, _, err := c.Library.Images.Page(ctx, library.All(), library.Page{Limit: 1}); err == nil && len(last) > 0 {
		c.Store.Update(func(s *state.Snapshot) { s.Newest = last[0].ImageID })
	}
}

// Close disconnects from the kernels, stops the managed Jupyter server, waits for the
// goroutines, which save what is pending, and closes the library. Close the bus first.
func (c *Core) Close(ctx context.Context) error {
	if c.cancel != nil {
		c.cancel()
		select {
		case <-c.checking: // its kernel has ended
		case <-ctx.Done():
		}
	}
	c.keeping.Finish(ctx)
	c.stored.Close()
	err := errors.Join(c.actions.Close(ctx), c.Kernels.Close(ctx))
	c.editors.Close()
	c.deps.Rooms.Close() // after the outputs of the last executions have been written
	err = errors.Join(err, c.local.Close(), c.closeClients())
	err = errors.Join(err, c.projects.Close(ctx))
	if c.managed != nil {
		err = errors.Join(err, c.managed.Stop(ctx))
	}
	c.tasks.Wait()
	c.Collection.Close()
	return errors.Join(err, c.renderer.Close(), c.printer.Close(), c.Library.Close())
}
