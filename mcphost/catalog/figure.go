package catalog

import "easel/eventbus"

// OpenFigure issues a ticket for the figure that an image's id or URI names: the user's browser
// may read the figure's page with it once, soon. Only the window asks. The error is NOT_EXECUTABLE
// if a browser would show no more than the picture.
var OpenFigure = eventbus.NewTopic[string, string]("open_figure")

// A FigurePage is the page for a ticket.
type FigurePage struct {
	HTML []byte // needs nothing but itself
	Void bool   // the ticket was used or is too old, or the figure is gone; HTML says so
}

// ReadFigure takes a ticket, which is void from then on. It is for the address [FigurePath].
var ReadFigure = eventbus.NewTopic[string, FigurePage]("read_figure")

// FigurePath begins the path of a figure's page; the ticket ends it.
const FigurePath = "/figures/"
