package command

import "easel/eventbus"

// SendAgainIn names a plot and the client that gets it once more.
type SendAgainIn struct {
	ImageID string `json:"image_id"`
	Client  string `json:"client"` // the name that it sends, as in library.Delivery
}

// SendAgain makes the next result to a client that can carry pictures include a plot.
var SendAgain = eventbus.NewTopic[SendAgainIn, struct{}]("send_again")
