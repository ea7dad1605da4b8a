package state

import (
	"slices"
	"time"
)

// recentCall is the time after its last call during which a client counts as active.
const recentCall = 15 * time.Minute

// Losses are the sessions that end when Easel quits: those on the managed Jupyter server.
// They lose running code and variables. Kernels on other servers continue.
type Losses struct {
	Running, Idle []Session
	Clients       []string // names of clients that called recently and may still use them
}

// None reports whether no session would be lost.
func (l Losses) None() bool { return len(l.Running)+len(l.Idle) == 0 }

// Losses returns what would be lost if Easel quit now.
func (s *Snapshot) Losses(now time.Time) (l Losses) {
	for _, x := range s.Sessions {
		goesOn := slices.ContainsFunc(s.Servers, func(server Server) bool { return server.Name == x.Server && !server.Managed })
		switch {
		case goesOn || x.Died != "" || x.Status == "dead":
		case x.Runs():
			l.Running = append(l.Running, x)
		default:
			l.Idle = append(l.Idle, x)
		}
	}
	for _, c := range s.Clients {
		if c.Calls > 0 && now.Sub(c.Last) < recentCall && !slices.Contains(l.Clients, c.Name) {
			l.Clients = append(l.Clients, c.Name)
		}
	}
	return l
}
