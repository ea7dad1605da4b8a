package state

import (
	"slices"
	"time"
)

// recentCall is how long after its last call a client is named.
const recentCall = 15 * time.Minute

// Losses are what ends with Easel: the code that runs and the variables of idle sessions
// on the Jupyter that Easel runs itself. Kernels of other servers go on.
type Losses struct {
	Running, Idle []Session
	Clients       []string // that called lately and may still want these, by name
}

// None tells whether nothing is lost.
func (l Losses) None() bool { return len(l.Running)+len(l.Idle) == 0 }

// Losses are what would end if Easel quit now.
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
