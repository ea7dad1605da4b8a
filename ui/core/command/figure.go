package command

import (
	"time"

	"easel/eventbus"
)

// OpenFigure issues a ticket for an image, given by its id or URI. With the ticket, the user's
// browser can read the page of the figure once, within a minute. Only the window asks. If the
// image has no interactive figure, the error is NOT_EXECUTABLE.
var OpenFigure = eventbus.NewTopic[string, string]("open_figure")

// RedrawImageIn is a request of the window to draw a plot again.
type RedrawImageIn struct {
	Image         string  // id or URI
	Format        string  // png, jpeg, svg or pdf
	Width, Height float64 // inches; 0: in proportion, or as displayed
	DPI           float64 // 0: as displayed
	Scale         float64 // instead of a size and DPI: times the pixels as displayed; only for figures that are drawn quickly
	Theme         string  // light, dark or ""
	To            string  // file to write, which is replaced; "": none
	// Within refuses a figure whose kernel took longer to draw it when it was displayed; 0: any.
	Within time.Duration
	// Roomy has a figure for which the size has too little room laid out for a larger one.
	Roomy bool
	// Looking means that the user only looks at the plot, so no session is joined for it.
	Looking bool
}

// RedrawImageOut is a plot that was drawn again, or why it was not.
type RedrawImageOut struct {
	Data          []byte
	MIMEType      string
	Width, Height int        // in pixels
	Inches        [2]float64 // width and height; 0 where unknown
	Path          string     // that was written
	By            string     // what has drawn it: one of the ways below
	Changes       string     // what is not as it was when the figure was stored, in English; "" if nothing is known
	Refused       string     // the redraw.Reason why there is no picture; "" if there is one
	Detail        string     // of Refused, in English
}

// What has drawn a plot again.
const (
	ByKernel = "kernel" // its kernel
	ByFigure = "figure" // a kernel of its own, from its stored figure
	ByData   = "data"   // an engine, from its data
)

// RedrawImage draws a plot again.
var RedrawImage = eventbus.NewTopic[RedrawImageIn, RedrawImageOut]("redraw_image")

// A PlotWay is how a plot can be drawn again.
type PlotWay struct {
	By     string // one of the catalog's
	Data   bool   // if By is stored: an engine draws it from its data
	Reason string // the redraw.Reason why neither its kernel nor a stored figure draws it; "" if one does
	// Unstored is why its figure is not stored, if that is known: one of figurestore's reasons, or "pickle".
	Unstored string
	Detail   string // of Unstored, in English
}

// WayOf returns how a plot, given by its id or URI, can be drawn again. It does not ask the kernel.
var WayOf = eventbus.NewTopic[string, PlotWay]("way_of")
