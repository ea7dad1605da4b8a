package catalog

import "easel/eventbus"

// A SentAgain is a plot that the user sends an assistant again.
type SentAgain struct {
	Plot  string `json:"plot"` // URI
	Title string `json:"title,omitempty"`
	Path  string `json:"path,omitempty"` // of the file, if the client cannot show its model pictures
	// Inline means that the client gets the picture; otherwise, it gets a link.
	Inline bool   `json:"-"`
	MIME   string `json:"-"`
}

// AnnouncePlots returns the plots that the user sends the calling client again, and marks them as sent.
var AnnouncePlots = eventbus.NewTopic[struct{}, []SentAgain]("announce_plots")
