// Package plots implements the tools and topics that return plots and other images, and what results of other
// tools say about images.
//
// # Goroutines
//
// Calls run on goroutines of the bus. What they share has its own lock.
package plots

import (
	"context"

	"easel/mcphost/catalog"
	"easel/ui/core/cells"
	"easel/ui/core/command"
	"easel/ui/core/interactive"
	"easel/ui/core/library"
	"easel/ui/core/notebooks"
	"easel/ui/core/state"
	"easel/ui/core/tools/chain"
)

// Deps are the dependencies of the tools for images.
type Deps struct {
	Store   *state.Store
	Library *library.Library
	Cells   *cells.Cells
	Results *Results
	Names   *Names
	// SessionID returns the id of a session, given its id or its kernel's id.
	SessionID func(ctx context.Context, id string) (string, error)
	// Saved reads a picture that is saved in a notebook.
	Saved   func(ctx context.Context, name notebooks.PictureName) (p notebooks.SavedPicture, path string, err error)
	Figures *interactive.Opener
	Drawer  *Drawer
}

// Register registers the bodies.
func Register(c *chain.Chain, d Deps) {
	r := &reader{d}
	chain.Register(c, catalog.ListSessionImages, r.listSessionImages)
	chain.Register(c, catalog.GetImageResource, r.getImageResource)
	chain.Register(c, catalog.ListImages, r.listImages)
	chain.Register(c, catalog.ReadImage, r.readImage)
	chain.Register(c, catalog.ReadPlotData, r.readPlotData)
	chain.Register(c, command.OpenFigure, r.openFigure)
	chain.Register(c, command.FindingsOf, r.findingsOf)
	chain.Register(c, command.WayOf, r.wayOf)
	chain.Register(c, command.DifferencesOf, r.differencesOf)
	chain.Register(c, catalog.ReadFigure, r.readFigure)
	chain.Register(c, catalog.RenderImage, d.Drawer.renderImage)
	chain.Register(c, command.RedrawImage, d.Drawer.redrawImage)
}

type reader struct{ Deps }
