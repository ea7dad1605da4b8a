package window

import (
	"slices"
	"strings"
	"testing"

	"easel/ui/core/state"
	"easel/ui/window/uitest"
)

// TestSessionsOfTheSameNameAreToldApart covers sessions with notebooks of the same path on
// several servers. The server is shown for them only.
func TestSessionsOfTheSameNameAreToldApart(t *testing.T) {
	session := func(n int, name, server string) state.Session {
		x := state.Session{Name: name, Client: "claude-code 2.1.0", Colour: n}
		x.SessionID, x.KernelID, x.KernelName, x.Status, x.Server = uitest.SessionID(n), uitest.SessionID(n), "python3", "idle", server
		return x
	}
	w := newWorld(t, wide, galleryOf(1), func(s *state.Snapshot) {
		s.Sessions = []state.Session{session(0, "売上.ipynb", "managed"), session(1, "other.ipynb", "managed"), session(2, "only.ipynb", "gpu")}
	})
	told := func() (servers []string) {
		for _, line := range uitest.Texts(w.app.win.Canvas()) {
			for _, name := range []string{"managed", "gpu"} {
				if strings.Contains(line, name+" · claude-code") {
					servers = append(servers, name)
				}
			}
		}
		slices.Sort(servers)
		return servers
	}
	if got := told(); got != nil {
		t.Errorf("servers %q are shown, and nothing needs them", got)
	}
	w.store.Update(func(s *state.Snapshot) {
		s.Sessions = append(slices.Clone(s.Sessions), session(3, "売上.ipynb", "gpu"))
	})
	w.settled()
	if got := told(); !slices.Equal(got, []string{"gpu", "managed"}) {
		t.Errorf("the servers of two sessions of one name are shown as %q", got)
	}
}
