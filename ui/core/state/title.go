package state

import (
	"cmp"
	"slices"

	"easel/ui/core/sessionname"
)

// Title returns what the session is called among the live ones.
func (x Session) Title() string { return cmp.Or(x.title, sessionname.Of(x.Named())) }

// Named returns what the session is named after.
func (x Session) Named() sessionname.Session {
	return sessionname.Session{
		Project: sessionname.Project(x.Server, x.Project, x.Environment),
		ID:      x.SessionID, KernelID: x.KernelID, KernelName: x.KernelName, Program: x.Program, Server: x.Server,
		NotebookPath: x.NotebookPath, Given: x.Name, Title: x.Session.Title,
	}
}

// title sets the titles of the live sessions, each of which depends on the others.
func (s *Snapshot) title() {
	all := make([]sessionname.Session, len(s.Sessions))
	for i, x := range s.Sessions {
		all[i] = x.Named()
	}
	copied := false
	for i, title := range sessionname.Among(all) {
		if s.Sessions[i].title == title {
			continue
		}
		if !copied { // readers of an older snapshot may have the same slice
			s.Sessions, copied = slices.Clone(s.Sessions), true
		}
		s.Sessions[i].title = title
	}
}
