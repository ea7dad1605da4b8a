// Package export implements the topics that write plots into files that the user names: pictures,
// reports, folders and notebooks.
//
// # Goroutines
//
// Exports run on goroutines of the bus. They share nothing.
package export

import (
	"context"

	"easel/internal/mask"
	"easel/ui/core/command"
	folder "easel/ui/core/export"
	"easel/ui/core/library"
	"easel/ui/core/private"
	"easel/ui/core/redraw"
	"easel/ui/core/report"
	"easel/ui/core/tools/chain"
)

// A Library is what plots are read from.
type Library interface {
	folder.Library
	Image(ctx context.Context, idOrURI string) (library.Image, error)
}

// Deps are the dependencies of exports.
type Deps struct {
	Library Library
	// Pages makes the pages of interactive figures for reports.
	Pages report.Pages
	// History is what notebooks are made of. If nil, there is no export as a notebook.
	History *library.Library
	// Printer prints reports. If nil, there is no export as PDF.
	Printer Printer
	// Redraw draws a plot again, for the sharp pictures of a PDF. May be nil.
	Redraw func(ctx context.Context, im library.Image, q redraw.Request) (redraw.Picture, error)
	// Values returns the values that a plot shows as CSV, or nil, and whether it is only a sample of them. May be nil.
	Values func(ctx context.Context, im library.Image) (csv []byte, sample bool)
	// Stored returns the same, without asking a kernel. May be nil.
	Stored func(ctx context.Context, im library.Image) (csv []byte, sample bool)
	// Fonts are font files for Japanese text, the best first.
	Fonts []string
	// Mask returns what hides the secrets in what was drawn in a session. If nil, nothing is hidden.
	Mask func(session string) *mask.Mask
	// Private is what is not written to. May be nil.
	Private *private.Directory
}

type exporter struct{ Deps }

// Register registers the topics that export.
func Register(c *chain.Chain, d Deps) {
	if d.Mask != nil {
		d.discreet()
	}
	e := &exporter{d}
	chain.Register(c, command.ExportImages, e.exportImages)
	chain.Register(c, command.SaveData, e.saveData)
	chain.Register(c, command.CanPrint, e.canPrint)
	chain.Register(c, command.Export, e.exportPlots)
}
