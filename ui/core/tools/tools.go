// Package tools registers the bodies of Easel's tools, which are in rooms of their own by subject.
// Each body is short: the kernels, the library or the state do the work, and it converts the
// result to the types of the catalog. Package chain adds the steps that its declaration asks for.
//
// # Goroutines
//
// Tools run on goroutines of the bus, each with its caller's context.
package tools

import (
	"context"
	"log/slog"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
	"easel/ui/core/announce"
	"easel/ui/core/cells"
	"easel/ui/core/collection"
	"easel/ui/core/editors"
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/kernels/servers"
	"easel/ui/core/kernels/usage"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/plotdata"
	"easel/ui/core/private"
	"easel/ui/core/projects"
	"easel/ui/core/redraw"
	"easel/ui/core/report"
	"easel/ui/core/reproduce"
	"easel/ui/core/secrets"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/export"
	"easel/ui/core/tools/gallery"
	"easel/ui/core/tools/lookup"
	"easel/ui/core/tools/notebook"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/plots"
	"easel/ui/core/tools/run"
	"easel/ui/core/userinput"
)

// Deps are the dependencies of the tools.
type Deps struct {
	Bus     *eventbus.Bus
	Store   *state.Store
	Library *library.Library
	// Collection is what the gallery shows: Library and directories on disk. If nil, Register
	// makes one.
	Collection *collection.Collection
	Pictures   *announce.Pictures // announces what the tools have changed
	RootDir    string             // the directory that relative paths start from
	Private    *private.Directory // what no tool reads or writes; may be nil
	Kernels    *kernels.Manager
	Projects   *projects.Projects // may be nil
	Pages      report.Pages       // makes the pages of interactive figures for reports
	Figures    *interactive.Opener
	Redrawer   *redraw.Redrawer
	Printer    export.Printer   // may be nil
	Numbers    *plotdata.Reader // what plots show; if nil, Register makes one
	Fonts      []string         // files of fonts for Japanese text
	Approvals  *oversight.Approvals
	Actions    *oversight.Actions                            // asks about calls that are no code; nil if nobody can be asked
	Inputs     *userinput.Questions                          // what running code asks the user; nil if there can be no window
	Connected  func() (map[string]catalog.Connection, error) // the connected clients, by identity
	Checker    *reproduce.Checker
	Usage      *usage.Meter     // measures what kernels use; may be nil
	Rooms      *notebooks.Rooms // joins shared notebooks; if nil, it cannot
	Editors    *editors.Hub     // has the user's editors; may be nil
	Python     func() string    // path of Easel's own Python, or ""; may be nil
	Cells      *cells.Cells     // knows the cells that drew plots; Register makes it read notebooks. May be nil
	Log        *slog.Logger
	Secrets    *secrets.Source // what is secret in the answers to clients; may be nil
	// ShowWindow brings the window to the front, if there is one. It is nil if there can
	// be none.
	ShowWindow func()
	// OpenWindow opens the window on a display if Easel started without one. The error
	// says why that is not possible.
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

// Register registers the implementations of all tools of the catalog, and the handlers of
// the host's topics. It returns the chain, for those that others handle.
func Register(d Deps) *chain.Chain {
	if d.Collection == nil {
		d.Collection = collection.New(d.Library, d.Log)
	}
	if d.Cells == nil {
		d.Cells = &cells.Cells{Library: d.Library, Log: d.Log}
	}
	c := &chain.Chain{Bus: d.Bus, Store: d.Store, Replaced: d.Kernels.Replaced, Actions: d.Actions}
	if d.Secrets != nil {
		c.Secrets = d.Secrets
	}
	results := &plots.Results{Source: d.Collection, Drawings: d.Collection, Sessions: d.Library.Sessions, Redrawer: d.Redrawer}
	if results.Numbers = d.Numbers; results.Numbers == nil {
		results.Numbers = &plotdata.Reader{Images: d.Library.Images}
	}
	results.Tell = func() bool { return d.Store.Snapshot().Settings.PlotFacts }
	results.Code = func(ctx context.Context, im library.Image) string {
		if x, err := d.Library.Executions.Get(ctx, im.ExecutionID); err == nil {
			return x.Code
		}
		return im.Code
	}
	shown := gallery.Deps{
		Cells: d.Cells, Store: d.Store, Library: d.Collection, Kept: d.Library, Directories: d.Collection, Leaver: d.Collection,
		Pictures: d.Pictures, RootDir: d.RootDir, Private: d.Private,
		ShowWindow: d.ShowWindow, Settle: d.Kernels.AwaitEnvironment, Facts: results.SayAll, Compare: results.Differences,
	}
	exported := export.Deps{Library: d.Collection, Pages: d.Pages, History: d.Library, Printer: d.Printer, Fonts: d.Fonts, Private: d.Private}
	if d.Secrets != nil {
		exported.Mask = d.Secrets.Of
	}
	exported.Values, exported.Stored = results.Numbers.CSV, results.Numbers.StoredCSV
	if d.Redrawer != nil {
		exported.Redraw, shown.SayWay = d.Redrawer.Redraw, results.SayWay
	}
	export.Register(c, exported)
	names := &plots.Names{Source: d.Collection, Gallery: gallery.Register(c, shown)}
	d.registerKernels(c, results, names)
	w := &programWindow{d.Store, d.Kernels.Servers, d.ShowWindow, d.OpenWindow}
	chain.Register(c, catalog.Health, w.health)
	chain.Register(c, catalog.ShowWindow, w.show)
	return c
}

// registerKernels registers the rooms that use kernels.
func (d *Deps) registerKernels(c *chain.Chain, results *plots.Results, names *plots.Names) {
	find := &paths.Finder{Servers: d.Kernels.Servers, Renames: &d.Kernels.Renames, RootDir: d.RootDir}
	if d.Projects != nil {
		find.Projects = d.Projects
	}
	runner := &run.Runner{
		Kernels: d.Kernels, Store: d.Store, Output: d.Library.Output, Results: results,
		Approvals: d.Approvals, Usage: d.Usage,
	}
	n := notebook.Register(c, notebook.Deps{
		Runner: runner, Paths: find, Library: d.Library, Rooms: d.Rooms, Editors: d.Editors, Cells: d.Cells,
		Private: d.Private, Log: d.Log,
	})
	run.Register(c, run.Deps{
		Connected: d.Connected,
		Runner:    runner, Paths: find, Projects: d.Projects, Python: d.Python, Library: d.Library, Names: names, Checker: d.Checker,
		Inputs:    d.Inputs,
		Questions: gallery.Questions{Library: d.Library.Questions}, HintCell: n.HintCell,
	})
	sessionID := func(ctx context.Context, id string) (string, error) { // an ended session is only in the library
		if s, err := d.Library.Sessions.Get(ctx, id); err == nil {
			return s.ID, nil
		}
		return d.Kernels.Known(ctx, id)
	}
	lookup.Register(c, lookup.Deps{Bus: d.Bus, Store: d.Store, Library: d.Library, Known: d.Kernels.Known, SessionID: sessionID, Log: d.Log})
	plots.Register(c, plots.Deps{
		Store: d.Store, Library: d.Library, Cells: d.Cells, Results: results, Names: names, SessionID: sessionID, Saved: n.SavedPicture,
		Figures: d.Figures,
		Drawer:  &plots.Drawer{Redrawer: d.Redrawer, Names: names, Store: d.Store, Files: find, Private: d.Private},
	})
}

// A programWindow is the window of this Easel, as a second start sees it.
type programWindow struct {
	store   *state.Store
	servers *servers.List
	raise   func() // nil if there can be no window
	open    func(context.Context, catalog.ShowWindowIn) error
}

func (w *programWindow) show(ctx context.Context, in catalog.ShowWindowIn) (struct{}, error) {
	none := w.store.Snapshot().Window == state.WindowNone
	switch {
	case none && w.open == nil:
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "The Easel that runs here has no window.", Hint: "Quit it and start the program with the window.",
		}
	case none && len(in.Env) == 0:
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "This Easel runs without a window.", Hint: "Start Easel on a desktop: it opens the window of this one there.",
		}
	case none:
		if err := w.open(ctx, in); err != nil {
			return struct{}{}, &tool.Error{
				Code: tool.NotExecutable, Detail: "No window can be opened there: " + err.Error() + ".", Hint: "Easel continues without one.",
			}
		}
	case w.raise != nil && !in.Hidden:
		w.raise()
	}
	return struct{}{}, nil
}

func (w *programWindow) health(_ context.Context, _ struct{}) (catalog.HealthOut, error) {
	return catalog.HealthOut{
		Window:  string(w.store.Snapshot().Window),
		Servers: w.servers.Health(),
	}, nil
}
