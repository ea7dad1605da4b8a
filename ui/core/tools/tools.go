// Package tools implements Easel's tools. Each implementation is short: the kernels, the
// library or the state do the work, and the implementation converts the result to the types
// of the catalog. Package chain registers them.
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
	"easel/ui/core/interactive"
	"easel/ui/core/kernels"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/oversight"
	"easel/ui/core/private"
	"easel/ui/core/redraw"
	"easel/ui/core/report"
	"easel/ui/core/reproduce"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
	"easel/ui/core/tools/export"
	"easel/ui/core/tools/gallery"
	"easel/ui/core/tools/lookup"
	"easel/ui/core/tools/notebook"
	"easel/ui/core/tools/paths"
	"easel/ui/core/tools/plots"
	"easel/ui/core/tools/run"
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
	Pages      report.Pages // makes the pages of interactive figures for reports
	Figures    *interactive.Opener
	Redrawer   *redraw.Redrawer
	Printer    export.Printer // may be nil
	Fonts      []string       // files of fonts for Japanese text
	Checker    *reproduce.Checker
	Rooms      *notebooks.Rooms // joins shared notebooks; if nil, it cannot
	Cells      *cells.Cells     // knows the cells that drew plots; Register makes it read notebooks. May be nil
	Log        *slog.Logger
	// ShowWindow brings the window to the front, if there is one. It is nil if there can
	// be none.
	ShowWindow func()
	// OpenWindow opens the window on a display if Easel started without one. The error
	// says why that is not possible.
	OpenWindow func(context.Context, catalog.ShowWindowIn) error
}

type bodies struct {
	Deps
	runner  *run.Runner
	paths   *paths.Finder
	results *plots.Results
	names   *plots.Names
}

// Register registers the implementations of all tools of the catalog, and the handlers of
// the host's topics.
func Register(d Deps) {
	if d.Collection == nil {
		d.Collection = collection.New(d.Library, d.Log)
	}
	b := &bodies{Deps: d, paths: &paths.Finder{Servers: d.Kernels.Servers, Renames: &d.Kernels.Renames, RootDir: d.RootDir}}
	c := &chain.Chain{Bus: d.Bus, Store: d.Store, Replaced: d.Kernels.Replaced}
	if b.Cells == nil {
		b.Cells = &cells.Cells{Library: b.Library, Log: b.Log}
	}
	b.results = &plots.Results{Source: d.Collection, Drawings: d.Collection, Sessions: d.Library.Sessions, Redrawer: d.Redrawer}
	shown := gallery.Deps{
		Cells: b.Cells, Bus: d.Bus, Store: d.Store, Library: d.Collection, Directories: d.Collection, Leaver: d.Collection,
		Pictures: d.Pictures, RootDir: d.RootDir, Private: d.Private, ShowWindow: d.ShowWindow,
	}
	exported := export.Deps{Library: d.Collection, Pages: d.Pages, History: d.Library, Printer: d.Printer, Fonts: d.Fonts, Private: d.Private}
	if d.Redrawer != nil {
		exported.Redraw, shown.Redrawable = d.Redrawer.Redraw, b.results.Redrawable
	}
	export.Register(c, exported)
	g := gallery.Register(c, shown)
	b.names = &plots.Names{Source: b.results.Source, Gallery: g}
	b.runner = &run.Runner{
		Kernels: d.Kernels, Store: d.Store, Output: d.Library.Output, Results: b.results,
		Approvals: oversight.NewApprovals(d.Store, func(name catalog.ChangeName, a catalog.Approval) {
			catalog.Changes.Notify(d.Bus, catalog.Change{Name: name, Object: a})
		}),
	}
	n := notebook.Register(c, notebook.Deps{Runner: b.runner, Paths: b.paths, Library: d.Library, Rooms: d.Rooms, Cells: b.Cells, Private: d.Private, Log: d.Log})
	run.Register(c, run.Deps{
		Bus: d.Bus, Runner: b.runner, Paths: b.paths, Library: d.Library, Names: b.names, Checker: d.Checker,
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
		Store: d.Store, Library: d.Library, Cells: b.Cells, Results: b.results, Names: b.names, SessionID: sessionID, Saved: n.SavedPicture, Figures: d.Figures,
		Drawer: &plots.Drawer{Redrawer: d.Redrawer, Names: b.names, Store: d.Store, RootDir: d.RootDir, Private: d.Private},
	})
	chain.Register(c, catalog.Health, b.health)
	chain.Register(c, catalog.ShowWindow, b.showWindow)
}

func (b *bodies) showWindow(ctx context.Context, in catalog.ShowWindowIn) (struct{}, error) {
	none := b.Store.Snapshot().Window == state.WindowNone
	switch {
	case none && b.OpenWindow == nil:
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "The Easel that runs here has no window.", Hint: "Quit it and start the program with the window.",
		}
	case none && len(in.Env) == 0:
		return struct{}{}, &tool.Error{
			Code: tool.NotExecutable, Detail: "This Easel runs without a window.", Hint: "Start Easel on a desktop: it opens the window of this one there.",
		}
	case none:
		if err := b.OpenWindow(ctx, in); err != nil {
			return struct{}{}, &tool.Error{
				Code: tool.NotExecutable, Detail: "No window can be opened there: " + err.Error() + ".", Hint: "Easel continues without one.",
			}
		}
	case b.ShowWindow != nil && !in.Hidden:
		b.ShowWindow()
	}
	return struct{}{}, nil
}

func (b *bodies) health(_ context.Context, _ struct{}) (catalog.HealthOut, error) {
	return catalog.HealthOut{
		Window:  string(b.Store.Snapshot().Window),
		Servers: b.Kernels.Servers.Health(),
	}, nil
}
