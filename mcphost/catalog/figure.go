package catalog

import "easel/eventbus"

// A FigurePage is the page for a ticket.
type FigurePage struct {
	HTML []byte // contains everything that it loads
	Void bool   // the ticket was used or has expired, or the figure cannot be shown; HTML says so
}

// ReadFigure makes a ticket void and returns its page. The host serves it below [FigurePath].
var ReadFigure = eventbus.NewTopic[string, FigurePage]("read_figure")

// FigurePath is the path of a figure's page, without the ticket at its end.
const FigurePath = "/figures/"
