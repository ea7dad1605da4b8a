package sidebar

import (
	"easel/ui/core/library"
	"easel/ui/window/properties"
)

// listedEnded returns the ended sessions that are listed.
func (b *Bar) listedEnded(live map[string]bool) (listed []library.Session) {
	for _, x := range b.known.sessions {
		if !live[x.ID] && x.Images > 0 && len(listed) < mostEnded {
			listed = append(listed, x)
		}
	}
	return listed
}

// serverOf returns a function that returns the server to show for a listed session: its server
// if another session has the same name on another server, and otherwise "".
func (b *Bar) serverOf(ended []library.Session) func(name, server string) string {
	first, several := make(map[string]string), make(map[string]bool)
	note := func(name, server string) {
		if other, ok := first[name]; ok && other != server {
			several[name] = true
		}
		first[name] = server
	}
	for _, x := range b.snap.Sessions {
		note(Name(x), x.Server)
	}
	for _, x := range ended {
		note(properties.SessionName(x), x.Server)
	}
	return func(name, server string) string {
		if several[name] {
			return server
		}
		return ""
	}
}
