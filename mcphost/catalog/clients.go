package catalog

import (
	"time"

	"easel/eventbus"
)

// A Connection says how long a client counts as connected.
type Connection struct {
	Open  bool      // it has an open stream or call, and counts as long as that lasts
	Until time.Time // otherwise it counts until then, unless it calls again
}

// Holds reports whether the client counts as connected at a time.
func (c Connection) Holds(now time.Time) bool { return c.Open || now.Before(c.Until) }

// An Arrival reports that an MCP client has connected or has read the list of tools
// again.
type Arrival struct {
	Name, Version string
	Assistant     string // by whose token; see tool.Caller
	At            time.Time
}

// Arrivals carries every Arrival.
var Arrivals = eventbus.NewEvent[Arrival]("arrivals")
