package catalog

import (
	"time"

	"easel/eventbus"
)

// A Connection tells how long a client counts as connected.
type Connection struct {
	Open  bool      // a stream or a call of it is open: for as long as that is
	Until time.Time // else until then, if it does not call again
}

// Holds tells whether the client counts as connected at a time.
func (c Connection) Holds(now time.Time) bool { return c.Open || now.Before(c.Until) }

// An Arrival tells that an MCP client has connected, or has read the list of tools again.
type Arrival struct {
	Name, Version string
	At            time.Time
}

// Arrivals carries every Arrival.
var Arrivals = eventbus.NewEvent[Arrival]("arrivals")

// PinSessionIn says whether a session is kept however long nobody uses it.
type PinSessionIn struct {
	SessionID string
	Pinned    bool
}

// PinSession pins a session, or unpins it. The window asks for it.
var PinSession = eventbus.NewTopic[PinSessionIn, struct{}]("pin_session")

// ConnectedClients tells which clients are connected, by tool.Caller.Identity. The host
// answers; whoever wants to end what belongs to a client asks it first.
var ConnectedClients = eventbus.NewTopic[struct{}, map[string]Connection]("connected_clients")
