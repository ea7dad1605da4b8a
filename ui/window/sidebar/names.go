package sidebar

import (
	"path/filepath"
	"strings"

	"easel/ui/core/library"
	"easel/ui/core/sessionname"
	"easel/ui/core/state"
	"easel/ui/window/kit"
)

// listedEnded returns the ended sessions that are listed.
func (b *Bar) listedEnded(live map[string]bool) (listed []library.Session) {
	for _, x := range b.known.sessions {
		if !live[x.ID] && x.Images > 0 {
			listed = append(listed, x)
		}
	}
	return listed
}

// Names returns the names of live sessions and of those that the library has, by their ids.
func Names(live []state.Session, kept []library.Session) map[string]string {
	all := make([]sessionname.Session, 0, len(live)+len(kept))
	known := make(map[string]bool, len(live))
	for _, x := range live {
		all = append(all, x.Named())
		known[x.SessionID] = true
	}
	for _, x := range kept {
		if !known[x.ID] {
			s := x.Named()
			s.Ended = true // also if nothing has recorded its end
			all = append(all, s)
		}
	}
	names := make(map[string]string, len(all))
	for i, name := range sessionname.Among(all) {
		names[all[i].ID] = name
	}
	return names
}

// ShortName returns a shorter name for a live session: a notebook's name without extension, or
// the beginning of the id of a session without a name.
func ShortName(x state.Session) string {
	return strings.TrimPrefix(strings.TrimSuffix(x.Title(), ".ipynb"), x.KernelName+" · ")
}

// Python says which Python a live session of a project has; "" for other sessions.
func Python(k *kit.Kit, x state.Session) string {
	if x.Environment == "" && x.Project != "" {
		return filepath.Base(x.Project) + ", " + k.T("projects.easel_long")
	}
	return x.Environment
}
