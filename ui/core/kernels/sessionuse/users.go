// Package sessionuse records in a session which clients use it, and which of them have to be told
// that its kernel was replaced.
//
// # Goroutines
//
// Its functions change the session that they are given. The caller guards it.
package sessionuse

import (
	"slices"
	"strings"

	"easel/mcphost/tool"
	"easel/ui/core/library"
)

const maxUsers = 8 // latest clients of a session

// Add adds a client to those that have used a session, and reports whether it was new.
func Add(s *library.Session, c tool.Caller) bool {
	users, added := withUser(s.Users, c.Identity())
	clients, named := withClient(s.Clients, c)
	s.Users, s.Clients = users, clients
	if added {
		s.Kin = withKin(s.Kin, c)
	}
	return added || named
}

// withUser adds the identity of a client to the latest users of a session, and reports
// whether it was new.
func withUser(users, id string) (all string, added bool) {
	list := strings.Fields(users)
	if id == "" || slices.Contains(list, id) {
		return users, false
	}
	list = append(list, id)
	return strings.Join(list[max(0, len(list)-maxUsers):], "\n"), true
}

// withClient adds the name of a client to the latest clients of a session, and reports whether
// it was new. It does not add the user and Easel itself.
func withClient(clients string, c tool.Caller) (all string, added bool) {
	if c.Identity() == "" {
		return clients, false
	}
	list, name := Names(clients), strings.ReplaceAll(c.String(), "\n", " ")
	if slices.Contains(list, name) {
		return clients, false
	}
	list = append(list, name)
	return strings.Join(list[max(0, len(list)-maxUsers):], "\n"), true
}

// Names returns the lines of a session's Clients.
func Names(clients string) []string {
	if clients == "" {
		return nil
	}
	return strings.Split(clients, "\n")
}
